// Owns the end of waiting when an attempt must stop: code that does not listen to its signal does not hold up the
// attempt, though it may still be running when the attempt has ended.

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

/** What the promise gives, or `Stopped` as soon as the signal says so. */
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
