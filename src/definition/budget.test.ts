import { describe, expect, test } from 'vitest';
import { addBudgets, budgetFault } from './budget.ts';

describe('a budget', () => {
  test('is any of four amounts, and none of them need be there', () => {
    expect(budgetFault({})).toBeUndefined();
    expect(budgetFault({ tokens: 0, costUsd: 0.5, turns: 3, timeMs: 60_000 })).toBeUndefined();
  });

  test.each([
    ['no object', 5, 'an object'],
    ['a list', [1], 'an object'],
    ['nothing', null, 'an object'],
    ['not a number', { tokens: Number.NaN }, 'tokens is NaN'],
    ['a text', { tokens: '5' }, 'tokens is "5"'],
    ['negative', { costUsd: -1 }, 'costUsd is -1'],
    ['endless', { turns: Number.POSITIVE_INFINITY }, 'turns is Infinity'],
    ['too large to count with', { tokens: 1e300 }, 'tokens is 1e+300'],
    ['a part of a token', { tokens: 1.5 }, 'a whole number'],
    ['an unknown amount', { dollars: 5 }, 'no amount "dollars"'],
  ])('that is %s is refused rather than taken for none', (_, value, fault) => {
    expect(budgetFault(value)).toContain(fault);
  });

  test('and another are added amount by amount', () => {
    expect(addBudgets({ tokens: 5, turns: 1 }, { tokens: 7, costUsd: 0.5 })).toEqual({ tokens: 12, turns: 1, costUsd: 0.5 });
  });
});
