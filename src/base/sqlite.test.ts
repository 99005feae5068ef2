// Small databases: rows are parsed, inserts name their columns, and transactions are whole.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { type Database, flag, jsonOf, nullable, number, oneOf, optional, rowAs, text } from './sql-row.ts';
import { databaseOf, openPrivateDatabase } from './sqlite.ts';

let database: Database;
beforeEach(() => {
  const db = openPrivateDatabase(':memory:');
  db.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT UNIQUE, created_at, is_read INTEGER, kind TEXT, about TEXT)');
  database = databaseOf(db);
});

const note = rowAs({ id: number, title: text, createdAt: number, isRead: flag, kind: oneOf('a', 'b'), about: jsonOf<string[]>() });
const ROW = { title: 'one', createdAt: 5, isRead: true, kind: 'a', about: '["x"]' };
const rows = () => database.all('SELECT * FROM notes');

describe('a row', () => {
  test('a row is read with the names and the types of its fields', () => {
    expect(database.insert('notes', ROW)).toEqual({ isNew: true, id: 1 });
    expect(rows().map(note)).toEqual([{ ...ROW, id: 1, about: ['x'] }]);
  });

  test.each([
    ['another type', { createdAt: 'today' }, 'its "created_at" must be a number and is of type string'],
    ['no value', { title: undefined }, 'its "title" must be text and is empty'],
    ['an unknown word', { kind: 'c' }, 'its "kind" must be one of a, b and is of type string'],
    ['a number as a flag', { isRead: 2 }, 'its "is_read" must be 0 or 1 and is of type number'],
  ])('with %s is damaged', (_what, wrong, message) => {
    database.insert('notes', { ...ROW, ...wrong });
    expect(() => rows().map(note)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED', message: expect.stringContaining(message) }));
  });

  test('a row can have columns without a value', () => {
    database.insert('notes', { id: 1 });
    expect(rows().map(rowAs({ title: nullable(text), about: optional(text), newer: optional(text) }))).toEqual([
      { title: null, about: undefined, newer: undefined },
    ]);
  });
});

test('a row whose key exists is an error, ignored, or replaced', () => {
  database.insert('notes', ROW);
  expect(() => database.insert('notes', ROW)).toThrow(/UNIQUE/);
  expect(database.insert('notes', { ...ROW, kind: 'b' }, 'ignore').isNew).toBe(false);
  expect(rows().map(({ kind }) => kind)).toEqual(['a']);
  database.insert('notes', { ...ROW, kind: 'b' }, 'replace');
  expect(rows().map(({ kind }) => kind)).toEqual(['b']);
});

test('a transaction that fails leaves nothing', () => {
  const failing = () =>
    database.transaction(() => {
      database.insert('notes', ROW);
      throw new Error('no');
    });
  expect(failing).toThrow('no');
  expect(rows()).toEqual([]);
});

test('the file of a database can be read by its owner only', () => {
  const file = join(tempFolder(), 'deep', 'notes.db');
  openPrivateDatabase(file).close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
