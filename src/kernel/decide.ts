// Owns what happens next. Given a checkpoint and one input, it says which facts follow; it does nothing itself.
// Synchronous, over plain data: time arrives in the input, everything outside the checkpoint in the view.

import { unreachable } from '../base/invariant.ts';
import { pipelineOf } from '../definition/kind.ts';
import type { StepOf } from '../definition/model.ts';
import { type Draft, draftOf } from './apply.ts';
import { takeAnswer, takeAsked, takeHanded, takeReport, takeShortage } from './attended.ts';
import { steer } from './control.ts';
import type { RunEvent } from './event.ts';
import { takeDecision, takeObserved } from './human.ts';
import { ignore } from './ignored.ts';
import type { ControlInput, ErroredInput, PreparedInput, RunInput, SettledInput, StartInput } from './input.ts';
import { begun, openStep, started } from './open.ts';
import type { Program, View } from './program.ts';
import { rerun, takeRecovery } from './recover.ts';
import { type Activation, isFinal, isHalted, type RunState } from './run-state.ts';
import { afterWork, attemptFailed, difference, retryAttempt, takeMove } from './settle.ts';
import { type EndedAttempt, Turn } from './turn.ts';
import { passTime, takeChildEnd, takePending, takePoll, takeSignal, takeSlot, takeVerified } from './waits.ts';

/** What a decision is made with: the order of steps, and what was loaded from outside the checkpoint. */
export interface Means {
  readonly program: Program;
  readonly view: View;
}

/** The facts that follow from an input. The checkpoint stays as it is. */
export function decide(means: Means, run: RunState, input: RunInput): readonly RunEvent[] {
  return evolve(means, draftOf(run), input).events;
}

/** What one decision brought: the facts, and the attempts that ended with them. */
export interface Evolved {
  readonly events: readonly RunEvent[];
  readonly ended: readonly EndedAttempt[];
}

/** The same, for a host that owns a working copy: the copy is changed as the facts say. */
export function evolve(means: Means, draft: Draft, input: RunInput): Evolved {
  const turn = new Turn({ program: means.program, view: means.view, run: draft, at: Math.max(input.at, draft.at) });
  if (isFinal(draft.status)) ignore(turn, { input: input.type }, 'final');
  else takeInput(turn, input);
  turn.finish();
  tellTrouble(turn);
  return turn;
}

/** A run that came to a halt says so once, if its definition has a step for that. */
function tellTrouble(turn: Turn): void {
  const { onError } = turn.program;
  if (onError === undefined || (turn.run.counts[onError] ?? 0) > 0) return;
  if (!turn.events.some((event) => event.type === 'run.changed' && event.status !== undefined && isHalted(event.status))) return;
  openStep(turn, { step: onError });
  turn.finish();
}

function takeInput(turn: Turn, input: RunInput): void {
  switch (input.type) {
    case 'start':
      return begin(turn, input);
    case 'recovered':
      return takeRecovery(turn);
    case 'slot':
      return takeSlot(turn, input.path);
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
      return ignore(turn, { input: input.input, ...(input.path === undefined ? {} : { path: input.path }) }, 'not-allowed');
    default:
      return unreachable(input);
  }
}

/** What a person signed is on record before it takes effect. */
function noteSigned(turn: Turn, { actor, action, signature }: ControlInput): void {
  if (signature !== undefined) turn.emit({ type: 'run.changed', at: turn.at, actor, signed: { on: 'control', action, signature } });
}

/** Time goes first: a wait that ran out before its answer came has timed out (K7), and the run may be over with it (K3). */
function answered(turn: Turn, input: RunInput, take: () => void): void {
  passTime(turn, 'waits');
  turn.later(() => (isFinal(turn.run.status) ? ignore(turn, { input: input.type }, 'final') : take()));
}

function begin(turn: Turn, input: StartInput): void {
  // A run that goes on has something live, so one that began already is told from one that did not.
  if (turn.run.status !== 'running' || Object.keys(turn.run.live).length > 0) return ignore(turn, { input: 'start' }, 'duplicate');
  if (input.detour !== undefined) turn.emit({ type: 'run.changed', at: turn.at, detour: input.detour });
  for (const move of turn.program.begin(turn.run, turn.view, input)) takeMove(turn, move, undefined);
}

type AttemptInput = PreparedInput | SettledInput | ErroredInput;

/** The live activation that an attempt's input is about, or undefined when it comes too late. */
function liveAttempt(turn: Turn, input: AttemptInput): Activation | undefined {
  const activation = turn.activation(input.path);
  if (activation !== undefined && activation.attempt === input.attempt && awaits(activation, input.type)) return activation;
  ignore(turn, { input: input.type, path: input.path, attempt: input.attempt }, 'late');
  return undefined;
}

/** Whether an activation in this state can be told so: word that was delivered twice must not set it back. */
function awaits(activation: Activation, type: AttemptInput['type']): boolean {
  const { state, held } = activation;
  if (state === 'waiting' || state === 'queued') return false;
  if (type === 'errored') return true;
  const prepares = state === 'preparing';
  return type === 'settled' ? !prepares : prepares || (state === 'verifying' && held === undefined);
}

function takePrepared(turn: Turn, input: PreparedInput): void {
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  if (input.merge !== undefined) turn.emit({ type: 'run.changed', at: turn.at, merge: input.merge });
  if (input.error !== undefined) return attemptFailed(turn, input.path, { error: input.error });
  // A reconciliation that found no effect: the attempt is worked on again under the same key.
  if (activation.state === 'verifying') return rerun(turn, activation);
  const model = turn.model(activation);
  const based = pipelineOf(model.kind) === 'execute' ? { based: true as const } : {};
  const handsOut = input.handsOut === undefined ? {} : { handsOut: input.handsOut };
  const after = started(turn, { ...activation, ...based, ...handsOut }, model);
  turn.emit({ type: 'step.changed', at: turn.at, path: input.path, set: difference(activation, after) });
  if (after.state === 'waiting') turn.later(() => begun(turn, input.path));
}

function takeSettled(turn: Turn, input: SettledInput): void {
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  if (activation.kind === 'delay' && activation.state === 'running') return takePoll(turn, activation, input.outcome === 'ok');
  if (activation.held !== undefined) return takeVerified(turn, activation, input.output);
  if (activation.kind === 'gate' && input.outcome === 'pending') return takePending(turn, activation);
  const model = turn.model(activation);
  if (model.kind === 'validate' && input.outcome === 'fail') return repair(turn, activation, { model, input });
  afterWork(turn, input.path, input);
}

/** A validation failed: its repair step runs and then it is tried again, as often as it says. */
function repair(turn: Turn, activation: Activation, { model, input }: { model: StepOf<'validate'>; input: SettledInput }): void {
  const round = activation.attempt - activation.since + 1;
  const error = {
    code: 'STEP_FAILED',
    message: `validation "${activation.step}" failed after ${round} ${round === 1 ? 'try' : 'tries'}`,
    reason: 'error' as const,
    retryable: false,
  };
  if (round > model.repairs) return afterWork(turn, input.path, { ...input, error });
  const fix = model.onFailure;
  if (fix === undefined) return retryAttempt(turn, input.path, error);
  turn.emit({ type: 'step.changed', at: turn.at, path: input.path, set: { state: 'waiting', wait: { kind: 'fix' }, due: null } });
  // Numbered by the attempt, which never repeats: rounds begin anew when a person takes the validation up again.
  const key = `${fix.id}#${activation.attempt}`;
  turn.later(() =>
    openStep(turn, {
      step: `${activation.step}/${fix.id}`,
      member: { group: activation.path, key, index: activation.attempt - 1 },
    }),
  );
}

function takeErrored(turn: Turn, input: ErroredInput): void {
  const activation = liveAttempt(turn, input);
  if (activation === undefined) return;
  if (input.error.reason === 'quota' || input.error.reason === 'budget') return takeShortage(turn, input.path, input.error);
  attemptFailed(turn, input.path, { error: input.error, ...(input.output === undefined ? {} : { output: input.output }) });
}
