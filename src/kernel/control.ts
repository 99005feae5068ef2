// Owns what people do to a run as a whole: cancel, pause, and the ways on from a halt.
//
// K19. What a person lets pass by hand is on record before it takes effect, and such a run ends `overridden`.
// K9. After an exhausted bound a run goes on only with more iterations or to another step; nothing resets a bound.

import { unreachable } from '../base/invariant.ts';
import { endShortage } from './attended.ts';
import type { Override } from './event.ts';
import { advanceGroup } from './group.ts';
import { ignore } from './ignored.ts';
import type { ControlInput } from './input.ts';
import { headOf, joinOutcome } from './join.ts';
import { begun, openStep, started } from './open.ts';
import type { MemberResult } from './program.ts';
import { rerun, wake } from './recover.ts';
import { type Activation, type Group, type Halt, isHalted, type Path, type PersonSaid, type Ref, unknownAt } from './run-state.ts';
import { withSaid } from './said.ts';
import { attemptFailed, conclude, takeMove } from './settle.ts';
import type { Turn } from './turn.ts';

/** Does what somebody asked of the run. */
export function steer(turn: Turn, input: ControlInput): void {
  const { action } = input;
  switch (action.do) {
    case 'cancel':
      return cancel(turn, input);
    case 'pause':
      return turn.emit({ type: 'run.changed', at: turn.at, paused: true, actor: input.actor });
    case 'acceptCode':
      return turn.emit({ type: 'run.changed', at: turn.at, code: action.code, actor: input.actor });
    case 'unpause':
      return unpause(turn, input);
    case 'recheck':
      return recheck(turn);
    case 'grant':
      turn.emit({ type: 'run.changed', at: turn.at, granted: action.budget, actor: input.actor });
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

interface Said {
  readonly actor: string;
  readonly note?: string;
}

function withHalt(turn: Turn, go: (halt: Halt) => void): void {
  if (turn.run.halt === undefined || !isHalted(turn.run.status)) return ignore(turn, { input: 'control' }, 'not-allowed');
  go(turn.run.halt);
}

function cancel(turn: Turn, input: ControlInput): void {
  let children = 0;
  for (const path of Object.keys(turn.run.live)) {
    const activation = turn.activation(path) as Activation;
    if (activation.wait?.kind !== 'child')
      turn.emit({ type: 'step.settled', at: turn.at, path, attempt: activation.attempt, outcome: 'cancelled', actor: input.actor });
    else {
      children += 1;
      // From now on only the child's end counts: a wait that ran out would let a cancelled run go on.
      if (activation.deadline !== undefined) turn.emit({ type: 'step.changed', at: turn.at, path, set: { deadline: null } });
    }
  }
  const note = input.action.do === 'cancel' && input.action.reason !== undefined ? { note: input.action.reason } : {};
  if (children > 0) turn.emit({ type: 'run.changed', at: turn.at, ending: 'cancelled', actor: input.actor, ...note });
  else turn.emit({ type: 'run.changed', at: turn.at, status: 'cancelled', actor: input.actor, ...note });
}

function unpause(turn: Turn, input: ControlInput): void {
  if (!turn.run.paused) return ignore(turn, { input: 'control' }, 'not-allowed');
  turn.emit({ type: 'run.changed', at: turn.at, paused: false, actor: input.actor });
  wake(turn);
}

function recheck(turn: Turn): void {
  for (const activation of Object.values(turn.run.live))
    if (activation.wait?.kind === 'budget' || activation.wait?.kind === 'capacity') endShortage(turn, activation);
}

function clearHalt(turn: Turn, said: Said): void {
  turn.emit({
    type: 'run.changed',
    at: turn.at,
    status: 'running',
    halt: null,
    actor: said.actor,
    ...(said.note === undefined ? {} : { note: said.note, ...withSaid(turn.run, noteOf(turn.run.halt, said.actor, said.note)) }),
  });
}

function noteOf(halt: Halt | undefined, actor: string, text: string): PersonSaid {
  return { by: 'note', actor, path: halt?.path ?? halt?.step ?? '', text };
}

function retry(turn: Turn, halt: Halt, said: Said & { readonly extend?: number }): void {
  if (halt.reason === 'exhausted') return extend(turn, halt, said);
  clearHalt(turn, said);
  if (halt.path === undefined) {
    // A flow that threw by itself is replayed and goes on, as far as its code now lets it.
    for (const move of turn.program.begin(turn.run, turn.view)) takeMove(turn, move, undefined);
    return;
  }
  reopen(turn, halt, { actor: said.actor, feedback: halt.message });
  wake(turn);
}

function reopen(turn: Turn, halt: Halt, said: { readonly actor: string; readonly feedback: string }): void {
  const born: Activation = { ...reborn(turn, halt), feedback: said.feedback };
  if (halt.group === undefined) {
    const activation = turn.holds ? born : started(turn, born, turn.model(born));
    turn.emit({ type: 'step.reopened', at: turn.at, activation, actor: said.actor });
    return turn.later(() => begun(turn, born.path));
  }
  const group = reopenedGroup(turn, halt.path as Path, halt.group);
  const { timeoutMs } = turn.model(born);
  const deadline = timeoutMs === undefined ? {} : { deadline: turn.at + timeoutMs };
  const activation: Activation = { ...born, state: 'waiting', startedAt: turn.at, ...deadline };
  turn.emit({ type: 'step.reopened', at: turn.at, activation, actor: said.actor, group });
  turn.later(() => advanceGroup(turn, born.path));
}

/** The activation a run halted at, before its next attempt. */
function reborn(turn: Turn, halt: Halt): Activation {
  const attempt = (halt.attempt ?? 1) + 1;
  const { path, step } = halt as { path: Path; step: string };
  const input = halt.input === undefined ? {} : { input: halt.input };
  return {
    path,
    step,
    kind: turn.program.model(step).kind,
    state: 'queued',
    attempt,
    since: attempt,
    recovery: 0,
    openedAt: turn.at,
    ...input,
  };
}

/** The books of a settled group, with the members that did not succeed sent back; all of them if the rest would do. */
function reopenedGroup(turn: Turn, path: Path, books: Group): Group {
  const members = turn.members(path);
  const isGood = (member: MemberResult) => headOf(member.outcome) === 'ok' || member.outcome === 'skip';
  const good = members.filter(isGood);
  const ok = good.filter((member) => member.outcome !== 'skip').length;
  const rest: Group = { ...books, queued: books.total - members.length, ok, skip: good.length - ok, fail: 0, reject: 0 };
  // Kept as they are, members that meet the join would settle it on the spot, and nothing would be tried again.
  const wouldDo = joinOutcome(rest) !== undefined;
  const again = members
    .filter((member) => wouldDo || !isGood(member))
    .map(({ key, index, attempt }) => ({ key, index, attempt: attempt + 1 }));
  return { ...rest, ...(wouldDo ? { ok: 0, skip: 0 } : {}), again };
}

function extend(turn: Turn, halt: Halt, said: Said & { readonly extend?: number }): void {
  if (!(Number(said.extend) >= 1) || halt.edge === undefined || halt.to === undefined)
    return ignore(turn, { input: 'control' }, 'not-allowed');
  clearHalt(turn, said);
  turn.emit({ type: 'run.changed', at: turn.at, extended: { edge: halt.edge, by: Number(said.extend) }, actor: said.actor });
  turn.emit({ type: 'edge.taken', at: turn.at, from: halt.path ?? '', outcome: halt.outcome ?? 'ok', to: halt.to, key: halt.edge });
  const { to } = halt;
  turn.later(() => openStep(turn, { step: to }));
}

function accept(turn: Turn, halt: Halt, said: Said & { readonly output?: Ref }): void {
  if (halt.path === undefined || halt.step === undefined || halt.reason === 'exhausted')
    return ignore(turn, { input: 'control' }, 'not-allowed');
  clearHalt(turn, said);
  const activation = reborn(turn, halt);
  turn.emit({ type: 'step.reopened', at: turn.at, activation, actor: said.actor });
  const note = said.note === undefined ? {} : { note: said.note };
  overrideBy(turn, { how: 'accept', actor: said.actor, passed: [halt.step], ...note });
  conclude(turn, activation.path, { outcome: 'ok', actor: said.actor, ...(said.output === undefined ? {} : { output: said.output }) });
  wake(turn);
}

function goTo(turn: Turn, step: string, said: Said & { readonly passed: readonly string[] }): void {
  const { actor, note, passed } = said;
  clearHalt(turn, said);
  if (passed.length > 0) overrideBy(turn, { how: 'goto', actor, passed, to: step, ...(note === undefined ? {} : { note }) });
  turn.emit({ type: 'edge.taken', at: turn.at, from: '', outcome: 'goto', to: step, key: '@goto' });
  turn.later(() => openStep(turn, { step }));
}

/** Records what a person let pass by hand (K19). */
function overrideBy(turn: Turn, override: Override): void {
  turn.emit({ type: 'run.changed', at: turn.at, override, actor: override.actor });
}

/** Settles what a crash left unknown: one step, or all such members of a group. */
function resolve(turn: Turn, actor: string, action: Extract<ControlInput['action'], { do: 'resolve' }>): void {
  const { how, note, path } = action;
  const unknown = unknownAt(turn.run, path);
  if (unknown.length === 0) return ignore(turn, { input: 'control', path }, 'no-wait');
  if (how === 'rerun' && note !== undefined)
    turn.emit({ type: 'run.changed', at: turn.at, actor, note, ...withSaid(turn.run, { by: 'note', actor, path, text: note }) });
  if (how === 'accept') {
    const passed = [...new Set(unknown.map(({ step }) => step))];
    overrideBy(turn, { how: 'done', actor, passed, ...(note === undefined ? {} : { note }) });
  }
  for (const activation of unknown) resolveOne(turn, activation, { actor, action });
}

function resolveOne(
  turn: Turn,
  activation: Activation,
  { actor, action }: { readonly actor: string; readonly action: Extract<ControlInput['action'], { do: 'resolve' }> },
): void {
  const { path, step, attempt } = activation;
  // One that was settled before it may have ended the group, and this one with it.
  if (turn.activation(path)?.state !== 'unknown') return;
  if (action.how === 'rerun') return rerun(turn, activation);
  if (action.how === 'accept')
    return conclude(turn, path, { outcome: 'ok', actor, ...(action.output === undefined ? {} : { output: action.output }) });
  const message = action.note ?? `attempt ${attempt} of "${step}" was interrupted and ${actor} said that it failed`;
  attemptFailed(turn, path, { error: { code: 'STEP_FAILED', message, reason: 'error' } });
}
