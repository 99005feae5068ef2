import { expect, test } from 'vitest';
import { createVirtualClock } from './virtual-clock.ts';

test('V1: timers fire in the order of their times, those of one time in the order in which they were set', () => {
  const clock = createVirtualClock(0);
  const fired: string[] = [];
  for (const [time, name] of [
    [30, 'c'],
    [10, 'a'],
    [30, 'd'],
    [20, 'b'],
    [31, 'late'],
  ] as const)
    clock.at(time, () => fired.push(name));
  clock.advance(30);
  expect(fired).toEqual(['a', 'b', 'c', 'd']);
  expect([clock.now(), clock.next()]).toEqual([30, 31]);
});

test('V2: while a timer fires it is its time, and a timer it sets within the same turn fires as well', () => {
  const clock = createVirtualClock(0);
  const seen: number[] = [];
  clock.at(10, () => {
    seen.push(clock.now());
    clock.at(15, () => seen.push(clock.now()));
  });
  clock.advance(100);
  expect(seen).toEqual([10, 15]);
  expect(clock.now()).toBe(100);
});

test('a cancelled timer does not fire', () => {
  const clock = createVirtualClock(0);
  const fired: string[] = [];
  clock.at(10, () => fired.push('a'))();
  clock.advance(10);
  expect([fired, clock.next()]).toEqual([[], undefined]);
});
