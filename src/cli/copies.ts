// Names and verifies copies of the database, and shows that this takes a while.

import { EngineError } from '../base/error.ts';
import type { RunSummary } from '../store/store.ts';
import { closing } from './session.ts';
import type { Shell } from './shell.ts';

/** The contents of a verified copy. */
export interface CopySummary {
  readonly runs: number;
  /** Runs that have not ended, newest first. */
  readonly open: readonly RunSummary[];
}

/** A name for a file next to another, with its purpose and the time. */
export function nameBeside(file: string, purpose: string): string {
  return `${file}.${purpose}-${new Date().toISOString().replace(/[:.]/g, '-')}`;
}

/** Opens a copy and verifies its contents; `name` is the file that the error STORE_DAMAGED names. */
export async function verifyCopy(copy: string, name: string): Promise<CopySummary> {
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

/** Does something that takes a while; on a terminal, a line says so until it is done. */
export async function showingProgress<T>(shell: Shell, text: string, work: () => Promise<T>): Promise<T> {
  const { stderr } = shell.context;
  if (!shell.display.isTerminal || stderr.isTTY !== true || shell.wantsJson) return work();
  stderr.write(`${text}${shell.symbol('ellipsis')}`);
  try {
    return await work();
  } finally {
    stderr.write('\r\u001b[2K');
  }
}
