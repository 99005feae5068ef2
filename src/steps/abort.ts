// Owns stopping an attempt: code that ignores its abort signal does not delay the attempt's end, though it may still be
// running afterwards.

/** Thrown inside an attempt when it was stopped; it never leaves the runner. */
export class Stopped extends Error {
  constructor() {
    super('the attempt was stopped');
    this.name = 'Stopped';
  }
}

/** True for a value that must be waited for. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** The result of the promise, or `Stopped` as soon as the signal aborts. */
export function untilStopped<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Nobody awaits its result any more, and an unhandled rejection would end the process.
    promise.then(undefined, () => {});
    return Promise.reject(new Stopped());
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new Stopped());
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      (thrown: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(thrown);
      },
    );
  });
}
