import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { type Connection, openConnection } from './connection.ts';
import { openTransactions, type Transactions } from './transactions.ts';

let connection: Connection;
let transactions: Transactions;
let commits: number;

beforeEach(async () => {
  connection = await openConnection({ file: ':memory:', synchronous: 'FULL', walAutocheckpoint: 1000, busyMs: 100 });
  connection.db.exec('CREATE TABLE t (n INTEGER NOT NULL)');
  commits = 0;
  transactions = openTransactions(connection, () => {
    commits += 1;
  });
});

const add = (n: number): unknown => connection.sql('INSERT INTO t VALUES (?)').run(n);
const rows = (): unknown[] =>
  connection
    .sql('SELECT n FROM t ORDER BY n')
    .all()
    .map(({ n }) => n);

function refuse(n: number, then: () => void = () => {}): Promise<never> {
  return transactions.write((afterCommit) => {
    add(n);
    afterCommit(then);
    throw new Error(`no ${n}`);
  });
}

test('all writes of one turn share a transaction', async () => {
  await Promise.all([1, 2, 3].map((n) => transactions.write(() => add(n))));
  expect([rows(), commits]).toEqual([[1, 2, 3], 1]);
});

test('W1: work that throws is rolled back, alone or among others', async () => {
  await expect(refuse(1)).rejects.toThrow('no 1');
  const results = await Promise.allSettled([transactions.write(() => add(2)), refuse(3), transactions.write(() => add(4))]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(rows()).toEqual([2, 4]);
});

test('W2: when SQLite fails, every write in the transaction is rejected and nothing is stored', async () => {
  connection.db.exec('PRAGMA query_only=1');
  const results = await Promise.allSettled([1, 2].map((n) => transactions.write(() => add(n))));
  connection.db.exec('PRAGMA query_only=0');
  expect(results.map((result) => result.status === 'rejected' && result.reason.code)).toEqual(['STORE_READONLY', 'STORE_READONLY']);
  expect([rows(), commits]).toEqual([[], 0]);
});

test('W3: callbacks of a write run after it is committed, and never for a write that was rolled back', async () => {
  const seen: string[] = [];
  const note = (what: string) => () => seen.push(`${what} ${connection.db.isTransaction}`);
  const kept = transactions.write((afterCommit) => {
    add(1);
    afterCommit(note('kept'));
  });
  await Promise.allSettled([kept, refuse(2, note('refused'))]);
  expect(seen).toEqual(['kept false']);
});

test('idle resolves when the queue is written', async () => {
  const written = transactions.write(() => add(1));
  await transactions.idle();
  expect(rows()).toEqual([1]);
  await written;
});

test('a write waits for the lock of another process, and fails after a time limit', async () => {
  const directory = tempFolder();
  const file = join(directory, 'a.db');
  connection = await openConnection({ file, synchronous: 'FULL', walAutocheckpoint: 1000, busyMs: 500 });
  connection.db.exec('PRAGMA journal_mode=WAL; CREATE TABLE t (n INTEGER NOT NULL)');
  transactions = openTransactions(connection, () => {});
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const refused = transactions.write(() => add(1));
  await expect(refused).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const written = transactions.write(() => add(2));
  setTimeout(() => other.exec('COMMIT'), 50);
  await written;
  expect(rows()).toEqual([2]);
  other.close();
  connection.db.close();
});
