// Owns time for hosts. A timer is an absolute time, so that one of 400 days works: the longest that the runtime can
// sleep is about 24 days, and the clock sleeps again until the time has come.

/** Time as the engine sees it; tests bring one that they turn by hand. */
export interface Clock {
  now(): number;
  /** Calls back once when the time has come; gives the way to call it off. */
  at(time: number, wake: () => void): () => void;
}

const SLEEP_MAX_MS = 2_147_483_647;

/** The time of the machine. A timer keeps the process alive: an engine that waits for a time is at work until it is closed. */
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
