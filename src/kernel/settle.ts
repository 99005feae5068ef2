// Owns how work ends: verification where the kind did not verify itself, retries with the evidence as feedback, the
// person's gate behind a step, and at last the settled activation and what the program does next.
//
// K5. An attempt that errors follows its retry policy; a broken contract has a budget of its own (one by default)
//     and then escalates; a reported `fail` or `reject` is not retried.
// K6. Unmapped outcomes never pass silently: `reject` ends the run rejected, everything else escalates.

import { isJsonObject, type Json } from '../base/json.ts';
import { pipelineOf } from '../definition/kind.ts';
import type { StepModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { StepSettled } from './event.ts';
import { advanceGroup } from './group.ts';
import type { StepError } from './input.ts';
import { headOf } from './join.ts';
import { begun, humanWait, openStep, started } from './open.ts';
import type { Move } from './program.ts';
import type { Activation, Group, Halt, Path, Ref } from './run-state.ts';
import { forgetSaid } from './said.ts';
import type { Turn } from './turn.ts';

/** How some work ended. */
export interface Result {
  readonly outcome: OutcomeName;
  readonly output?: Ref;
  readonly error?: StepError;
  readonly choice?: string;
  readonly actor?: string;
  /** parallel and each: every member that was not skipped rejected. */
  readonly allRejected?: boolean;
}

const MERGED_KINDS: ReadonlySet<string> = new Set(['task', 'command', 'agent', 'workflow']);

/** The work of a kind that the engine does not execute itself is over; its contract is checked first, if it has one. */
export function finishWork(turn: Turn, path: Path, result: Result): void {
  const activation = turn.activation(path) as Activation;
  const model = turn.model(activation);
  if (result.outcome !== 'ok' || model.postconditions.length === 0) return afterWork(turn, path, result);
  const held = {
    outcome: result.outcome,
    ...(result.output === undefined ? {} : { output: result.output }),
    ...(result.choice === undefined ? {} : { choice: result.choice }),
  };
  turn.emit({ type: 'step.changed', at: turn.at, path, set: { state: 'verifying', held, due: null, deadline: null, wait: null } });
}

/** Work that is verified: a person's gate may stand behind it, else the activation settles. */
export function afterWork(turn: Turn, path: Path, result: Result): void {
  const activation = turn.activation(path) as Activation;
  const model = turn.model(activation);
  if (model.gate === undefined || model.kind === 'human' || result.outcome !== 'ok') return conclude(turn, path, result);
  const held = { outcome: result.outcome, ...(result.output === undefined ? {} : { output: result.output }) };
  const wait = humanWait(turn, model, { step: activation.step, ...(result.output === undefined ? {} : { output: result.output }) });
  const deadline = model.timeoutMs === undefined ? null : turn.at + model.timeoutMs;
  turn.emit({ type: 'step.changed', at: turn.at, path, set: { state: 'waiting', held, wait, due: null, deadline, slots: null } });
}

/** Ends an activation and moves on. */
export function conclude(turn: Turn, path: Path, result: Result): void {
  const activation = turn.activation(path);
  if (activation === undefined) return;
  const isMember = activation.group !== undefined;
  const books = turn.run.groups[path];
  const merge = isMember ? undefined : mergeOf(turn, activation, result);
  const settled: StepSettled = { type: 'step.settled', at: turn.at, path, attempt: activation.attempt, outcome: result.outcome };
  const isPlain = result.output === undefined && result.error === undefined && result.actor === undefined;
  const told = isPlain ? settled : { ...settled, ...toldOf(result), ...(merge === undefined ? {} : { merge }) };
  turn.emit(isMember ? { ...told, counts: headOf(result.outcome) } : told);
  if (isMember) return memberEnded(turn, activation.group as Path);
  if (turn.run.said !== undefined && result.outcome === 'ok') forgetSaid(turn, activation, turn.program.model(activation.step));
  moveOn(turn, books === undefined ? { activation, result } : { activation, result, books });
}

/** What of a result joins the run's data. */
function mergeOf(turn: Turn, activation: Activation, { output, outcome }: Result): StepSettled['merge'] {
  if (turn.run.form !== 'graph' || output === undefined || outcome === 'error' || outcome === 'timeout') return undefined;
  if (!MERGED_KINDS.has(activation.kind)) return undefined;
  // How a child failed is told at the join; it is no data of the run.
  if (activation.kind === 'workflow' && outcome === 'fail') return undefined;
  const { merges } = turn.model(activation);
  if (merges === undefined) return true;
  const value = merges === false ? null : turn.view.value(output);
  if (merges === false || !isJsonObject(value)) return undefined;
  const part = merges.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name] as Json] as const);
  return part.length === 0 ? undefined : turn.view.keep(Object.fromEntries(part));
}

function toldOf({ output, error, actor }: Result): Pick<StepSettled, 'output' | 'error' | 'actor'> {
  return {
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(actor === undefined ? {} : { actor }),
  };
}

interface Departure {
  readonly activation: Activation;
  readonly result: Result;
  readonly books?: Group;
}

function memberEnded(turn: Turn, group: Path): void {
  if (turn.run.groups[group] !== undefined) turn.later(() => advanceGroup(turn, group));
  else if (turn.activation(group)?.wait?.kind === 'fix') retryAttempt(turn, group, undefined);
}

function moveOn(turn: Turn, from: Departure): void {
  const { activation, result } = from;
  const { path, step } = activation;
  if (result.error?.reason === 'contract' && result.outcome === 'error') {
    const halt: Halt = { reason: 'contract', path, step, outcome: 'error', message: result.error.message, code: result.error.code };
    return takeMove(turn, { do: 'escalate', halt }, from);
  }
  for (const move of turn.program.next(turn.run, { path, step, ...result }, turn.view)) takeMove(turn, onDetour(turn, step, move), from);
}

/** On a detour, the answer to its question leads to the next one and at last to where the run was to begin. */
function onDetour(turn: Turn, step: string, move: Move): Move {
  const { detour } = turn.run;
  const [asked, ...asks] = detour?.asks ?? [];
  if (detour === undefined || asked?.step !== step) return move;
  const goesOn = move.do === 'open' && asked.on.includes(move.step);
  turn.emit({ type: 'run.changed', at: turn.at, detour: goesOn && asks.length > 0 ? { ...detour, asks } : null });
  return goesOn ? { ...move, step: asks[0]?.step ?? detour.to } : move;
}

/** Does what the program wants: opens a step, ends the run, or stops it for a person. */
export function takeMove(turn: Turn, move: Move, from: Departure | undefined): void {
  if (from !== undefined && move.edge !== undefined)
    turn.emit({ type: 'edge.taken', at: turn.at, from: from.activation.path, outcome: from.result.outcome, ...move.edge });
  if (move.do === 'merge') return turn.emit({ type: 'run.changed', at: turn.at, merge: move.data });
  if (move.do === 'open')
    return turn.later(() => openStep(turn, move.input === undefined ? { step: move.step } : { step: move.step, input: move.input }));
  const halt = move.halt === undefined ? {} : { halt: resumable(move.halt, from) };
  if (move.do === 'escalate') return turn.emit({ type: 'run.changed', at: turn.at, status: 'escalated', ...halt });
  const status = move.status === 'completed' && turn.run.overridden ? 'overridden' : move.status;
  turn.emit({
    type: 'run.changed',
    at: turn.at,
    status,
    ...(move.output === undefined ? {} : { output: move.output }),
    ...halt,
  });
}

/** The halt with what it takes to take the activation up again. */
function resumable(halt: Halt, from: Departure | undefined): Halt {
  if (from === undefined || halt.path !== from.activation.path) return halt;
  const { attempt, input } = from.activation;
  return { ...halt, attempt, ...(input === undefined ? {} : { input }), ...(from.books === undefined ? {} : { group: from.books }) };
}

/** An attempt broke: it is tried again with the evidence, or the activation settles with the trouble. */
export function attemptFailed(turn: Turn, path: Path, failure: { readonly error: StepError; readonly output?: Ref }): void {
  const activation = turn.activation(path) as Activation;
  const model = turn.model(activation);
  if (mayRetry(activation, model, failure.error)) return retryAttempt(turn, path, failure.error);
  const outcome = failure.error.reason === 'timeout' ? 'timeout' : 'error';
  conclude(turn, path, { outcome, error: failure.error, ...(failure.output === undefined ? {} : { output: failure.output }) });
}

function mayRetry(activation: Activation, model: StepModel, error: StepError): boolean {
  const broken = activation.broken ?? 0;
  // A group is not begun anew as a whole: its members have their own retries, and a person can send back the rest.
  if (pipelineOf(model.kind) === 'group') return false;
  if (error.reason === 'contract') return broken < model.contractRetries;
  const { reason } = error;
  if (reason === 'precondition' || reason === 'quota' || reason === 'budget' || error.retryable === false) return false;
  return model.retry.on.includes(reason) && activation.attempt - activation.since - broken < model.retry.max;
}

/** Begins the next attempt of an activation, at once or after its policy's pause. */
export function retryAttempt(turn: Turn, path: Path, error: StepError | undefined): void {
  const activation = turn.activation(path) as Activation;
  const model = turn.model(activation);
  const broken = (activation.broken ?? 0) + (error?.reason === 'contract' ? 1 : 0);
  const tries = activation.attempt - activation.since - broken;
  const pauseMs = error === undefined || error.reason === 'contract' ? 0 : backoffMs(model, tries);
  const { held: _, wait: __, due: ___, deadline: ____, startedAt: _____, ...kept } = activation;
  const next: Activation = {
    ...kept,
    state: 'queued',
    attempt: activation.attempt + 1,
    recovery: 0,
    ...(broken === 0 ? {} : { broken }),
    ...(error === undefined ? {} : { feedback: error.message }),
  };
  const { slots: ______, ...unslotted } = next;
  const after: Activation =
    pauseMs > 0
      ? { ...unslotted, state: 'waiting', due: turn.at + pauseMs, wait: { kind: 'delay', reason: 'retry' } }
      : turn.holds
        ? unslotted
        : started(turn, next, model);
  turn.emit({
    type: 'step.changed',
    at: turn.at,
    path,
    set: difference(activation, after),
    ...(error === undefined ? {} : { failed: { attempt: activation.attempt, error } }),
  });
  if (after.state === 'waiting' && pauseMs === 0) turn.later(() => begun(turn, path));
}

function backoffMs(model: StepModel, tries: number): number {
  const backoff = model.retry.backoff;
  return backoff === undefined ? 0 : Math.min(backoff.maxMs, Math.round(backoff.initialMs * backoff.factor ** tries));
}

/** Begins an activation that stood in the queue: after a pause, or after a retry's delay. */
export function startQueued(turn: Turn, path: Path): void {
  const activation = turn.activation(path);
  if (activation === undefined) return;
  const { due: _, wait: __, ...parked } = activation;
  const after: Activation = turn.holds ? { ...parked, state: 'queued' } : started(turn, parked, turn.model(activation));
  turn.emit({ type: 'step.changed', at: turn.at, path, set: difference(activation, after) });
  turn.later(() => begun(turn, path));
}

/** The fields that differ, with `null` for those that are gone. */
export function difference(before: Activation, after: Activation): { [K in keyof Activation]?: Activation[K] | null } {
  const set: Record<string, unknown> = {};
  for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = before[field as keyof Activation];
    const is = after[field as keyof Activation];
    if (was !== is) set[field] = is ?? null;
  }
  return set as { [K in keyof Activation]?: Activation[K] | null };
}
