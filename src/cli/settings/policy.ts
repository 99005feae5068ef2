// Owns checking `review_policy` and `roles` in the settings. An error has the path of the wrong value.

import { type Check, firstOf, type RoleFault, roleFieldsFault, simple } from '../../agents/role-fields.ts';
import type { ReviewPolicy, ReviewRequirement, ReviewRule } from '../../authoring/review-policy.ts';
import { DEFAULT_REVIEW } from '../../authoring/review-policy.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import { eventProblem } from '../../definition/trigger/event.ts';

/** An error inside a value: its path, and a message that continues after the path. */
export type Fault = RoleFault;

/** Roles become step ids, so the same rules apply. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;
const COUNT_MAX = 20;

const text = simple((value) => typeof value === 'string' && value !== '', 'a string that is not empty');
const flag = simple((value) => typeof value === 'boolean', 'true or false');
const name = simple((value) => typeof value === 'string' && NAME.test(value), 'a name of letters, digits, "-" and "_"');
const count = simple(
  (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= COUNT_MAX,
  `a whole number from 1 to ${COUNT_MAX}`,
);

function list(item: Check, expected: string): Check {
  return (value, path) => {
    if (!Array.isArray(value) || value.length === 0) return { path, what: `must be a list of ${expected}` };
    return firstOf(value.map((entry: Json, index) => item(entry, [...path, index])));
  };
}

function fields(shape: Readonly<Record<string, Check>>, needed: readonly string[] = []): Check {
  const known = Object.keys(shape);
  return (value, path) => {
    if (!isJsonObject(value)) return { path, what: `must be a mapping with ${known.join(', ')}` };
    const unknown = Object.keys(value).find((key) => !known.includes(key));
    if (unknown !== undefined)
      return { path: [...path, unknown], what: `is unknown${didYouMean(unknown, known)}; known settings: ${known.join(', ')}` };
    const missing = needed.find((key) => value[key] === undefined);
    if (missing !== undefined) return { path: [...path, missing], what: 'is missing' };
    return firstOf(known.map((key) => (value[key] === undefined ? undefined : shape[key]?.(value[key], [...path, key]))));
  };
}

const requirements = list(fields({ role: name, count }, ['role']), 'requirements, such as [{ role: pr-review, count: 1 }]');
const rule = fields({ name, match: fields({ base_branch: text }), requirements, sequence: list(name, 'roles') }, ['name']);
const policy = fields({ enabled: flag, default_requirements: requirements, rules: list(rule, 'rules, each with a name') });

/** The first error of a review policy. */
export function policyFault(value: Json): Fault | undefined {
  // The second check relies on valid types.
  return policy(value, []) ?? consistencyFault(value as JsonObject & ReviewPolicy);
}

function consistencyFault({ default_requirements, rules = [] }: ReviewPolicy): Fault | undefined {
  const roles = duplicateRoleFault(default_requirements, ['default_requirements']);
  return roles ?? firstOf(rules.map((one, index) => ruleFault(one, ['rules', index], { rules, standard: default_requirements })));
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

const event: Check = (value, path) => {
  const wrong = text(value, path);
  const problem = wrong === undefined ? eventProblem(value as string) : undefined;
  return problem === undefined ? wrong : { path, what: `is "${String(value)}", but ${problem.message}; ${problem.hint}` };
};

const triggers = list(fields({ event, label: text }, ['event']), 'triggers, such as [{ event: issues.labeled, label: feature }]');

function roleName(role: string): Fault | undefined {
  return NAME.test(role) ? undefined : { path: [role], what: 'has triggers, so its name must consist of letters, digits, "-" and "_"' };
}

/** The first error in the roles. */
export function roleFault(value: Json): Fault | undefined {
  if (!isJsonObject(value)) return { path: [], what: 'must be a mapping of role names to settings' };
  return firstOf(
    Object.entries(value).map(([role, given]) => {
      if (!isJsonObject(given)) return { path: [role], what: 'must be a mapping, such as { triggers: [{ event: issues.labeled }] }' };
      const { triggers: own, ...rest } = given;
      // An agent that an event starts is a step named after its role.
      const fault = own === undefined ? undefined : (roleName(role) ?? triggers(own, [role, 'triggers']));
      if (fault !== undefined) return fault;
      const other = roleFieldsFault(rest);
      return other === undefined ? undefined : { ...other, path: [role, ...other.path] };
    }),
  );
}
