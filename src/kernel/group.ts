// Owns groups: branches of a `parallel`, items of an `each`, what a flow runs together. Members open in order, as
// many at once as the group allows, and a join settles the group from counters.
//
// N4. A member that failed never makes the others run again.
// N5. Members that a settled join no longer needs are cut off; their later results are logged as late.

import { invariant } from '../base/invariant.ts';
import { isJsonObject, type Json } from '../base/json.ts';
import { membersOf, type StepModel, type StepOf } from '../definition/model.ts';
import { expressionValue, FAN_OUT_ITEMS_MAX, itemsExpression } from '../definition/scope.ts';
import type { Path, Ref, Waiting } from './activation.ts';
import type { StepError } from './input.ts';
import { joinOutcome, mayAllReject } from './join.ts';
import { createVisit, openStep, started } from './open.ts';
import type { MemberResult } from './program.ts';
import { activeIn, createMemberPath, type Group } from './run-state.ts';
import { attemptFailed, finishWork } from './settle.ts';
import type { Turn } from './turn.ts';

const KEY = /^[\w.@:+-]{1,80}$/;
const NAMED_IN_ERRORS = 5;
/** How much of what a worker reported as its reason a message repeats. */
const REASON_MAX = 300;

/** Opens a group and its first members. */
export function openGroup(turn: Turn, activation: Waiting, model: StepOf<'parallel' | 'each'>): void {
  const items = model.kind === 'each' ? itemsOf(turn, model, activation.step) : { list: undefined };
  if ('error' in items) return attemptFailed(turn, activation.path, items);
  const total = items.list?.length ?? membersOf(model).length;
  const group: Group = {
    total,
    queued: total,
    ok: 0,
    reject: 0,
    fail: 0,
    skip: 0,
    join: model.join,
    limit: model.concurrency ?? total,
    items: items.list === undefined ? undefined : turn.view.keep(items.list),
  };
  turn.change(activation, { group });
  turn.later({ do: 'advance', path: activation.path });
}

type Items = { readonly list: readonly Json[] | undefined } | { readonly error: StepError };

function itemsOf(turn: Turn, { items: source }: StepOf<'each'>, step: string): Items {
  const fail = (why: string): Items => ({
    error: { code: 'CONDITION_ERROR', reason: 'error', retryable: false, message: `the items "${source}" of step "${step}" are ${why}` },
  });
  try {
    const value = expressionValue(itemsExpression(source), turn.scope(step));
    if (Array.isArray(value) && value.length > FAN_OUT_ITEMS_MAX)
      return fail(`${value.length}; a fan-out takes ${FAN_OUT_ITEMS_MAX} at most: split the list, or work on parts of it`);
    if (Array.isArray(value)) return { list: value };
    return fail(`not a list but ${value === null ? 'null' : `a ${typeof value}`}; an earlier step must return them as a list`);
  } catch (thrown) {
    return fail(`not there: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** Settles the group if its join says so, else opens as many members as may work at once. */
export function advanceGroup(turn: Turn, path: Path): void {
  const group = turn.run.groups[path];
  const activation = turn.activation(path);
  if (group === undefined || activation?.state !== 'waiting' || activation.held !== undefined) return;
  const outcome = joinOutcome(group);
  const isOpen = outcome === 'reject' && turn.model(activation).next.reject_all !== undefined && mayAllReject(group);
  if (outcome !== undefined && !isOpen) return joinGroup(turn, activation, outcome);
  if (!turn.holds) openMembers(turn, activation, group);
}

function openMembers(turn: Turn, activation: Waiting, group: Group): void {
  const model = turn.model(activation);
  const again = group.again ?? [];
  let active = activeIn(group);
  for (const member of again.slice(0, Math.max(0, group.limit - active))) sendBack(turn, activation, member);
  active += Math.min(again.length, Math.max(0, group.limit - active));
  const items = group.items === undefined ? undefined : turn.view.value(group.items);
  const keys = Array.isArray(items) ? keysOf(items) : undefined;
  for (let index = group.total - group.queued; index < group.total && active < group.limit; index += 1, active += 1) {
    const member = memberAt(model, keys === undefined ? index : 0);
    const key = keys?.[index] ?? member.id;
    openStep(turn, { step: `${activation.step}/${member.id}`, member: { group: activation.path, key, index } });
  }
}

function memberAt(model: StepModel, index: number): StepModel {
  const member = membersOf(model)[index];
  invariant(member !== undefined, 'N1: a group opens only members it has', model.id);
  return member;
}

function sendBack(turn: Turn, group: Waiting, { key, index, attempt }: NonNullable<Group['again']>[number]): void {
  const model = turn.model(group);
  const member = memberAt(model, model.kind === 'each' ? 0 : index);
  const path = createMemberPath(group.path, key);
  const visit = createVisit(turn, { path, step: `${group.step}/${member.id}`, attempt, member: { group: group.path, key, index } });
  turn.emit({ type: 'step.reopened', at: turn.at, activation: started(turn, visit) });
  turn.later({ do: 'begin', path });
}

const knownKeys = new WeakMap<readonly Json[], readonly string[]>();

/** Stable, distinct names for the items of a fan-out: the item itself, its id, or its position. */
export function keysOf(items: readonly Json[]): readonly string[] {
  const known = knownKeys.get(items);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const keys = items.map((item, index) => {
    const name = nameOf(item);
    const key = name === undefined || seen.has(name) ? `${index}` : name;
    const unique = seen.has(key) ? `${key}~${index}` : key;
    seen.add(unique);
    return unique;
  });
  knownKeys.set(items, keys);
  return keys;
}

function nameOf(item: Json): string | undefined {
  const candidates: (Json | undefined)[] = isJsonObject(item) ? [item.key, item.id, item.name] : [item];
  const name = candidates.find((candidate) => typeof candidate === 'string' && KEY.test(candidate));
  return name as string | undefined;
}

function joinGroup(turn: Turn, activation: Waiting, outcome: 'ok' | 'reject' | 'fail' | 'skip'): void {
  cutOff(turn, activation.path);
  const group = turn.group(activation.path);
  const members = turn.members(activation.path);
  const output = turn.view.keep(outputOf(turn.model(activation), members));
  const merged = turn.run.form === 'graph' && turn.model(activation).merges === undefined ? mergeOf(members) : undefined;
  const merge = merged === undefined ? undefined : turn.view.keep(merged);
  noteJoin(turn, activation.path, { outcome, merge });
  const { total, reject, skip } = group;
  const error = outcome === 'fail' || outcome === 'reject' ? failureOf(members, total) : undefined;
  finishWork(turn, activation.path, { outcome, output, error, allRejected: reject > 0 && reject === total - skip });
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

function outputOf(model: StepModel, members: readonly MemberResult[]): Json {
  if (model.kind === 'each') return members.map((member) => member.output);
  const settled = members.filter((member) => member.outcome !== 'cancelled' && member.outcome !== 'skip');
  if (model.kind === 'parallel' && model.flow === 'race') {
    const winner = settled.find((member) => member.outcome === 'ok');
    // Without one, how each of them failed is what there is to tell.
    if (winner !== undefined) return { winner: winner.key, value: winner.output };
  }
  return Object.fromEntries(settled.map((member) => [member.key, member.output]));
}

/** Results of members join the run's data; what failed members left behind does not. */
function mergeOf(members: readonly MemberResult[]): Json | undefined {
  const whole = members.filter(({ error, outcome }) => error === undefined || outcome === 'reject');
  const objects = whole.map((member) => member.output).filter(isJsonObject);
  return objects.length === 0 ? undefined : Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}

/** Why a member did not succeed: its error, or what its worker reported as `error`. */
function reasonOf({ error, output }: MemberResult): string | undefined {
  if (error !== undefined) return error.message;
  return isJsonObject(output) && typeof output.error === 'string' ? output.error.slice(0, REASON_MAX) : undefined;
}

function failureOf(members: readonly MemberResult[], total: number): StepError {
  const bad = members.filter((member) => member.outcome !== 'ok' && member.outcome !== 'skip' && member.outcome !== 'cancelled');
  const named = bad
    .slice(0, NAMED_IN_ERRORS)
    .map((member) => [member.key, member.outcome, reasonOf(member)] as const)
    .map(([key, outcome, reason]) => `${key} (${outcome}${reason === undefined ? '' : `: ${reason}`})`);
  const more = bad.length > NAMED_IN_ERRORS ? ` and ${bad.length - NAMED_IN_ERRORS} more` : '';
  return {
    code: 'STEP_FAILED',
    reason: 'error',
    retryable: false,
    message: `${bad.length} of ${total} did not succeed: ${named.join('; ')}${more}`,
  };
}
