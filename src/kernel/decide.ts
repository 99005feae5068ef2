// Owns what happens next: the events that follow from a checkpoint and one input. Synchronous, over plain data: time arrives
// in the input, everything outside the checkpoint in the view. It changes nothing but the working copy of the checkpoint.

import { pipelineOf, traitsOf } from '../definition/kind.ts';
import type { StepOf } from '../definition/model.ts';
import { withSetback } from '../definition/question/notes.ts';
import { isFinal } from '../definition/run-status.ts';
import { type Activation, type ActivationIn, heldBy, visitOf } from './activation.ts';
import type { Draft } from './apply.ts';
import { onAssumed, recordAssumptions } from './assumption.ts';
import { onAnswered, onAsked, onHanded, onReported, onShortage } from './attended.ts';
import { onControl } from './control.ts';
import { advanceGroup } from './group.ts';
import { onDecided, onObserved } from './human.ts';
import type { InputOf, Inputs, RunInput, StepError } from './input.ts';
import { openStep, started } from './open.ts';
import { leaveUnknown, onRecovered, rerun } from './recover.ts';
import { afterWork, attemptFailed, conclude, makeMove, retryAttempt } from './settle.ts';
import { type DecisionContext, type Todo, Turn } from './turn.ts';
import { beginWait, onChildEnded, onPolled, onSignalled, onSlot, passTime, waitForVerdict } from './waits.ts';

/** Returns the events that follow from an input and the attempts that ended, and applies them to the host's working copy. */
export function decide(context: DecisionContext, draft: Draft, input: RunInput): Pick<Turn, 'events' | 'ended'> {
  const turn = new Turn(context, draft, Math.max(input.at, draft.at));
  if (TIME_FIRST.has(input.type) && !isFinal(draft.status)) {
    passTime(turn, 'waits');
    turn.finish(perform);
  }
  // After a run has ended, its assumptions can still be answered and its files restored.
  const isAfterwards = input.type === 'control' && (input.action.do === 'answer' || input.action.do === 'undone');
  if (isFinal(draft.status) && !isAfterwards) turn.ignore({ input: input.type }, 'final');
  else handle(turn, input);
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

/** Inputs that answer a wait. A wait that was due before has timed out instead (K7), and that may have ended the run (K3). */
const TIME_FIRST: ReadonlySet<keyof Inputs> = new Set(['decided', 'reported', 'asked', 'assumed', 'answered', 'signalled', 'childEnded']);

/** The handler of each kind of input. */
const HANDLERS: { readonly [Type in keyof Inputs]: (turn: Turn, input: InputOf<Type>) => void } = {
  start: begin,
  recovered: onRecovered,
  slot: onSlot,
  due: (turn) => passTime(turn),
  prepared: onPrepared,
  settled: onSettled,
  errored: onErrored,
  decided: onDecided,
  facts: (turn, { facts }) => turn.changeRun({ change: 'merged', merge: facts }),
  observed: onObserved,
  reported: onReported,
  handed: onHanded,
  asked: onAsked,
  assumed: onAssumed,
  answered: onAnswered,
  signalled: onSignalled,
  childEnded: onChildEnded,
  control: onControl,
  refused: (turn, { input, path }) => turn.ignore({ input, path }, 'not-allowed'),
};

function handle<Type extends keyof Inputs>(turn: Turn, input: InputOf<Type>): void {
  HANDLERS[input.type](turn, input);
}

function begin(turn: Turn, input: Inputs['start']): void {
  // A started run always has a live activation, which tells it from one that has not started.
  if (turn.run.status !== 'running' || Object.keys(turn.run.live).length > 0) return turn.ignore({ input: 'start' }, 'duplicate');
  if (input.detour !== undefined) turn.changeRun({ change: 'detoured', detour: input.detour });
  for (const move of turn.program.begin(turn.run, turn.facts, input)) makeMove(turn, move, undefined);
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

function onPrepared(turn: Turn, input: InputOf<'prepared'>): void {
  const { path, merge, handsOut, prompt } = input;
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  if (merge !== undefined) turn.changeRun({ change: 'merged', merge });
  // Reconciliation found no effect: the attempt runs again under the same key.
  if (activation.state === 'reconciling') return rerun(turn, activation);
  if (activation.state !== 'preparing') return;
  const based = pipelineOf(turn.view, activation.kind) === 'execute' ? true : undefined;
  turn.change(started(turn, { ...visitOf(activation), based, handsOut }, { prepared: { startedAt: activation.startedAt, prompt } }));
  turn.later({ do: 'begin', path });
}

function onSettled(turn: Turn, input: InputOf<'settled'>): void {
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
    if (model.kind === 'delay') return onPolled(turn, activation, { model, ready: input.outcome === 'ok' });
    if (input.outcome === 'pending' && traitsOf(turn.view, model.kind).mayBePending === true)
      return waitForVerdict(turn, activation, model);
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

function onErrored(turn: Turn, input: InputOf<'errored'>): void {
  const { path, error, output } = input;
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  // Its database has no record of the step, and its author wants to be asked about the rest.
  if (activation.state === 'reconciling' && turn.model(activation).recovery === 'ask') return leaveUnknown(turn, activation);
  if (error.reason === 'quota' || error.reason === 'budget' || error.reason === 'assumptions') onShortage(turn, path, error);
  else attemptFailed(turn, path, { error, output });
}
