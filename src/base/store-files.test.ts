import { linkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { holdDatabase, isStoreFile } from './store-files.ts';

let folder: string;
let db: string;
beforeEach(() => {
  folder = tempFolder();
  db = join(folder, 'runs.db');
  writeFileSync(db, 'x');
});

const isHeld = (name: string): boolean => isStoreFile(join(folder, name), statSync(join(folder, name)));

test('an open database, under any name of its files, is a store file until it is closed', () => {
  linkSync(db, join(folder, 'hard'));
  symlinkSync(db, join(folder, 'soft'));
  symlinkSync(folder, join(folder, 'around'));
  const names = ['runs.db', 'hard', 'soft', 'around/runs.db'];
  expect(names.map(isHeld)).toEqual([false, false, false, false]);
  const letGo = holdDatabase(join(folder, 'around', 'runs.db'));
  expect(names.map(isHeld)).toEqual([true, true, true, true]);
  // The log is created after the file, and a link to it is the log.
  writeFileSync(`${db}-wal`, 'x');
  linkSync(`${db}-wal`, join(folder, 'log'));
  expect([isHeld('runs.db-wal'), isHeld('log')]).toEqual([true, true]);
  letGo();
  expect([...names, 'log'].some(isHeld)).toBe(false);
});

test('files beside the database belong to it, and a file with a similar name does not', () => {
  const letGo = holdDatabase(db);
  const at = (name: string): boolean => isStoreFile(join(folder, name), { dev: -1, ino: -1 });
  const own = ['.bells/r1', '.pids', '.transcripts/r1/a.jsonl', '.key', '.backup-2026', '-shm', '-journal'];
  expect(own.map((side) => at(`runs.db${side}`))).toEqual(own.map(() => true));
  const others = ['runs.dbx', 'runs.db.ts', 'runs.db-notes.md', 'other/runs.db'];
  expect(others.map(at)).toEqual(others.map(() => false));
  letGo();
});
