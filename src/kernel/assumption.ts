// Owns assumptions, which workers make instead of asking: how they are recorded, and what a person's answer does.
//
// K21. An assumption is recorded in the decision that takes the result it came with, or before its worker continues. It
//      stays open until a person answers it, even after the run has ended. A step records the same assumption once; if
//      a person disagreed and the step assumes it again, it is open again.
// K22. An answer that agrees repeats nothing. One that differs repeats the step that made the assumption and all later
//      steps, under new keys; other members of the same group keep their results.
// K23. While an assumption with MUST is open, or the work does not follow an answer yet, nothing is merged: the step waits.

import type { Ref } from '../base/digest.ts';
import { type Assumption, assumptionLimitFault, blockingAssumptions, newAssumptions } from '../definition/question/assumption-record.ts';
import { withNote } from '../definition/question/notes.ts';
import { isFinal } from '../definition/run-status.ts';
import { type Activation, slotsOf, startTimeOf, visitOf, type Wait, waitOf } from './activation.ts';
import { startFresh } from './attended.ts';
import { regrouped, reopen } from './group.ts';
import type { ControlRequest, Inputs, StepError } from './input.ts';
import { beginAttempt, createVisit } from './open.ts';
import type { MemberResult } from './program.ts';
import { type HaltedStep, isEnding } from './run-state.ts';
import type { Turn } from './turn.ts';

/** Records assumptions that a worker reports while it is still working. */
export function onAssumed(turn: Turn, { path, attempt, assumed }: Inputs['assumed']): void {
  const activation = turn.run.live[path];
  const isAtWork = activation?.state === 'running' || waitOf(activation)?.kind === 'report';
  if (activation?.attempt !== attempt || !isAtWork) return turn.ignore({ input: 'assumed', path, attempt }, 'late');
  if (recordAssumptions(turn, activation, assumed) !== undefined) turn.ignore({ input: 'assumed', path, attempt }, 'not-allowed');
}

/** Records the assumptions of a result, each only once; returns an error if the run has too many open ones. */
export function recordAssumptions(turn: Turn, activation: Activation, list: Ref | undefined): StepError | undefined {
  if (list === undefined) return undefined;
  const { path, step, attempt, member } = activation;
  const { assumptions: known, groups } = turn.run;
  // The repair step of a validation is numbered by the round, so its key identifies nothing.
  const inGroup = member !== undefined && groups[member.group] !== undefined ? { key: member.key } : {};
  const place = { path, step, ...(member === undefined ? {} : { within: member.group }), ...inGroup };
  const assumptions = newAssumptions(known, { place, attempt, at: turn.at, list, value: turn.view.value(list) });
  if (assumptions.length === 0) return undefined;
  const message = assumptionLimitFault(known, { step, more: assumptions.length });
  if (message !== undefined) return { code: 'LIMIT_REACHED', message, reason: 'error', retryable: false };
  turn.changeRun({ change: 'assumed', assumptions });
  return undefined;
}

/** Takes a person's answer to an assumption. */
export function answerAssumption(turn: Turn, request: ControlRequest<'answer'>): void {
  const { assumption: id, agrees, text, actor } = request;
  const found = turn.run.assumptions?.find((one) => one.id === id);
  if (found === undefined) return turn.ignore({ input: 'control' }, 'no-wait');
  if (found.answer !== undefined) return turn.ignore({ input: 'control', path: found.path }, 'duplicate');
  const goBack = agrees ? undefined : wayBack(turn, found, request);
  const unmet = agrees || goBack !== undefined ? undefined : (true as const);
  turn.changeRun({ change: 'assumption-answered', assumption: id, answer: { agrees, actor, at: turn.at, text, unmet } }, actor);
  goBack?.();
  if (isFinal(turn.run.status) || blockingAssumptions(turn.run).length > 0) return;
  // Steps that wait for answers check again whether they may merge.
  for (const activation of Object.values(turn.run.live)) if (waitOf(activation)?.kind === 'assumptions') startFresh(turn, activation);
}

/** Runs an ended step again, because a run that it started made a wrong assumption. Its agents get the note. */
export function runAgain(turn: Turn, { place, note, actor }: ControlRequest<'again'>): void {
  const { path } = place;
  if (isEnding(turn.run) || turn.run.live[path] !== undefined) return turn.ignore({ input: 'control', path }, 'late');
  const notes = withNote(turn.run, { by: 'note', actor, path, text: note });
  if (notes !== undefined) turn.changeRun({ change: 'noted', notes, note }, actor);
  goBackTo(turn, { place, actor });
}

/** How the work behind a wrong assumption is repeated: its step or group is still live, or the run goes back to it. */
function wayBack(turn: Turn, assumption: Assumption, { place, actor }: ControlRequest<'answer'>): (() => void) | undefined {
  const { step, key, within } = assumption;
  const { live, status, form } = turn.run;
  if (isFinal(status) || isEnding(turn.run)) return undefined;
  const isIt = (one: Activation): boolean => one.step === step && (key === undefined || one.member?.key === key);
  const isAround = (one: Activation): boolean => one.path === within || (one.member === undefined && one.step === place?.step);
  const found = Object.values(live).find(isIt) ?? Object.values(live).find(isAround);
  if (found !== undefined && !isIt(found) && turn.run.groups[found.path] !== undefined) return () => sendMemberBack(turn, found, key);
  if (found !== undefined) return () => beginAgain(turn, found, actor);
  // Side steps run beside the others: going back to one would stop unrelated work.
  const isSide = place !== undefined && form === 'graph' && turn.model(place).side === true;
  return place === undefined || isSide ? undefined : () => goBackTo(turn, { place, key, actor });
}

/** Waits between two attempts: the next attempt gets the answer. */
export const BETWEEN_ATTEMPTS: ReadonlySet<Wait['kind'] | undefined> = new Set(['answer', 'capacity', 'budget', 'retry', 'assumptions']);

/** Ends an attempt that works with the wrong assumption. One that has not begun gets the answer when it does. */
function beginAgain(turn: Turn, activation: Activation, actor: string): void {
  const { state, attempt, since } = activation;
  if (state === 'queued' || state === 'preparing' || BETWEEN_ATTEMPTS.has(waitOf(activation)?.kind)) return;
  const error: StepError = { code: 'STEP_FAILED', message: 'the answer of a person differs from what it assumed', reason: 'error' };
  const next = { ...visitOf(activation), deadline: undefined, attempt: attempt + 1, since: since + 1, recovery: undefined };
  beginAttempt(turn, next, { slots: slotsOf(activation), failed: { attempt, error }, actor });
}

function sendMemberBack(turn: Turn, activation: Activation, key: string | undefined): void {
  const { path } = activation;
  const group = regrouped(turn, { path, group: turn.group(path) }, (member) => member.key !== key);
  turn.change({ ...visitOf(activation), state: 'waiting', wait: { kind: 'members' }, startedAt: startTimeOf(activation) }, { group });
  turn.later({ do: 'advance', path });
}

/** Cancels everything that came after the step and starts it again; in a group only the member with the key, if given. */
function goBackTo(turn: Turn, { place, key, actor }: { place: HaltedStep; key?: string | undefined; actor: string }): void {
  const { path, step, attempt, input, group } = place;
  for (const activation of Object.values(turn.run.live)) if (activation.side !== true) turn.cutOff(activation, actor);
  if (turn.run.halt !== undefined) turn.changeRun({ change: 'resumed' }, actor);
  turn.jumpTo(step);
  turn.program.goBack?.(step);
  const visit = createVisit(turn, { path, step, attempt: attempt + 1, input });
  const isKept = (member: MemberResult): boolean => key !== undefined && member.key !== key && member.outcome !== 'cancelled';
  reopen(turn, visit, { actor, group: group && regrouped(turn, { path, group }, isKept) });
}
