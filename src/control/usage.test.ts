import { expect, test } from 'vitest';
import type { UsageReport } from './schema/value.ts';
import { costText, sumOf, usageAt, usageOf, usageText } from './usage.ts';

const used = (more: Partial<UsageReport> = {}): UsageReport => ({
  attempts: 2,
  inputTokens: 900,
  outputTokens: 334,
  costUsd: 1.2,
  turns: 3,
  ms: 5,
  unknownCost: 0,
  unknownTokens: 0,
  unknownTurns: 0,
  ...more,
});

test.each([
  [used(), '1.2k tokens, $1.20', '$1.20'],
  [used({ unknownCost: 1 }), '1.2k tokens, at least $1.20, 1 attempt unknown', '$1.20+'],
  [used({ unknownCost: 2, costUsd: null }), '1.2k tokens, cost unknown', '?'],
  [used({ unknownTokens: 1 }), 'at least 1.2k tokens, $1.20', '$1.20'],
  [used({ unknownTokens: 2, unknownCost: 2, costUsd: null }), 'cost unknown', '?'],
  [used({ costUsd: 0.001, inputTokens: 1, outputTokens: 0 }), '1 tokens, <$0.01', '<$0.01'],
  [used({ costUsd: 0, inputTokens: 2_000_000 }), '2.0M tokens, $0.00', '$0.00'],
])('usage is printed so that unknown never reads as zero', (usage, text, cell) => {
  expect([usageText(usage), costText(usage)]).toEqual([text, cell]);
});

test('usage is undefined if no agent ran', () => {
  expect(sumOf([])).toBeUndefined();
  expect(usageOf({ ...used(), costUsd: 0, attempts: 0 })).toBeUndefined();
});

test('usage at a path is the sum of its attempt, even if a crash made it start twice', () => {
  const row = { step: 'a', role: 'r', account: 'x', at: 0, path: 'a#1', attempt: 1 };
  const uses = [row, { ...row, costUsd: 0.5, turns: 2, ms: 7 }, { ...row, attempt: 2, costUsd: 9, ms: 1 }];
  expect(usageAt(uses, 'a#1', 1)).toMatchObject({ attempts: 2, costUsd: 0.5, unknownCost: 1, unknownTokens: 2, turns: 2, ms: 7 });
  expect(usageAt(uses, 'b#1', 1)).toBeUndefined();
});
