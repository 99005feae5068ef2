// Owns the fold: what each event means for the checkpoint. It needs no program and no view, so a later kernel can
// decide better without changing what an old log folds to.
//
// K4. Folding the log gives the checkpoint, field for field.

import { omitUndefined } from '../base/fields.ts';
import { invariant, unreachable } from '../base/invariant.ts';
import { addBudgets } from '../definition/budget.ts';
import type { Group } from '../definition/group/join.ts';
import { withAnswer, withAssumptions } from '../definition/question/assumption-record.ts';
import { isFinal } from '../definition/run-status.ts';
import type { Activation, Membership } from './activation.ts';
import type { ChangeOf, Changes, EventOf, Events, RunEvent } from './event.ts';
import type { RunState } from './run-state.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A mutable checkpoint: the working copy of a host or of one decision. */
export interface Draft extends Mutable<Omit<RunState, 'live' | 'groups' | 'counts'>> {
  live: Record<string, Activation>;
  groups: Record<string, Group>;
  counts: Record<string, number>;
}

/** A working copy; the original stays as it is. */
export function draftOf(run: RunState): Draft {
  return { ...run, live: { ...run.live }, groups: { ...run.groups }, counts: { ...run.counts } };
}

/** Creates the checkpoint from a run's first event. */
export function createRun({ at, run, counts, assumptions, override }: EventOf<'run.started'>): RunState {
  const begun = { status: 'running', seq: 0, createdAt: at, at, paused: false } as const;
  const empty = { live: {}, groups: {}, extended: {}, signals: {} };
  const overridden = override === undefined ? undefined : (true as const);
  return { ...run, ...begun, ...empty, counts: { ...counts }, ...omitUndefined({ assumptions, overridden }) };
}

/** The checkpoint after one row of the log; a row may hold several events. */
export function applyRow(run: RunState | undefined, events: readonly RunEvent[]): RunState {
  const [first, ...rest] = events;
  const begun = run === undefined && first?.type === 'run.started' ? createRun(first) : run;
  invariant(begun !== undefined, 'K4: a log begins with run.started, once');
  const draft = draftOf(begun);
  for (const event of run === undefined ? rest : events) apply(draft, event);
  draft.seq += 1;
  return draft;
}

/** Changes a working copy as the event says: the fold. */
export function apply(draft: Draft, event: RunEvent): void {
  if (event.type === 'input.ignored') return;
  const isLate = isFinal(draft.status) && !(event.type === 'run.changed' && AFTERWARDS.has(event.change));
  invariant(!isLate, 'K3: a final run has no further events');
  draft.at = event.at;
  switch (event.type) {
    case 'run.started':
      return invariant(false, 'K4: run.started is the first event of a log and no other');
    case 'run.changed':
      return assign(draft, changed(draft, event));
    case 'step.opened':
      openActivation(draft, event.activation, undefined);
      if (event.visit !== undefined) draft.counts[event.activation.step] = event.visit;
      if (event.activation.member !== undefined) bump(draft, event.activation.member.group, 'queued');
      return;
    case 'step.reopened':
      openActivation(draft, event.activation, event.group);
      if (event.activation.member !== undefined) removeFromRerun(draft, event.activation.member);
      return;
    case 'step.changed':
      invariant(draft.live[event.activation.path] !== undefined, 'K2: what changes or settles is live', event.activation.path);
      draft.live[event.activation.path] = event.activation;
      if (event.group !== undefined) draft.groups[event.activation.path] = event.group;
      return;
    case 'step.settled':
      return settleActivation(draft, event);
    case 'edge.taken':
      if (event.key !== undefined && !event.exhausted) draft.counts[event.key] = (draft.counts[event.key] ?? 0) + 1;
      return;
    case 'group.joined':
      return;
    default:
      return unreachable(event);
  }
}

/** The changes that can come when a run is over: a person's answer, or that files were put back. No step starts because of them. */
const AFTERWARDS: ReadonlySet<keyof Changes> = new Set(['assumption-answered', 'signed', 'files-undone']);

/** Fields of the checkpoint after a change; an undefined one is removed. */
type Patch = { readonly [K in keyof RunState]?: RunState[K] | undefined };

/** What each change to the run as a whole means for its fields. An empty list is stored as absent. */
const CHANGED: { readonly [C in keyof Changes]: (run: RunState, change: Changes[C]) => Patch } = {
  ended: (run, { status, output }) => ({ status, output: output ?? run.output }),
  halted: (_, { status, halt }) => ({ status, halt }),
  resumed: (run, { notes }) => ({ status: 'running', halt: undefined, notes: listed(notes ?? run.notes) }),
  cancelling: (_, { undo }) => ({ ending: 'cancelled', undoing: undo === false ? { change: 'ended', status: 'cancelled' } : undefined }),
  undoing: (_, { ending }) => ({ undoing: ending, paused: false, status: 'running', halt: undefined }),
  'nothing-undone': () => ({ undoing: undefined }),
  paused: () => ({ paused: true }),
  unpaused: () => ({ paused: false }),
  'budget-granted': (run, { granted }) => ({ granted: addBudgets(run.granted ?? {}, granted) }),
  'bound-extended': ({ extended }, { edge, by }) => ({ extended: { ...extended, [edge]: (extended[edge] ?? 0) + by } }),
  overridden: () => ({ overridden: true }),
  decided: (run, { decision, notes }) => ({ decision, notes: listed(notes ?? run.notes) }),
  noted: (_, { notes }) => ({ notes: listed(notes) }),
  'set-back': (_, { setbacks }) => ({ setbacks: listed(setbacks) }),
  assumed: (run, { assumptions }) => ({ assumptions: withAssumptions(run.assumptions, assumptions) }),
  'assumption-answered': (run, { assumption, answer }) => ({ assumptions: withAnswer(run.assumptions, assumption, answer) }),
  detoured: (_, { detour }) => ({ detour: detour ?? undefined }),
  'signal-queued': ({ signals }, { name, payload }) => ({ signals: { ...signals, [name]: [...(signals[name] ?? []), payload] } }),
  'signal-taken'({ signals }, { name }) {
    const { [name]: queue = [], ...others } = signals;
    return { signals: queue.length > 1 ? { ...others, [name]: queue.slice(1) } : others };
  },
  'code-accepted': () => ({}),
  signed: () => ({}),
  reacted: () => ({}),
  warned: () => ({}),
  'files-undone': () => ({}),
  merged: () => ({}),
};

function listed<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length === 0 ? undefined : list;
}

function changed<C extends keyof Changes>(run: RunState, change: ChangeOf<C>): Patch {
  return CHANGED[change.change](run, change);
}

function assign(draft: Draft, patch: Patch): void {
  for (const [field, value] of Object.entries(patch)) if (value === undefined) Reflect.deleteProperty(draft, field);
  Object.assign(draft, omitUndefined(patch));
}

function openActivation(draft: Draft, activation: Activation, group: Group | undefined): void {
  invariant(draft.live[activation.path] === undefined, 'K2: what opens is not live yet', activation.path);
  draft.live[activation.path] = activation;
  if (group !== undefined) draft.groups[activation.path] = group;
}

function removeFromRerun(draft: Draft, { group: path, key }: Membership): void {
  const group = draft.groups[path];
  if (group?.again === undefined) return;
  const { again, ...rest } = group;
  const left = again.filter((member) => member.key !== key);
  draft.groups[path] = left.length === 0 ? rest : { ...rest, again: left };
}

function settleActivation(draft: Draft, event: Events['step.settled']): void {
  const activation = draft.live[event.path];
  invariant(activation !== undefined, 'K2: what changes or settles is live', event.path);
  if (activation.member === undefined && activation.side === undefined) draft.last = activation.step;
  // Enumerating every live activation would be slow in a group with many members.
  if (activation.member === undefined) draft.live = without(draft.live, event.path);
  else delete draft.live[event.path];
  if (draft.groups[event.path] !== undefined) delete draft.groups[event.path];
  if (activation.member !== undefined && event.counts !== undefined) bump(draft, activation.member.group, event.counts);
}

// An object is slow after `delete`, so the last live step leaves a fresh one.
function without(live: Record<string, Activation>, path: string): Record<string, Activation> {
  for (const other in live) {
    if (other === path) continue;
    delete live[path];
    return live;
  }
  return {};
}

/** Adds a member to one of its group's counters; a member that opens is no longer counted as queued. */
function bump(draft: Draft, path: string, head: 'queued' | 'ok' | 'reject' | 'fail' | 'skip'): void {
  const group = draft.groups[path];
  if (group === undefined) return;
  const after: Mutable<Group> = { ...group };
  after[head] += head === 'queued' ? -1 : 1;
  draft.groups[path] = after;
}
