// Owns time for hosts. A timer has an absolute time: the runtime sleeps at most about 24 days, so for a later time the
// clock sleeps repeatedly.

/** Time as the engine sees it. Tests use one that they advance themselves. */
export interface Clock {
  now(): number;
  /** Calls back once at the given time. Returns a function that cancels the timer. */
  at(time: number, wake: () => void): () => void;
}

const SLEEP_MAX_MS = 2_147_483_647;

/** The machine's clock. A timer keeps the process alive: an engine that waits for a time is busy until it is closed. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    let timer: NodeJS.Timeout;
    const sleep = (): void => {
      const ms = Math.max(0, time - Date.now());
      timer = setTimeout(ms > SLEEP_MAX_MS ? sleep : wake, Math.min(ms, SLEEP_MAX_MS));
    };
    sleep();
    return () => clearTimeout(timer);
  },
};
