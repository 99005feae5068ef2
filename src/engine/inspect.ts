// Owns the outside view of a run: its state, its steps with their evidence, what it waits for, the checkpoint in one
// object, and the context for a resume.

import type { Ref } from '../base/digest.ts';
import { omitUndefined } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import { isSettled, type RunStatus } from '../definition/run-status.ts';
import { type Activation, type Path, startTimeOf } from '../kernel/activation.ts';
import { childIdOf, currentStepOf, type RunState } from '../kernel/run-state.ts';
import { UNDO_STEP } from '../programs/undo.ts';
import { GATE_PROGRESS } from '../steps/run-records.ts';
import type { RunOrigin, Store, StoredAttempt } from '../store/store.ts';
import { isWorking, type OpenWait, statusOf, waitsOf } from './status.ts';

/** The source of runs: their store. */
export interface RunReader {
  readonly store: Store;
}

/** A step of a run, one row per attempt. A live one has no outcome yet. */
export interface StepView<Step extends string = string> {
  readonly path: Path;
  readonly step: Step;
  readonly kind: string;
  readonly status: 'queued' | 'running' | 'waiting' | 'verifying' | 'completed' | 'failed' | 'skipped' | 'unknown' | 'cancelled';
  readonly outcome?: string;
  readonly attempt: number;
  readonly startedAt?: number;
  readonly durationMs?: number;
  readonly output?: Json;
  readonly error?: string;
  readonly claim?: Json;
  readonly evidence?: Json;
  readonly actor?: string;
  /** The run that it started. */
  readonly child?: string;
}

/** The current state of a run. A completed run has the output of its workflow. */
export type RunView<Output = Json, Step extends string = string, Params = Json> = RunFacts<Step, Params> &
  ({ readonly status: 'completed'; readonly output: Output } | { readonly status: Exclude<RunStatus, 'completed'>; readonly output: Json });

/** Facts of a run that do not depend on its status. */
export interface RunFacts<Step extends string = string, Params = Json> {
  readonly id: string;
  readonly workflow: string;
  readonly currentStep: Step | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly params: Params;
  readonly error: string | undefined;
  /** Set while the run is being undone: its status afterwards. */
  readonly undoing?: RunStatus;
  readonly waits: readonly OpenWait[];
  readonly steps: readonly StepView<Step>[];
  readonly iterationCounts: Readonly<Record<string, number>>;
  readonly decision: RunState['decision'];
  readonly owner: string | undefined;
  readonly origin: RunOrigin;
}

/** Whether a view reads a value of an ended attempt. If not, the view has only its size and digest. */
export type ValueFilter = (row: StoredAttempt, ref: Ref) => boolean;

/** Returns the full view of a run, or one with only the values that are wanted. */
export async function viewRun(core: RunReader, run: string, isWanted: ValueFilter = () => true): Promise<RunView> {
  const { state, owner, origin } = await core.store.load(run);
  const rows = (await core.store.attempts(run)).filter(({ step, outcome }) => step !== UNDO_STEP || outcome !== 'skip');
  const wanted = rows.flatMap((row) => [row.output, row.claim, row.evidence].filter((ref) => ref !== undefined && isWanted(row, ref)));
  const read = await reader(core, [...wanted, state.params, state.output]);
  const child = await childrenOf(core, run, rows);
  return {
    id: state.id,
    workflow: state.workflow,
    status: statusOf(state),
    currentStep: currentStepOf(state),
    createdAt: state.createdAt,
    updatedAt: state.at,
    params: read(state.params) ?? {},
    output: read(state.output) ?? null,
    error: state.halt?.message,
    waits: await readWaits(core.store, state),
    ...(state.undoing === undefined || isSettled(state.status) ? {} : { undoing: state.undoing.status }),
    steps: [...rows.map((row) => ({ ...endedStep(row, read), ...child(row) })), ...Object.values(state.live).map(liveStep)],
    iterationCounts: state.counts,
    decision: state.decision,
    owner,
    origin,
  };
}

/** Everything a run waits for, oldest first. Pending gates have a message that says what each check waits for. */
export async function readWaits(store: Pick<Store, 'data'>, state: RunState): Promise<readonly OpenWait[]> {
  const waits = waitsOf(state);
  const keys = waits.flatMap((wait) => (wait.kind === 'checks' ? [GATE_PROGRESS.of(wait.path).key] : []));
  if (keys.length === 0) return waits;
  const stored = await store.data(state.id, keys);
  return waits.map((wait) => {
    if (wait.kind !== 'checks') return wait;
    const progress = GATE_PROGRESS.of(wait.path);
    return { ...wait, ...omitUndefined({ message: progress.read(stored.get(progress.key))?.pending }) };
  });
}

/** Returns a function that finds the run an attempt started. A child that could not be started has no run. */
async function childrenOf(
  core: RunReader,
  run: string,
  rows: readonly StoredAttempt[],
): Promise<(row: StoredAttempt) => Pick<StepView, 'child'>> {
  if (!rows.some(({ kind }) => kind === 'workflow')) return () => ({});
  const children = new Set((await core.store.list({ parent: run })).map(({ id }) => id));
  return ({ kind, path, attempt }) => {
    const child = childIdOf(run, { path, attempt });
    return kind === 'workflow' && children.has(child) ? { child } : {};
  };
}

type ReadValue = (ref: Ref | undefined) => Json | undefined;

async function reader(core: RunReader, refs: readonly (Ref | undefined)[]): Promise<ReadValue> {
  const digests = [...new Set(refs.flatMap((ref) => (ref === undefined ? [] : [ref.digest])))];
  const texts = await core.store.values(digests);
  return (ref) => {
    if (ref === undefined) return undefined;
    const text = texts.get(ref.digest);
    return text === undefined ? { $omitted: { bytes: ref.bytes, digest: ref.digest } } : (JSON.parse(text) as Json);
  };
}

function endedStep(row: StoredAttempt, read: ReadValue): StepView {
  const claim = read(row.claim);
  const evidence = read(row.evidence);
  return {
    path: row.path,
    step: row.step,
    kind: row.kind,
    status: row.status,
    attempt: row.attempt,
    durationMs: Math.max(0, row.endedAt - (row.startedAt ?? row.openedAt)),
    output: read(row.output) ?? null,
    ...omitUndefined({ outcome: row.outcome, startedAt: row.startedAt, error: row.error?.message, claim, evidence, actor: row.actor }),
  };
}

function liveStep(activation: Activation): StepView {
  const { path, step, kind, attempt, state } = activation;
  const startedAt = startTimeOf(activation);
  return {
    path,
    step,
    kind,
    attempt,
    status: state === 'preparing' ? 'running' : state === 'reconciling' ? 'verifying' : state,
    ...omitUndefined({ startedAt }),
  };
}

/** The checkpoint of a run in one object. */
export interface Checkpoint {
  readonly workflowRunId: string;
  readonly workflowType: string;
  readonly currentStep: string | undefined;
  readonly completedSteps: readonly { readonly step: string; readonly completedAt: string; readonly result: Json }[];
  readonly iterationCounts: Readonly<Record<string, number>>;
  readonly pendingRetry?: { readonly step: string; readonly error: string; readonly attempt: number };
  readonly parallelResults?: Readonly<Record<string, ParallelItemResult>>;
  readonly lastDecision?: { readonly step: string; readonly option: string; readonly input?: string };
}

/** The state of one item of a fan-out. */
export interface ParallelItemResult {
  readonly status: 'pending' | 'completed' | 'failed';
  readonly result?: Json;
  readonly error?: string;
  readonly retryCount: number;
}

/** The facts to know before resuming a run. */
export interface ResumeContext {
  readonly workflowType: string;
  readonly runId: string;
  readonly currentStep: string | undefined;
  readonly completedSteps: readonly string[];
  readonly lastStepOutput: Json;
  readonly pendingRetry?: NonNullable<Checkpoint['pendingRetry']>;
  readonly parallelStatus?: { readonly total: number; readonly completed: number; readonly failed: readonly string[] };
}

/** Returns the checkpoint of a run. */
export async function checkpointOf(core: RunReader, run: string): Promise<Checkpoint> {
  const { state } = await core.store.load(run);
  const rows = await core.store.attempts(run);
  const read = await reader(
    core,
    rows.map((row) => row.output),
  );
  const done = rows.filter((row) => row.group === undefined && row.status === 'completed');
  const pendingRetry = pendingRetryOf(state);
  const parallelResults = parallelResultsOf(state, rows, read);
  return {
    workflowRunId: state.id,
    workflowType: state.workflow,
    currentStep: currentStepOf(state),
    completedSteps: done.map((row) => ({
      step: row.step,
      completedAt: new Date(row.endedAt).toISOString(),
      result: read(row.output) ?? null,
    })),
    iterationCounts: state.counts,
    ...omitUndefined({ pendingRetry, parallelResults }),
    ...(state.decision === undefined ? {} : { lastDecision: lastDecisionOf(state.decision) }),
  };
}

function lastDecisionOf({ step, option, input }: NonNullable<RunState['decision']>): NonNullable<Checkpoint['lastDecision']> {
  return input === undefined ? { step, option } : { step, option, input };
}

function pendingRetryOf(state: RunState): Checkpoint['pendingRetry'] {
  if (state.halt?.step !== undefined) return { step: state.halt.step, error: state.halt.message, attempt: state.halt.attempt ?? 1 };
  const retrying = Object.values(state.live).find(
    (activation) => activation.feedback !== undefined && (isWorking(activation) || activation.state === 'waiting'),
  );
  if (retrying?.feedback === undefined) return undefined;
  return { step: retrying.step, error: retrying.feedback, attempt: retrying.attempt };
}

function parallelResultsOf(state: RunState, rows: readonly StoredAttempt[], read: ReadValue): Checkpoint['parallelResults'] {
  const group = Object.keys(state.groups)[0] ?? (state.halt?.group === undefined ? undefined : state.halt.path);
  if (group === undefined) return undefined;
  const results: Record<string, ParallelItemResult> = {};
  for (const row of rows) {
    if (row.group !== group || row.key === undefined || row.outcome === undefined) continue;
    const result = read(row.output);
    results[row.key] = {
      status: row.status === 'completed' || row.status === 'skipped' ? 'completed' : 'failed',
      retryCount: row.attempt - 1,
      ...omitUndefined({ result, error: row.error?.message }),
    };
  }
  for (const { member, attempt } of Object.values(state.live))
    if (member?.group === group) results[member.key] = { status: 'pending', retryCount: attempt - 1 };
  return results;
}

/** Returns the facts to know before resuming a run. */
export async function resumeContextOf(core: RunReader, run: string): Promise<ResumeContext> {
  const checkpoint = await checkpointOf(core, run);
  const items = Object.entries(checkpoint.parallelResults ?? {});
  const count = (status: string): number => items.filter(([, item]) => item.status === status).length;
  return {
    workflowType: checkpoint.workflowType,
    runId: run,
    currentStep: checkpoint.currentStep,
    completedSteps: checkpoint.completedSteps.map(({ step }) => step),
    lastStepOutput: checkpoint.completedSteps.at(-1)?.result ?? null,
    ...omitUndefined({ pendingRetry: checkpoint.pendingRetry }),
    ...(items.length === 0
      ? {}
      : {
          parallelStatus: {
            total: items.length,
            completed: count('completed'),
            failed: items.filter(([, item]) => item.status === 'failed').map(([key]) => key),
          },
        }),
  };
}
