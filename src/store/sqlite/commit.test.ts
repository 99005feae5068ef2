import { describe, expect, test } from 'vitest';
import { createActivation, createAttempt, createFirst, createNext, createValue, START_AT } from '../../proof/store-deltas.ts';
import type { Delta } from '../store.ts';
import { openBell } from './bell.ts';
import { type CommitContext, commitDelta, writesOneRow } from './commit.ts';
import { openConnection } from './connection.ts';
import { migrate } from './migrate.ts';

const first = createFirst({ run: 'r1', owner: 'me' });
const next = (more: Partial<Delta> = {}): Delta => {
  const event = { type: 'step.changed', at: START_AT, path: 'build#1', set: { feedback: 'try again' } } as const;
  return createNext(first, [event], more);
};

/** How many statements a commit runs that change something, and what was foretold. */
async function commit(delta: Delta): Promise<{ foretold: boolean; statements: number }> {
  const connection = await openConnection({ file: ':memory:', synchronous: 'NORMAL', walAutocheckpoint: 1000, busyMs: 10 });
  await migrate(connection, () => START_AT);
  const context: CommitContext = { connection, bell: openBell(undefined), owned: new Map() };
  commitDelta(context, first, (then) => then());
  const foretold = writesOneRow(context, delta);
  const counting = new Set<string>();
  const sql = (text: string) => {
    if (!text.startsWith('SELECT')) counting.add(text);
    return connection.sql(text);
  };
  commitDelta({ ...context, connection: { ...connection, sql } }, delta, () => undefined);
  connection.db.close();
  return { foretold, statements: counting.size };
}

const value = createValue({ a: 1 });
const member = createActivation('lint', { path: 'each#1/a', group: 'each#1', key: 'a', index: 0 });
const mail = { run: 'r1', dedupe: 'a', input: { type: 'signalled', at: START_AT, name: 'a' }, values: [] } as const;
const check = { type: 'ci', config: {}, passed: true, result: {}, at: START_AT };

describe('a delta whose row of the log is all that it writes is told from one that writes more', () => {
  test.each<[string, boolean, Partial<Delta>]>([
    ['nothing beside', true, {}],
    ['an attempt', true, { attempts: [createAttempt('build')] }],
    ['a check', false, { attempts: [createAttempt('build', { checks: [check] })] }],
    ['a value', false, { values: [value] }],
    ['data', false, { data: [{ key: 'a', text: '1' }] }],
    ['a live member', false, { members: { put: [member], drop: [] } }],
    ['a member that is gone', false, { members: { put: [], drop: ['each#1/a'] } }],
    ['mail that was taken', false, { consumed: [1] }],
    ['mail to a run', false, { post: [mail] }],
    ['a slot', false, { slots: { take: [{ path: 'build#1', keys: [{ key: 'a', limit: 1 }] }], free: [] } }],
    ['a slot that is free again', false, { slots: { take: [], free: ['build#1'] } }],
    ['other code', false, { codeHash: 'other' }],
    ['a release', false, { release: true }],
    ['another status', false, { status: 'waiting' }],
    ['another due time', false, { due: START_AT + 5 }],
  ])('%s', async (_, expected, more) => {
    const { foretold, statements } = await commit(next(more));
    expect([foretold, statements === 1]).toEqual([expected, expected]);
  });
});

test('a run that this store does not own writes more than its row', async () => {
  const connection = await openConnection({ file: ':memory:', synchronous: 'NORMAL', walAutocheckpoint: 1000, busyMs: 10 });
  expect(writesOneRow({ connection, bell: openBell(undefined), owned: new Map() }, next())).toBe(false);
  expect(writesOneRow({ connection, bell: openBell(undefined), owned: new Map() }, first)).toBe(false);
  connection.db.close();
});
