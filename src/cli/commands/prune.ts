// `pawl prune`: deletes old runs that have ended, after showing which.

import { durationOf } from '../../base/duration.ts';
import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { agoText } from '../../control/time-text.ts';
import type { RunStatus } from '../../definition/run-status.ts';
import type { PrunedRun, PruneRequest, Store } from '../../store/store.ts';
import { type CommandRun, commandError, type ParsedArgs } from '../command.ts';
import { confirm } from '../decision/prompt.ts';
import { requiredOption, wholeNumber } from '../params.ts';
import { findSetup, openExisting, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { statusText } from '../status.ts';
import { assertMayMaintain } from '../store-origin.ts';
import { counted, oneLine, table } from '../terminal.ts';

const STATUSES: readonly RunStatus[] = ['completed', 'overridden', 'rejected', 'cancelled'];

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const request = requestOf(args);
  const setup = await findSetup(shell, args);
  await using store = await openExisting(setup);
  if (store === undefined) return report(shell, { runs: [], values: 0 }, ['There is no database yet, so there is nothing to delete.']);
  const { runs } = await store.prune({ ...request, dryRun: true });
  if (args.has('dry-run')) return report(shell, { runs, values: 0 }, planLines(shell, runs));
  assertMayMaintain(setup, { origin: await store.origin(), right: shell.right });
  if (runs.length > 0 && !(await isConfirmed(shell, args, runs))) return report(shell, { runs: [], values: 0 }, ['Nothing was deleted.']);
  const pruned = await store.prune(request);
  const ids = pruned.runs.map(({ id }) => id);
  const { removeTranscripts, transcriptsOf } = await import('../../engine/transcript/transcripts.ts');
  removeTranscripts(transcriptsOf(setup.file), ids);
  const { SnapshotLog, snapshotsOf } = await import('../../steps/workspace/snapshot-log.ts');
  await new SnapshotLog(snapshotsOf(setup.file)).remove(ids);
  await forgetSteps(shell, setup, pruned.runs);
  return report(shell, pruned, [
    `${shell.symbol('done')} ${counted(pruned.runs.length, 'run')} and ${counted(pruned.values, 'value')} deleted`,
  ]);
};

/** Removes the records of the runs from protected databases. A deleted run never continues, so nothing needs them. */
async function forgetSteps(shell: Shell, { settings }: Setup, runs: readonly PrunedRun[]): Promise<void> {
  const databases = Object.entries(settings.databases ?? {});
  if (databases.length === 0 || runs.length === 0) return;
  const records = await import('../../safe-db/accepted-steps.ts');
  const deleted = runs.map(({ id: run, createdAt: started }) => ({ run, started }));
  for (const [name, { path }] of databases) {
    try {
      records.deleteStepRecords(path, deleted);
    } catch (error) {
      shell.warn(`database "${name}" keeps its records of the deleted runs: ${messageOf(error)}`);
    }
  }
}

function requestOf(args: ParsedArgs): PruneRequest {
  const age = requiredOption(args, 'older-than', 'the minimum age of the runs to delete, such as 30d');
  const ms = durationOf(age);
  if (ms === undefined) throw commandError('prune', `--older-than must be a duration such as 30d or 12h, not "${age}"`);
  const statuses = args.options('status') as RunStatus[];
  return {
    before: Date.now() - ms,
    status: statuses.length === 0 ? STATUSES : statuses,
    ...omitUndefined({ keep: wholeNumber(args, 'keep', { min: 0 }) }),
    vacuum: args.has('vacuum'),
  };
}

async function isConfirmed(shell: Shell, args: ParsedArgs, runs: readonly PrunedRun[]): Promise<boolean> {
  if (args.has('yes')) return true;
  if (!shell.isInteractive)
    throw commandError(
      'prune',
      `${counted(runs.length, 'run')} would be deleted for good; use --yes to delete them, or --dry-run to list them`,
    );
  for (const line of planLines(shell, runs)) shell.print(line);
  return confirm(shell, `Delete ${counted(runs.length, 'run')} for good?`);
}

function planLines(shell: Shell, runs: readonly PrunedRun[]): string[] {
  if (runs.length === 0) return ['There is nothing to delete.'];
  return [
    ...table(shell.display, [
      { title: 'RUN', cells: runs.map(({ id }) => id) },
      { title: 'WORKFLOW', cells: runs.map(({ workflow }) => oneLine(workflow)), shrinks: 'name' },
      { title: 'STATUS', cells: runs.map(({ status }) => status), style: (cell, row) => statusText(shell, runs[row]?.status, cell) },
      { title: 'ENDED', cells: runs.map(({ updatedAt }) => agoText(updatedAt)) },
    ]),
    `${counted(runs.length, 'run')} to delete`,
  ];
}

function report(shell: Shell, { runs, values }: Awaited<ReturnType<Store['prune']>>, lines: readonly string[]): number {
  const rows = runs.map(({ createdAt: _, updatedAt, ...run }) => ({ ...run, endedAt: new Date(updatedAt).toISOString() }));
  return shell.result({ runs: rows, values }, () => lines);
}
