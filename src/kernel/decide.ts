// Owns what happens next: the events that follow from a checkpoint and one input. Synchronous, over plain data: time arrives
// in the input, everything outside the checkpoint in the view. It changes nothing but the working copy of the checkpoint.

import { pipelineOf, traitsOf } from '../definition/kind.ts';
import type { StepOf } from '../definition/model.ts';
import { withSetback } from '../definition/question/notes.ts';
import { isFinal } from '../definition/run-status.ts';
import { type Activation, type ActivationIn, heldBy, visitOf } from './activation.ts';
import type { Draft } from './apply.ts';
import { recordAssumptions, takeAssumed } from './assumption.ts';
import { takeAnswer, takeAsked, takeHanded, takeReport, takeShortage } from './attended.ts';
import { steer } from './control.ts';
import type { RunEvent } from './event.ts';
import { advanceGroup } from './group.ts';
import { takeDecision, takeObserved } from './human.ts';
import type { InputOf, Inputs, RunInput, StepError } from './input.ts';
import { openStep, started } from './open.ts';
import { leaveUnknown, rerun, takeRecovery } from './recover.ts';
import { afterWork, attemptFailed, conclude, retryAttempt, takeMove } from './settle.ts';
import { type EndedAttempt, type Means, type Todo, Turn } from './turn.ts';
import { beginWait, passTime, takeChildEnd, takePending, takePoll, takeSignal, takeSlots } from './waits.ts';

/** The result of one decision: its events, and the attempts that ended with them. */
interface DecideResult {
  readonly events: readonly RunEvent[];
  readonly ended: readonly EndedAttempt[];
}

/** Returns the events that follow from an input, and applies them to the host's working copy of the checkpoint. */
export function decide(means: Means, draft: Draft, input: RunInput): DecideResult {
  const turn = new Turn(means, draft, Math.max(input.at, draft.at));
  if (TIME_FIRST.has(input.type) && !isFinal(draft.status)) {
    passTime(turn, 'waits');
    turn.finish(perform);
  }
  // After a run has ended, its assumptions can still be answered and its files restored.
  const isAfterwards = input.type === 'control' && (input.action.do === 'answer' || input.action.do === 'undone');
  if (isFinal(draft.status) && !isAfterwards) turn.ignore({ input: input.type }, 'final');
  else take(turn, input);
  turn.finish(perform);
  runErrorHook(turn);
  return turn;
}

function perform(turn: Turn, todo: Todo): void {
  if (todo.do === 'open') openStep(turn, todo.opening);
  else if (todo.do === 'conclude') conclude(turn, todo.path, todo.result);
  else if (todo.do === 'begin') beginWait(turn, todo.path);
  else advanceGroup(turn, todo.path);
}

/** A run that halted opens its definition's error step, once. */
function runErrorHook(turn: Turn): void {
  const { onError } = turn.program;
  if (onError === undefined || (turn.run.counts[onError] ?? 0) > 0) return;
  if (!turn.events.some((event) => event.type === 'run.changed' && event.change === 'halted')) return;
  openStep(turn, { step: onError });
  turn.finish(perform);
}

/** Answers to a wait. One that was due before its answer arrived has timed out (K7), which may have ended the run (K3). */
const TIME_FIRST: ReadonlySet<keyof Inputs> = new Set(['decided', 'reported', 'asked', 'assumed', 'answered', 'signalled', 'childEnded']);

/** Which rule each input falls under. */
const TAKE: { readonly [Type in keyof Inputs]: (turn: Turn, input: InputOf<Type>) => void } = {
  start: begin,
  recovered: takeRecovery,
  slot: takeSlots,
  due: (turn) => passTime(turn),
  prepared: takePrepared,
  settled: takeSettled,
  errored: takeErrored,
  decided: takeDecision,
  observed: takeObserved,
  reported: takeReport,
  handed: takeHanded,
  asked: takeAsked,
  assumed: takeAssumed,
  answered: takeAnswer,
  signalled: takeSignal,
  childEnded: takeChildEnd,
  control: steer,
  refused: (turn, { input, path }) => turn.ignore({ input, path }, 'not-allowed'),
};

function take<Type extends keyof Inputs>(turn: Turn, input: InputOf<Type>): void {
  TAKE[input.type](turn, input);
}

function begin(turn: Turn, input: Inputs['start']): void {
  // A started run always has a live activation, which tells it from one that has not started.
  if (turn.run.status !== 'running' || Object.keys(turn.run.live).length > 0) return turn.ignore({ input: 'start' }, 'duplicate');
  if (input.detour !== undefined) turn.changeRun({ change: 'detoured', detour: input.detour });
  for (const move of turn.program.begin(turn.run, turn.facts, input)) takeMove(turn, move, undefined);
}

/** An activation that the host works on, or has worked on. */
type WorkingActivation = ActivationIn<'preparing' | 'running' | 'verifying' | 'reconciling' | 'unknown'>;

/** The live activation that an attempt's input is about, or undefined when it comes too late. */
function liveAttempt(turn: Turn, { type, path, attempt }: InputOf<'prepared' | 'settled' | 'errored'>): WorkingActivation | undefined {
  const activation = turn.run.live[path];
  if (activation?.attempt === attempt && expects(activation, type)) return activation;
  turn.ignore({ input: type, path, attempt }, 'late');
  return undefined;
}

/** Whether such an input can come in this state: one that was delivered twice must not set the activation back. */
function expects(activation: Activation, type: 'prepared' | 'settled' | 'errored'): activation is WorkingActivation {
  const { state } = activation;
  if (state === 'queued' || state === 'waiting') return false;
  return state === 'reconciling' || type !== (state === 'preparing' ? 'settled' : 'prepared');
}

function takePrepared(turn: Turn, input: InputOf<'prepared'>): void {
  const { path, merge, error, handsOut, prompt } = input;
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  if (merge !== undefined) turn.changeRun({ change: 'merged', merge });
  if (error !== undefined) return attemptFailed(turn, path, { error });
  // Reconciliation found no effect: the attempt runs again under the same key.
  if (activation.state === 'reconciling') return rerun(turn, activation);
  if (activation.state !== 'preparing') return;
  const based = pipelineOf(turn.view, activation.kind) === 'execute' ? true : undefined;
  turn.change(started(turn, { ...visitOf(activation), based, handsOut }, { prepared: { startedAt: activation.startedAt, prompt } }));
  turn.later({ do: 'begin', path });
}

function takeSettled(turn: Turn, input: InputOf<'settled'>): void {
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  const held = heldBy(activation);
  const model = turn.model(activation);
  if (held !== undefined) {
    // The verification passed, so the held result counts. If the step's code chooses the route, it has chosen now.
    const outcome = model.routes === undefined ? held.outcome : input.outcome;
    return afterWork(turn, input.path, { ...held, outcome, output: input.output ?? held.output });
  }
  const error = recordAssumptions(turn, activation, input.assumed);
  if (error !== undefined) return attemptFailed(turn, input.path, { error });
  if (activation.state === 'running') {
    if (model.kind === 'delay') return takePoll(turn, activation, { model, ready: input.outcome === 'ok' });
    if (input.outcome === 'pending' && traitsOf(turn.view, model.kind).mayBePending === true) return takePending(turn, activation, model);
    if (model.kind === 'validate' && input.outcome === 'fail') return repair(turn, activation, { model, input });
  }
  afterWork(turn, input.path, input);
}

/** A validation failed: its repair step runs, then the validation is tried again, up to its limit. */
function repair(turn: Turn, activation: ActivationIn<'running'>, failed: { model: StepOf<'validate'>; input: Inputs['settled'] }): void {
  const { model, input } = failed;
  const { path, step, attempt, startedAt } = activation;
  const round = attempt - activation.since + 1;
  const message = `validation "${step}" failed after ${round} ${round === 1 ? 'try' : 'tries'}`;
  const error: StepError = { code: 'STEP_FAILED', message, reason: 'error', retryable: false };
  if (round > model.repairs) return afterWork(turn, path, { ...input, error });
  const fix = model.onFailure;
  if (fix === undefined) return retryAttempt(turn, path, error);
  turn.changeRun({ change: 'set-back', setbacks: withSetback(turn.run, activation, { ...input, error }) });
  turn.change({ ...visitOf(activation), state: 'waiting', wait: { kind: 'repair' }, startedAt });
  // Numbered by the attempt, which never repeats: rounds start again at 1 when a person resumes the validation.
  const member = { group: path, key: `${fix.id}#${attempt}`, index: attempt - 1 };
  turn.later({ do: 'open', opening: { step: `${step}/${fix.id}`, member } });
}

function takeErrored(turn: Turn, input: InputOf<'errored'>): void {
  const { path, error, output } = input;
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  // Its database has no record of the step, and its author wants to be asked about the rest.
  if (activation.state === 'reconciling' && turn.model(activation).recovery === 'ask') return leaveUnknown(turn, activation);
  if (error.reason === 'quota' || error.reason === 'budget' || error.reason === 'assumptions') takeShortage(turn, path, error);
  else attemptFailed(turn, path, { error, output });
}
