import { expect, test } from 'vitest';
import { plotOf, sums } from './usage-plot.ts';

const now = Date.parse('2026-01-07T12:00:00Z');
const bucket = (day: number, workflow: string, cost: number) => ({
  ...{ at: `2026-01-0${day}T00:00:00.000Z`, workflow, role: null, runs: 1, attempts: 1, cost, unknownCost: 0 },
  ...{ inputTokens: 0, outputTokens: 0, durationMs: 0, refusals: 0 },
});
const measure = { name: 'Cost', of: ({ cost }: { cost: number | null }) => cost ?? 0, words: String };
const options = { measure, by: 'workflow' as const, ms: 3 * 86_400_000, bucket: 'day' as const, now };

test('each day has a column, even without usage', () => {
  const { columns } = plotOf([bucket(5, 'a', 2), bucket(7, 'a', 3)], options);
  expect(columns.map(({ at, values }) => [new Date(at).getUTCDate(), values[0]])).toEqual([
    [5, 2],
    [6, 0],
    [7, 3],
  ]);
});

test('the largest have their own series, and the others share one', () => {
  const many = Array.from({ length: 8 }, (_, n) => bucket(6, `w${n}`, 8 - n));
  const { series, max, total } = plotOf(many, options);
  expect(series).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'others']);
  expect([max, total]).toEqual([36, 36]);
});

test('totals are ordered by size', () => {
  expect(sums([bucket(5, 'a', 1), bucket(6, 'b', 5), bucket(7, 'a', 2)], 'workflow', [measure])).toEqual([
    { name: 'b', values: [5] },
    { name: 'a', values: [3] },
  ]);
});
