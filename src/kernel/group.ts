// Owns groups: branches of a `parallel`, items of an `each`, what a flow runs together. Members open in order, as
// many at once as the group allows, and a join settles the group from counters.
//
// N4. A member that failed never makes the others run again.
// N5. Members that a settled join no longer needs are cut off; what they bring later is logged as late.

import { isJsonObject, type Json } from '../base/json.ts';
import { membersOf, type StepModel, type StepOf } from '../definition/model.ts';
import type { StepError } from './input.ts';
import { joinOutcome, mayAllReject } from './join.ts';
import { begun, openStep, started } from './open.ts';
import type { MemberResult } from './program.ts';
import type { Activation, Group, Path } from './run-state.ts';
import { expressionValue, itemsExpression } from './scope.ts';
import { attemptFailed, finishWork } from './settle.ts';
import type { Turn } from './turn.ts';

const KEY = /^[\w.@:+-]{1,80}$/;
const NAMED_IN_ERRORS = 5;

/** Opens a group's books and its first members. */
export function openGroup(turn: Turn, activation: Activation, model: StepOf<'parallel' | 'each'>): void {
  const items = model.kind === 'each' ? itemsOf(turn, model, activation.step) : undefined;
  if (items !== undefined && !Array.isArray(items)) return attemptFailed(turn, activation.path, { error: items as StepError });
  const list = items as readonly Json[] | undefined;
  const total = list?.length ?? membersOf(model).length;
  const ref = list === undefined ? undefined : turn.view.keep(list);
  const group: Group = {
    total,
    queued: total,
    ok: 0,
    reject: 0,
    fail: 0,
    skip: 0,
    join: model.join,
    limit: model.concurrency ?? total,
    ...(ref === undefined ? {} : { items: ref }),
  };
  turn.emit({ type: 'step.changed', at: turn.at, path: activation.path, set: {}, group });
  turn.later(() => advanceGroup(turn, activation.path));
}

function itemsOf(turn: Turn, { items: source }: StepOf<'each'>, step: string): readonly Json[] | StepError {
  try {
    const value = expressionValue(itemsExpression(source), { run: turn.run, view: turn.view, names: turn.program.outputNames, step });
    if (Array.isArray(value)) return value;
    return {
      code: 'CONDITION_ERROR',
      reason: 'error',
      retryable: false,
      message: `the items "${source}" of step "${step}" are not a list but ${value === null ? 'null' : `a ${typeof value}`}; an earlier step must return them as a list`,
    };
  } catch (thrown) {
    return {
      code: 'CONDITION_ERROR',
      reason: 'error',
      retryable: false,
      message: `the items "${source}" of step "${step}" are not there: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    };
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

function openMembers(turn: Turn, activation: Activation, group: Group): void {
  const members = membersOf(turn.model(activation));
  const again = group.again ?? [];
  let active = group.total - group.queued - again.length - group.ok - group.reject - group.fail - group.skip;
  for (let next = 0; next < again.length && active < group.limit; next += 1, active += 1)
    sendBack(turn, activation, again[next] as (typeof again)[number]);
  const keys = group.items === undefined ? undefined : keysOf(turn.view.value(group.items) as readonly Json[]);
  for (let index = group.total - group.queued; index < group.total && active < group.limit; index += 1, active += 1) {
    const member = members[keys === undefined ? index : 0] as StepModel;
    const key = keys === undefined ? member.id : (keys[index] as string);
    openStep(turn, { step: `${activation.step}/${member.id}`, member: { group: activation.path, key, index } });
  }
}

function sendBack(turn: Turn, group: Activation, again: NonNullable<Group['again']>[number]): void {
  const model = turn.model(group);
  const member = membersOf(model)[model.kind === 'each' ? 0 : again.index] as StepModel;
  const { key, index, attempt } = again;
  const born: Activation = {
    path: `${group.path}/${key}`,
    step: `${group.step}/${member.id}`,
    kind: member.kind,
    state: 'queued',
    attempt,
    since: attempt,
    recovery: 0,
    openedAt: turn.at,
    group: group.path,
    key,
    index,
  };
  turn.emit({ type: 'step.reopened', at: turn.at, activation: started(turn, born, member) });
  turn.later(() => begun(turn, born.path));
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

function joinGroup(turn: Turn, activation: Activation, outcome: 'ok' | 'reject' | 'fail' | 'skip'): void {
  cutOff(turn, activation.path);
  const group = turn.run.groups[activation.path] as Group;
  const members = turn.members(activation.path);
  const output = turn.view.keep(outputOf(turn.model(activation), members));
  const merged = turn.run.form === 'graph' && turn.model(activation).merges === undefined ? mergeOf(members) : undefined;
  const merge = merged === undefined ? undefined : turn.view.keep(merged);
  const { total, ok, reject, fail, skip } = group;
  turn.emit({
    type: 'group.joined',
    at: turn.at,
    path: activation.path,
    outcome,
    counters: { total, ok, reject, fail, skip },
    ...(merge === undefined ? {} : { merge }),
  });
  finishWork(turn, activation.path, {
    outcome,
    ...(output === undefined ? {} : { output }),
    ...(outcome === 'fail' || outcome === 'reject' ? { error: failureOf(members, total) } : {}),
    ...(reject > 0 && reject === total - skip ? { allRejected: true } : {}),
  });
}

/** Ends the members of a group that still live, without counting them. */
export function cutOff(turn: Turn, group: Path): void {
  for (const path of Object.keys(turn.run.live)) {
    const member = turn.run.live[path] as Activation;
    if (member.group === group) turn.emit({ type: 'step.settled', at: turn.at, path, attempt: member.attempt, outcome: 'cancelled' });
  }
}

function outputOf(model: StepModel, members: readonly MemberResult[]): Json {
  if (model.kind === 'each') return members.map((member) => member.output);
  const settled = members.filter((member) => member.outcome !== 'cancelled' && member.outcome !== 'skip');
  if (model.kind === 'parallel' && model.flow === 'race') {
    const winner = settled.find((member) => member.outcome === 'ok');
    return { winner: winner?.key ?? null, value: winner?.output ?? null };
  }
  return Object.fromEntries(settled.map((member) => [member.key, member.output]));
}

/** What members bring joins the run's data; what those that broke left behind does not. */
function mergeOf(members: readonly MemberResult[]): Json | undefined {
  const whole = members.filter(({ error, outcome }) => error === undefined || outcome === 'reject');
  const objects = whole.map((member) => member.output).filter(isJsonObject);
  return objects.length === 0 ? undefined : Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}

function failureOf(members: readonly MemberResult[], total: number): StepError {
  const bad = members.filter((member) => member.outcome !== 'ok' && member.outcome !== 'skip' && member.outcome !== 'cancelled');
  const named = bad
    .slice(0, NAMED_IN_ERRORS)
    .map((member) => `${member.key} (${member.outcome}${member.error === undefined ? '' : `: ${member.error.message}`})`);
  const more = bad.length > NAMED_IN_ERRORS ? ` and ${bad.length - NAMED_IN_ERRORS} more` : '';
  return {
    code: 'STEP_FAILED',
    reason: 'error',
    retryable: false,
    message: `${bad.length} of ${total} did not succeed: ${named.join('; ')}${more}`,
  };
}
