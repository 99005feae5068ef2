// Serialises a yielded step, for logs and for people. Live values are shown by name (`[function add]`) and never stored. The
// work of the step has the same form as in the digest by which a replay recognises it.

import type { Json, JsonObject } from '../../base/json.ts';
import type { BoundStep, StepCode } from '../../definition/code.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import { askedOf } from '../../programs/flow-digest.ts';
import type { FlowStep } from '../../programs/flow-step.ts';

const SHOWN_DEPTH_MAX = 20;

/** The step as plain data without live objects. */
export function serialiseStep(step: FlowStep): JsonObject {
  return serialiseBound(step.bound);
}

function serialiseBound({ model, code }: BoundStep): JsonObject {
  const live = liveNames(code);
  const members = membersOf(model);
  return {
    ...askedOf(model),
    ...(model.title === model.id ? {} : { title: model.title }),
    ...(model.timeoutMs === undefined ? {} : { timeoutMs: model.timeoutMs }),
    ...(model.retry.max === 0 ? {} : { retry: model.retry as unknown as JsonObject }),
    recovery: model.recovery,
    ...(model.preconditions.length === 0 ? {} : { preconditions: model.preconditions.map(({ name }) => name) }),
    ...(model.postconditions.length === 0 ? {} : { postconditions: model.postconditions.map(({ name }) => name) }),
    ...(Object.keys(live).length === 0 ? {} : { live }),
    ...(members.length === 0 ? {} : { members: members.map((member) => serialiseMember(member, code)) }),
  };
}

function serialiseMember(member: StepModel, code: StepCode): JsonObject {
  const own = code.members[member.id];
  return own === undefined ? askedOf(member) : serialiseBound({ model: member, code: own });
}

function liveNames(code: StepCode): JsonObject {
  const { run, context, agent, poll, reconcile } = code;
  const live = { run, context, agent, poll, reconcile };
  return Object.fromEntries(Object.entries(live).flatMap(([role, value]) => (value === undefined ? [] : [[role, nameOf(value)]])));
}

/** The value as human-readable data: JSON unchanged, everything else by its name. */
export function shownValue(value: unknown): Json {
  return shown(value, []);
}

function shown(value: unknown, parents: readonly object[]): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  if (typeof value !== 'object') return nameOf(value);
  if (parents.includes(value)) return '[circular]';
  if (parents.length >= SHOWN_DEPTH_MAX || ArrayBuffer.isView(value)) return nameOf(value);
  const inside = [...parents, value];
  if (Array.isArray(value)) return value.map((item) => shown(item, inside));
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function')
    return shown(customForm(value as { toJSON(key: string): unknown }), inside);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return nameOf(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, shown(member, inside)]));
}

function customForm(value: { toJSON(key: string): unknown }): unknown {
  try {
    return value.toJSON('');
  } catch {
    return nameOf(value);
  }
}

function nameOf(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? '[function]' : `[function ${value.name}]`;
  if (typeof value === 'object' && value !== null) return `[${value.constructor?.name ?? 'object'}]`;
  return `[${typeof value} ${String(value)}]`;
}
