// Owns compensation: which results of a run can be undone, in which order, and how one of them is undone. The kernel opens
// the undo step repeatedly; each visit finds the next result, newest first, and undoes it once.
//
// - A run includes the runs it started, unless they have been undone themselves.
// - The list is created when the undo begins and is stored with the run, so that every item keeps its position.

import { EngineError, isEngineError, isTransient } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { traitsOf } from '../../definition/kind.ts';
import { type Definition, type StepModel, stepsWithin } from '../../definition/model.ts';
import { isSuccess } from '../../definition/outcome.ts';
import { childIdOf, type RunState } from '../../kernel/run-state.ts';
import { graphProgram } from '../../programs/graph.ts';
import { type CompletedAttempt, UNDO_STEP, type UndoItem } from '../../programs/undo.ts';
import type { AttemptRequest, AttemptResult, Snapshot } from '../../steps/attempt.ts';
import { keyOf } from '../../steps/context.ts';
import { UNDO_LIST, UNDOABLE } from '../../steps/run-records.ts';
import { stepError } from '../../steps/work.ts';
import type { Store, StoredAttempt } from '../../store/store.ts';
import type { RunDriver } from '../driver.ts';
import type { EngineCore } from '../engine.ts';
import { type BoundProgram, programOfRun, workflowOf } from '../programs.ts';
import { readValues } from '../values.ts';

const NO_CHECKS = Object.freeze([]);

/** A step that may have changed something and has no undo. */
export interface StepWithoutUndo extends CompletedAttempt {
  readonly kind: string;
}

/** The results that are undone, newest first, and those that are not. */
export interface CancelPlan {
  readonly items: readonly UndoItem[];
  readonly stays: readonly StepWithoutUndo[];
}

/** A run with everything that undoing it needs. */
interface UndoneRun {
  readonly bound: BoundProgram;
  readonly workflow: CompiledWorkflow;
  readonly params: JsonObject;
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
}

/** Returns what would be undone if the run were cancelled now. */
export async function planCancel(core: EngineCore, run: string): Promise<CancelPlan> {
  const items: UndoItem[] = [];
  const stays: StepWithoutUndo[] = [];
  const runs = [run];
  // The list grows during the loop: each run is followed by the runs it started.
  for (const id of runs) {
    const rows = (await core.store.attempts(id)).filter(({ step, attempt }) => attempt > 0 && step !== UNDO_STEP);
    runs.push(...(await childrenOf(core, id, rows)));
    const undoOf = await undosOf(core, id);
    for (const row of lastByPath(rows)) {
      const { path, step, attempt, endedAt, outcome, kind } = row;
      const item = { run: id, path, step, attempt, endedAt };
      const undo = undoOf(step);
      if (undo !== undefined && outcome !== undefined && isSuccess({}, outcome))
        items.push({ ...item, by: traitsOf(core.parts.facts, undo.kind).undoText?.(undo) ?? undo.title });
      else if (undo === undefined && row.status === 'completed' && traitsOf(core.parts.facts, kind).effects === 'lasting')
        stays.push({ ...item, kind });
    }
  }
  return { items: newestFirst(items), stays: newestFirst(stays) };
}

/** Returns the undo of each step of a run. The steps of a graph are data; those of a flow are found by replaying it. */
async function undosOf(core: EngineCore, run: string): Promise<(step: string) => StepModel | undefined> {
  const { state, definition } = await core.store.load(run);
  if (state.form === 'flow') {
    const { bound } = await openRun(core, run);
    return (step) => bound.undo(step)?.model;
  }
  const program = graphProgram(definition);
  return (step) => program.model(step).undo;
}

/** The runs that a run started and that have not been undone themselves. */
async function childrenOf(core: EngineCore, run: string, rows: readonly StoredAttempt[]): Promise<readonly string[]> {
  const ids = rows.filter(({ kind }) => kind === 'workflow').map((row) => childIdOf(run, row));
  const known = new Set((await core.store.list({ parent: run })).map(({ id }) => id));
  const existing = ids.filter((id) => known.has(id));
  const states = await Promise.all(existing.map(async (id) => (await core.store.load(id)).state));
  return states.filter(({ undoing }) => undoing === undefined).map(({ id }) => id);
}

/** The last attempt of each visit. */
function lastByPath(rows: readonly StoredAttempt[]): readonly StoredAttempt[] {
  return [...new Map(rows.map((row) => [row.path, row])).values()];
}

function newestFirst<Item extends CompletedAttempt>(items: readonly Item[]): readonly Item[] {
  // Attempts that ended in the same millisecond are sorted by their rows, newest first.
  return [...items].reverse().sort((a, b) => b.endedAt - a.endedAt);
}

/** Undoes the next result. Missing or incompatible code is a failure of the undo, which a person sees. */
export async function runUndo(core: EngineCore, driver: RunDriver, request: AttemptRequest): Promise<AttemptResult> {
  try {
    return await undoNext(core, driver, request);
  } catch (error) {
    if (!isEngineError(error) || isTransient(error)) throw error;
    const message = `what the run did could not be undone: ${error.message}`;
    return { type: 'errored', error: stepError(error.code, message, { retryable: false }), checks: NO_CHECKS };
  }
}

async function undoNext(core: EngineCore, driver: RunDriver, request: AttemptRequest): Promise<AttemptResult> {
  const { data } = await request.snapshot();
  const kept = UNDO_LIST.in(data);
  const items = kept ?? (await planCancel(core, driver.run)).items;
  const rows = await core.store.attempts(driver.run);
  const done = rows.filter(({ step, outcome }) => step === UNDO_STEP && outcome === 'ok').length;
  const item = items[done];
  // A run with nothing to undo can be resumed where it failed, and may have something to undo if it fails again.
  if (item === undefined) return { type: 'settled', outcome: 'skip', output: { undone: done }, checks: NO_CHECKS };
  const remember = kept === undefined ? { remember: UNDO_LIST.with(items) } : {};
  const result = await undoItem(core, item, request);
  return result.type === 'observed' ? result : { ...result, ...remember };
}

async function undoItem(core: EngineCore, item: UndoItem, request: AttemptRequest): Promise<AttemptResult> {
  const { bound, ...other } = await openRun(core, item.run);
  const place = item.run === request.runId ? {} : other;
  const undo = bound.undo(item.step);
  if (undo === undefined) throw new EngineError('STEP_UNKNOWN', `step "${item.step}" of run ${item.run} no longer has an undo`);
  if (request.want === 'reconcile') return reconciled(item, undo.model.recovery === 'rerun');
  const { timeoutMs } = undo.model;
  const signal = timeoutMs === undefined ? request.signal : AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  const { path, attempt } = item;
  const undoes = { runId: item.run, stepId: item.step, path, attempt, idempotencyKey: keyOf({ runId: item.run, activation: item }) };
  const result = await core.runAttempt({ ...request, ...place, bound: undo, result: await resultOf(core, item), undoes, signal });
  return undone(item, result);
}

/** After a crash during an undo: it runs again if its author declared that safe, otherwise a person decides. */
function reconciled({ step, path }: UndoItem, mayRerun: boolean): AttemptResult {
  if (mayRerun) return { type: 'ready', checks: NO_CHECKS };
  const message = `undoing step "${step}" (${path}) was interrupted, and it is not known whether it took effect; check, then retry it, or accept it as done`;
  return { type: 'errored', error: stepError('STEP_FAILED', message, { retryable: false }), checks: NO_CHECKS };
}

/** The result of an undo: done, or failed and to be retried. */
function undone({ run, path, step }: UndoItem, result: AttemptResult): AttemptResult {
  const undid = { undid: { run, path, step } };
  if (result.type === 'settled' && result.outcome === 'ok')
    return { ...result, output: isJsonObject(result.output) ? { ...result.output, ...undid } : undid };
  if (result.type === 'errored') {
    const { error } = result;
    return { ...result, error: { ...error, message: `step "${step}" (${path}) could not be undone: ${error.message}` } };
  }
  const outcome = result.type === 'settled' ? result.outcome : result.type;
  return {
    type: 'errored',
    error: stepError('STEP_FAILED', `step "${step}" (${path}) could not be undone: its undo settled "${outcome}"`),
    checks: NO_CHECKS,
  };
}

async function resultOf(core: EngineCore, { run, path }: UndoItem): Promise<Json> {
  const row = (await core.store.attempts(run)).findLast((attempt) => attempt.path === path);
  return (await readValues(core.store, [row?.output]))(row?.output);
}

/** Whether cancelling a run must undo something, as far as its record shows without its code. */
export async function needsUndo(
  store: Store,
  { state, definition }: { readonly state: RunState; readonly definition: Definition },
): Promise<boolean> {
  if (definition.steps.flatMap(stepsWithin).some(({ undo }) => undo !== undefined)) return true;
  return state.form === 'flow' && (await store.data(state.id)).has(UNDOABLE.key);
}

/** Data that a flow's run stores when a step with an undo has ended, because a flow's definition lists no steps. */
export function rememberedUndo(state: RunState, model: StepModel): JsonObject | undefined {
  return state.form === 'flow' && model.undo !== undefined ? UNDOABLE.with(true) : undefined;
}

/** A run with its program, as its steps saw it. */
async function openRun(core: EngineCore, run: string): Promise<UndoneRun> {
  const stored = await core.store.load(run);
  const { state, definition } = stored;
  const workflow = await workflowOf(core, stored);
  const params = await core.paramsOf(state);
  const bound = core.programs.get(run) ?? (await programOfRun(core, state, { workflow, definition, params }));
  const cache = core.cacheFor(run, { reads: [], params, fresh: false });
  return { bound, workflow, params, snapshot: () => cache.snapshot(state) };
}
