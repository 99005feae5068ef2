// Runs asynchronous work one at a time.

/** Runs work with a key after all earlier work with the same key. */
type WorkQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a queue: work with the same key runs in the order of the calls, also after a failure. */
export function createWorkQueue(): WorkQueue {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const done = (last.get(key) ?? Promise.resolve()).then(work);
    const settled: Promise<unknown> = done.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    void settled.then(() => last.get(key) === settled && last.delete(key));
    return done;
  };
}
