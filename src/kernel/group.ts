// Owns groups: branches of a `parallel`, items of an `each`, steps that a flow runs together. Members open in order, as
// many at once as the group allows, and a join settles the group from counters.
//
// N4. A failed member never makes the others run again.
// N5. Members that a settled join no longer needs are cut off; their later results are logged as late.

import type { Ref } from '../base/digest.ts';
import { invariant } from '../base/invariant.ts';
import { groupFailure, groupOutput } from '../definition/group/group-result.ts';
import { itemKeys, itemsOf } from '../definition/group/items.ts';
import { activeIn, type Counters, type Group, headOf, joinOutcome, mayAllReject } from '../definition/group/join.ts';
import { membersOf, type StepModel, type StepOf } from '../definition/model.ts';
import { groupData } from '../definition/scope/joining-data.ts';
import type { Activation, ActivationIn, Path, Visit } from './activation.ts';
import type { StepError } from './input.ts';
import { createVisit, openStep, started, startedOrQueued } from './open.ts';
import type { MemberResult } from './program.ts';
import { attemptFailed, finishWork } from './settle.ts';
import type { Turn } from './turn.ts';

/** Opens a group and its first members. */
export function openGroup(turn: Turn, activation: ActivationIn<'waiting'>, model: StepOf<'parallel' | 'each'>): void {
  const { path, step } = activation;
  const given = model.kind === 'each' ? itemsOf(model.items, turn.scope(step)) : { list: undefined };
  if ('wrong' in given) {
    const message = `the items "${model.kind === 'each' ? model.items : ''}" of step "${step}" are ${given.wrong}`;
    return attemptFailed(turn, path, { error: { code: 'CONDITION_ERROR', message, reason: 'error', retryable: false } });
  }
  const total = given.list?.length ?? membersOf(model).length;
  const { join, concurrency: limit = total } = model;
  const items = given.list === undefined ? undefined : turn.view.keep(given.list);
  turn.change(activation, { group: { ...counted([], total), queued: total, join, limit, items } });
  turn.later({ do: 'advance', path });
}

/** Settles the group if its join is met, otherwise opens as many members as may run at once. */
export function advanceGroup(turn: Turn, path: Path): void {
  const group = turn.run.groups[path];
  const activation = turn.run.live[path];
  if (group === undefined || activation?.state !== 'waiting' || activation.held !== undefined) return;
  const outcome = joinOutcome(group);
  const isOpen = outcome === 'reject' && turn.model(activation).next.reject_all !== undefined && mayAllReject(group);
  if (outcome !== undefined && !isOpen) return joinGroup(turn, activation, outcome);
  if (!turn.holdsBack(activation)) openMembers(turn, activation, group);
}

function openMembers(turn: Turn, activation: ActivationIn<'waiting'>, group: Group): void {
  const model = turn.model(activation);
  const again = group.again ?? [];
  let active = activeIn(group);
  for (const member of again.slice(0, Math.max(0, group.limit - active))) sendBack(turn, activation, member);
  active += Math.min(again.length, Math.max(0, group.limit - active));
  const items = group.items === undefined ? undefined : turn.view.value(group.items);
  const keys = Array.isArray(items) ? itemKeys(items) : undefined;
  for (let index = group.total - group.queued; index < group.total && active < group.limit; index += 1, active += 1) {
    const member = memberAt(model, keys === undefined ? index : 0);
    const key = keys?.[index] ?? member.id;
    openStep(turn, { step: `${activation.step}/${member.id}`, member: { group: activation.path, key, index } });
  }
}

/** The counters of a group after members that are not kept were sent back; all are, if the kept ones alone would meet the join. */
export function regrouped(turn: Turn, { path, group }: { path: Path; group: Group }, isKept: (member: MemberResult) => boolean): Group {
  const { again: waiting = [], total } = group;
  const isAtWork = (key: string): boolean => turn.run.live[`${path}/${key}`] !== undefined || waiting.some((one) => one.key === key);
  const settled = turn.members(path).filter(({ key }) => !isAtWork(key));
  const kept = settled.filter(isKept);
  const rest: Group = { ...group, ...counted(kept, total) };
  const wouldDo = joinOutcome(rest) !== undefined;
  const sent = settled.filter((member) => wouldDo || !kept.includes(member));
  const again = [...waiting, ...sent.map(({ key, index, attempt }) => ({ key, index, attempt: attempt + 1 }))];
  return { ...rest, ...(wouldDo ? counted([], total) : {}), again };
}

function counted(members: readonly MemberResult[], total: number): Counters {
  const counters = { total, ok: 0, reject: 0, fail: 0, skip: 0 };
  for (const { outcome } of members) counters[headOf(outcome)] += 1;
  return counters;
}

/** Reopens a settled activation: a step begins its next attempt, a group continues with the given counters. */
export function reopen(turn: Turn, visit: Visit, { actor, group }: { readonly actor: string; readonly group: Group | undefined }): void {
  const { at } = turn;
  const { path } = visit;
  if (group === undefined) {
    turn.emit({ type: 'step.reopened', at, activation: startedOrQueued(turn, visit), actor });
    return turn.later({ do: 'begin', path });
  }
  const deadline = turn.deadline(turn.model(visit));
  const activation: Activation = { ...visit, deadline, state: 'waiting', wait: { kind: 'members' }, startedAt: at };
  turn.emit({ type: 'step.reopened', at, activation, actor, group });
  turn.later({ do: 'advance', path });
}

function memberAt(model: StepModel, index: number): StepModel {
  const member = membersOf(model)[index];
  invariant(member !== undefined, 'a group opens only members it has', model.id);
  return member;
}

function sendBack(turn: Turn, group: ActivationIn<'waiting'>, { key, index, attempt }: NonNullable<Group['again']>[number]): void {
  const model = turn.model(group);
  const member = memberAt(model, model.kind === 'each' ? 0 : index);
  const path = `${group.path}/${key}`;
  const visit = createVisit(turn, { path, step: `${group.step}/${member.id}`, attempt, member: { group: group.path, key, index } });
  turn.emit({ type: 'step.reopened', at: turn.at, activation: started(turn, visit) });
  turn.later({ do: 'begin', path });
}

function joinGroup(turn: Turn, activation: ActivationIn<'waiting'>, outcome: 'ok' | 'reject' | 'fail' | 'skip'): void {
  const { path } = activation;
  cutOff(turn, path);
  const { total, reject, skip } = turn.group(path);
  const members = turn.members(path);
  const model = turn.model(activation);
  const output = turn.view.keep(groupOutput(model, members));
  const merged = turn.run.form === 'graph' && model.merges === undefined ? groupData(members) : undefined;
  noteJoin(turn, path, { outcome, merge: merged === undefined ? undefined : turn.view.keep(merged) });
  const message = outcome === 'fail' || outcome === 'reject' ? groupFailure(members, total) : undefined;
  const error: StepError | undefined =
    message === undefined ? undefined : { code: 'STEP_FAILED', reason: 'error', retryable: false, message };
  finishWork(turn, path, { outcome, output, error, allRejected: reject > 0 && reject === total - skip });
}

/** Records how a group settled. */
function noteJoin(turn: Turn, path: Path, { outcome, merge }: { outcome: string; merge?: Ref | undefined }): void {
  const { total, ok, reject, fail, skip } = turn.group(path);
  turn.emit({ type: 'group.joined', at: turn.at, path, outcome, counters: { total, ok, reject, fail, skip }, merge });
}

/** A group ran out of time: its members are cut off. */
export function timeOutGroup(turn: Turn, path: Path): void {
  cutOff(turn, path);
  noteJoin(turn, path, { outcome: 'timeout' });
}

/** Ends the members of a group that still live, without counting them. */
function cutOff(turn: Turn, group: Path): void {
  for (const activation of Object.values(turn.run.live)) if (activation.member?.group === group) turn.cutOff(activation);
}
