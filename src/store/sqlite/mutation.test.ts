// Changes every column of every table, one at a time, and removes, adds and swaps rows: `check` must find each change. The
// tables come from the schema, so a new table without protection fails this test.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { beforeAll, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createAttempt, createFirst, createMember, createNext, createValue, openStep, START_AT } from '../../proof/store-suite/deltas.ts';
import type { StoreReport } from '../store.ts';
import { openSqliteStore } from './open.ts';
import { defineSum } from './seals.ts';

const directory = tempFolder();
const original = join(directory, 'original.db');
const file = join(directory, 'pawl.db');

/** A store with at least two rows in every table. */
async function fill(): Promise<void> {
  const store = await openSqliteStore({ file: original, origin: 'here' });
  for (const run of ['r1', 'r2']) {
    const output = createValue({ answer: run });
    const long = JSON.stringify(run.repeat(40_000));
    const checks = [1, 2].map((n) => ({ type: 'command', config: { n }, passed: true, result: { run }, at: START_AT }));
    const take = [{ path: 'build#1', keys: [{ key: 'gpu', limit: 2 }] }];
    const data = ['a', 'b'].map((key) => ({ key, text: `"${key}"` })).concat({ key: 'long', text: long });
    const creation = { origin: { issue: 7 } };
    const first = createFirst({ run, owner: 'me', creation, more: { data, slots: { take, free: [] } } });
    const create = { ...first.create, codeHash: `code of ${run}` } as NonNullable<typeof first.create>;
    await store.commit({ ...first, create });
    for (const n of [1, 2])
      await store.post({ run, dedupe: `m${n}`, input: { type: 'signalled', at: START_AT, name: `s${n}` }, values: [] });
    const [consumed] = await store.inbox(run, 0);
    const second = createNext(first, [openStep(createMember('a')), openStep(createMember('b'))], {
      values: [output],
      attempts: [createAttempt('prepare', { output: output.ref, checks })],
      consumed: [consumed?.id as number],
    });
    await store.commit(second);
    const full = { path: 'test#1', keys: [{ key: 'gpu', limit: 0 }] };
    await store.commit(createNext(second, [], { slots: { take: [full], free: [] } }));
    const use = { run, path: 'build#1', step: 'build', attempt: 1, role: 'dev', account: 'a', at: START_AT };
    await store.endUse(await store.beginUse(use), { ms: 1, inputTokens: 1, outputTokens: 1, turns: 1, costUsd: 0.5 });
    await store.closeAccount({ account: run, until: START_AT, why: `the quota of ${run}` });
    await store.backup(join(directory, `backup-${run}.db`), run);
  }
  await store.close();
  addMigration();
}

/** Adds a row to the table of migrations: a new file has one, and the tests need two in every table. */
function addMigration(): void {
  const db = new DatabaseSync(original);
  defineSum(db);
  db.exec("INSERT INTO migrations (version, name, applied_at) VALUES (0, 'earlier', '2026-01-01T00:00:00.000Z')");
  db.close();
}

beforeAll(fill, 60_000);

interface Column {
  readonly name: string;
  readonly pk: number;
}

type Row = Readonly<Record<string, SQLInputValue>>;

function tablesIn(db: DatabaseSync): string[] {
  const rows = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").all();
  return rows.map(({ name }) => String(name));
}

// `table_info` leaves out generated columns.
function columnsOf(db: DatabaseSync, table: string): Column[] {
  return db.prepare('SELECT name, pk FROM pragma_table_info(?)').all(table) as unknown as Column[];
}

function change(value: SQLInputValue | undefined): SQLInputValue {
  if (value === null || value === undefined) return 1;
  if (typeof value === 'number') return value + 1_000_003;
  return typeof value === 'string' ? `${value}x` : Buffer.concat([value as Uint8Array, Buffer.from('x')]);
}

/** Changes a copy of the store without firing its triggers, and returns the report of its check. */
async function checkAfter(work: (db: DatabaseSync) => void): Promise<StoreReport> {
  copyFileSync(original, file);
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  db.exec('PRAGMA synchronous=OFF; BEGIN');
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  work(db);
  for (const { sql } of triggers) db.exec(String(sql));
  db.exec('COMMIT');
  db.close();
  const store = await openSqliteStore({ file });
  try {
    return await store.check();
  } finally {
    await store.close();
  }
}

const keysOf = (columns: readonly Column[]): string =>
  columns
    .filter(({ pk }) => pk > 0)
    .map(({ name }) => `${name} IS ?`)
    .join(' AND ');
const keyValues = (columns: readonly Column[], row: Row): SQLInputValue[] =>
  columns.filter(({ pk }) => pk > 0).map(({ name }) => row[name] as SQLInputValue);

function insert(db: DatabaseSync, table: string, row: Row): void {
  db.prepare(`INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).fill('?').join(', ')})`).run(
    ...Object.values(row),
  );
}

function rowsOf(db: DatabaseSync, table: string, columns: readonly Column[]): Row[] {
  return db.prepare(`SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${table}`).all() as unknown as Row[];
}

test('a store whose triggers were dropped and created again is intact', async () => {
  expect((await checkAfter(() => undefined)).problems).toEqual([]);
});

describe.each(await tableNames())('table %s', (table) => {
  const isSoundAfter = async (work: (db: DatabaseSync, columns: readonly Column[], rows: readonly Row[]) => unknown): Promise<boolean> =>
    (await checkAfter((db) => work(db, columnsOf(db, table), rowsOf(db, table, columnsOf(db, table))))).ok;

  test('a change of any column of any row is found', async () => {
    const source = new DatabaseSync(original, { readOnly: true });
    const columns = columnsOf(source, table);
    const count = rowsOf(source, table, columns).length;
    source.close();
    expect(count).toBeGreaterThan(1);
    const missed: string[] = [];
    for (const { name } of columns) {
      // The first and the last row; every row of a column is protected in the same way.
      for (const index of [0, count - 1]) {
        const isSound = await isSoundAfter((db, all, rows) => {
          const row = rows[index] as Row;
          db.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${keysOf(all)}`).run(change(row[name]), ...keyValues(all, row));
        });
        if (isSound) missed.push(`${name} of row ${index}`);
      }
    }
    expect(missed).toEqual([]);
  }, 60_000);

  test('a row that was removed, added, or has the key of another is found', async () => {
    const remove = (db: DatabaseSync, columns: readonly Column[], row: Row): unknown =>
      db.prepare(`DELETE FROM ${table} WHERE ${keysOf(columns)}`).run(...keyValues(columns, row));
    const isSound = {
      removed: await isSoundAfter((db, columns, [row]) => remove(db, columns, row as Row)),
      added: await isSoundAfter((db, columns, [row]) => {
        const unique = new Set(['id', 'hash', 'dedupe', 'path']);
        const copy = columns.map(({ name, pk }) => [name, pk > 0 || unique.has(name) ? change(row?.[name]) : row?.[name]]);
        insert(db, table, Object.fromEntries(copy) as Row);
      }),
      swapped: await isSoundAfter((db, columns, rows) => {
        // Where every column is part of the key, a swap changes nothing.
        if (columns.every(({ pk }) => pk > 0)) return remove(db, columns, rows[0] as Row);
        const [one, two] = [rows[0] as Row, rows.at(-1) as Row];
        const keys = (row: Row): Row => Object.fromEntries(columns.filter(({ pk }) => pk > 0).map(({ name }) => [name, row[name]])) as Row;
        for (const row of [one, two]) remove(db, columns, row);
        insert(db, table, { ...one, ...keys(two) });
        insert(db, table, { ...two, ...keys(one) });
      }),
    };
    expect(isSound).toEqual({ removed: false, added: false, swapped: false });
  }, 60_000);
});

async function tableNames(): Promise<string[]> {
  const store = await openSqliteStore({ file: join(directory, 'empty.db') });
  await store.close();
  const db = new DatabaseSync(join(directory, 'empty.db'));
  const names = tablesIn(db);
  db.close();
  return names;
}

test.each(['trigger seal_mail_update', 'index mail_unread', 'view workflow_runs'])('a missing %s is found', async (what) => {
  const [type = '', name = ''] = what.split(' ');
  copyFileSync(original, file);
  const db = new DatabaseSync(file);
  db.exec(`DROP ${type} ${name}`);
  db.close();
  const store = await openSqliteStore({ file });
  expect((await store.check()).problems.map((problem) => problem.what)).toContainEqual(expect.stringContaining(what));
  await store.close();
});
