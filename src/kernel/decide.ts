// Owns what happens next. Given a checkpoint and one input, it says which facts follow; it does nothing itself.
// Synchronous, over plain data: time arrives in the input, everything outside the checkpoint in the view.

import { unreachable } from '../base/invariant.ts';
import { pipelineOf } from '../definition/kind.ts';
import type { StepOf } from '../definition/model.ts';
import {
  type Activation,
  heldBy,
  type Preparing,
  type Reconciling,
  type Running,
  type Unknown,
  type Verifying,
  visitOf,
} from './activation.ts';
import type { Draft } from './apply.ts';
import { takeAnswer, takeAsked, takeHanded, takeReport, takeShortage } from './attended.ts';
import { steer } from './control.ts';
import type { RunEvent } from './event.ts';
import { advanceGroup } from './group.ts';
import { takeDecision, takeObserved } from './human.ts';
import type { ControlInput, ErroredInput, PreparedInput, RunInput, SettledInput, StartInput, StepError } from './input.ts';
import { openStep, started } from './open.ts';
import type { Program, View } from './program.ts';
import { rerun, takeRecovery } from './recover.ts';
import { isFinal } from './run-state.ts';
import { withSetback } from './setback.ts';
import { afterWork, attemptFailed, conclude, retryAttempt, takeMove } from './settle.ts';
import { type EndedAttempt, type Todo, Turn } from './turn.ts';
import { beginWait, passTime, takeChildEnd, takePending, takePoll, takeSignal, takeSlots, takeVerified } from './waits.ts';

/** What a decision is made with: the order of steps, and what was loaded from outside the checkpoint. */
export interface Means {
  readonly program: Program;
  readonly view: View;
}

/** What one decision gives: the facts, and the attempts that ended with them. */
export interface Decided {
  readonly events: readonly RunEvent[];
  readonly ended: readonly EndedAttempt[];
}

/** The facts that follow from an input. The host's working copy of the checkpoint changes as they say. */
export function decide(means: Means, draft: Draft, input: RunInput): Decided {
  const turn = new Turn({ program: means.program, view: means.view, run: draft, at: Math.max(input.at, draft.at) });
  if (isFinal(draft.status)) turn.ignore({ input: input.type }, 'final');
  else takeInput(turn, input);
  turn.finish(perform);
  runErrorHook(turn);
  return turn;
}

function perform(turn: Turn, todo: Todo): void {
  switch (todo.do) {
    case 'open':
      return openStep(turn, todo.opening);
    case 'begin':
      return beginWait(turn, todo.path);
    case 'conclude':
      return conclude(turn, todo.path, todo.result);
    case 'advance':
      return advanceGroup(turn, todo.path);
    default:
      return unreachable(todo);
  }
}

/** A run that came to a halt opens the step that its definition has for that, once. */
function runErrorHook(turn: Turn): void {
  const { onError } = turn.program;
  if (onError === undefined || (turn.run.counts[onError] ?? 0) > 0) return;
  if (!turn.events.some((event) => event.type === 'run.changed' && event.change === 'halted')) return;
  openStep(turn, { step: onError });
  turn.finish(perform);
}

function takeInput(turn: Turn, input: RunInput): void {
  switch (input.type) {
    case 'start':
      return begin(turn, input);
    case 'recovered':
      return takeRecovery(turn);
    case 'slot':
      return takeSlots(turn, input.path);
    case 'due':
      return passTime(turn);
    case 'prepared':
      return takePrepared(turn, input);
    case 'settled':
      return takeSettled(turn, input);
    case 'errored':
      return takeErrored(turn, input);
    case 'decided':
      return answered(turn, input, () => takeDecision(turn, input));
    case 'observed':
      return takeObserved(turn, input);
    case 'reported':
      return answered(turn, input, () => takeReport(turn, input));
    case 'handed':
      return takeHanded(turn, input);
    case 'asked':
      return answered(turn, input, () => takeAsked(turn, input));
    case 'answered':
      return answered(turn, input, () => takeAnswer(turn, input));
    case 'signalled':
      return answered(turn, input, () => takeSignal(turn, input));
    case 'childEnded':
      return answered(turn, input, () => takeChildEnd(turn, input));
    case 'control':
      noteSigned(turn, input);
      return steer(turn, input);
    case 'refused':
      return turn.ignore({ input: input.input, path: input.path }, 'not-allowed');
    default:
      return unreachable(input);
  }
}

/** What a person signed is on record before it takes effect. */
function noteSigned(turn: Turn, { actor, action, signature }: ControlInput): void {
  if (signature !== undefined) turn.changeRun({ change: 'signed', signed: { on: 'control', action, signature } }, actor);
}

/** Time goes first: a wait that ran out before its answer came has timed out (K7), and the run may be over then (K3). */
function answered(turn: Turn, input: RunInput, take: () => void): void {
  passTime(turn, 'waits');
  turn.finish(perform);
  if (isFinal(turn.run.status)) turn.ignore({ input: input.type }, 'final');
  else take();
}

function begin(turn: Turn, input: StartInput): void {
  // A run that goes on has something live, so one that began already is told from one that did not.
  if (turn.run.status !== 'running' || Object.keys(turn.run.live).length > 0) return turn.ignore({ input: 'start' }, 'duplicate');
  if (input.detour !== undefined) turn.changeRun({ change: 'detoured', detour: input.detour });
  for (const move of turn.program.begin(turn.run, turn.view, input)) takeMove(turn, move, undefined);
}

/** An activation that the host works on, or has worked on. */
type Working = Preparing | Running | Verifying | Reconciling | Unknown;

/** The live activation that an attempt's input is about, or undefined when it comes too late. */
function liveAttempt(turn: Turn, { type, path, attempt }: PreparedInput | SettledInput | ErroredInput): Working | undefined {
  const activation = turn.activation(path);
  if (activation?.attempt === attempt && expects(activation, type)) return activation;
  turn.ignore({ input: type, path, attempt }, 'late');
  return undefined;
}

/** Whether such an input can come in this state: one that was delivered twice must not set the activation back. */
function expects(activation: Activation, type: 'prepared' | 'settled' | 'errored'): activation is Working {
  switch (activation.state) {
    case 'preparing':
      return type !== 'settled';
    case 'running':
    case 'verifying':
    case 'unknown':
      return type !== 'prepared';
    case 'reconciling':
      return true;
    case 'queued':
    case 'waiting':
      return false;
  }
}

function takePrepared(turn: Turn, input: PreparedInput): void {
  const { path, merge, error, handsOut, prompt } = input;
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  if (merge !== undefined) turn.changeRun({ change: 'merged', merge });
  if (error !== undefined) return attemptFailed(turn, path, { error });
  // A reconciliation that found no effect: the attempt is worked on again under the same key.
  if (activation.state === 'reconciling') return rerun(turn, activation);
  if (activation.state !== 'preparing') return;
  const model = turn.model(activation);
  const based = pipelineOf(model.kind) === 'execute' ? true : undefined;
  turn.change(started(turn, { ...visitOf(activation), based, handsOut }, { prepared: { startedAt: activation.startedAt, prompt } }));
  turn.later({ do: 'begin', path });
}

function takeSettled(turn: Turn, input: SettledInput): void {
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  if (heldBy(activation) !== undefined) return takeVerified(turn, activation, input.output);
  const model = turn.model(activation);
  if (activation.state === 'running') {
    if (model.kind === 'delay') return takePoll(turn, activation, { model, ready: input.outcome === 'ok' });
    if (model.kind === 'gate' && input.outcome === 'pending') return takePending(turn, activation, model);
    if (model.kind === 'validate' && input.outcome === 'fail') return repair(turn, activation, { model, input });
  }
  afterWork(turn, input.path, input);
}

/** A validation failed: its repair step runs and then it is tried again, as often as it says. */
function repair(turn: Turn, activation: Running, { model, input }: { model: StepOf<'validate'>; input: SettledInput }): void {
  const { path, step, attempt, startedAt } = activation;
  const round = attempt - activation.since + 1;
  const message = `validation "${step}" failed after ${round} ${round === 1 ? 'try' : 'tries'}`;
  const error: StepError = { code: 'STEP_FAILED', message, reason: 'error', retryable: false };
  if (round > model.repairs) return afterWork(turn, path, { ...input, error });
  const fix = model.onFailure;
  if (fix === undefined) return retryAttempt(turn, path, error);
  turn.changeRun({ change: 'set-back', setbacks: withSetback(turn.run, activation, { ...input, error }) });
  turn.change({ ...visitOf(activation), state: 'waiting', wait: { kind: 'repair' }, startedAt });
  // Numbered by the attempt, which never repeats: rounds begin anew when a person takes the validation up again.
  const member = { group: path, key: `${fix.id}#${attempt}`, index: attempt - 1 };
  turn.later({ do: 'open', opening: { step: `${step}/${fix.id}`, member } });
}

function takeErrored(turn: Turn, input: ErroredInput): void {
  const { path, error, output } = input;
  if (liveAttempt(turn, input) === undefined) return;
  if (error.reason === 'quota' || error.reason === 'budget') takeShortage(turn, path, error);
  else attemptFailed(turn, path, { error, output });
}
