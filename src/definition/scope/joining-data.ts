// Selects the parts of step results that join the data of a run.

import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { isReservedName } from '../../base/reserved-name.ts';
import type { EndedMember } from '../group/group-result.ts';
import { type KindFacts, traitsOf } from '../kind.ts';
import type { StepModel } from '../model.ts';
import type { OutcomeName } from '../outcome.ts';

/** Whether the result of a step with this outcome joins the run's data, or which of its fields do. */
export function joinsData(kinds: KindFacts['kinds'], { kind, merges }: StepModel, outcome: OutcomeName): boolean | readonly string[] {
  if (traitsOf({ kinds }, kind).joinsData !== true || outcome === 'error' || outcome === 'timeout') return false;
  // A child's failure is data for the join, not for the run.
  if (kind === 'workflow' && outcome === 'fail') return false;
  return merges ?? true;
}

/** The given fields of a result that exist. */
export function fieldsOf(value: Json, names: readonly string[]): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const found = names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name] as Json] as const);
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The results of a group's members that join the run's data; those of failed members do not. */
export function groupData(members: readonly EndedMember[]): JsonObject | undefined {
  const whole = members.filter(({ error, outcome }) => error === undefined || outcome === 'reject');
  const objects = whole.map((member) => member.output).filter(isJsonObject);
  return objects.length === 0 ? undefined : Object.fromEntries(objects.flatMap((object) => Object.entries(object)));
}

/** The data of a step's result without the names that are the engine's own; a result that is no object has none. */
export function withoutOwnNames(value: Json): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isReservedName(name)));
}
