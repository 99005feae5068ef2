// Owns the seals: for each table that nothing else protects, its number of rows and the sum of their checksums. Triggers
// keep them up to date, so `check` finds a row that another program edited, added or removed.
//
// - `events`, `members` and `contents` have no seal: a hash chain, a count with checksums, and digests protect them, and a
//   step writes them too often.
// - The seal of `runs` covers the columns that the checksum of a row does not.
// - Only a connection that has the function `pawl_sum` can write to a sealed table; any program can read it.

import type { DatabaseSync } from 'node:sqlite';
import { digestText } from '../../base/digest.ts';
import type { Connection } from './connection.ts';

const SUM_HEX = 8;
const UNSEALED: ReadonlySet<string> = new Set(['events', 'members', 'contents', 'seals']);
/** The columns that a commit changes. The checksum of the row covers them; a seal would write one more page per step. */
const UNSEALED_COLUMNS: Readonly<Record<string, ReadonlySet<string>>> = {
  runs: new Set(['seq', 'status', 'due', 'members', 'sum', 'state']),
};

/** The row that counts the transactions that were not commits of a run. */
const TRANSACTIONS = 'transactions';

/** Registers the function that the triggers call. */
export function defineSum(db: DatabaseSync): void {
  db.function('pawl_sum', { deterministic: true, varargs: true }, (...values) =>
    Number.parseInt(digestText(JSON.stringify(values.map(plain))).slice(0, SUM_HEX), 16),
  );
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
}

/** Creates the seals of every table, with their triggers. Runs inside a migration. */
export function createSeals(connection: Connection): void {
  const { db } = connection;
  db.exec('CREATE TABLE seals (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, total INTEGER NOT NULL) WITHOUT ROWID');
  for (const { name, columns } of sealedTables(db)) db.exec(triggersOf(name, columns));
  connection.sql('INSERT INTO seals (name, rows, total) VALUES (?, 0, pawl_sum(0))').run(TRANSACTIONS);
  reseal(connection);
}

/** Seals the rows as they are now. Runs inside a transaction. */
export function reseal({ db }: Connection): void {
  for (const { name, columns } of sealedTables(db))
    db.exec(`INSERT OR REPLACE INTO seals (name, rows, total) SELECT '${name}', ${countAndSum(columns)} FROM ${name}`);
}

/** Describes every table that differs from its seal. */
export function brokenSeals({ db }: Connection): string[] {
  const sealed = new Map(
    db
      .prepare('SELECT name, rows, total FROM seals')
      .all()
      .map((row) => [String(row.name), row]),
  );
  const counter = sealed.get(TRANSACTIONS);
  const isCounting = counter !== undefined && db.prepare('SELECT pawl_sum(?) AS sum').get(counter.rows as number)?.sum === counter.total;
  const problems = sealedTables(db).flatMap(({ name, columns }) => {
    const found = db.prepare(`SELECT ${countAndSum(columns)} FROM ${name}`).get();
    const seal = sealed.get(name);
    sealed.delete(name);
    if (seal !== undefined && found?.rows === seal.rows && found?.total === seal.total) return [];
    const count = found?.rows === seal?.rows ? 'a row was changed' : `it has ${found?.rows} rows, and ${seal?.rows ?? 'no'} were written`;
    return [`table ${name} was changed by something other than Pawl: ${count}`];
  });
  sealed.delete(TRANSACTIONS);
  const unknown = [...sealed.keys()].map((name) => `table seals was changed by something other than Pawl: it has a row for "${name}"`);
  return [
    ...problems,
    ...unknown,
    ...(isCounting ? [] : ['table seals was changed by something other than Pawl: the count of transactions']),
  ];
}

/** How many transactions other than commits of runs were made. */
export function transactionsIn(connection: Connection): number {
  return (connection.sql('SELECT rows FROM seals WHERE name = ?').get(TRANSACTIONS)?.rows as number | undefined) ?? 0;
}

/** Counts one more transaction that is not a commit of a run; returns the new count. */
export function countTransaction(connection: Connection): number {
  const count = transactionsIn(connection) + 1;
  connection.sql('INSERT OR REPLACE INTO seals (name, rows, total) VALUES (?1, ?2, pawl_sum(?2))').run(TRANSACTIONS, count);
  return count;
}

interface SealedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

function sealedTables(db: DatabaseSync): SealedTable[] {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").all();
  return tables
    .map(({ name }) => String(name))
    .filter((name) => !UNSEALED.has(name))
    .map((name) => {
      const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(name);
      return { name, columns: columns.map((row) => String(row.name)).filter((column) => UNSEALED_COLUMNS[name]?.has(column) !== true) };
    });
}

function sumSql(columns: readonly string[], row = ''): string {
  return `pawl_sum(${columns.map((column) => `${row}${column}`).join(', ')})`;
}

function countAndSum(columns: readonly string[]): string {
  return `count(*) AS rows, coalesce(sum(${sumSql(columns)}), 0) AS total`;
}

function triggersOf(table: string, columns: readonly string[]): string {
  const added = sumSql(columns, 'NEW.');
  const removed = sumSql(columns, 'OLD.');
  const on = (event: string, rows: string, total: string): string =>
    `CREATE TRIGGER seal_${table}_${event.slice(0, 6).toLowerCase()} AFTER ${event} ON ${table} BEGIN
      UPDATE seals SET rows = rows ${rows}, total = total ${total} WHERE name = '${table}';
    END;`;
  return [
    on('INSERT', '+ 1', `+ ${added}`),
    on('DELETE', '- 1', `- ${removed}`),
    on(`UPDATE OF ${columns.join(', ')}`, '+ 0', `- ${removed} + ${added}`),
  ].join('\n');
}
