// Owns work that somebody else does and reports: how it is handed out, reported and verified, how its worker asks a
// person, and how it waits for capacity or budget.
//
// K15. A report is on record before it is verified, and counts once; what it says is verified like any work.
// K16. Asking a person, and waiting for capacity or budget, use up no retries: the next attempt is fresh.

import { ignore } from './ignored.ts';
import type { AnsweredInput, AskedInput, HandedInput, ReportedInput, StepError } from './input.ts';
import { begun, started } from './open.ts';
import type { Activation, Path, Wait } from './run-state.ts';
import { attemptFailed, difference } from './settle.ts';
import type { Turn } from './turn.ts';

/** The work was handed to a worker who reports by itself. Its time limit goes on. */
export function takeHanded(turn: Turn, input: HandedInput): void {
  const { path, attempt, handover } = input;
  const activation = turn.activation(path);
  if (activation?.state !== 'running' || activation.attempt !== attempt) return ignore(turn, { input: 'handed', path, attempt }, 'late');
  const { due, slots: _, ...rest } = activation;
  const after: Activation = {
    ...rest,
    state: 'waiting',
    wait: { kind: 'report', handover },
    ...(due === undefined ? {} : { deadline: due }),
  };
  turn.emit({ type: 'step.changed', at: turn.at, path, set: difference(activation, after) });
}

/** A worker reported; the report is on record before it is verified. */
export function takeReport(turn: Turn, input: ReportedInput): void {
  const { path, attempt, outcome, output, error } = input;
  const activation = turn.activation(path);
  if (activation?.wait?.kind !== 'report' || activation.attempt !== attempt)
    return ignore(turn, { input: 'reported', path, attempt }, 'no-wait');
  if (error !== undefined) return attemptFailed(turn, path, { error });
  const brought = { outcome, ...(output === undefined ? {} : { output }) };
  turn.emit({ type: 'step.changed', at: turn.at, path, set: { state: 'verifying', held: brought, due: null, deadline: null, wait: null } });
}

/** A worker asks the person it works for. */
export function takeAsked(turn: Turn, input: AskedInput): void {
  const { path, attempt, questions } = input;
  const activation = turn.activation(path);
  const asks = activation?.state === 'running' || activation?.wait?.kind === 'report';
  if (activation === undefined || !asks || activation.attempt !== attempt) return ignore(turn, { input: 'asked', path, attempt }, 'late');
  if ((activation.answers?.length ?? 0) >= ANSWERS_MAX) {
    const message = `step "${activation.step}" asked the person it works for more than ${ANSWERS_MAX} times`;
    return attemptFailed(turn, path, { error: { code: 'AGENT_FAILED', message, reason: 'error' } });
  }
  wait(turn, activation, { wait: { kind: 'answer', questions }, failed: error('AGENT_ASKED', 'it asked the person it works for') });
}

const ANSWERS_MAX = 5;

/** A person answered: a fresh attempt gets the answers. */
export function takeAnswer(turn: Turn, input: AnsweredInput): void {
  const { path, attempt, answers, actor, signature } = input;
  const activation = turn.activation(path);
  if (activation?.wait?.kind !== 'answer' || activation.attempt !== attempt)
    return ignore(turn, { input: 'answered', path, attempt }, 'no-wait');
  if (signature !== undefined)
    turn.emit({ type: 'run.changed', at: turn.at, actor, signed: { on: 'answer', path, attempt, answers, signature } });
  const { wait: _, ...rest } = activation;
  goOn(turn, activation, { after: { ...rest, answers: [...(activation.answers ?? []), answers] }, actor });
}

/** There is no capacity or no budget for an attempt just now: that is a wait, not a failure. */
export function takeShortage(turn: Turn, path: Path, shortage: StepError): void {
  const activation = turn.activation(path) as Activation;
  if (shortage.reason === 'budget') {
    const due = shortage.resumeAt === undefined ? {} : { due: Math.max(shortage.resumeAt, turn.at + RESET_MS_MIN) };
    return wait(turn, activation, { wait: { kind: 'budget' }, ...due, failed: shortage });
  }
  const due = Math.max(shortage.resumeAt ?? turn.at + UNKNOWN_RESET_MS, turn.at + RESET_MS_MIN);
  wait(turn, activation, { wait: { kind: 'capacity' }, due, failed: shortage });
}

const UNKNOWN_RESET_MS = 300_000;
const RESET_MS_MIN = 1000;

/** Lets work go on that waited for budget or capacity: its attempt is made anew. */
export function endShortage(turn: Turn, activation: Activation): void {
  const { wait: _, due: __, ...rest } = activation;
  goOn(turn, activation, { after: rest });
}

function error(code: string, message: string): StepError {
  return { code, message, reason: 'error' };
}

interface Pause {
  readonly wait: Wait;
  readonly due?: number;
  /** Why the attempt ended here. */
  readonly failed: StepError;
}

function wait(turn: Turn, activation: Activation, pause: Pause): void {
  const { due: _, deadline: __, slots: ___, held: ____, ...rest } = activation;
  const after: Activation = { ...rest, state: 'waiting', wait: pause.wait, ...(pause.due === undefined ? {} : { due: pause.due }) };
  turn.emit({
    type: 'step.changed',
    at: turn.at,
    path: activation.path,
    set: difference(activation, after),
    failed: { attempt: activation.attempt, error: pause.failed },
  });
}

function goOn(turn: Turn, activation: Activation, { after, actor }: { readonly after: Activation; readonly actor?: string }): void {
  const { startedAt: _, ...rest } = after;
  const next: Activation = { ...rest, state: 'queued', attempt: activation.attempt + 1, since: activation.since + 1, recovery: 0 };
  const now = turn.holds ? next : started(turn, next, turn.model(activation));
  turn.emit({
    type: 'step.changed',
    at: turn.at,
    path: activation.path,
    set: difference(activation, now),
    ...(actor === undefined ? {} : { actor }),
  });
  turn.later(() => begun(turn, activation.path));
}
