// Owns private copies of a database: one to work on, and one that does not change. Both are made page by page from what
// is committed, so that rows keep their rowids and can be compared later.

import { constants, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { WorkedCopy } from './accept.ts';
import { copyTo } from './backup.ts';
import { databaseFailure } from './failure.ts';

/** Where a copy is made. */
export interface CopyPlace {
  /** A folder of its own. */
  readonly folder: string;
  /** The file that is worked on, if it is not to be in that folder. */
  readonly copy?: string;
}

/** Copies a database into a folder. */
export async function createCopy(file: string, { folder, copy = join(folder, 'copy.db') }: CopyPlace): Promise<WorkedCopy> {
  const base = join(folder, 'base.db');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const path of [base, copy]) removeDatabase(path);
    await copyTo(base, file);
    // A single file without a log, so that it can be copied as it is.
    useSingleFile(base);
    copyFileSync(base, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } catch (cause) {
    throw databaseFailure(cause, { what: `copy ${file} to ${copy}`, file, state: 'nothing was changed', details: { copy } });
  }
  return { file, base, copy };
}

function useSingleFile(path: string): void {
  using db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = DELETE');
}

/** Removes a database file with what SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
}
