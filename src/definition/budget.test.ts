import { describe, expect, test } from 'vitest';
import { addBudgets, budgetFault } from './budget.ts';

describe('a budget', () => {
  test('a budget has up to four amounts, all optional', () => {
    expect(budgetFault({})).toBeUndefined();
    expect(budgetFault({ tokens: 0, costUsd: 0.5, turns: 3, timeMs: 60_000 })).toBeUndefined();
  });

  test.each([
    ['no object', 5, 'an object'],
    ['a list', [1], 'an object'],
    ['nothing', null, 'an object'],
    ['not a number', { tokens: Number.NaN }, 'tokens must be a number of at least 0, not NaN'],
    ['a string', { tokens: '5' }, 'tokens must be a number of at least 0, not "5"'],
    ['negative', { costUsd: -1 }, 'costUsd must be a number of at least 0, not -1'],
    ['endless', { turns: Number.POSITIVE_INFINITY }, 'turns must be a number of at least 0, not Infinity'],
    ['too large to count with', { tokens: 1e300 }, 'tokens must be a number of at least 0, not 1e+300'],
    ['a part of a token', { tokens: 1.5 }, 'a whole number'],
    ['an unknown amount', { dollars: 5 }, '"dollars" is not an amount'],
  ])('that is %s is rejected, not treated as unlimited', (_, value, fault) => {
    expect(budgetFault(value)).toContain(fault);
  });

  test('two budgets are added amount by amount', () => {
    expect(addBudgets({ tokens: 5, turns: 1 }, { tokens: 7, costUsd: 0.5 })).toEqual({ tokens: 12, turns: 1, costUsd: 0.5 });
  });
});
