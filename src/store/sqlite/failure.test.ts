import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createPrivateFile } from '../../base/sqlite.ts';
import type { Activation } from '../../kernel/activation.ts';
import { changeStep, createActivation, createFirst, createNext, createValue, START_AT } from '../../proof/store-suite/deltas.ts';
import type { Delta } from '../store.ts';
import { type Connection, openConnection } from './connection.ts';
import { migrate } from './migrate.ts';
import { createStore, openSqliteStore, type SqliteStore } from './open.ts';
import { SETTLED_SQL } from './run-row.ts';

let directory: string;
let connection: Connection;
let store: SqliteStore;
const first = createFirst({ run: 'r1', owner: 'me' });

beforeEach(async () => {
  directory = tempFolder();
  const file = join(directory, 'pawl.db');
  createPrivateFile(file);
  connection = await openConnection({ file, synchronous: 'FULL', walAutocheckpoint: 1000, busyMs: 100 });
  await migrate(connection, () => START_AT);
  store = createStore(connection, {});
  await store.commit(first);
});

afterEach(async () => {
  await store.close();
});

const change = (text: string): Delta =>
  createNext(first, [changeStep()], {
    values: [createValue(text)],
    data: [{ key: 'k', text: JSON.stringify(text) }],
  });

describe('a disk that is full', () => {
  test('on a full disk every write in the transaction fails with STORE_FULL, nothing is half written, and writing continues when there is space', async () => {
    const pages = connection.db.prepare('PRAGMA page_count').get()?.page_count as number;
    connection.db.exec(`PRAGMA max_page_count=${pages + 2}`);
    const big = change('x'.repeat(100_000));
    const results = await Promise.allSettled([store.commit(createFirst({ run: 'r2', owner: 'me' })), store.commit(big)]);
    expect(results.map((result) => (result.status === 'rejected' ? result.reason.code : result.value))).toEqual([
      'STORE_FULL',
      'STORE_FULL',
    ]);
    expect((await store.load('r1')).state).toEqual(first.state);
    expect(await store.resolve('r2', 1)).toEqual([]);
    expect(await store.data('r1')).toEqual(new Map());
    connection.db.exec('PRAGMA max_page_count=1000000');
    expect(await store.commit(big)).toMatchObject({ result: 'committed' });
    expect(await store.check()).toMatchObject({ ok: true });
  });
});

describe('a store that became read-only', () => {
  test('in a read-only store a commit fails with STORE_READONLY, reads continue, and so do writes once the file is writable again', async () => {
    connection.db.exec('PRAGMA query_only=1');
    await expect(store.commit(change('a'))).rejects.toMatchObject({ code: 'STORE_READONLY' });
    expect((await store.load('r1')).state).toEqual(first.state);
    connection.db.exec('PRAGMA query_only=0');
    expect(await store.commit(change('a'))).toMatchObject({ result: 'committed' });
  });
});

describe('a lock of another connection', () => {
  test('writes wait for a lock of another connection in order, without blocking the event loop', async () => {
    const other = new DatabaseSync(connection.path as string);
    other.exec('BEGIN IMMEDIATE');
    const order: string[] = [];
    const commit = store.commit(change('a')).then((result) => order.push(result.result));
    const post = store
      .post({ run: 'r1', dedupe: 'a', input: { type: 'signalled', at: START_AT, name: 'a' }, values: [] })
      .then((result) => order.push(result));
    let turns = 0;
    await new Promise<void>((resolve) => {
      const turn = (): void => {
        turns += 1;
        if (turns < 10) setImmediate(turn);
        else resolve();
      };
      setImmediate(turn);
    });
    expect(order).toEqual([]);
    other.exec('COMMIT');
    other.close();
    await Promise.all([commit, post]);
    expect(order).toEqual(['committed', 'posted']);
  });

  test('a write fails with STORE_UNAVAILABLE if another connection never releases its lock', async () => {
    const other = new DatabaseSync(connection.path as string);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.commit(change('a'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    other.exec('ROLLBACK');
    other.close();
    expect(await store.commit(change('a'))).toMatchObject({ result: 'committed' });
  });
});

describe('values', () => {
  test('a value over the limit fails with VALUE_TOO_LARGE and does not affect other writes of its transaction', async () => {
    const { ref, text } = createValue('x');
    const large = { ref: { ...ref, bytes: 600 * 1024 * 1024 }, text };
    const refused = store.commit({ ...change('a'), values: [large] });
    const kept = store.commit(createFirst({ run: 'r2', owner: 'me' }));
    await expect(refused).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' });
    expect(await kept).toMatchObject({ result: 'committed' });
    expect((await store.load('r1')).state).toEqual(first.state);
    expect(await store.check()).toMatchObject({ ok: true });
  });

  test('a long value is stored once, however often it is written', async () => {
    const value = createValue('é'.repeat(4_000_000));
    const second = { ...change('a'), values: [value] };
    await store.commit(second);
    await store.commit({
      ...createNext(second, [changeStep()]),
      values: [value],
    });
    expect((await store.values([value.ref.digest])).get(value.ref.digest) === value.text).toBe(true);
    expect(connection.db.prepare('SELECT count(*) AS n FROM contents').get()?.n).toBe(1);
  });
});

describe('the cost of reading', () => {
  test.each([
    [`SELECT id FROM runs WHERE due <= ? AND owner IS NULL AND status NOT IN ${SETTLED_SQL} ORDER BY due LIMIT ?`, 'runs_due'],
    [`SELECT min(due) AS due FROM runs WHERE due > ? AND owner IS NULL AND status NOT IN ${SETTLED_SQL}`, 'runs_due'],
    ['SELECT DISTINCT owner FROM runs WHERE owner IS NOT NULL', 'runs_owner'],
    ['SELECT id FROM runs WHERE key IN (SELECT run FROM mail WHERE consumed IS NULL) AND owner IS NULL LIMIT ?', 'mail_unread'],
  ])('parked runs are not scanned by %s', (sql, index) => {
    const plan = connection.db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail));
    expect(plan.join('; ')).toContain(index);
    expect(plan.filter((line) => /SCAN runs$/.test(line))).toEqual([]);
  });

  test('a run parked on an approval takes less than 1,000 bytes of the file', async () => {
    const runs = 500;
    const file = join(directory, 'parked.db');
    const parking = await openSqliteStore({ file, synchronous: 'NORMAL' });
    const park = async (index: number): Promise<void> => {
      const run = `${String(index).padStart(4, '0')}${'abcdefghjkmn'}`;
      const wait = { kind: 'human', digest: createValue(run).ref.digest } as const;
      const activation: Activation = { ...createActivation('build', { kind: 'human' }), state: 'waiting', wait };
      await parking.commit(createFirst({ run, owner: 'host|boot|123|456', activation, more: { release: true } }));
    };
    await park(0);
    const before = sizeOf(file);
    await Promise.all(Array.from({ length: runs }, (_, index) => park(index + 1)));
    expect((sizeOf(file) - before) / runs).toBeLessThan(1000);
    await parking.close();
  });
});

function sizeOf(file: string): number {
  const db = new DatabaseSync(file);
  const bytes = db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()').get()?.bytes as number;
  db.close();
  return bytes;
}
