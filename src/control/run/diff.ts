// Owns the diff shown with a run or an approval: the files that the run changed according to its snapshots, cut to a maximum
// number of bytes. Secrets are masked before it is cut.

import type { Engine } from '../../api/engine.ts';
import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { textWithin } from '../../base/short-text.ts';
import type { FileReport } from '../../engine/undo/file-history.ts';

/** A text, cut off at the end of a line where it is too long. */
export interface BoundedDiff {
  readonly text: string;
  /** The length of the whole diff. */
  readonly bytes: number;
  readonly truncated: boolean;
}

/** A report with its diff cut off. */
type BoundedReport = Omit<FileReport, 'diff'> & { readonly diff: BoundedDiff };

interface DiffQuery {
  readonly run: string;
  readonly step?: string | undefined;
  readonly bytesMax: number;
  readonly steps?: false;
}

/** What a run or a step changed; undefined if the run has no snapshots. */
export async function readRunDiff(engine: Engine, { run, bytesMax, ...query }: DiffQuery): Promise<BoundedReport | undefined> {
  try {
    const { diff = '', ...report } = await engine.run(run).files({ text: {}, ...omitUndefined(query) });
    return { ...report, diff: boundedDiff(diff, bytesMax) };
  } catch (error) {
    if (isEngineError(error) && error.details.hasSnapshots === false) return undefined;
    throw error;
  }
}

/** The diff for an approval: that of its run or, if it has no snapshots, of the run that started it. */
export async function readApprovalDiff(engine: Engine, run: string, bytesMax: number): Promise<BoundedDiff | undefined> {
  const report = await readRunDiff(engine, { run, bytesMax, steps: false });
  if (report !== undefined) return report.diff;
  const { parent } = (await engine.store.load(run)).state;
  return parent === undefined ? undefined : readApprovalDiff(engine, parent.run, bytesMax);
}

function boundedDiff(text: string, bytesMax: number): BoundedDiff {
  const bytes = Buffer.byteLength(text);
  if (bytes <= bytesMax) return { text, bytes, truncated: false };
  const part = textWithin(text, bytesMax);
  return { text: part.slice(0, part.lastIndexOf('\n') + 1) || part, bytes, truncated: true };
}
