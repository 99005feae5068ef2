// Owns what people do to a run as a whole: cancel, pause, and the ways on from a halt.
//
// K19. What a person lets pass by hand is on record before it takes effect, and such a run ends `overridden`.
// K9. After an exhausted bound a run goes on only with more iterations or to another step; nothing resets a bound.

import { unreachable } from '../base/invariant.ts';
import { type Activation, childOf, type Path, type Ref, type Visit, waitOf } from './activation.ts';
import { startFresh } from './attended.ts';
import type { Override } from './event.ts';
import type { ControlInput } from './input.ts';
import { headOf, joinOutcome } from './join.ts';
import { createVisit, startedOrQueued } from './open.ts';
import { withNote } from './person-note.ts';
import type { MemberResult } from './program.ts';
import { rerun, wake } from './recover.ts';
import { type Group, type Halt, isHalted, unknownAt } from './run-state.ts';
import { attemptFailed, conclude, takeMove } from './settle.ts';
import type { Turn } from './turn.ts';

/** Does what somebody asked of the run. */
export function steer(turn: Turn, input: ControlInput): void {
  const { action } = input;
  switch (action.do) {
    case 'cancel':
      return cancel(turn, input);
    case 'pause':
      return turn.changeRun({ change: 'paused' }, input.actor);
    case 'acceptCode':
      return turn.changeRun({ change: 'code-accepted', code: action.code }, input.actor);
    case 'unpause':
      return unpause(turn, input);
    case 'recheck':
      return recheck(turn);
    case 'grant':
      turn.changeRun({ change: 'budget-granted', granted: action.budget }, input.actor);
      return recheck(turn);
    case 'retry':
      return withHalt(turn, (halt) => retry(turn, halt, { ...action, actor: input.actor }));
    case 'accept':
      return withHalt(turn, (halt) => accept(turn, halt, { ...action, actor: input.actor }));
    case 'goto':
      return withHalt(turn, () => goTo(turn, action.step, { ...action, actor: input.actor }));
    case 'resolve':
      return resolve(turn, input.actor, action);
    default:
      return unreachable(action);
  }
}

interface Request {
  readonly actor: string;
  readonly note?: string | undefined;
}

function withHalt(turn: Turn, go: (halt: Halt) => void): void {
  if (turn.run.halt === undefined || !isHalted(turn.run.status)) return turn.ignore({ input: 'control' }, 'not-allowed');
  go(turn.run.halt);
}

function cancel(turn: Turn, { actor, action }: ControlInput): void {
  const note = action.do === 'cancel' ? action.reason : undefined;
  let children = 0;
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.live(path);
    if (childOf(activation) === undefined) turn.cutOff(activation, actor);
    else {
      children += 1;
      // From now on only the child's end counts: a wait that ran out would let a cancelled run go on.
      if (activation.deadline !== undefined) turn.change({ ...activation, deadline: undefined });
    }
  }
  turn.changeRun(children > 0 ? { change: 'cancelling', note } : { change: 'ended', status: 'cancelled', note }, actor);
}

function unpause(turn: Turn, input: ControlInput): void {
  if (!turn.run.paused) return turn.ignore({ input: 'control' }, 'not-allowed');
  turn.changeRun({ change: 'unpaused' }, input.actor);
  wake(turn);
}

function recheck(turn: Turn): void {
  for (const activation of Object.values(turn.run.live)) {
    const kind = waitOf(activation)?.kind;
    if (kind === 'budget' || kind === 'capacity') startFresh(turn, activation);
  }
}

function clearHalt(turn: Turn, { actor, note }: Request): void {
  const path = turn.run.halt?.path ?? '';
  const notes = note === undefined ? undefined : withNote(turn.run, { by: 'note', actor, path, text: note });
  turn.changeRun({ change: 'resumed', note, notes }, actor);
}

function retry(turn: Turn, halt: Halt, request: Request & { readonly extend?: number | undefined }): void {
  if (halt.reason === 'exhausted') return extend(turn, halt, request);
  clearHalt(turn, request);
  const visit = visitAgain(turn, halt);
  if (visit === undefined) {
    // A flow that threw by itself is replayed and goes on, as far as its code now lets it.
    for (const move of turn.program.begin(turn.run, turn.view)) takeMove(turn, move, undefined);
    return;
  }
  reopen(turn, { ...visit, feedback: halt.message }, { actor: request.actor, group: halt.group });
  wake(turn);
}

function reopen(turn: Turn, visit: Visit, { actor, group: settled }: { readonly actor: string; readonly group: Group | undefined }): void {
  const { at } = turn;
  const { path } = visit;
  if (settled === undefined) {
    turn.emit({ type: 'step.reopened', at, activation: startedOrQueued(turn, visit), actor });
    return turn.later({ do: 'begin', path });
  }
  const deadline = turn.deadline(turn.model(visit));
  const activation: Activation = { ...visit, deadline, state: 'waiting', wait: { kind: 'members' }, startedAt: at };
  turn.emit({ type: 'step.reopened', at, activation, actor, group: reopenedGroup(turn, path, settled) });
  turn.later({ do: 'advance', path });
}

/** The next attempt of the activation that a run halted at, if it halted at one. */
function visitAgain(turn: Turn, halt: Halt): Visit | undefined {
  if (halt.path === undefined) return undefined;
  const { path, step, input } = halt;
  return createVisit(turn, { path, step, attempt: halt.attempt + 1, input });
}

/** The counters of a settled group, with the members that did not succeed sent back; all of them if the rest would do. */
function reopenedGroup(turn: Turn, path: Path, settled: Group): Group {
  const members = turn.members(path);
  const isGood = (member: MemberResult) => headOf(member.outcome) === 'ok' || member.outcome === 'skip';
  const good = members.filter(isGood);
  const ok = good.filter((member) => member.outcome !== 'skip').length;
  const rest: Group = { ...settled, queued: settled.total - members.length, ok, skip: good.length - ok, fail: 0, reject: 0 };
  // Kept as they are, members that meet the join would settle it on the spot, and nothing would be tried again.
  const wouldDo = joinOutcome(rest) !== undefined;
  const again = members
    .filter((member) => wouldDo || !isGood(member))
    .map(({ key, index, attempt }) => ({ key, index, attempt: attempt + 1 }));
  return { ...rest, ...(wouldDo ? { ok: 0, skip: 0 } : {}), again };
}

function extend(turn: Turn, halt: Halt, request: Request & { readonly extend?: number | undefined }): void {
  const by = request.extend ?? 0;
  if (!(by >= 1) || halt.reason !== 'exhausted') return turn.ignore({ input: 'control' }, 'not-allowed');
  const { edge, to } = halt;
  clearHalt(turn, request);
  turn.changeRun({ change: 'bound-extended', edge, by }, request.actor);
  turn.emit({ type: 'edge.taken', at: turn.at, from: halt.path ?? '', outcome: halt.outcome ?? 'ok', to, key: edge });
  turn.later({ do: 'open', opening: { step: to } });
}

function accept(turn: Turn, halt: Halt, request: Request & { readonly output?: Ref | undefined }): void {
  const visit = visitAgain(turn, halt);
  if (visit === undefined || halt.reason === 'exhausted') return turn.ignore({ input: 'control' }, 'not-allowed');
  const { actor, note, output } = request;
  clearHalt(turn, request);
  turn.emit({ type: 'step.reopened', at: turn.at, activation: { ...visit, state: 'queued' }, actor });
  overrideBy(turn, { how: 'accept', actor, passed: [visit.step], note });
  conclude(turn, visit.path, { outcome: 'ok', actor, output });
  wake(turn);
}

function goTo(turn: Turn, step: string, request: Request & { readonly passed: readonly string[] }): void {
  const { actor, note, passed } = request;
  clearHalt(turn, request);
  if (passed.length > 0) overrideBy(turn, { how: 'goto', actor, passed, to: step, note });
  turn.emit({ type: 'edge.taken', at: turn.at, from: '', outcome: 'goto', to: step, key: '@goto' });
  turn.later({ do: 'open', opening: { step } });
}

/** Records what a person let pass by hand (K19). */
function overrideBy(turn: Turn, override: Override): void {
  turn.changeRun({ change: 'overridden', override }, override.actor);
}

/** Settles what a crash left unknown: one step, or all such members of a group. */
function resolve(turn: Turn, actor: string, action: Extract<ControlInput['action'], { do: 'resolve' }>): void {
  const { path, how, note, output } = action;
  const unknown = unknownAt(turn.run, path);
  if (unknown.length === 0) return turn.ignore({ input: 'control', path }, 'no-wait');
  const notes = how === 'rerun' && note !== undefined ? withNote(turn.run, { by: 'note', actor, path, text: note }) : undefined;
  if (notes !== undefined) turn.changeRun({ change: 'noted', notes, note }, actor);
  if (how === 'accept') overrideBy(turn, { how: 'done', actor, passed: [...new Set(unknown.map(({ step }) => step))], note });
  for (const { path: member } of unknown) {
    const activation = turn.activation(member);
    // One that was settled before it may have ended the group, and this one with it.
    if (activation?.state !== 'unknown') continue;
    if (how === 'rerun') rerun(turn, activation);
    else if (how === 'accept') conclude(turn, member, { outcome: 'ok', actor, output });
    else {
      const message = note ?? `attempt ${activation.attempt} of "${activation.step}" was interrupted and ${actor} said that it failed`;
      attemptFailed(turn, member, { error: { code: 'STEP_FAILED', message, reason: 'error' } });
    }
  }
}
