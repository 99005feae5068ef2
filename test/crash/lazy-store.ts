// A store that lies: it says that a commit is on disk while it is still in memory, and writes it when the next one
// comes, or when none has come for a while. Only when a run is given up, it tells the truth: nobody would be left to
// write it.

import type { CommitResult, Delta, Store } from '../../src/store/store.ts';

const LATE_MS = 500;

/** Acknowledges every commit before it is written. */
export function acknowledgeEarly(inner: Store): Store {
  let late: Delta | undefined;
  const write = async (): Promise<void> => {
    const delta = late;
    late = undefined;
    if (delta !== undefined) await inner.commit(delta);
  };
  const commit = async (delta: Delta): Promise<CommitResult> => {
    await write();
    if (delta.release === true) return inner.commit(delta);
    late = delta;
    setTimeout(write, LATE_MS);
    return { result: 'committed', released: false };
  };
  return { ...inner, commit };
}
