// Stops an attempt: code that ignores its abort signal does not delay the attempt's end, but may still run afterwards.

/** Thrown inside a stopped attempt; the runner catches it. */
export class AttemptStopped extends Error {
  constructor() {
    super('the attempt was stopped');
    this.name = 'Stopped';
  }
}

/** Whether a value must be awaited. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** The result of the promise, or `Stopped` as soon as the signal aborts. */
export function untilStopped<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Its result is no longer awaited, and an unhandled rejection would end the process.
    promise.then(undefined, () => {});
    return Promise.reject(new AttemptStopped());
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(new AttemptStopped());
    const settleWith =
      <Value>(settle: (value: Value) => void) =>
      (value: Value): void => {
        signal.removeEventListener('abort', onAbort);
        settle(value);
      };
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(settleWith<T>(resolve), settleWith(reject));
  });
}
