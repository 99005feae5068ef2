// Owns what people do to a run as a whole: cancel it, pause it, and resume it after a halt.
//
// K19. An override is recorded before it takes effect, and such a run ends `overridden`.
// K9. After an exhausted bound a run continues only with more iterations or at another step; nothing resets a bound.

import { headOf } from '../definition/group/join.ts';
import { withNote } from '../definition/question/notes.ts';
import { isHalted } from '../definition/run-status.ts';
import type { Override } from '../definition/skipped-steps.ts';
import { childOf, type Visit, waitOf } from './activation.ts';
import { answerAssumption, runAgain } from './assumption.ts';
import { startFresh } from './attended.ts';
import { regrouped, reopen } from './group.ts';
import type { ControlAction, ControlRequest, Inputs } from './input.ts';
import { createVisit } from './open.ts';
import type { MemberResult } from './program.ts';
import { goBack, halt, recheckGates, tellAgents } from './reaction.ts';
import { rerun, startHeldBack } from './recover.ts';
import { type Halt, unknownAt } from './run-state.ts';
import { attemptFailed, conclude, makeMove } from './settle.ts';
import type { Turn } from './turn.ts';

/** Carries out a control request. A signature, and the event that caused it, are recorded before it takes effect. */
export function onControl(turn: Turn, { action, actor, signature, reaction }: Inputs['control']): void {
  if (signature !== undefined) turn.changeRun({ change: 'signed', signed: { on: 'control', action, signature } }, actor);
  if (reaction !== undefined) turn.changeRun({ change: 'reacted', reaction }, actor);
  perform(turn, { ...action, actor });
}

/** What each request does. */
const REQUESTS: { readonly [Do in ControlAction['do']]: (turn: Turn, request: ControlRequest<Do>) => void } = {
  cancel,
  pause: (turn, { actor }) => turn.changeRun({ change: 'paused' }, actor),
  unpause(turn, { actor }) {
    if (!turn.run.paused) return turn.ignore({ input: 'control' }, 'not-allowed');
    turn.changeRun({ change: 'unpaused' }, actor);
    startHeldBack(turn);
  },
  acceptCode: (turn, { code, actor }) => turn.changeRun({ change: 'code-accepted', code }, actor),
  grant(turn, { budget, actor }) {
    turn.changeRun({ change: 'budget-granted', granted: budget }, actor);
    recheck(turn);
  },
  recheck,
  answer: answerAssumption,
  again: runAgain,
  recheckGates,
  wake: tellAgents,
  back: goBack,
  warn: (turn, { limit, message, actor }) => turn.changeRun({ change: 'warned', limit, message }, actor),
  halt,
  undone: (turn, { to, files, tree, actor }) => turn.changeRun({ change: 'files-undone', to, files, tree }, actor),
  resolve,
  retry: leaveHalt,
  accept: leaveHalt,
  goto: leaveHalt,
};

function perform<Do extends ControlAction['do']>(turn: Turn, request: ControlRequest<Do>): void {
  REQUESTS[request.do](turn, request);
}

function leaveHalt(turn: Turn, request: ControlRequest<'retry' | 'accept' | 'goto'>): void {
  const { halt, status, undoing } = turn.run;
  // A run that is being undone cannot be resumed; only the undo itself can.
  const isUndone = undoing !== undefined && (status === 'failed' || request.do === 'goto');
  if (halt === undefined || !isHalted(status) || isUndone) return turn.ignore({ input: 'control' }, 'not-allowed');
  if (request.do === 'retry') retry(turn, halt, request);
  else if (request.do === 'accept') accept(turn, halt, request);
  else goTo(turn, request);
}

function cancel(turn: Turn, { actor, reason: note, undo }: ControlRequest<'cancel'>): void {
  // During an undo a second cancel only ends a pause; after a failed undo it ends the run and leaves the rest in place.
  const { undoing, status, paused } = turn.run;
  if (undoing !== undefined && !isHalted(status))
    return paused ? perform(turn, { do: 'unpause', actor }) : turn.ignore({ input: 'control' }, 'duplicate');
  let children = 0;
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.live(path);
    if (childOf(activation) === undefined) turn.cutOff(activation, actor);
    else {
      children += 1;
      // From now on only the child's end counts: a timeout would let a cancelled run continue.
      if (activation.deadline !== undefined) turn.change({ ...activation, deadline: undefined });
    }
  }
  if (children > 0) return turn.changeRun({ change: 'cancelling', note, undo }, actor);
  const ended = { change: 'ended' as const, status: 'cancelled' as const, note };
  if (undo === false) turn.changeRun(ended, actor);
  else turn.end(ended, actor);
}

function recheck(turn: Turn): void {
  for (const activation of Object.values(turn.run.live)) {
    const kind = waitOf(activation)?.kind;
    if (kind === 'budget' || kind === 'capacity' || kind === 'assumptions') startFresh(turn, activation);
  }
}

function clearHalt(turn: Turn, { actor, note }: ControlRequest<'retry' | 'accept' | 'goto'>): void {
  const notes = note === undefined ? undefined : withNote(turn.run, { by: 'note', actor, path: turn.run.halt?.path, text: note });
  turn.changeRun({ change: 'resumed', note, notes }, actor);
}

function retry(turn: Turn, halt: Halt, request: ControlRequest<'retry'>): void {
  if (halt.reason === 'exhausted') return extend(turn, halt, request);
  clearHalt(turn, request);
  const visit = visitAgain(turn, halt);
  if (visit === undefined) {
    // A flow whose code threw is replayed and continues as far as the code allows now.
    for (const move of turn.program.begin(turn.run, turn.facts)) makeMove(turn, move, undefined);
    return;
  }
  const { group } = halt;
  // Members that succeeded are kept.
  const isKept = (member: MemberResult): boolean => headOf(member.outcome) === 'ok' || member.outcome === 'skip';
  const sentBack = group && regrouped(turn, { path: visit.path, group }, isKept);
  reopen(turn, { ...visit, feedback: halt.message }, { actor: request.actor, group: sentBack });
  startHeldBack(turn);
}

/** The next attempt of the activation that a run halted at, if it halted at one. */
function visitAgain(turn: Turn, halt: Halt): Visit | undefined {
  if (halt.path === undefined) return undefined;
  const { path, step, input } = halt;
  return createVisit(turn, { path, step, attempt: halt.attempt + 1, input });
}

function extend(turn: Turn, halt: Extract<Halt, { reason: 'exhausted' }>, request: ControlRequest<'retry'>): void {
  const by = request.extend ?? 0;
  if (!(by >= 1)) return turn.ignore({ input: 'control' }, 'not-allowed');
  const { edge, to } = halt;
  clearHalt(turn, request);
  turn.changeRun({ change: 'bound-extended', edge, by }, request.actor);
  turn.emit({ type: 'edge.taken', at: turn.at, from: halt.path, outcome: halt.outcome ?? 'ok', to, key: edge });
  turn.later({ do: 'open', opening: { step: to } });
}

function accept(turn: Turn, halt: Halt, request: ControlRequest<'accept'>): void {
  const visit = visitAgain(turn, halt);
  if (visit === undefined || halt.reason === 'exhausted') return turn.ignore({ input: 'control' }, 'not-allowed');
  const { actor, note, output } = request;
  clearHalt(turn, request);
  turn.emit({ type: 'step.reopened', at: turn.at, activation: { ...visit, state: 'queued' }, actor });
  overrideBy(turn, { how: 'accept', actor, passed: [visit.step], note });
  conclude(turn, visit.path, { outcome: 'ok', actor, output });
  startHeldBack(turn);
}

function goTo(turn: Turn, request: ControlRequest<'goto'>): void {
  const { actor, note, passed, step } = request;
  clearHalt(turn, request);
  if (passed.length > 0) overrideBy(turn, { how: 'goto', actor, passed, to: step, note });
  turn.jumpTo(step);
  turn.later({ do: 'open', opening: { step } });
}

/** Records an override (K19). */
function overrideBy(turn: Turn, override: Override): void {
  turn.changeRun({ change: 'overridden', override }, override.actor);
}

/** Settles steps whose end a crash left unknown: one step, or all such members of a group. */
function resolve(turn: Turn, { path, how, note, output, actor }: ControlRequest<'resolve'>): void {
  const unknown = unknownAt(turn.run, path);
  if (unknown.length === 0) return turn.ignore({ input: 'control', path }, 'no-wait');
  const notes = how === 'rerun' && note !== undefined ? withNote(turn.run, { by: 'note', actor, path, text: note }) : undefined;
  if (notes !== undefined) turn.changeRun({ change: 'noted', notes, note }, actor);
  if (how === 'accept') overrideBy(turn, { how: 'done', actor, passed: [...new Set(unknown.map(({ step }) => step))], note });
  for (const { path: member } of unknown) {
    const activation = turn.run.live[member];
    // A member settled earlier in this loop may have ended the group, and this member with it.
    if (activation?.state !== 'unknown') continue;
    if (how === 'rerun') rerun(turn, activation);
    else if (how === 'accept') conclude(turn, member, { outcome: 'ok', actor, output });
    else {
      const message = note ?? `attempt ${activation.attempt} of "${activation.step}" was interrupted and ${actor} said that it failed`;
      attemptFailed(turn, member, { error: { code: 'STEP_FAILED', message, reason: 'error' } });
    }
  }
}
