// Compiles a `parallel` step: its branches in a graph, one member per item in a flow.

import type { FlowMethodSpec, MethodArguments } from '../../authoring/flow/method.ts';
import { checkMember, invalid } from '../../authoring/flow/model.ts';
import { shownValue } from '../../authoring/flow/serial.ts';
import { readGroup } from '../../authoring/graph/join.ts';
import { BRANCHES, GROUP } from '../../authoring/graph/shape.ts';
import { codesOf, type KindCompiler } from '../../authoring/graph/work.ts';
import { anyShape, eitherShape, FLAG, listShape, objectShape } from '../../authoring/spec/shape.ts';
import type { Targets } from '../../authoring/spec/step.ts';
import { EngineError } from '../../base/error.ts';
import type { BoundStep } from '../../definition/code.ts';
import { itemKeys } from '../../definition/group/items.ts';
import { FAN_OUT_ITEMS_MAX } from '../../definition/scope/scope.ts';
import { markUsed } from '../../programs/flow-step.ts';
import { parallel as declaration } from './declare.ts';
import type { ParallelStep } from './spec.ts';

/** Compiles `parallel` steps. */
export const parallel: KindCompiler = {
  ...declaration,
  field: 'parallel',
  flow: { each: { most: 3, first: listShape(anyShape()), own: ['concurrency', 'key'], write: membersOf } },
  shapes: {
    parallel: eitherShape(
      FLAG,
      objectShape<object>({ branches: BRANCHES, ...GROUP }, { example: '{ branches: { lint: { … } } }', label: 'a parallel' }),
    ),
  },
  read({ parallel: given }, { step, readMember }) {
    const group = typeof given === 'object' ? given : { branches: [] };
    const members = (Array.isArray(group.branches) ? group.branches : []).map(([id, branch]) => readMember(branch, id));
    const models = members.map(({ model }) => model);
    return { work: { kind: 'parallel', members: models, ...readGroup(group, step, members.length) }, code: { members: codesOf(members) } };
  },
};

const MEMBER_KEY = /^[\w.@:+~-]{1,80}$/;

/** One member per item, named by the item's key, and the keys in the order of the items. */
function membersOf([items, body, given = {}]: MethodArguments<ParallelStep<never, never, Targets>, 'each'>, name: string): FlowMethodSpec {
  const { concurrency, key, ...options } = given;
  if (items.length > FAN_OUT_ITEMS_MAX)
    throw invalid(`step "${name}"`, `has ${items.length} items; a fan-out can have at most ${FAN_OUT_ITEMS_MAX}: split the list`);
  const keys = key === undefined ? itemKeys(items.map(shownValue)) : items.map((item, index) => memberKey(name, key(item, index)));
  checkDistinct(name, keys);
  const branches = items.map((item, index) => {
    const step = body(item, index);
    markUsed(step);
    const key = keys[index] as string;
    return [key, memberOf(name, step.bound, key)];
  });
  const receive = (sent: unknown) => keys.map((key) => (sent as Readonly<Record<string, unknown>> | null)?.[key] ?? null);
  return { fields: { parallel: { branches, concurrency } }, options, receive };
}

function memberOf(name: string, bound: BoundStep, id: string): BoundStep {
  checkMember(`step "${name}"`, bound);
  return { code: bound.code, model: Object.freeze({ ...bound.model, id }) };
}

function memberKey(name: string, key: string): string {
  if (MEMBER_KEY.test(key)) return key;
  throw invalid(
    `step "${name}"`,
    `has the item key ${JSON.stringify(key)}; a key must have 1 to 80 letters, digits or any of _ . @ : + ~ -`,
  );
}

function checkDistinct(name: string, keys: readonly string[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key))
      throw new EngineError('STEP_DUPLICATE', `step "${name}" has two items with the key "${key}"; return distinct keys from \`key\``);
    seen.add(key);
  }
}
