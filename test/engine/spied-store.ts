// Owns a store that tests look over the shoulder of: every call is counted, and commits can be held up, refused or
// heard of. Behind it is the real SQLite store.

import { openSqliteStore } from '../../src/index.ts';
import { isDead } from '../../src/process/owner.ts';
import type { CommitResult, Delta, Store } from '../../src/store/store.ts';

/** A store under observation. */
export interface SpiedStore extends Store {
  /** The names of all calls so far, in order. */
  readonly calls: string[];
  /** Called around each commit; what it gives is the result. Change it to hold commits up or to let them fail. */
  around: (delta: Delta, commit: () => Promise<CommitResult>) => Promise<CommitResult>;
}

/** Opens a database file under observation. */
export async function openSpiedStore(file: string): Promise<SpiedStore> {
  const store = await openSqliteStore({ file, isDead, synchronous: 'NORMAL' });
  const calls: string[] = [];
  const spied = Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        calls.push(name);
        return (method as (...given: unknown[]) => unknown).apply(store, args);
      },
    ]),
  ) as unknown as Store;
  const result: SpiedStore = {
    ...spied,
    calls,
    around: (_, commit) => commit(),
    commit: (delta) => result.around(delta, () => spied.commit(delta)),
  };
  return result;
}
