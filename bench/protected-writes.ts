// PW: the cost of a write through the protected client, compared with the same prepared statement on the SQLite driver with
// the same pragmas and foreign keys. Each kind of statement has a row, with a commit for each write, and inside a transaction,
// where the wait for the disk does not hide the difference.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SafeDatabaseClient } from '../src/safe-db/index.ts';
import { interleave, type Row } from './measure.ts';

const TARGET = 1.2;
const ROWS = 10_000;
/** How many rows have the same `shelf`. An update by `shelf` changes this many rows. */
const SHELF_ROWS = 100;
const BUSY_MS = 5000;
const SCHEMA = `
PRAGMA journal_mode = WAL;
CREATE TABLE books (id INTEGER PRIMARY KEY, isbn TEXT UNIQUE, shelf INTEGER, title TEXT, sold INTEGER DEFAULT 0);
CREATE INDEX books_shelf ON books (shelf);
CREATE INDEX books_title ON books (title);
CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE stamped (id INTEGER PRIMARY KEY, text TEXT, stamp INTEGER DEFAULT 0);
CREATE TRIGGER stamped_stamp AFTER UPDATE OF text ON stamped BEGIN UPDATE stamped SET stamp = stamp + 1 WHERE id = NEW.id; END;
WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS - 1})
  INSERT INTO books (id, isbn, shelf, title) SELECT i, 'isbn-' || i, i / ${SHELF_ROWS}, 'title ' || i FROM n;
INSERT INTO stamped (id, text) SELECT id, title FROM books;
`;

type Value = string | number;

/** A kind of statement, and the values of its n-th call. */
interface Kind {
  readonly id: string;
  readonly what: string;
  /** The statements, used in turn; most kinds have one. */
  readonly sql: readonly string[];
  readonly values: (n: number) => readonly Value[];
  /** The number of calls per turn, with a commit each and in one transaction. */
  readonly calls: { readonly own: number; readonly inside: number };
}

const FEW = { own: 300, inside: 20_000 };
const KINDS: readonly Kind[] = [
  { id: 'PWi', what: 'INSERT', sql: ['INSERT INTO notes (text) VALUES (?)'], values: (n) => [`note ${n}`], calls: FEW },
  {
    id: 'PWk',
    what: 'UPDATE by primary key',
    sql: ['UPDATE books SET sold = sold + ? WHERE id = ?'],
    values: (n) => [1, (n * 7919) % ROWS],
    calls: FEW,
  },
  {
    id: 'PWc',
    what: 'UPDATE by a unique column',
    sql: ['UPDATE books SET sold = sold + 1 WHERE isbn = ?'],
    values: (n) => [`isbn-${(n * 7919) % ROWS}`],
    calls: FEW,
  },
  {
    id: 'PWu',
    what: 'upsert',
    sql: ['INSERT INTO books (id, isbn) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET sold = sold + 1'],
    values: (n) => [n % ROWS, `isbn-${n % ROWS}`],
    calls: FEW,
  },
  {
    id: 'PWx',
    what: 'UPDATE of one row by an index that is not unique',
    sql: ['UPDATE books SET sold = sold + 1 WHERE title = ?'],
    values: (n) => [`title ${(n * 7919) % ROWS}`],
    calls: FEW,
  },
  {
    id: 'PWm',
    what: `UPDATE of ${SHELF_ROWS} rows`,
    sql: ['UPDATE books SET sold = sold + 1 WHERE shelf = ?'],
    values: (n) => [n % (ROWS / SHELF_ROWS)],
    calls: { own: 100, inside: 300 },
  },
  {
    id: 'PWt',
    what: 'UPDATE with a trigger that updates',
    sql: ['UPDATE stamped SET text = ? WHERE id = ?'],
    values: (n) => [`text ${n % 7}`, (n * 7919) % ROWS],
    calls: FEW,
  },
  {
    id: 'PWs',
    what: 'UPDATE by primary key, 50 statements alternating',
    sql: Array.from({ length: 50 }, (_, n) => `UPDATE books SET sold = sold + ? + ${n} WHERE id = ?`),
    values: (n) => [1, (n * 7919) % ROWS],
    calls: FEW,
  },
];

/** The rows of PW, one for each kind of statement. */
export async function measureProtectedWrites(repeats: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const kind of KINDS) rows.push(await measureKind(kind, repeats));
  return rows;
}

async function measureKind(kind: Kind, repeats: number): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-protected-'));
  const plain = openPlain(join(folder, 'plain.db'));
  const safe = openSafe(join(folder, 'safe.db'));
  const statements = kind.sql.map((sql) => plain.prepare(sql));
  try {
    const own = await interleave(repeats, {
      floor: () => plainOwn(statements, kind),
      pawl: () => safeOwn(safe, kind),
    });
    const inside = await interleave(repeats, {
      floor: () => plainInside(plain, statements, kind),
      pawl: () => safeInside(safe, kind),
    });
    return rowOf(kind, own, inside);
  } finally {
    plain.close();
    safe.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Measured {
  readonly ratio: number;
  readonly floor: number;
}

function rowOf({ id, what, calls }: Kind, own: Measured, inside: Measured): Row {
  const us = (ms: number, count: number): string => `${((ms * 1000) / count).toFixed(1)} µs`;
  return {
    id,
    what: `protected ${what}, with its own commit / inside a transaction`,
    measured: `${own.ratio.toFixed(2)}× / ${inside.ratio.toFixed(2)}× of ${us(own.floor, calls.own)} / ${us(inside.floor, calls.inside)}`,
    target: `≤ ${TARGET}×`,
    met: own.ratio <= TARGET && inside.ratio <= TARGET,
    json: { ratio: own.ratio, insideRatio: inside.ratio },
  };
}

/** The SQLite driver, with the settings of the protected client. */
function openPlain(file: string): DatabaseSync {
  createFile(file);
  return new DatabaseSync(file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
}

function openSafe(file: string): SafeDatabaseClient {
  createFile(file);
  return new SafeDatabaseClient(file);
}

/** Creates and closes the file, so that both sides begin with a new write-ahead log: one that has grown is faster to write. */
function createFile(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(SCHEMA);
  db.close();
}

function plainOwn(statements: readonly StatementSync[], { values, calls }: Kind): number {
  const begin = performance.now();
  for (let n = 0; n < calls.own; n += 1) (statements[n % statements.length] as StatementSync).run(...values(n));
  return performance.now() - begin;
}

async function safeOwn(db: SafeDatabaseClient, { sql, values, calls }: Kind): Promise<number> {
  const begin = performance.now();
  for (let n = 0; n < calls.own; n += 1) db.run(sql[n % sql.length] as string, values(n));
  return performance.now() - begin;
}

function plainInside(db: DatabaseSync, statements: readonly StatementSync[], { values, calls }: Kind): number {
  const begin = performance.now();
  db.exec('BEGIN IMMEDIATE');
  for (let n = 0; n < calls.inside; n += 1) (statements[n % statements.length] as StatementSync).run(...values(n));
  db.exec('COMMIT');
  return performance.now() - begin;
}

async function safeInside(db: SafeDatabaseClient, { sql, values, calls }: Kind): Promise<number> {
  const begin = performance.now();
  await db.transaction(() => {
    for (let n = 0; n < calls.inside; n += 1) db.run(sql[n % sql.length] as string, values(n));
  });
  return performance.now() - begin;
}
