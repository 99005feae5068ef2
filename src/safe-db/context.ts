// Passes protected databases to functions of a workflow: in their context, by name, after the backup of the run.

import { omitUndefined } from '../base/fields.ts';
import { type BackupRecord, listBackups } from './backup.ts';
import type { SafeDatabaseClient } from './client.ts';

/**
 * The `context` of a workflow whose functions and conditions use protected databases. Each is backed up once per run, before
 * the first function gets it. `const context = databaseContext({ db })`, then `defineWorkflow({ context, … })`, gives
 * `ctx.db`; TypeScript cannot infer the type of an inline call.
 */
export function databaseContext<Databases extends Readonly<Record<string, SafeDatabaseClient>>>(
  databases: Databases,
): (run: { readonly runId: string; readonly startedAt?: number }) => Promise<Databases> {
  const backups = new RunBackups();
  return async ({ runId, startedAt: runStartedAt }) => {
    const run = { runId, ...omitUndefined({ runStartedAt }) };
    for (const db of new Set(Object.values(databases))) await backups.ensure(db.file, run, () => db.backup(run));
    return databases;
  };
}

type BackedUpRun = Required<Pick<BackupRecord, 'runId'>> & Pick<BackupRecord, 'runStartedAt'>;

const CACHED_MAX = 10_000;

/**
 * The backups before runs: one per run and database, even if steps begin at the same time.
 * @internal
 */
export class RunBackups {
  private readonly cache = new Map<string, Promise<unknown>>();

  /** Waits for the backup of a run; the first caller makes it, unless an earlier process did. */
  async ensure(file: string, run: BackedUpRun, create: () => Promise<unknown>): Promise<void> {
    const key = JSON.stringify([run.runId, run.runStartedAt, file]);
    // The database has a record of each backup.
    if (this.cache.size > CACHED_MAX) this.cache.clear();
    const backup = this.cache.get(key) ?? createOnce(file, run, create);
    this.cache.set(key, backup);
    // The next attempt tries a failed backup again.
    await backup.catch((error: unknown) => {
      this.cache.delete(key);
      throw error;
    });
  }
}

async function createOnce(file: string, { runId, runStartedAt }: BackedUpRun, create: () => Promise<unknown>): Promise<void> {
  if (listBackups(file).some((record) => record.runId === runId && record.runStartedAt === runStartedAt)) return;
  await create();
}
