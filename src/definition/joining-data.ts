// Owns what of the results of steps joins the data of a run.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { EndedMember } from './group-result.ts';
import { type KindFacts, traitsOf } from './kind.ts';
import type { StepModel } from './model.ts';
import type { OutcomeName } from './outcome.ts';

/** Whether the result of a step that ended so joins the run's data, or which of its fields do. */
export function joinsData(kinds: KindFacts['kinds'], { kind, merges }: StepModel, outcome: OutcomeName): boolean | readonly string[] {
  if (traitsOf({ kinds }, kind).joinsData !== true || outcome === 'error' || outcome === 'timeout') return false;
  // How a child failed is data where it is joined, not data of the run.
  if (kind === 'workflow' && outcome === 'fail') return false;
  return merges ?? true;
}

/** These fields of a result, as far as it has them. */
export function fieldsOf(value: Json, names: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const found = names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name] as Json] as const);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The results of members of a group that join the run's data; what failed members left behind does not. */
export function groupData(members: readonly EndedMember[]): JsonObject | undefined {
  const whole = members.filter(({ error, outcome }) => error === undefined || outcome === 'reject');
  const objects = whole.map((member) => member.output).filter(isJsonObject);
  return objects.length === 0 ? undefined : Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}

/** Data of steps without the names that are the engine's own. */
export function withoutOwnNames(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('$')));
}
