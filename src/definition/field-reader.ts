// Parses the configuration of a step or a check: each field is read with its type, and one of another type is reported
// and left out. So no code has to assert the type of an author's value.

import { isJsonObject } from '../base/json.ts';
import { type Budget, budgetFault } from './budget.ts';
import { isCount, type KindReport } from './kind.ts';

/** The fault of a field with another type, and what to write instead. */
type FieldFault = readonly [message: string, hint: string];

/** Returns a field that has the type; another one is reported and undefined. */
type ReadField = <T>(
  field: string,
  is: (value: unknown) => value is T,
  fault: FieldFault | ((value: unknown) => FieldFault),
) => T | undefined;

/** How the fields of a configuration are read. */
export interface FieldReader {
  readonly optional: ReadField;
  /** Reports an absent field as well. */
  readonly required: ReadField;
}

/** Reads the fields of an object; anything else has none. `unread` returns the names of the others. */
export function fieldReader(input: unknown, report: KindReport): FieldReader & { unread(): readonly string[] } {
  const fields: Readonly<Record<string, unknown>> = isJsonObject(input) ? input : {};
  const asked = new Set<string>();
  const required: ReadField = (field, is, fault) => {
    asked.add(field);
    const value = fields[field];
    if (is(value)) return value;
    report.fault(...(typeof fault === 'function' ? fault(value) : fault));
    return undefined;
  };
  return {
    required,
    optional: (field, is, fault) => (fields[field] === undefined ? undefined : required(field, is, fault)),
    unread: () => Object.keys(fields).filter((field) => fields[field] !== undefined && !asked.has(field)),
  };
}

/** True for `true` and `false`. */
export function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** Whether a value is a whole number of at least `least`. */
export function countFrom(least: number): (value: unknown) => value is number {
  return (value) => isCount(value, least);
}

/** Whether a value is one of these. */
export function oneOf<const Value>(...values: readonly Value[]): (value: unknown) => value is Value {
  return (value): value is Value => values.some((option) => option === value);
}

/** True for an object of strings. */
export function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

/** Reads the budget of a step. */
export function readBudget({ optional }: FieldReader): Budget | undefined {
  const isBudget = (value: unknown): value is Budget => budgetFault(value) === undefined;
  return optional('budget', isBudget, (value) => [
    `\`budget\` is invalid: ${budgetFault(value)}`,
    'write an amount that is allowed, or remove it',
  ]);
}
