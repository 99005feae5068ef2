// Owns how functions of a workflow get protected databases: in their context, by name, after the backup of the run.

import { present } from '../base/fields.ts';
import { type BackupRecord, listBackups } from './backup.ts';
import type { SafeDatabaseClient } from './client.ts';

/**
 * The `context` of a workflow whose functions and conditions work on protected databases. Each is backed up once per
 * run, before the first of them gets it. `const context = databaseContext({ db })`, then
 * `defineWorkflow({ context, … })`, gives `ctx.db`; written in place, TypeScript does not infer its type.
 */
export function databaseContext<Databases extends Readonly<Record<string, SafeDatabaseClient>>>(
  databases: Databases,
): (run: { readonly runId: string; readonly startedAt?: number }) => Promise<Databases> {
  const backups = new RunBackups();
  return async ({ runId, startedAt: runStartedAt }) => {
    const run = { runId, ...present({ runStartedAt }) };
    for (const db of new Set(Object.values(databases))) await backups.ensure(db.file, run, () => db.backup(run));
    return databases;
  };
}

/** The run before which a backup is made. */
type BackedUpRun = Required<Pick<BackupRecord, 'runId'>> & Pick<BackupRecord, 'runStartedAt'>;

const REMEMBERED_MAX = 10_000;

/**
 * The backups before runs: one per run and database, also when steps begin at the same time.
 * @internal
 */
export class RunBackups {
  private readonly made = new Map<string, Promise<unknown>>();

  /** Waits for the backup of a run; the first caller makes it, unless an earlier process did. */
  async ensure(file: string, run: BackedUpRun, create: () => Promise<unknown>): Promise<void> {
    const key = JSON.stringify([run.runId, run.runStartedAt, file]);
    // What was forgotten is found in the database.
    if (this.made.size > REMEMBERED_MAX) this.made.clear();
    const backup = this.made.get(key) ?? createOnce(file, run, create);
    this.made.set(key, backup);
    // A backup that failed is tried again by the next attempt.
    await backup.catch((error: unknown) => {
      this.made.delete(key);
      throw error;
    });
  }
}

async function createOnce(file: string, { runId, runStartedAt }: BackedUpRun, create: () => Promise<unknown>): Promise<void> {
  if (listBackups(file).some((record) => record.runId === runId && record.runStartedAt === runStartedAt)) return;
  await create();
}
