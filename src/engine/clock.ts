// Owns time for hosts. Timers have an absolute time: the runtime's own timers last at most about 24 days, so for a later
// time the clock sets several in a row.

/** Time as the engine sees it. Tests use one that they advance themselves. */
export interface Clock {
  now(): number;
  /** Calls back once at the given time. Returns a function that cancels the timer. */
  at(time: number, wake: () => void): () => void;
}

const SLEEP_MAX_MS = 2_147_483_647;

/** The machine's clock. A pending timer keeps the process alive until the engine is closed. */
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
