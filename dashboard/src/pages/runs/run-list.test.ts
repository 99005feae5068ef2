import { expect, test } from 'vitest';
import type { RunRow } from '../../connection/contract.ts';
import { merged } from './run-list.ts';

const time = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const run = (minute: number): RunRow => ({ id: `run-${minute}`, startedAt: time(minute) }) as RunRow;
const ids = ({ runs }: { readonly runs: readonly RunRow[] }): readonly string[] => runs.map(({ id }) => id);

test('a page is appended, and no run is listed twice', () => {
  const before = { runs: [run(9), run(8)], next: 'a', rest: time(7) };
  const after = merged(before, { runs: [run(8), run(7)], next: null, rest: null }, 'more');
  expect(ids(after)).toEqual(['run-9', 'run-8', 'run-7']);
  expect(after.next).toBeNull();
});

test('the newest page replaces the runs that it covers; older runs stay', () => {
  const before = { runs: [run(9), run(8), run(5), run(4)], next: 'older', rest: time(3) };
  const after = merged(before, { runs: [run(9)], next: 'x', rest: time(5) }, 'newest');
  expect(ids(after)).toEqual(['run-9', 'run-5', 'run-4']);
  expect(after).toMatchObject({ next: 'older', rest: time(3) });
});

test('an empty page with a cursor removes only the runs that it covers', () => {
  const before = { runs: [run(8), run(2)], next: 'older', rest: time(1) };
  expect(ids(merged(before, { runs: [], next: 'x', rest: time(6) }, 'newest'))).toEqual(['run-2']);
});

test('a page without a cursor is the whole list', () => {
  const before = { runs: [run(8), run(2)], next: 'older', rest: time(1) };
  expect(merged(before, { runs: [run(2)], next: null, rest: null }, 'newest')).toEqual({ runs: [run(2)], next: null, rest: null });
});
