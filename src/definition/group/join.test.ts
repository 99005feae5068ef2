import { describe, expect, test } from 'vitest';
import { JOINS } from '../../../test/kernel/definitions.ts';
import type { JoinModel } from '../model.ts';
import { type Counters, headOf, joinOutcome } from './join.ts';

const HEADS = ['ok', 'reject', 'fail', 'skip'] as const;
type Head = (typeof HEADS)[number];

function books(join: JoinModel, total: number): Counters & { readonly join: JoinModel } {
  return { total, ok: 0, reject: 0, fail: 0, skip: 0, join };
}

/** What the join settles with when the members end one after the other; undefined if it never does. */
function settle(join: JoinModel, order: readonly Head[]): string | undefined {
  let group = books(join, order.length);
  for (const head of order) {
    group = { ...group, [head]: group[head] + 1 };
    const outcome = joinOutcome(group);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

function vectors(size: number): Head[][] {
  return size === 0 ? [[]] : vectors(size - 1).flatMap((rest) => HEADS.map((head) => [head, ...rest]));
}

describe('a join', () => {
  test.each([...JOINS, { rule: 'count', n: 3 } as const])('$rule settles the same in every order of the same results (N3)', (join) => {
    const byMultiset = new Map<string, Set<string | undefined>>();
    for (const size of [1, 2, 3, 4]) {
      for (const order of vectors(size)) {
        const key = [...order].sort().join();
        byMultiset.set(key, (byMultiset.get(key) ?? new Set()).add(settle(join, order)));
      }
    }
    expect(byMultiset.size).toBe(4 + 10 + 20 + 35);
    for (const [results, outcomes] of byMultiset)
      expect({ results, outcomes: [...outcomes] }).toEqual({ results, outcomes: [expected(join, results)] });
  });

  test.each<[string, JoinModel, Head[], string]>([
    ['all needs every member that was not skipped', { rule: 'all' }, ['ok', 'skip', 'ok'], 'ok'],
    ['any needs one', { rule: 'any' }, ['fail', 'ok', 'fail'], 'ok'],
    ['count needs that many', { rule: 'count', n: 2 }, ['ok', 'fail', 'ok'], 'ok'],
    ['when every member is skipped, so is the group (N1)', { rule: 'any' }, ['skip', 'skip'], 'skip'],
    ['unmet with a rejection is a rejection (N2)', { rule: 'all' }, ['ok', 'reject', 'fail'], 'reject'],
    ['unmet without one is a failure (N2)', { rule: 'count', n: 2 }, ['ok', 'fail', 'skip'], 'fail'],
  ])('%s', (_rule, ...[join, order, outcome]) => {
    expect(settle(join, order)).toBe(outcome);
  });

  test('all waits for every member, even after a failure', () => {
    expect(joinOutcome({ ...books({ rule: 'all' }, 3), fail: 1, reject: 1 })).toBeUndefined();
  });

  test('out of reach, it settles at once only when a member has rejected already (N3)', () => {
    expect(joinOutcome({ ...books({ rule: 'count', n: 3 }, 3), fail: 1 })).toBeUndefined();
    expect(joinOutcome({ ...books({ rule: 'count', n: 3 }, 3), reject: 1 })).toBe('reject');
  });

  test('an `all` join over no members is met; the others are skipped', () => {
    expect(JOINS.map((join) => joinOutcome(books(join, 0)))).toEqual(['ok', 'skip', 'skip']);
  });

  test('a join counts an iteration as success, and errors, timeouts, cancellations and conflicts as failures', () => {
    expect(['ok', 'iterate', 'reject', 'skip', 'fail', 'error', 'timeout', 'cancelled', 'conflict'].map(headOf)).toEqual([
      'ok',
      'ok',
      'reject',
      'skip',
      'fail',
      'fail',
      'fail',
      'fail',
      'fail',
    ]);
  });
});

/** The rules of joins, said once more over the whole result. */
function expected(join: JoinModel, results: string): string {
  const heads = results.split(',');
  const count = (head: Head) => heads.filter((one) => one === head).length;
  const counted = heads.length - count('skip');
  const wanted = join.rule === 'all' ? Math.max(counted, 1) : join.rule === 'any' ? 1 : join.n;
  if (count('ok') >= wanted) return 'ok';
  if (counted === 0) return 'skip';
  return count('reject') > 0 ? 'reject' : 'fail';
}
