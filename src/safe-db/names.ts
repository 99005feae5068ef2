// Owns the names of our tables, quoting of names in SQL, and the keys of steps in our records.

import type { DatabaseSync } from 'node:sqlite';

/** The table that records backups. */
export const BACKUPS_TABLE = 'database_backups';
/** The table that records applied migrations. */
export const MIGRATIONS_TABLE = 'pawl_migrations';
/** The table that records accepted steps. */
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

/** A run. An id is free again after `pawl prune`, so the start time is part of the key. */
export interface RunKey {
  readonly run: string;
  /** When it started, in milliseconds. */
  readonly started: number;
}

/** One attempt of a step of a run. */
export interface StepKey extends RunKey {
  readonly path: string;
  readonly attempt: number;
}
