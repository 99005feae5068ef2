// `pawl cancel`: ends a run for good, after undoing its steps that have an undo. The workflow's code is loaded only to undo steps
// or to end child runs. `pawl pause`: starts no new steps of a run until it is resumed.

import type { Engine } from '../../api/engine.ts';
import { isUndriven, resumeUndriven } from '../../api/undriven.ts';
import { isEngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { rootOf } from '../../control/approvals.ts';
import { readRunReport } from '../../control/run/report.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { isFinal, isSettled, type RunStatus } from '../../definition/run-status.ts';
import { statusOf } from '../../engine/status.ts';
import { type CancelPlan, needsUndo } from '../../engine/undo/compensation.ts';
import { childOf } from '../../kernel/activation.ts';
import { isDriven } from '../../process/owner.ts';
import { UNDO_STEP } from '../../programs/undo.ts';
import type { CommandRun, ParsedArgs } from '../command.ts';
import { driveUntilSettled, driveWithEngine, reportEnd } from '../drive.ts';
import { workflowsToDrive } from '../load.ts';
import { demandControl } from '../right.ts';
import { type OpenRun, withRun } from '../session.ts';
import type { Shell } from '../shell.ts';
import { counted, oneLine } from '../terminal.ts';

/** Runs `pawl cancel`. */
export const run: CommandRun = (shell, args) =>
  withRun(shell, async (open) => {
    const { setup, store, id } = open;
    if (args.has('dry-run')) return showPlan(shell, open);
    await demandControl(shell, open, 'pawl cancel');
    const workflows = await workflowsFor(shell, open, args);
    const use = (engine: Engine): Promise<number> => cancel(shell, engine, id);
    return driveWithEngine(shell, setup, { store, workflows, use });
  });

/** Runs `pawl pause`. If another process drives the run, that process applies the pause; otherwise the code is needed. */
export const pause: CommandRun = (shell) =>
  withRun(shell, async ({ setup, store, id }) => {
    await demandControl(shell, { store, id }, 'pawl pause');
    const workflows = await workflowsToDrive(shell, setup.project, await store.load(id));
    const use = async (engine: Engine): Promise<number> => {
      await engine.run(id).pause({ actor: shell.actor });
      return shell.result(await readRunReport(store, id), () => [
        `run ${id} is paused: running steps finish, no new steps start; continue it with`,
        `    ${shell.style('cyan', `pawl resume ${id}`)}`,
      ]);
    };
    return driveWithEngine(shell, setup, { store, workflows, use });
  });

async function cancel(shell: Shell, engine: Engine, id: string): Promise<number> {
  const undo = shell.args.has('no-undo') ? (false as const) : undefined;
  const reason = shell.args.option('reason');
  const { status } = await engine.run(id).cancel({ actor: shell.actor, ...omitUndefined({ reason, undo }) });
  const interrupted = !isFinal(status) && (await driveUntilSettled(shell, { engine, run: id }));
  const report = await readRunReport(engine.store, id);
  // A person must handle steps that could not be undone.
  if (report.run.status !== 'cancelled') return reportEnd(shell, { store: engine.store, run: id, interrupted });
  const undone = report.steps.filter(({ step, outcome }) => step === UNDO_STEP && outcome === 'ok').length;
  const undoneText = undone === 0 ? '' : `, and ${counted(undone, 'step')} ${undone === 1 ? 'was' : 'were'} undone`;
  const above = await continueParents(engine, id);
  return shell.result(report, () => [
    `run ${id} is cancelled${undoneText}; details: pawl show ${id}`,
    ...above.map(({ run, status }) => `run ${run}, which started it, is ${status}; details: pawl show ${run}`),
  ]);
}

interface ParentRun {
  readonly run: string;
  readonly status: RunStatus;
}

/** Continues the parent runs that waited for a cancelled run and that no process drives, nearest first. */
async function continueParents(engine: Engine, child: string): Promise<readonly ParentRun[]> {
  const { store } = engine;
  const { parent } = (await store.load(child)).state;
  if (parent === undefined || !isUndriven(await store.load(parent.run))) return [];
  try {
    await resumeUndriven(engine, parent.run);
    await engine.run(parent.run).waitOnly('idle');
  } catch (error) {
    // The run is cancelled anyway; its parent learns of it when it is resumed.
    if (!isEngineError(error)) throw error;
  }
  const { state } = await store.load(parent.run);
  const continued = { run: parent.run, status: statusOf(state) };
  return isSettled(state.status) ? [continued, ...(await continueParents(engine, parent.run))] : [continued];
}

async function showPlan(shell: Shell, open: OpenRun): Promise<number> {
  const { setup, store, id } = open;
  const { withEngine } = await import('../drive.ts');
  const { state } = await store.load(id);
  const workflows = state.form === 'flow' ? await loadWorkflows(shell, open) : [];
  const use = async (engine: Engine): Promise<number> => {
    const plan = await engine.run(id).planCancel();
    return shell.result({ plan: { run: id, ...plan } }, () => planLines(shell, id, plan));
  };
  return withEngine(shell, setup, { store, workflows, use });
}

function planLines(shell: Shell, run: string, { items, stays }: CancelPlan): string[] {
  const pathOf = (step: { readonly run: string; readonly path: string }): string =>
    oneLine(step.run === run ? step.path : `${step.path} (run ${step.run})`);
  const undone =
    items.length === 0
      ? [`Cancelling run ${run} would undo nothing: no finished step has an undo.`]
      : [
          `Cancelling run ${run} would undo, in this order:`,
          '',
          ...shell.table(items, { STEP: pathOf, BY: ({ by }) => oneLine(by) }, { STEP: 'name', BY: 'text' }),
        ];
  if (stays.length === 0) return undone;
  return [
    ...undone,
    '',
    'These steps have no undo, so their effects would remain:',
    '',
    ...shell.table(stays, { STEP: pathOf, KIND: ({ kind }) => kind }, { STEP: 'name' }),
  ];
}

/** The workflow of a run that no process drives, if its code is needed to undo steps or to handle the end of child runs. */
async function workflowsFor(shell: Shell, open: OpenRun, args: ParsedArgs): Promise<readonly CompiledWorkflow[]> {
  const { store, id } = open;
  const frozen = await store.load(id);
  const { state, owner } = frozen;
  if (isDriven(owner) || isFinal(state.status)) return [];
  const above = await workflowsAbove(shell, open);
  if (above.length > 0) return above;
  if (!args.has('no-undo') && (await needsUndo(store, frozen))) return loadWorkflows(shell, open);
  if (!Object.values(state.live).some((activation) => childOf(activation) !== undefined)) return [];
  return loadOrWarn(shell, open, "cancelling without the workflow's code");
}

/** The workflow of the topmost parent, which continues when this run is cancelled; it includes those of all runs below. */
async function workflowsAbove(shell: Shell, open: OpenRun): Promise<readonly CompiledWorkflow[]> {
  const root = await rootOf(open.store, open.id);
  if (root === open.id || !isUndriven(await open.store.load(root))) return [];
  return loadOrWarn(shell, { ...open, id: root }, `run ${root}, which started it, continues only with "pawl resume ${root}"`);
}

async function loadOrWarn(shell: Shell, open: OpenRun, effect: string): Promise<readonly CompiledWorkflow[]> {
  try {
    return await loadWorkflows(shell, open);
  } catch (error) {
    shell.warn(`${effect}: ${oneLine(messageOf(error))}`);
    return [];
  }
}

async function loadWorkflows(shell: Shell, { setup, store, id }: OpenRun): Promise<readonly CompiledWorkflow[]> {
  const { loadWorkflowOf } = await import('../load.ts');
  return [(await loadWorkflowOf(shell, setup.project, await store.load(id))).workflow];
}
