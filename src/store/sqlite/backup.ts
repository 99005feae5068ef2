// Owns copies of the whole store, made while runs continue, and the record of them.

import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { EngineError } from '../../base/error.ts';
import { createPrivateFile } from '../../base/sqlite.ts';
import type { Connection } from './connection.ts';
import { toStoreError } from './failure.ts';

const PAGES_AT_ONCE = 1024;

/** Copies the database to a new file that only this user can read; an existing file is never overwritten. */
export async function copyDatabase(connection: Connection, file: string): Promise<{ readonly path: string; readonly bytes: number }> {
  const path = resolve(file);
  if (!createPrivateFile(path)) {
    throw new EngineError('STORE_UNAVAILABLE', `the backup ${path} exists already and is not overwritten; name another file`, {
      details: { file: path },
    });
  }
  const part = `${path}.part`;
  try {
    createPrivateFile(part);
    await backup(connection.db, part, { rate: PAGES_AT_ONCE });
    renameSync(part, path);
    return { path, bytes: statSync(path).size };
  } catch (error) {
    rmSync(part, { force: true });
    rmSync(path, { force: true });
    throw toStoreError(error, connection.name);
  }
}

/** Replaces the contents of a file with those of another, in one transaction, so that open connections see the change. */
export async function replaceContents(file: string, from: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true });
  await backup(source, file, { rate: PAGES_AT_ONCE }).catch((error: unknown) => {
    throw toStoreError(error, file);
  });
}

/** Records a backup in the database. */
export function recordBackup(
  connection: Connection,
  made: { readonly path: string; readonly bytes: number; readonly at: number; readonly run?: string | undefined },
): void {
  connection
    .sql('INSERT INTO database_backups (id, created_at, path, workflow_run_id, size_bytes) VALUES (?, ?, ?, ?, ?)')
    .run(randomUUID(), new Date(made.at).toISOString(), made.path, made.run ?? null, made.bytes);
}
