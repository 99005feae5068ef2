import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { openServerDatabase } from './server-database.ts';

const NOTES = { part: 'notes', migrations: ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)'] };
const LATER = { part: 'notes', migrations: [...NOTES.migrations, 'ALTER TABLE notes ADD COLUMN by TEXT'] };

test('a later version adds to the tables of a part and keeps the rows', () => {
  const file = join(tempFolder(), 'runs.db.server');
  const first = openServerDatabase(file, [NOTES]);
  first.run('INSERT INTO notes (text) VALUES (?)', 'kept');
  first.close();
  const second = openServerDatabase(file, [LATER]);
  expect(second.get('SELECT text, by FROM notes')).toEqual({ text: 'kept', by: null });
  second.close();
  expect(() => openServerDatabase(file, [NOTES])).toThrow(expect.objectContaining({ code: 'STORE_NEWER' }));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a transaction that throws changes nothing', () => {
  const database = openServerDatabase(':memory:', [NOTES]);
  const fail = (): void =>
    database.transaction(() => {
      database.run('INSERT INTO notes (text) VALUES (?)', 'gone');
      throw new Error('stopped');
    });
  expect(fail).toThrow('stopped');
  expect(database.all('SELECT * FROM notes')).toEqual([]);
  database.close();
});
