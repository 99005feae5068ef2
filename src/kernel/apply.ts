// Owns the fold: what each event means for the checkpoint. It needs no program and no view, so a later kernel can
// decide better without changing what an old log folds to.
//
// K4. Folding the log gives the checkpoint, field for field.

import { invariant, unreachable } from '../base/invariant.ts';
import { addBudgets } from '../definition/budget.ts';
import type { Activation, Membership } from './activation.ts';
import type { RunChanged, RunEvent, RunStarted, StepSettled } from './event.ts';
import { type Group, isFinal, type PersonNote, type RunState } from './run-state.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A checkpoint that its holder may change: the working copy of a host or of one decision. */
export interface Draft extends Mutable<Omit<RunState, 'live' | 'groups' | 'counts' | 'extended' | 'signals'>> {
  live: Record<string, Activation>;
  groups: Record<string, Group>;
  counts: Record<string, number>;
  extended: Record<string, number>;
  signals: Record<string, RunState['signals'][string]>;
}

/** A working copy; the original stays as it is. */
export function draftOf(run: RunState): Draft {
  return {
    ...run,
    live: { ...run.live },
    groups: copyOf(run.groups),
    counts: copyOf(run.counts),
    extended: copyOf(run.extended),
    signals: copyOf(run.signals),
  };
}

// Most of them are empty most of the time, and a new object is quicker than a copy of nothing.
function copyOf<T>(entries: Readonly<Record<string, T>>): Record<string, T> {
  for (const _ in entries) return { ...entries };
  return {};
}

/** The checkpoint that a run's first event gives. */
export function createRun(event: RunStarted): RunState {
  return {
    ...event.run,
    status: 'running',
    seq: 0,
    createdAt: event.at,
    at: event.at,
    live: {},
    groups: {},
    counts: { ...event.counts },
    extended: {},
    signals: {},
    paused: false,
    ...(event.override === undefined ? {} : { overridden: true as const }),
  };
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
  invariant(!isFinal(draft.status), 'K3: a final run has no further events');
  draft.at = event.at;
  switch (event.type) {
    case 'run.started':
      return invariant(false, 'K4: run.started is the first event of a log and no other');
    case 'run.changed':
      return applyRunChanged(draft, event);
    case 'step.opened':
      openActivation(draft, event.activation, undefined);
      if (event.visit !== undefined) draft.counts[event.activation.step] = event.visit;
      if (event.activation.member !== undefined) bump(draft, event.activation.member.group, 'queued');
      return;
    case 'step.reopened':
      openActivation(draft, event.activation, event.group);
      if (event.activation.member !== undefined) takeFromAgain(draft, event.activation.member);
      return;
    case 'step.changed':
      invariant(draft.live[event.activation.path] !== undefined, 'K2: what changes or settles is live', event.activation.path);
      draft.live[event.activation.path] = event.activation;
      if (event.group !== undefined) draft.groups[event.activation.path] = event.group;
      return;
    case 'step.settled':
      return applyStepSettled(draft, event);
    case 'edge.taken':
      if (event.key !== undefined && !event.exhausted) draft.counts[event.key] = (draft.counts[event.key] ?? 0) + 1;
      return;
    case 'group.joined':
      return;
    default:
      return unreachable(event);
  }
}

function applyRunChanged(draft: Draft, event: RunChanged): void {
  switch (event.change) {
    case 'ended':
      draft.status = event.status;
      if (event.output !== undefined) draft.output = event.output;
      return;
    case 'halted':
      draft.status = event.status;
      draft.halt = event.halt;
      return;
    case 'resumed':
      draft.status = 'running';
      delete draft.halt;
      return applyNotes(draft, event.notes);
    case 'cancelling':
      draft.ending = 'cancelled';
      return;
    case 'paused':
    case 'unpaused':
      draft.paused = event.change === 'paused';
      return;
    case 'budget-granted':
      draft.granted = addBudgets(draft.granted ?? {}, event.granted);
      return;
    case 'bound-extended':
      draft.extended[event.edge] = (draft.extended[event.edge] ?? 0) + event.by;
      return;
    case 'overridden':
      draft.overridden = true;
      return;
    case 'decided':
      draft.decision = event.decision;
      return applyNotes(draft, event.notes);
    case 'noted':
      return applyNotes(draft, event.notes);
    case 'set-back':
      if (event.setbacks.length === 0) delete draft.setbacks;
      else draft.setbacks = event.setbacks;
      return;
    case 'detoured':
      if (event.detour === null) delete draft.detour;
      else draft.detour = event.detour;
      return;
    case 'signal-queued':
      return applySignals(draft, event.name, [...(draft.signals[event.name] ?? []), event.payload]);
    case 'signal-taken':
      return applySignals(draft, event.name, draft.signals[event.name]?.slice(1) ?? []);
    case 'code-accepted':
    case 'signed':
    case 'merged':
      return;
    default:
      return unreachable(event);
  }
}

function applyNotes(draft: Draft, notes: readonly PersonNote[] | undefined): void {
  if (notes?.length === 0) delete draft.notes;
  else if (notes !== undefined) draft.notes = notes;
}

function applySignals(draft: Draft, name: string, queue: RunState['signals'][string]): void {
  if (queue.length === 0) delete draft.signals[name];
  else draft.signals[name] = queue;
}

function openActivation(draft: Draft, activation: Activation, group: Group | undefined): void {
  invariant(draft.live[activation.path] === undefined, 'K2: what opens is not live yet', activation.path);
  draft.live[activation.path] = activation;
  if (group !== undefined) draft.groups[activation.path] = group;
}

function takeFromAgain(draft: Draft, { group: path, key }: Membership): void {
  const group = draft.groups[path];
  if (group?.again === undefined) return;
  const { again, ...rest } = group;
  const left = again.filter((member) => member.key !== key);
  draft.groups[path] = left.length === 0 ? rest : { ...rest, again: left };
}

function applyStepSettled(draft: Draft, event: StepSettled): void {
  const activation = draft.live[event.path];
  invariant(activation !== undefined, 'K2: what changes or settles is live', event.path);
  // Looking at all that is live takes time where a group has many members.
  if (activation.member === undefined) draft.live = without(draft.live, event.path);
  else delete draft.live[event.path];
  if (draft.groups[event.path] !== undefined) delete draft.groups[event.path];
  if (activation.member !== undefined && event.counts !== undefined) bump(draft, activation.member.group, event.counts);
}

// An object that something was deleted from is slow from then on; the step that works alone leaves none behind.
function without(live: Record<string, Activation>, path: string): Record<string, Activation> {
  for (const other in live) {
    if (other === path) continue;
    delete live[path];
    return live;
  }
  return {};
}

/** Counts a member under another head of its group; one that opens is no longer queued. */
function bump(draft: Draft, path: string, head: 'queued' | 'ok' | 'reject' | 'fail' | 'skip'): void {
  const group = draft.groups[path];
  if (group === undefined) return;
  const after: Mutable<Group> = { ...group };
  after[head] += head === 'queued' ? -1 : 1;
  draft.groups[path] = after;
}
