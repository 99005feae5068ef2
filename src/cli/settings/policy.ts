// Checks `review_policy` and `roles` in the settings. An error has the path of the wrong value.

import { writtenRole } from '../../agents/role-fields.ts';
import type { ReviewPolicy, ReviewRequirement, ReviewRule } from '../../authoring/review-policy.ts';
import { DEFAULT_REVIEW } from '../../authoring/review-policy.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import {
  below,
  type Fault,
  firstOf,
  flag,
  list,
  type Mapping,
  type MappingFields,
  mapping,
  must,
  type Shape,
  table,
  text,
  wholeNumber,
  withRule,
} from '../../base/shape.ts';
import { eventProblem } from '../../definition/trigger/event.ts';

/** Roles become step ids, so the same rules apply. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const COUNT_MAX = 20;

const name = must<string>((value) => typeof value === 'string' && NAME.test(value), 'a name of letters, digits, "-" and "_"');

function fields<Known extends MappingFields, Required extends keyof Known & string>(
  known: Known,
  ...required: readonly Required[]
): Shape<Mapping<Known, Required>> {
  return mapping(known, { required, missing: 'is missing' });
}

const requirement = fields({ role: name, count: wholeNumber(1, COUNT_MAX) }, 'role');
const requirements = list(requirement, 'a list of requirements, such as [{ role: pr-review, count: 1 }]', { isFilled: true });
const sequence = list(name, 'a list of roles', { isFilled: true });
const rule = fields({ name, match: fields({ base_branch: text }), requirements, sequence }, 'name');
const rules = list(rule, 'a list of rules, each with a name', { isFilled: true });

/** A review policy. */
export const reviewPolicy: Shape<ReviewPolicy> = withRule(
  fields({ enabled: flag, default_requirements: requirements, rules }),
  consistencyFault,
);

function consistencyFault({ default_requirements, rules: all = [] }: ReviewPolicy): Fault | undefined {
  const duplicate = duplicateRoleFault(default_requirements, ['default_requirements']);
  return duplicate ?? firstOf(all.map((one, index) => ruleFault(one, ['rules', index], { rules: all, standard: default_requirements })));
}

function ruleFault(
  { name: called, requirements: own, sequence }: ReviewRule,
  path: Fault['path'],
  { rules, standard }: { readonly rules: readonly ReviewRule[]; readonly standard: readonly ReviewRequirement[] | undefined },
): Fault | undefined {
  if (called === DEFAULT_REVIEW) return { path: [...path, 'name'], what: `is "${called}", which is reserved for the default requirements` };
  if (rules.findIndex((other) => other.name === called) !== path[1])
    return {
      path: [...path, 'name'],
      what: `is "${called}", like another rule; names must be unique, because each rule becomes a workflow`,
    };
  const needed = own ?? standard;
  if (needed === undefined) return { path: [...path, 'requirements'], what: 'is missing, and there are no default_requirements' };
  const roles = needed.map(({ role }) => role);
  const extra = sequence?.findIndex((role, index) => !roles.includes(role) || sequence.indexOf(role) !== index) ?? -1;
  if (extra >= 0)
    return { path: [...path, 'sequence', extra], what: `is "${sequence?.[extra]}"; a sequence must have each required role once` };
  const left = sequence === undefined ? undefined : roles.find((role) => !sequence.includes(role));
  if (left !== undefined) return { path: [...path, 'sequence'], what: `does not have "${left}", which is required` };
  return duplicateRoleFault(own, [...path, 'requirements']);
}

function duplicateRoleFault(listed: readonly ReviewRequirement[] = [], path: Fault['path']): Fault | undefined {
  const second = listed.findIndex(({ role }, index) => listed.findIndex((other) => other.role === role) !== index);
  return second < 0
    ? undefined
    : { path: [...path, second, 'role'], what: `repeats "${listed[second]?.role}"; increase its count instead` };
}

const event = withRule(text, (value) => {
  const problem = eventProblem(value);
  return problem && { path: [], what: `is "${value}", but ${problem.message}; ${problem.hint}` };
});

const trigger = fields({ event, label: text }, 'event');
const triggers = list(trigger, 'a list of triggers, such as [{ event: issues.labeled, label: feature }]', { isFilled: true });

const NAMELESS: Fault = { path: [], what: 'has triggers, so its name must consist of letters, digits, "-" and "_"' };

/** The roles, by name. */
export const roles = table(
  'a mapping of role names to settings',
  (role): Shape<JsonObject> =>
    (setting) => {
      if (!isJsonObject(setting)) return { path: [], what: 'must be a mapping, such as { triggers: [{ event: issues.labeled }] }' };
      const { triggers: own, ...rest } = setting;
      // An agent that an event starts is a step named after its role.
      const fault = own === undefined ? undefined : NAME.test(role) ? below('triggers', triggers(own)) : NAMELESS;
      return fault ?? writtenRole(rest);
    },
);
