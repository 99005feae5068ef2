// Owns undoing: what a run did that can be taken back, in which order, and how one piece of it is. The kernel opens the
// step for it again and again; each time this finds the next piece, newest first, and does it once.
//
// - The runs that a run started belong to it, unless they have been undone themselves.
// - The list is made when undoing begins and kept with the run, so that every piece has its place in it.

import { EngineError, isEngineError, isPassing } from '../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { traitsOf } from '../definition/kind.ts';
import { type Definition, type StepModel, stepsWithin } from '../definition/model.ts';
import { isSuccess } from '../definition/outcome.ts';
import { childIdOf, type RunState } from '../kernel/run-state.ts';
import { graphProgram } from '../programs/graph.ts';
import { UNDO_STEP } from '../programs/undo.ts';
import type { AttemptRequest, AttemptResult, Snapshot } from '../steps/attempt.ts';
import { keyOf } from '../steps/context.ts';
import { stepError } from '../steps/work.ts';
import type { Store, StoredAttempt } from '../store/store.ts';
import type { RunDriver } from './driver.ts';
import type { EngineCore } from './engine.ts';
import { type BoundProgram, programOfRun } from './programs.ts';
import { workflowOf } from './run-workflow.ts';

/** The name under which a run keeps the list of what is to be undone. */
const PLAN = '$undo';
const UNDOABLE = '$undoable';
const NO_CHECKS = Object.freeze([]);

/** The result of one attempt. */
export interface DoneWork {
  /** The run that did it: the run itself, or one that it started. */
  readonly run: string;
  readonly path: string;
  readonly step: string;
  readonly attempt: number;
  readonly endedAt: number;
}

/** A result that is taken back when the run ends badly. */
export interface UndoItem extends DoneWork {
  /** What takes it back: a command line, the name of an action, or the title of a function. */
  readonly by: string;
}

/** A step that did something and says nothing about taking it back. */
export interface NotUndone extends DoneWork {
  readonly kind: string;
}

/** The steps that are undone, newest first, and those that are not. */
export interface CancelPlan {
  readonly items: readonly UndoItem[];
  readonly stays: readonly NotUndone[];
}

/** A run with all that its undoing needs. */
interface UndoneRun {
  readonly bound: BoundProgram;
  readonly workflow: CompiledWorkflow;
  readonly params: JsonObject;
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
}

/** Returns what would be undone if the run were cancelled now. */
export async function planCancel(core: EngineCore, run: string): Promise<CancelPlan> {
  const items: UndoItem[] = [];
  const stays: NotUndone[] = [];
  const runs = [run];
  // It grows while it is read: each run is followed by those that it started.
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

/** How the results of a run's steps are taken back. The steps of a graph are data; those of a flow are known by replaying it. */
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
  const found = ids.filter((id) => known.has(id));
  const states = await Promise.all(found.map(async (id) => (await core.store.load(id)).state));
  return states.filter(({ undoing }) => undoing === undefined).map(({ id }) => id);
}

/** The last attempt of each visit. */
function lastByPath(rows: readonly StoredAttempt[]): readonly StoredAttempt[] {
  return [...new Map(rows.map((row) => [row.path, row])).values()];
}

function newestFirst<Item extends DoneWork>(items: readonly Item[]): readonly Item[] {
  // What ended in the same millisecond keeps the order of its rows, reversed.
  return [...items].reverse().sort((a, b) => b.endedAt - a.endedAt);
}

/** Does the next piece of it. Code that is missing or no longer fits is a failure of the undo, which a person is shown. */
export async function runUndo(core: EngineCore, driver: RunDriver, request: AttemptRequest): Promise<AttemptResult> {
  try {
    return await undoNext(core, driver, request);
  } catch (error) {
    if (!isEngineError(error) || isPassing(error)) throw error;
    const message = `what the run did could not be undone: ${error.message}`;
    return { type: 'errored', error: stepError(error.code, message, { retryable: false }), checks: NO_CHECKS };
  }
}

async function undoNext(core: EngineCore, driver: RunDriver, request: AttemptRequest): Promise<AttemptResult> {
  const { data } = await request.snapshot();
  const kept = data[PLAN] as unknown as readonly UndoItem[] | undefined;
  const items = kept ?? (await planCancel(core, driver.run)).items;
  const rows = await core.store.attempts(driver.run);
  const done = rows.filter(({ step, outcome }) => step === UNDO_STEP && outcome === 'ok').length;
  const item = items[done];
  // A run with nothing to undo can be resumed where it failed, and may have something to undo when it fails again.
  if (item === undefined) return { type: 'settled', outcome: 'skip', output: { undone: done }, checks: NO_CHECKS };
  const remember = kept === undefined ? { remember: { [PLAN]: items as unknown as Json } } : {};
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

/** A crash came in the middle: it is done again where its author says that this does no harm, else a person decides. */
function reconciled({ step, path }: UndoItem, mayRerun: boolean): AttemptResult {
  if (mayRerun) return { type: 'ready', checks: NO_CHECKS };
  const message = `undoing step "${step}" (${path}) was interrupted, and it is not known whether it took effect; check, then retry it, or accept it as done`;
  return { type: 'errored', error: stepError('STEP_FAILED', message, { retryable: false }), checks: NO_CHECKS };
}

/** The result of an undo: it is done, or it failed and is tried again. */
function undone({ run, path, step }: UndoItem, result: AttemptResult): AttemptResult {
  const what = { undid: { run, path, step } };
  if (result.type === 'settled' && result.outcome === 'ok')
    return { ...result, output: isJsonObject(result.output) ? { ...result.output, ...what } : what };
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
  const row = (await core.store.attempts(run)).findLast((one) => one.path === path);
  if (row?.output === undefined) return null;
  const text = (await core.store.values([row.output.digest])).get(row.output.digest);
  return text === undefined ? null : (JSON.parse(text) as Json);
}

/** Whether a run has to be undone when it is cancelled, as far as its record tells without its code. */
export async function needsUndo(
  store: Store,
  { state, definition }: { readonly state: RunState; readonly definition: Definition },
): Promise<boolean> {
  if (definition.steps.flatMap(stepsWithin).some(({ undo }) => undo !== undefined)) return true;
  return state.form === 'flow' && (await store.data(state.id)).has(UNDOABLE);
}

/** What a flow's run remembers when a step that can be undone has ended; its definition does not tell. */
export function rememberedUndo(state: RunState, model: StepModel): JsonObject | undefined {
  return state.form === 'flow' && model.undo !== undefined ? { [UNDOABLE]: true } : undefined;
}

/** A run with its program, as its steps saw it. */
async function openRun(core: EngineCore, run: string): Promise<UndoneRun> {
  const stored = await core.store.load(run);
  const { state, definition } = stored;
  const workflow = await workflowOf(core, stored);
  const params = await core.paramsOf(state);
  const bound = core.programs.get(run) ?? (await programOfRun(core, state, { workflow, definition, params }));
  const record = core.recordFor(run, { reads: [], fresh: false });
  return { bound, workflow, params, snapshot: () => record.snapshot(state) };
}
