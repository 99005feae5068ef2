// Owns the record of accepted steps in the user's database. It is written in the transaction that applies the changes of the
// step, so that after a crash either both exist or neither does.
//
// SD14. A step is accepted at most once per attempt: the record's key is run, path and attempt.
// SD15. A run is identified by its id and start time: ids are free again after `pawl prune`, and two projects may use one
//      database.

import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { digestText } from '../base/digest.ts';
import { number, rowAs, text } from '../base/sql-row.ts';
import { databaseOf, transact } from '../base/sqlite.ts';
import { BACKUPS_TABLE, BUSY_MS, hasTable, MIGRATIONS_TABLE, OWN_TABLES, type RunKey, STEPS_TABLE, type StepKey } from './names.ts';

/** A step whose writes were accepted, with its result as text. */
export interface AcceptedStep extends StepKey {
  readonly at: string;
  readonly result: string;
  /** SHA-256 of the result. */
  readonly digest: string;
}

/** The column of each of our tables with the time when a row was written. */
const NEWEST: Readonly<Record<string, string>> = { [BACKUPS_TABLE]: 'created_at', [MIGRATIONS_TABLE]: 'applied_at', [STEPS_TABLE]: 'at' };

/**
 * Records an accepted step in the open transaction.
 * @internal
 */
export function recordStep(db: DatabaseSync, step: StepKey, { at, result }: Pick<AcceptedStep, 'at' | 'result'>): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS main.${STEPS_TABLE} (run TEXT NOT NULL, started INTEGER NOT NULL, path TEXT NOT NULL, attempt INTEGER NOT NULL, at TEXT NOT NULL, digest TEXT NOT NULL, result TEXT NOT NULL, PRIMARY KEY (run, started, path, attempt)) WITHOUT ROWID`,
  );
  const digest = digestText(result);
  const { run, started, path, attempt } = step;
  databaseOf(db).insert(`main.${STEPS_TABLE}`, { run, started, path, attempt, at, digest, result });
}

/** The newest accepted attempt of a step from attempt `since` on. */
export function findAcceptedStep(file: string, { run, started, path, since }: Omit<StepKey, 'attempt'> & { readonly since: number }) {
  const where = 'run = ? AND started = ? AND path = ? AND attempt >= ? ORDER BY attempt DESC LIMIT 1';
  const [found] = readSteps(file, where, [run, started, path, since]);
  return found;
}

/** Removes the records of runs that were deleted, and returns their number. */
export function deleteStepRecords(file: string, runs: readonly RunKey[]): number {
  if (!existsSync(file)) return 0;
  using db = new DatabaseSync(file, { timeout: BUSY_MS });
  if (!hasTable(db, STEPS_TABLE)) return 0;
  const remove = db.prepare(`DELETE FROM ${STEPS_TABLE} WHERE run = ? AND started = ?`);
  return transact(db, () => runs.reduce((sum, { run, started }) => sum + Number(remove.run(run, started).changes), 0));
}

/** The steps that were accepted in a database and not in an older copy of it. */
export function acceptedSince(file: string, older: string): StepKey[] {
  const keyOf = ({ run, started, path, attempt }: StepKey): string => JSON.stringify([run, started, path, attempt]);
  const known = new Set(readSteps(older, '1', []).map(keyOf));
  return readSteps(file, '1', []).filter((step) => !known.has(keyOf(step)));
}

function readSteps(file: string, where: string, values: readonly (string | number)[]): AcceptedStep[] {
  if (!existsSync(file)) return [];
  using db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  if (!hasTable(db, STEPS_TABLE)) return [];
  return db
    .prepare(`SELECT run, started, path, attempt, at, digest, result FROM ${STEPS_TABLE} WHERE ${where}`)
    .all(...values)
    .map(stepRow);
}

const stepRow = rowAs({ run: text, started: number, path: text, attempt: number, at: text, digest: text, result: text });

/** A string that changes with every record that Pawl writes to a database. */
export function newestRecords(db: DatabaseSync): string {
  const newest = (table: string): object =>
    hasTable(db, table) ? { ...db.prepare(`SELECT count(*) AS rows, max(${NEWEST[table]}) AS newest FROM ${table}`).get() } : {};
  return JSON.stringify(OWN_TABLES.map(newest));
}
