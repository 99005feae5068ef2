// Owns attended work, which an outside worker does and reports: how it is handed out, reported and verified, how its
// worker asks a person, and how it waits for capacity or budget.
//
// K15. A report is recorded before it is verified, and counts once; it is verified like any other work.
// K16. Asking a person, and waiting for capacity, budget or answers, use up no retries: the next attempt is fresh.

import { type Activation, type Path, startTimeOf, visitOf, type Wait, waitOf } from './activation.ts';
import type { Inputs, StepError, StepShortage } from './input.ts';
import { beginAttempt } from './open.ts';
import { attemptFailed } from './settle.ts';
import type { Turn } from './turn.ts';

const ANSWERS_MAX = 5;
const UNKNOWN_RESET_MS = 300_000;
const RESET_MS_MIN = 1000;

/** The work was handed to a worker that will report. Its time limit keeps running. */
export function onHanded(turn: Turn, { path, attempt, handover }: Inputs['handed']): void {
  const activation = turn.run.live[path];
  if (activation?.state !== 'running' || activation.attempt !== attempt) return turn.ignore({ input: 'handed', path, attempt }, 'late');
  const { startedAt, due, deadline } = activation;
  turn.change({ ...visitOf(activation), deadline: due ?? deadline, state: 'waiting', wait: { kind: 'report', handover }, startedAt });
}

/** A worker reported (K15). */
export function onReported(turn: Turn, input: Inputs['reported']): void {
  const { path, attempt } = input;
  const activation = turn.run.live[path];
  if (activation?.state !== 'waiting' || activation.wait.kind !== 'report' || activation.attempt !== attempt)
    return turn.ignore({ input: 'reported', path, attempt }, 'no-wait');
  if (input.error !== undefined) return attemptFailed(turn, path, { error: input.error });
  const { outcome, output } = input;
  const { startedAt } = activation;
  turn.change({ ...visitOf(activation), deadline: undefined, state: 'verifying', held: { outcome, output }, startedAt });
}

/** A worker asks its person; while a report is being verified, the question is whether its writes are allowed. */
export function onAsked(turn: Turn, { path, attempt, questions, saved }: Inputs['asked']): void {
  const activation = turn.run.live[path];
  const mayAsk = activation?.state === 'running' || activation?.state === 'verifying' || waitOf(activation)?.kind === 'report';
  if (activation === undefined || !mayAsk || activation.attempt !== attempt) return turn.ignore({ input: 'asked', path, attempt }, 'late');
  if ((activation.answers?.length ?? 0) >= ANSWERS_MAX) {
    const message = `step "${activation.step}" asked the person it works for more than ${ANSWERS_MAX} times`;
    return attemptFailed(turn, path, { error: { code: 'AGENT_FAILED', message, reason: 'error' } });
  }
  const failed: StepError = { code: 'AGENT_ASKED', message: 'it asked the person it works for', reason: 'error' };
  waitWith(turn, saved === undefined ? activation : { ...activation, saved }, { wait: { kind: 'answer', questions }, failed });
}

/** A person answered: a new attempt gets the answers. */
export function onAnswered(turn: Turn, { path, attempt, answers, actor, signature }: Inputs['answered']): void {
  const activation = turn.run.live[path];
  if (activation === undefined || waitOf(activation)?.kind !== 'answer' || activation.attempt !== attempt)
    return turn.ignore({ input: 'answered', path, attempt }, 'no-wait');
  if (signature !== undefined) turn.changeRun({ change: 'signed', signed: { on: 'answer', path, attempt, answers, signature } }, actor);
  startFresh(turn, { ...activation, answers: [...(activation.answers ?? []), answers] }, actor);
}

/** There is no capacity or no budget for an attempt just now, or an answer is missing: that is a wait, not a failure. */
export function onShortage(turn: Turn, path: Path, failed: StepError & StepShortage): void {
  const activation = turn.live(path);
  if (failed.reason === 'assumptions') return waitWith(turn, activation, { wait: { kind: 'assumptions' }, failed });
  // Capacity comes back by itself, a budget only when it is granted or renewed, an answer when a person gives it.
  const resumeAt = failed.resumeAt ?? (failed.reason === 'quota' ? turn.at + UNKNOWN_RESET_MS : undefined);
  const soon = turn.at + RESET_MS_MIN;
  const due = resumeAt === undefined ? undefined : Math.max(resumeAt, soon);
  if (failed.reason === 'budget') return waitWith(turn, activation, { wait: { kind: 'budget' }, due, failed });
  const mayHaveMissed = failed.wakeOnSignal === true && activation.state === 'running' && activation.signalled === true;
  waitWith(turn, activation, { wait: { kind: 'capacity', wakeOnSignal: failed.wakeOnSignal }, due: mayHaveMissed ? soon : due, failed });
}

/** Ends an attempt in a wait; `failed` says why it ended. */
function waitWith(turn: Turn, activation: Activation, pause: { wait: Wait; due?: number | undefined; failed: StepError }): void {
  const { wait, due, failed } = pause;
  const startedAt = startTimeOf(activation);
  const after: Activation = { ...visitOf(activation), deadline: undefined, state: 'waiting', wait, due, startedAt };
  turn.change(after, { failed: { attempt: activation.attempt, error: failed } });
}

/** Begins the next attempt of work that waited for an answer, for capacity or for budget. It uses up no retry (K16). */
export function startFresh(turn: Turn, activation: Activation, actor?: string): void {
  const next = { ...visitOf(activation), attempt: activation.attempt + 1, since: activation.since + 1, recovery: undefined };
  beginAttempt(turn, next, { actor });
}
