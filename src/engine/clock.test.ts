import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

describe('the clock of the machine', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('D18: a timer of 400 days fires once, at its time, although the runtime sleeps at most 24 days', () => {
    const fired: number[] = [];
    const time = 400 * 86_400_000;
    systemClock.at(time, () => fired.push(systemClock.now()));
    vi.advanceTimersByTime(time - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    vi.advanceTimersByTime(time);
    expect(fired).toEqual([time]);
  });

  test('a timer that was cancelled during a later sleep does not fire', () => {
    const fired: number[] = [];
    const cancel = systemClock.at(60 * 86_400_000, () => fired.push(1));
    vi.advanceTimersByTime(30 * 86_400_000);
    cancel();
    vi.advanceTimersByTime(60 * 86_400_000);
    expect([fired, vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('a timer in the past fires immediately', () => {
    const fired: number[] = [];
    vi.advanceTimersByTime(1000);
    systemClock.at(5, () => fired.push(1));
    vi.advanceTimersByTime(0);
    expect(fired).toEqual([1]);
  });
});
