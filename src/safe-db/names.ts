// Owns the names that this client puts into a database, and how any name is written in SQL.

import type { DatabaseSync } from 'node:sqlite';

/** The table that records backups. */
export const BACKUPS_TABLE = 'database_backups';
/** The table that records applied migrations. */
export const MIGRATIONS_TABLE = 'pawl_migrations';
/** The table that records which steps were accepted. */
export const STEPS_TABLE = 'pawl_steps';
/** Tables that only this client writes. */
export const OWN_TABLES: readonly string[] = [BACKUPS_TABLE, MIGRATIONS_TABLE, STEPS_TABLE];

/** How long SQLite waits for a lock of another program. */
export const BUSY_MS = 5000;

/**
 * Whether a database has a table of ours.
 * @internal
 */
export function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name) !== undefined;
}

/** A name as SQL, in quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A run, which may not be the only one that ever had its id. */
export interface RunKey {
  readonly run: string;
  /** When it began, in milliseconds. */
  readonly started: number;
}

/** One attempt of a step of a run. */
export interface StepKey extends RunKey {
  readonly path: string;
  readonly attempt: number;
}
