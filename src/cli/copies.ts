// Owns copies of the database: their names, and verifying them.

import { EngineError } from '../base/error.ts';
import type { RunSummary } from '../store/store.ts';
import { closing } from './session.ts';
import type { Shell } from './shell.ts';

/** What a verified copy contains. */
export interface CopyFacts {
  readonly runs: number;
  /** Runs that have not ended, newest first. */
  readonly open: readonly RunSummary[];
}

/** A file name next to another, with a purpose and the time. */
export function nameBeside(file: string, what: string): string {
  return `${file}.${what}-${new Date().toISOString().replace(/[:.]/g, '-')}`;
}

/** Opens a copy and verifies its contents; the error STORE_DAMAGED uses `name`, which users know. */
export async function verifyCopy(copy: string, name: string): Promise<CopyFacts> {
  const [{ openSqliteStore }, { inspectFile }] = await Promise.all([
    import('../store/sqlite/open.ts'),
    import('../store/sqlite/inspect.ts'),
  ]);
  return closing(await openSqliteStore({ file: copy }), async (store) => {
    const problems = (await store.check()).problems.filter(({ isReadable }) => isReadable !== true);
    const [first] = problems;
    if (first !== undefined) {
      const more = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
      throw new EngineError('STORE_DAMAGED', `${name} is damaged: ${first.what}${more}; use another backup`, {
        details: { file: name, problems },
      });
    }
    return { runs: inspectFile(copy).runs, open: await store.list({ status: ['pending', 'running', 'waiting'] }) };
  });
}

/** A size for people: `1.5 MB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}

/** Shows on a terminal that something takes a while; returns a function that removes the line. */
export function showWork(shell: Shell, what: string): () => void {
  const { stderr } = shell.world;
  if (!shell.look.isTerminal || stderr.isTTY !== true || shell.wantsJson) return () => {};
  stderr.write(`${what}${shell.symbol('ellipsis')}`);
  return () => stderr.write('\r\u001b[2K');
}
