// Migrations of a protected database: numbered files, applied once, in order, in one transaction, after a backup.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { listBackups, migrate, migrationStatus } from '../../src/safe-db/index.ts';
import { tempFolder } from '../temp-folder.ts';
import { createBook, dump } from './book.ts';

interface Setup {
  readonly file: string;
  readonly folder: string;
  put(name: string, sql: string): void;
}

function setUp(file: string = join(tempFolder(), 'data', 'project.db')): Setup {
  const folder = join(dirname(file), 'migrations');
  mkdirSync(folder, { recursive: true });
  return { file, folder, put: (name, sql) => writeFileSync(join(folder, name), sql) };
}

const TABLE = 'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT);';

test('migrations are applied and recorded in the order of their numbers; a second call does nothing', async () => {
  const { file, folder, put } = setUp();
  put('10_add.sql', 'ALTER TABLE notes ADD COLUMN tag TEXT;');
  put('002_rows.sql', "INSERT INTO notes (text) VALUES ('a');\r\nUPDATE notes SET text = 'b';");
  put('001_notes.sql', TABLE);
  const first = await migrate(file, folder);
  expect(first).toEqual({ applied: ['001_notes.sql', '002_rows.sql', '10_add.sql'].map((name) => expect.objectContaining({ name })) });
  expect(dump(file).notes).toEqual([{ id: 1, text: 'b', tag: null }]);
  expect(await migrate(file, folder)).toEqual({ applied: [] });
  put('002_rows.sql', "INSERT INTO notes (text) VALUES ('a');\nUPDATE notes SET text = 'b';");
  expect(migrationStatus(file, folder)).toMatchObject({
    applied: [{ number: 1 }, { number: 2 }, { number: 10 }],
    pending: [],
    problems: [],
  });
});

test('an existing database is backed up before a migration', async () => {
  const { file, folder, put } = setUp(createBook());
  const before = dump(file);
  put('1_notes.sql', TABLE);
  const { backup } = await migrate(file, folder);
  expect(dump(backup?.path ?? '')).toEqual(before);
  expect(listBackups(file)).toEqual([{ ...backup, reason: 'migration' }]);
});

describe('SD8, SD9: no migration is applied', () => {
  test.each<[string, (at: Setup) => void, string]>([
    ['when an applied one was edited', ({ put }) => put('1_notes.sql', `${TABLE} -- more`), '1_notes.sql was edited after it was applied'],
    [
      'when an applied one is gone',
      ({ folder }) => rmSync(join(folder, '1_notes.sql')),
      '1_notes.sql was applied, but its file is missing',
    ],
    ['when a new one comes before an applied one', ({ put }) => put('0_early.sql', 'SELECT 1;'), '0_early.sql comes before 1'],
    ['when two have one number', ({ put }) => put('01_again.sql', 'SELECT 1;'), 'have the number 1'],
    ['when one has no number', ({ put }) => put('fix.sql', 'SELECT 1;'), 'fix.sql has no number'],
    ['when one fails', ({ put }) => put('3_bad.sql', 'CREATE TABLE ok (id); INSERT INTO missing VALUES (1);'), 'no such table: missing'],
    ['when one commits', ({ put }) => put('3_bad.sql', 'CREATE TABLE ok (id); COMMIT;'), 'has COMMIT'],
    ['when one attaches', ({ put }) => put('3_bad.sql', "ATTACH 'x.db' AS x;"), 'attaches another database'],
    ['when one sets a pragma', ({ put }) => put('3_bad.sql', 'PRAGMA writable_schema = ON;'), 'sets PRAGMA writable_schema'],
    ['when one loads an extension', ({ put }) => put('3_bad.sql', "SELECT load_extension('x');"), 'loads an extension'],
    [
      'when one drops a table',
      ({ put }) => put('3_bad.sql', 'DROP TABLE notes;'),
      'drops table "notes"; a person can allow this with --allow-loss',
    ],
    [
      'when one drops a column',
      ({ put }) => put('3_bad.sql', 'ALTER TABLE notes DROP COLUMN text;'),
      'drops column "text" of table "notes"',
    ],
    ['when one deletes rows', ({ put }) => put('3_bad.sql', 'DELETE FROM notes;'), 'deletes rows of table "notes"'],
    [
      'when one leaves a reference to a missing row',
      ({ put }) => put('3_bad.sql', 'CREATE TABLE tags (note REFERENCES notes (id)); INSERT INTO tags VALUES (9);'),
      'rows that refer to missing rows',
    ],
  ])('%s', async (_, change, message) => {
    const at = setUp();
    at.put('1_notes.sql', TABLE);
    await migrate(at.file, at.folder);
    at.put('2_more.sql', 'CREATE TABLE more (id);');
    const before = dump(at.file);
    change(at);
    await expect(migrate(at.file, at.folder)).rejects.toMatchObject({
      code: 'MIGRATION_REFUSED',
      message: expect.stringContaining(message),
    });
    expect(dump(at.file)).toEqual(before);
    const backups = join(dirname(at.file), 'backups');
    expect(existsSync(backups) ? readdirSync(backups) : []).toEqual([]);
  });
});

test('with permission to lose data, a migration can rebuild a table that others refer to', async () => {
  const { file, folder, put } = setUp(createBook());
  put(
    '1_rebuild.sql',
    'CREATE TABLE next (id INTEGER PRIMARY KEY, title TEXT); INSERT INTO next SELECT id, title FROM books; DROP VIEW titles; DROP TABLE books; ALTER TABLE next RENAME TO books;',
  );
  await migrate(file, folder, { allowLoss: true });
  expect([dump(file).books, dump(file).chapters]).toMatchObject([
    [{ id: 1 }, { id: 2 }, { id: 3 }],
    [{ book: 1 }, { book: 1 }, { book: 2 }],
  ]);
});

test('a migration can drop views, indexes and triggers without permission', async () => {
  const { file, folder, put } = setUp(createBook());
  put('1_views.sql', 'DROP VIEW titles; DROP TRIGGER inbox_cleared;');
  expect((await migrate(file, folder)).applied).toHaveLength(1);
});

test('SD7: while another program writes, no migration is applied', async () => {
  const { file, folder, put } = setUp(createBook());
  put('1_notes.sql', TABLE);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(migrate(file, folder, { busyMs: 0 })).rejects.toThrow(
    'it is locked by another program; try again when no other program writes it',
  );
  other.close();
});

test('SD7: two concurrent calls apply each migration once', async () => {
  const { file, folder, put } = setUp(createBook());
  put('1_notes.sql', TABLE);
  const both = await Promise.all([migrate(file, folder), migrate(file, folder)]);
  expect(both.map(({ applied }) => applied.length)).toEqual([1, 0]);
});
