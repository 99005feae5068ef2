// Detects changes to a protected database while a program or an agent of a step that does not declare it is running. There is
// no copy to compare with, so only the fact of a change is known.

import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EngineError } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { newestRecords } from '../../safe-db/accepted-steps.ts';
import type { AttemptResult } from '../attempt.ts';
import type { Attempt } from '../layers.ts';
import type { Job } from '../work.ts';

interface WatchedDatabase {
  readonly name: string;
  /** What happened to the database since; undefined if nothing did, or only changes of Pawl. */
  changed(): 'changed' | 'removed' | undefined;
  close(): void;
}

/** Runs the work, and adds the databases to its evidence that something other than Pawl changed meanwhile. */
export async function watchDatabases(job: Job, work: Attempt): Promise<AttemptResult> {
  const { services } = job.runner;
  const watched = Object.entries(services.databases ?? {}).flatMap(([name, { path }]) => watch(name, path) ?? []);
  try {
    const result = await work(job);
    const changes = watched.flatMap((database) => {
      const change = database.changed();
      return change === undefined ? [] : [{ name: database.name, change }];
    });
    for (const change of changes) services.warn?.(warningOf(job, change));
    if (changes.length === 0 || (result.type !== 'settled' && result.type !== 'errored')) return result;
    const changedMeanwhile = Object.fromEntries(changes.map(({ name, change }) => [name, { [change]: true, notByPawl: true }]));
    return { ...result, evidence: { ...(result.evidence as object | undefined), changedMeanwhile } as Json };
  } finally {
    for (const database of watched) database.close();
  }
}

function warningOf({ request }: Job, { name, change }: { readonly name: string; readonly change: string }): EngineError {
  const next =
    change === 'removed'
      ? '"pawl data status" lists its backups, and "pawl data restore FILE" restores one'
      : '"pawl data diff" compares it with its newest backup';
  return new EngineError(
    'DATA_PROTECTED',
    `while step "${request.bound.model.id}" was running, which does not use database "${name}", something other than Pawl ${change} it; ${next}`,
  );
}

/** Watches a database. SQLite's `data_version` changes when another connection commits. */
function watch(name: string, path: string): WatchedDatabase | undefined {
  if (!existsSync(path)) return undefined;
  const identity = (): string => {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  };
  let db: DatabaseSync | undefined;
  try {
    const before = identity();
    const open = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    db = open;
    const version = (): unknown => open.prepare('PRAGMA data_version').get()?.data_version;
    const first = version();
    const records = newestRecords(open);
    return {
      name,
      changed: () => {
        try {
          if (!existsSync(path)) return 'removed';
          if (identity() !== before) return 'changed';
          return version() === first || newestRecords(open) !== records ? undefined : 'changed';
        } catch {
          return 'changed';
        }
      },
      close: () => open.close(),
    };
  } catch {
    // It is not a database, or it is locked; the step that uses it reports that.
    db?.close();
    return undefined;
  }
}
