import { expect, test } from 'vitest';
import type { Bar } from '../../connection/contract.ts';
import { moved, spanOf, timelineRows, zoomed } from './timeline-rows.ts';

const at = (second: number): string => new Date(second * 1_000).toISOString();
const bar = (path: string, from: number, to: number | null): Bar => ({
  ...{ path, step: path, attempt: 1, kind: 'work', from: at(from), outcome: null },
  to: to === null ? null : at(to),
});

test('members are folded into the row of their group until it is opened', () => {
  const bars = [bar('build#1', 0, 1), bar('all#1/b', 2, 3), bar('all#1/a', 1, 2)];
  expect(timelineRows(bars, new Set()).map(({ path, members }) => [path, members])).toEqual([
    ['build#1', 0],
    ['all#1', 2],
  ]);
  expect(timelineRows(bars, new Set(['all#1'])).map(({ path }) => path)).toEqual(['build#1', 'all#1', 'all#1/b', 'all#1/a']);
});

test('rows are ordered by their start', () => {
  expect(timelineRows([bar('late#1', 5, 6), bar('early#1', 1, 2)], new Set()).map(({ path }) => path)).toEqual(['early#1', 'late#1']);
});

test('a bar without an end extends to now', () => {
  expect(spanOf([bar('a#1', 10, 20), bar('b#1', 12, null)], 60_000)).toEqual({ from: 10_000, to: 60_000 });
});

test('zooming and moving stay within the whole time', () => {
  const whole = { from: 0, to: 100 };
  expect(zoomed(whole, whole, 0.5)).toEqual({ from: 25, to: 75 });
  expect(zoomed({ from: 90, to: 100 }, whole, 4)).toEqual({ from: 60, to: 100 });
  expect(moved({ from: 60, to: 100 }, whole, 0.5)).toEqual({ from: 60, to: 100 });
  expect(moved({ from: 10, to: 50 }, whole, -0.5)).toEqual({ from: 0, to: 40 });
});
