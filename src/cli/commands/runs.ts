// `pawl runs`: lists the runs of this project, newest first.

import { omitUndefined } from '../../base/fields.ts';
import { type ListedRun, runRow, withUsage } from '../../control/run/list.ts';
import { agoText } from '../../control/time-text.ts';
import { costText } from '../../control/usage.ts';
import { isFinal, type RunStatus } from '../../definition/run-status.ts';
import { isDriven } from '../../process/owner.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import type { CommandRun } from '../command.ts';
import { wholeNumber } from '../params.ts';
import { findSetup, openExisting, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { statusText } from '../status.ts';
import { oneLine, table } from '../terminal.ts';

const LIMIT_DEFAULT = 20;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  await using store = await openExisting(setup);
  const limit = args.has('all') ? undefined : (wholeNumber(args, 'limit', { min: 1 }) ?? LIMIT_DEFAULT);
  const statuses = args.options('status') as RunStatus[];
  const status = statuses.length === 0 ? undefined : statuses;
  const listed = (await store?.list(omitUndefined({ limit: limit && limit + 1, workflow: args.option('workflow'), status }))) ?? [];
  const found = args.has('attended') && store !== undefined ? await attendedOf(shell, setup, store) : listed;
  const shown = found.slice(0, limit);
  const runs = store === undefined ? [] : await withUsage(store, shown);
  const more = found.length > shown.length;
  return shell.result({ runs: runs.map(runRow), more }, () => linesOf(shell, runs, more));
};

async function attendedOf(shell: Shell, setup: Setup, store: Store): Promise<readonly RunSummary[]> {
  const { readProjectRuns } = await import('../attended/session-runs.ts');
  const open = new Set((await readProjectRuns(shell, setup, { store })).map(({ run: { id } }) => id));
  const workflow = shell.args.option('workflow');
  return (await store.list(omitUndefined({ workflow }))).filter(({ id }) => open.has(id));
}

function stepCell({ status, currentStep = '', damaged }: ListedRun): string {
  if (damaged !== undefined) return 'damaged';
  return isFinal(status) ? '' : oneLine(currentStep);
}

function linesOf(shell: Shell, runs: readonly ListedRun[], more: boolean): string[] {
  if (runs.length === 0) return ['No runs yet. "pawl list" shows the workflows, "pawl run WORKFLOW" starts one.'];
  const lines = table(shell.display, [
    { title: 'RUN', cells: runs.map(({ id }) => id) },
    { title: 'WORKFLOW', cells: runs.map(({ workflow }) => oneLine(workflow)), shrinks: 'name' },
    { title: 'STATUS', cells: runs.map(({ status }) => status), style: (cell, row) => statusText(shell, runs[row]?.status, cell) },
    { title: 'STEP', cells: runs.map(stepCell), shrinks: 'name' },
    ...(runs.some(({ usage }) => usage !== undefined)
      ? [{ title: 'COST', cells: runs.map(({ usage }) => (usage === undefined ? '' : costText(usage))) }]
      : []),
    ...(runs.some(({ origin }) => origin.priority !== undefined)
      ? [{ title: 'PRIORITY', cells: runs.map(({ origin }) => String(origin.priority ?? 0)) }]
      : []),
    { title: 'STARTED', cells: runs.map(({ createdAt }) => agoText(createdAt)) },
  ]);
  for (const { damaged } of runs) if (damaged !== undefined) lines.push('', oneLine(damaged));
  const orphan = runs.find(({ status, owner }) => status === 'running' && !isDriven(owner));
  if (orphan !== undefined)
    lines.push(
      '',
      `No process drives run ${orphan.id}; continue it with`,
      `    ${shell.style('cyan', shell.pasteable(`pawl resume ${orphan.id}`))}`,
    );
  return more ? [...lines, shell.style('dim', `${shell.symbol('ellipsis')} more; "pawl runs --all" shows all runs`)] : lines;
}
