// Owns private copies of a database: one that a step changes, and one that stays unchanged. Both are made page by page from
// the committed state, so that rows keep their rowids and can be compared later.

import { constants, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CopyFiles } from './accept.ts';
import { copyTo } from './backup.ts';
import { databaseFailure } from './failure.ts';

/** Where a copy is made. */
interface CopyPlace {
  /** A folder that nothing else uses. */
  readonly folder: string;
  /** The path of the copy to change, if it is outside the folder. */
  readonly copy?: string;
}

/** Copies a database into a folder. */
export async function createCopy(file: string, { folder, copy = join(folder, 'copy.db') }: CopyPlace): Promise<CopyFiles> {
  const base = join(folder, 'base.db');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const path of [base, copy]) removeDatabase(path);
    await copyTo(base, file);
    // Without a write-ahead log, so that copying the one file is enough.
    useSingleFile(base);
    copyFileSync(base, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (cause) {
    throw databaseFailure(cause, { action: `copy ${file} to ${copy}`, file, state: 'nothing was changed', details: { copy } });
  }
  return { file, base, copy };
}

function useSingleFile(path: string): void {
  using db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = DELETE');
}

/** The suffixes of the files that SQLite keeps next to a database. */
export const SIDE_SUFFIXES: readonly string[] = ['-journal', '-wal', '-shm'];

/** Removes a database file with the files that SQLite keeps next to it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', ...SIDE_SUFFIXES]) rmSync(`${path}${suffix}`, { force: true });
}
