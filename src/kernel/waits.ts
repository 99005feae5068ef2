// Owns how waits begin and what ends them: a signal, a child's end, or time. Decisions of people are in human.ts,
// reports in attended.ts.
//
// K7. A due time that passed before an answer was received wins, even if nobody was awake.

import { pipelineOf } from '../definition/kind.ts';
import type { StepModel, StepOf } from '../definition/model.ts';
import { isDone } from '../definition/run-status.ts';
import { type Activation, type ActivationIn, dueTimeOf, heldBy, type Path, visitOf, type Wait, waitOf } from './activation.ts';
import { startFresh } from './attended.ts';
import { openGroup, timeOutGroup } from './group.ts';
import type { Inputs, StepError } from './input.ts';
import { working } from './open.ts';
import { attemptFailed, conclude, finishWork, startQueued } from './settle.ts';
import type { Turn } from './turn.ts';

/** Acts on a wait that has just begun: some end at once, such as one whose signal already arrived. */
export function beginWait(turn: Turn, path: Path): void {
  const activation = turn.run.live[path];
  if (activation?.state !== 'waiting') return;
  const { wait } = activation;
  const model = turn.model(activation);
  const isGroup = model.kind === 'parallel' || model.kind === 'each';
  if (isGroup && wait.kind === 'members' && turn.run.groups[path] === undefined) return openGroup(turn, activation, model);
  const queue = wait.kind === 'signal' ? turn.run.signals[wait.name] : undefined;
  if (wait.kind !== 'signal' || queue === undefined) return;
  turn.changeRun({ change: 'signal-taken', name: wait.name });
  finishWork(turn, path, { outcome: 'ok', output: queue[0] ?? undefined });
}

/** A signal: it ends the oldest wait for its name, or is kept until there is one. */
export function onSignalled(turn: Turn, { name, payload }: Inputs['signalled']): void {
  const isForIt = (wait: Wait | undefined): boolean => wait?.kind === 'signal' && wait.name === name;
  const waiting = Object.values(turn.run.live).filter((activation) => isForIt(waitOf(activation)));
  const oldest = waiting.sort((a, b) => a.openedAt - b.openedAt || (a.path < b.path ? -1 : 1))[0];
  if (oldest === undefined) turn.changeRun({ change: 'signal-queued', name, payload: payload ?? null });
  else finishWork(turn, oldest.path, { outcome: 'ok', output: payload });
}

/** A child ended; in a run that is being cancelled, the last one ends the run. A failure is also data, for joins. */
export function onChildEnded(turn: Turn, input: Inputs['childEnded']): void {
  const { path, child, status, output, refused } = input;
  const activation = turn.run.live[path];
  const wait = waitOf(activation);
  if (activation === undefined || wait?.kind !== 'child' || wait.run !== child) return turn.ignore({ input: 'childEnded', path }, 'late');
  if (turn.run.ending !== undefined) {
    turn.cutOff(activation);
    if (Object.keys(turn.run.live).length === 0) turn.end({ change: 'ended', status: 'cancelled' });
    return;
  }
  if (status === 'overridden') {
    // An override in a child is one in its parent: neither is `completed`.
    const actor = `run ${child}`;
    turn.changeRun({ change: 'overridden', override: { how: 'child', actor, passed: [activation.step], child } }, actor);
  }
  if (isDone(status)) return finishWork(turn, path, { outcome: 'ok', output });
  const message = `the child run ${child} ended ${status}${input.message === undefined ? '' : `: ${input.message}`}`;
  const error: StepError = refused ?? { code: 'STEP_FAILED', message, reason: 'error' };
  if (status === 'rejected') return conclude(turn, path, { outcome: 'reject', error, output });
  const failure = turn.view.keep({ status, ...(refused === undefined ? { run: child } : {}), error: error.message });
  if (status === 'failed') attemptFailed(turn, path, { error, output: failure });
  else conclude(turn, path, { outcome: 'fail', error, output: failure });
}

/** Handles everything that is due by now, oldest first. */
export function passTime(turn: Turn, only?: 'waits'): void {
  const dues: { at: number; path: Path; what: 'due' | 'deadline' }[] = [];
  for (const path in turn.run.live) {
    const activation = turn.live(path);
    const { deadline, state } = activation;
    const due = dueTimeOf(activation);
    if (deadline !== undefined && deadline <= turn.at) dues.push({ at: deadline, path, what: 'deadline' });
    if (due !== undefined && due <= turn.at && (only === undefined || state === 'waiting')) dues.push({ at: due, path, what: 'due' });
  }
  dues.sort((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1));
  for (const { path, what } of dues) {
    const activation = turn.run.live[path];
    if (activation === undefined) continue;
    if (what === 'deadline' || activation.state === 'running') extend(turn, activation, what) || timeOut(turn, activation);
    else if (activation.state === 'waiting') endPause(turn, activation);
  }
}

/** Extends the time of an activation, as often as its step allows; returns false if no extension is left. */
function extend(turn: Turn, activation: Activation, what: 'due' | 'deadline'): boolean {
  const { extension } = turn.model(activation);
  const used = activation.extensions ?? 0;
  if (extension === undefined || used >= extension.max) return false;
  turn.change({ ...activation, [what]: turn.at + extension.ms, extensions: used + 1 });
  if (extension.onExtend !== undefined) turn.later({ do: 'open', opening: { step: extension.onExtend } });
  return true;
}

function timeOut(turn: Turn, activation: Activation): void {
  const { path, step, attempt } = activation;
  const model = turn.model(activation);
  const isOpen = heldBy(activation) === undefined && turn.run.groups[path] !== undefined;
  if (isOpen && pipelineOf(turn.view, model.kind) === 'group') timeOutGroup(turn, path);
  const what = activation.state === 'running' ? `attempt ${attempt} took longer` : 'the wait lasted longer';
  const message = `step "${step}" timed out: ${what} than ${model.timeoutMs ?? 0} ms`;
  attemptFailed(turn, path, { error: { code: 'STEP_FAILED', message, reason: 'timeout' } });
}

function endPause(turn: Turn, activation: ActivationIn<'waiting'>): void {
  const { wait, path, startedAt = turn.at } = activation;
  if (wait.kind === 'checks' || wait.kind === 'retry') return startQueued(turn, path);
  if (wait.kind === 'capacity' || wait.kind === 'budget') return startFresh(turn, activation);
  if (wait.kind !== 'delay') return;
  if (!wait.polls || wait.until <= turn.at) return finishWork(turn, path, { outcome: 'ok' });
  turn.change({ ...visitOf(activation), state: 'running', startedAt, until: wait.until });
}

/** A poll has a result: the delay ends, or continues until the next poll. */
export function onPolled(turn: Turn, activation: ActivationIn<'running'>, poll: { model: StepOf<'delay'>; ready: boolean }): void {
  const { until = 0, startedAt } = activation;
  if (poll.ready || until <= turn.at) return finishWork(turn, activation.path, { outcome: 'ok' });
  const due = Math.min(until, turn.at + (poll.model.poll?.intervalMs ?? 0));
  turn.change({ ...visitOf(activation), state: 'waiting', startedAt, due, wait: { kind: 'delay', until, polls: true } });
}

/** How soon work without a verdict runs again by itself, and after a signal that arrived while it ran. */
const RECHECK_MS = 60_000;
const RECHECK_AFTER_SIGNAL_MS = 1000;

/** Makes a step without a verdict wait: it runs again after a signal from outside, and from time to time by itself. */
export function waitForVerdict(turn: Turn, activation: ActivationIn<'running'>, { timeoutMs }: StepModel): void {
  const { startedAt } = activation;
  const deadline = timeoutMs === undefined ? undefined : (activation.deadline ?? startedAt + timeoutMs);
  const due = Math.min(
    turn.at + (activation.signalled === true ? RECHECK_AFTER_SIGNAL_MS : RECHECK_MS),
    deadline ?? Number.POSITIVE_INFINITY,
  );
  turn.change({ ...visitOf(activation), deadline, state: 'waiting', wait: { kind: 'checks' }, startedAt, due });
}

/** The semaphores of a queued activation are taken. */
export function onSlot(turn: Turn, { path }: Inputs['slot']): void {
  const activation = turn.run.live[path];
  if (activation?.state !== 'queued') return turn.ignore({ input: 'slot', path }, 'late');
  // It stays in the queue of its run; the semaphore is requested again when the run continues.
  if (turn.holdsBack(turn.model(activation))) return;
  turn.change(working(turn, visitOf(activation), activation.slots));
}
