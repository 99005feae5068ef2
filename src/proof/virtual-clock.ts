// Owns a clock that tests advance themselves, so that a wait of 400 days takes no time.
//
// V1. Timers fire in the order of their times, those of one time in the order in which they were set.
// V2. While a timer fires, `now` is its time; a timer set meanwhile that falls into the same turn fires in it, too.

import type { Clock } from '../engine/clock.ts';

/** Time that passes only when it is advanced. */
export interface VirtualClock extends Clock {
  /** Advances the time; every timer that becomes due fires. */
  advance(ms: number): void;
  /** The time of the nearest timer, if one is set. */
  next(): number | undefined;
}

interface Timer {
  readonly time: number;
  readonly wake: () => void;
}

/** A clock that begins at a fixed time, the first day of 2026 unless another is given. */
export function createVirtualClock(start = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = start;
  const timers = new Set<Timer>();
  const nearest = (): Timer | undefined => {
    let found: Timer | undefined;
    for (const timer of timers) if (found === undefined || timer.time < found.time) found = timer;
    return found;
  };
  return {
    now: () => now,
    at(time, wake) {
      const timer = { time, wake };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const end = now + ms;
      for (let timer = nearest(); timer !== undefined && timer.time <= end; timer = nearest()) {
        timers.delete(timer);
        now = Math.max(now, timer.time);
        timer.wake();
      }
      now = end;
    },
    next: () => nearest()?.time,
  };
}
