// Owns what ends a wait: a signal, a child's end, or time. Decisions of people are in human.ts, reports in attended.ts.
//
// K7. A due time that passed before an answer was received wins, even if nobody was awake.

import { pipelineOf } from '../definition/kind.ts';
import { endShortage } from './attended.ts';
import { cutOff } from './group.ts';
import { ignore } from './ignored.ts';
import type { ChildEndedInput, SignalledInput, StepError } from './input.ts';
import { openStep, working } from './open.ts';
import { type Activation, isDone, type Path, type Ref } from './run-state.ts';
import { afterWork, attemptFailed, conclude, difference, finishWork, startQueued } from './settle.ts';
import type { Turn } from './turn.ts';

/** The name of the signal that says: something happened outside that gates look at. It is never kept for later. */
export const FORGE_SIGNAL = '@forge';

/** A signal came: it ends the oldest wait for its name, or is kept until there is one. */
export function takeSignal(turn: Turn, input: SignalledInput): void {
  if (input.name === FORGE_SIGNAL) return wakeGates(turn);
  const waiting = Object.values(turn.run.live).filter(
    (activation) => activation.wait?.kind === 'signal' && activation.wait.name === input.name,
  );
  const oldest = waiting.sort((a, b) => a.openedAt - b.openedAt || (a.path < b.path ? -1 : 1))[0];
  if (oldest === undefined) turn.emit({ type: 'run.changed', at: turn.at, signal: { name: input.name, queued: input.payload ?? null } });
  else finishWork(turn, oldest.path, { outcome: 'ok', ...(input.payload === undefined ? {} : { output: input.payload }) });
}

/** A child ended; while the run is being cancelled, the last one ends it. How it failed is data where it is joined. */
export function takeChildEnd(turn: Turn, input: ChildEndedInput): void {
  const activation = turn.activation(input.path);
  if (activation?.wait?.kind !== 'child' || activation.wait.child !== input.child)
    return ignore(turn, { input: 'childEnded', path: input.path }, 'late');
  if (turn.run.ending !== undefined) return endCancelledChild(turn, activation);
  const output = input.output === undefined ? {} : { output: input.output };
  if (input.status === 'overridden') tellOverridden(turn, activation, input.child);
  if (isDone(input.status)) return finishWork(turn, input.path, { outcome: 'ok', ...output });
  const error = childError(input);
  if (input.status === 'rejected') return conclude(turn, input.path, { outcome: 'reject', error, ...output });
  const run = input.refused === undefined ? { run: input.child } : {};
  const told = turn.view.keep({ status: input.status, ...run, error: error.message });
  const failure = { error, ...(told === undefined ? {} : { output: told }) };
  if (input.status === 'failed') attemptFailed(turn, input.path, failure);
  else conclude(turn, input.path, { outcome: 'fail', ...failure });
}

function childError({ child, status, message, refused }: ChildEndedInput): StepError {
  if (refused !== undefined) return refused;
  const why = message === undefined ? '' : `: ${message}`;
  return { code: 'STEP_FAILED', message: `the child run ${child} ended ${status}${why}`, reason: 'error' };
}

/** What somebody let pass in a child was let pass in its parent: neither is `completed`. */
function tellOverridden(turn: Turn, { step }: Activation, child: string): void {
  const actor = `run ${child}`;
  turn.emit({ type: 'run.changed', at: turn.at, override: { how: 'child', actor, passed: [step], child }, actor });
}

function endCancelledChild(turn: Turn, activation: Activation): void {
  turn.emit({ type: 'step.settled', at: turn.at, path: activation.path, attempt: activation.attempt, outcome: 'cancelled' });
  if (Object.keys(turn.run.live).length === 0) turn.emit({ type: 'run.changed', at: turn.at, status: 'cancelled' });
}

/** Everything that is due by now happens, oldest first. */
export function passTime(turn: Turn, only?: 'waits'): void {
  const dues: { at: number; path: Path; what: 'due' | 'deadline' }[] = [];
  for (const path in turn.run.live) {
    const { due, deadline, state } = turn.run.live[path] as Activation;
    if (deadline !== undefined && deadline <= turn.at) dues.push({ at: deadline, path, what: 'deadline' });
    if (due !== undefined && due <= turn.at && (only === undefined || state === 'waiting')) dues.push({ at: due, path, what: 'due' });
  }
  dues.sort((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1));
  for (const due of dues) {
    const activation = turn.activation(due.path);
    if (activation === undefined) continue;
    if (due.what === 'deadline' || activation.state === 'running') extend(turn, activation, due.what) || timeOut(turn, activation);
    else endPause(turn, activation);
  }
}

/** Gives an activation more time, as often as its step says; false when there is no more. */
function extend(turn: Turn, activation: Activation, what: 'due' | 'deadline'): boolean {
  const { extension } = turn.model(activation);
  const used = activation.extensions ?? 0;
  if (extension === undefined || used >= extension.max) return false;
  const set = { [what]: turn.at + extension.ms, extensions: used + 1 };
  turn.emit({ type: 'step.changed', at: turn.at, path: activation.path, set });
  const { tells } = extension;
  if (tells !== undefined) turn.later(() => openStep(turn, { step: tells }));
  return true;
}

function timeOut(turn: Turn, activation: Activation): void {
  const model = turn.model(activation);
  const open = activation.held === undefined && turn.run.groups[activation.path] !== undefined;
  if (open && pipelineOf(model.kind) === 'group') {
    cutOff(turn, activation.path);
    const { total, ok, reject, fail, skip } = turn.run.groups[activation.path] as {
      total: number;
      ok: number;
      reject: number;
      fail: number;
      skip: number;
    };
    turn.emit({
      type: 'group.joined',
      at: turn.at,
      path: activation.path,
      outcome: 'timeout',
      counters: { total, ok, reject, fail, skip },
    });
  }
  const limit = model.timeoutMs ?? 0;
  const what = activation.state === 'running' ? `attempt ${activation.attempt} took longer` : 'the wait lasted longer';
  const error = {
    code: 'STEP_FAILED',
    message: `step "${activation.step}" timed out: ${what} than ${limit} ms`,
    reason: 'timeout' as const,
  };
  attemptFailed(turn, activation.path, { error });
}

function endPause(turn: Turn, activation: Activation): void {
  const { wait, path } = activation;
  if (wait?.kind === 'forge') return startQueued(turn, path);
  if (wait?.kind === 'capacity' || wait?.kind === 'budget') return endShortage(turn, activation);
  if (wait?.kind !== 'delay') return;
  if (wait.reason === 'retry') return startQueued(turn, path);
  if (wait.reason === 'delay' || (wait.until ?? 0) <= turn.at) return finishWork(turn, path, { outcome: 'ok' });
  const { due: _, ...rest } = activation;
  turn.emit({ type: 'step.changed', at: turn.at, path, set: difference(activation, { ...rest, state: 'running' }) });
}

/** A poll was answered: the delay is over, or goes on to the next look. */
export function takePoll(turn: Turn, activation: Activation, ready: boolean): void {
  const until = activation.wait?.until ?? 0;
  if (ready || until <= turn.at) return finishWork(turn, activation.path, { outcome: 'ok' });
  const model = turn.model(activation);
  const interval = model.kind === 'delay' ? (model.poll?.intervalMs ?? 0) : 0;
  turn.emit({
    type: 'step.changed',
    at: turn.at,
    path: activation.path,
    set: { state: 'waiting', due: Math.min(until, turn.at + interval) },
  });
}

const LOOK_AGAIN_MS = 60_000;

/** A gate that has no verdict yet: it looks again when something outside has happened, and now and then by itself. */
export function takePending(turn: Turn, activation: Activation): void {
  const model = turn.model(activation);
  const { timeoutMs } = model;
  const until = timeoutMs === undefined ? undefined : (activation.deadline ?? (activation.startedAt ?? activation.openedAt) + timeoutMs);
  const again = turn.at + ((model.kind === 'gate' ? model.config.lookAgainMs : undefined) ?? LOOK_AGAIN_MS);
  const { slots: _, ...rest } = activation;
  const after: Activation = {
    ...rest,
    state: 'waiting',
    wait: { kind: 'forge' },
    due: until === undefined ? again : Math.min(again, until),
    ...(until === undefined ? {} : { deadline: until }),
  };
  turn.emit({ type: 'step.changed', at: turn.at, path: activation.path, set: difference(activation, after) });
}

/** Something happened outside that gates look at: those that have no verdict look again. */
function wakeGates(turn: Turn): void {
  for (const { path, wait } of Object.values(turn.run.live)) if (wait?.kind === 'forge') startQueued(turn, path);
}

/** The semaphores of a queued activation are taken. */
export function takeSlot(turn: Turn, path: Path): void {
  const activation = turn.activation(path);
  if (activation?.state !== 'queued') return ignore(turn, { input: 'slot', path }, 'late');
  // It stays in the queue of its run; the semaphore is asked for again when the run goes on.
  if (turn.holds) return;
  const after = working(turn, activation, turn.model(activation));
  turn.emit({ type: 'step.changed', at: turn.at, path, set: difference(activation, after) });
}

/** A verification held: what the work brought counts now, as it was seen. */
export function takeVerified(turn: Turn, activation: Activation, output: Ref | undefined): void {
  const held = activation.held;
  if (held === undefined) return;
  afterWork(turn, activation.path, output === undefined ? held : { ...held, output });
}
