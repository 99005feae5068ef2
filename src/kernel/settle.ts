// Owns how work ends: verification if the kind did not verify itself, retries with the evidence as feedback, the
// question to a person after a step, and finally the settled activation and what the program does next.
//
// K5. An attempt that errors follows its retry policy; a broken contract has a budget of its own (one by default)
//     and then escalates; a reported `fail` or `reject` is not retried.
// K6. Unmapped outcomes never pass silently: `reject` ends the run rejected, everything else escalates.

import type { Ref } from '../base/digest.ts';
import { type Group, headOf } from '../definition/group/join.ts';
import { isSuccess } from '../definition/outcome.ts';
import { setbacksAfter, withoutReadNotes } from '../definition/question/notes.ts';
import { mayRetry, nextTry } from '../definition/retry.ts';
import { fieldsOf, joinsData } from '../definition/scope/joining-data.ts';
import { type Activation, type Path, slotsOf, startTimeOf, visitOf, waitOf } from './activation.ts';
import type { EventOf } from './event.ts';
import type { StepError } from './input.ts';
import { beginAttempt, humanWait } from './open.ts';
import type { Move, Result } from './program.ts';
import type { Halt } from './run-state.ts';
import type { Turn } from './turn.ts';

/** Ends the work of a kind that the engine does not execute itself; its contract is checked first, if it has one. */
export function finishWork(turn: Turn, path: Path, result: Result): void {
  const activation = turn.live(path);
  const { postconditions, contract, reviewOf } = turn.model(activation);
  const isChecked = postconditions.length > 0 || contract !== undefined || reviewOf !== undefined;
  if (result.outcome !== 'ok' || !isChecked) return afterWork(turn, path, result);
  const { outcome, output, choice } = result;
  const startedAt = startTimeOf(activation);
  turn.change({ ...visitOf(activation), deadline: undefined, state: 'verifying', held: { outcome, output, choice }, startedAt });
}

/** Continues after verified work: asks a person if the step says so, otherwise settles the activation. */
export function afterWork(turn: Turn, path: Path, result: Result): void {
  const activation = turn.live(path);
  const model = turn.model(activation);
  const { outcome, output } = result;
  if (model.question === undefined || model.kind === 'human' || outcome !== 'ok') return conclude(turn, path, result);
  turn.change({
    ...visitOf(activation),
    state: 'waiting',
    wait: humanWait(turn, model, { step: activation.step, output }),
    held: { outcome, output },
    startedAt: startTimeOf(activation),
    deadline: turn.deadline(model),
  });
}

/** Ends an activation and moves on. */
export function conclude(turn: Turn, path: Path, result: Result): void {
  const activation = turn.run.live[path];
  if (activation === undefined) return;
  const { member, attempt } = activation;
  const { outcome, output, error, actor } = result;
  const model = turn.model(activation);
  const group = turn.run.groups[path];
  const settled: EventOf<'step.settled'> = { type: 'step.settled', at: turn.at, path, attempt, outcome, output, error, actor };
  if (member !== undefined) {
    turn.emit({ ...settled, counts: headOf(outcome) });
    if (turn.run.groups[member.group] !== undefined) turn.later({ do: 'advance', path: member.group });
    else if (waitOf(turn.run.live[member.group])?.kind === 'repair') retryAttempt(turn, member.group, undefined);
    return;
  }
  turn.emit({ ...settled, merge: mergeOf(turn, activation, result) });
  const notes = isSuccess(model, outcome) ? withoutReadNotes(turn.run, { path, model }, turn.view.kinds) : undefined;
  if (notes !== undefined) turn.changeRun({ change: 'noted', notes });
  const setbacks = setbacksAfter(turn.run, { activation, model, result }, turn.view.kinds);
  if (setbacks !== undefined) turn.changeRun({ change: 'set-back', setbacks });
  moveOn(turn, { activation, result, group });
}

/** The part of a result that joins the run's data. */
function mergeOf(turn: Turn, activation: Activation, { output, outcome }: Result): EventOf<'step.settled'>['merge'] {
  if (turn.run.form !== 'graph' || output === undefined) return undefined;
  const joins = joinsData(turn.view.kinds, turn.model(activation), outcome);
  if (typeof joins === 'boolean') return joins ? true : undefined;
  const part = fieldsOf(turn.view.value(output), joins);
  return part === undefined ? undefined : turn.view.keep(part);
}

/** What a run moves on from: an activation that ended, and the counters that it had as a group. */
interface Origin {
  readonly activation: Activation;
  readonly result: Result;
  readonly group: Group | undefined;
}

function moveOn(turn: Turn, from: Origin): void {
  const { activation, result } = from;
  const { path, step } = activation;
  if (result.error?.reason === 'contract' && result.outcome === 'error') {
    const { message, code } = result.error;
    return makeMove(turn, { do: 'halt', status: 'escalated', cause: { reason: 'contract', message, code }, at: 'step' }, from);
  }
  const members = from.group !== undefined && ['fail', 'reject'].includes(result.outcome) ? turn.members(path) : undefined;
  for (const move of turn.program.next(turn.run, { ...result, path, step, members }, turn.facts))
    makeMove(turn, onDetour(turn, step, move), from);
}

/** On a detour, the answer to a question leads to the next question, and finally to the run's starting step. */
function onDetour(turn: Turn, step: string, move: Move): Move {
  const { detour } = turn.run;
  const [asked, ...asks] = detour?.asks ?? [];
  if (detour === undefined || asked?.step !== step) return move;
  const goesOn = move.do === 'open' && asked.on.includes(move.step);
  turn.changeRun({ change: 'detoured', detour: goesOn && asks.length > 0 ? { ...detour, asks } : null });
  return goesOn ? { ...move, step: asks[0]?.step ?? detour.to } : move;
}

/** Carries out a move of the program: opens a step, ends the run, or halts it for a person. */
export function makeMove(turn: Turn, move: Move, from: Origin | undefined): void {
  if (from !== undefined && move.edge !== undefined)
    turn.emit({ type: 'edge.taken', at: turn.at, from: from.activation.path, outcome: from.result.outcome, ...move.edge });
  if (move.do === 'open') return turn.later({ do: 'open', opening: { step: move.step, input: move.input } });
  if (move.do === 'merge') return turn.changeRun({ change: 'merged', merge: move.data });
  if (move.do === 'halt') return turn.end({ change: 'halted', status: move.status, halt: haltOf(move, from) });
  const { undoing } = turn.run;
  if (undoing !== undefined) {
    if (move.nothingUndone === true) turn.changeRun({ change: 'nothing-undone' });
    return turn.changeRun(undoing);
  }
  const status = move.status === 'completed' && turn.run.overridden ? 'overridden' : move.status;
  turn.end({ change: 'ended', status, output: move.output });
}

function haltOf({ cause, at }: Extract<Move, { do: 'halt' }>, from: Origin | undefined): Halt {
  if (at === 'flow' || from === undefined) return cause;
  const { path, step, attempt, input } = from.activation;
  return { ...cause, path, step, outcome: from.result.outcome, attempt, input, group: from.group };
}

/** Handles a failed attempt: it is retried with the evidence, or the activation settles with the error. */
export function attemptFailed(turn: Turn, path: Path, failure: { readonly error: StepError; readonly output?: Ref | undefined }): void {
  const { error, output } = failure;
  const activation = turn.live(path);
  if (mayRetry(turn.model(activation), activation, error)) return retryAttempt(turn, path, error);
  conclude(turn, path, { outcome: error.reason === 'timeout' ? 'timeout' : 'error', error, output });
}

/** Begins the next attempt of an activation, at once or after its policy's pause. */
export function retryAttempt(turn: Turn, path: Path, error: StepError | undefined): void {
  const activation = turn.live(path);
  const { broken, pauseMs } = nextTry(turn.model(activation), activation, error);
  const next = {
    ...visitOf(activation),
    deadline: undefined,
    attempt: activation.attempt + 1,
    recovery: undefined,
    broken,
    feedback: error?.message ?? activation.feedback,
  };
  const failed = error === undefined ? undefined : { attempt: activation.attempt, error };
  if (pauseMs > 0) return turn.change({ ...next, state: 'waiting', wait: { kind: 'retry' }, due: turn.at + pauseMs }, { failed });
  beginAttempt(turn, next, { slots: slotsOf(activation), failed });
}

/** Begins a queued activation: after a pause, or after a retry's delay. */
export function startQueued(turn: Turn, path: Path): void {
  const activation = turn.run.live[path];
  if (activation !== undefined) beginAttempt(turn, visitOf(activation));
}
