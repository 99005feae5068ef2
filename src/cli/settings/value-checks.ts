// Owns checks of single values in the settings. Each returns what the value must be, if it is something else.

import { durationOf } from '../../base/duration.ts';
import { isJsonObject, type Json } from '../../base/json.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Fault } from './policy.ts';

/** A check of a value: undefined if it is valid; otherwise what it must be, or the fault inside it. */
export type ValueCheck = (value: Json) => string | Fault | undefined;

/** A check whose values must fit. */
export function must(fits: (value: Json) => boolean, expected: string): (value: Json) => string | undefined {
  return (value) => (fits(value) ? undefined : expected);
}

/** Whether a value is a list of texts that are not empty. */
export function isTexts(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '');
}

/** A check for an optional setting with a single value. */
export function only(word: string): ValueCheck {
  return must((value) => value === word, `"${word}" or absent`);
}

/** A check for a limit that `false` switches off. */
export function orOff(check: ValueCheck): ValueCheck {
  return (value) => (value === false ? undefined : check(value));
}

/** A check for a mapping with known fields; the fault of a field has its path. */
export function mapping(expected: string, fields: Readonly<Record<string, ValueCheck>>, required: readonly string[] = []): ValueCheck {
  const known = Object.keys(fields);
  return (value) => {
    if (!isJsonObject(value)) return expected;
    const unknown = Object.keys(value).find((name) => !known.includes(name));
    if (unknown !== undefined)
      return { path: [unknown], what: `is unknown${didYouMean(unknown, known)}; known settings: ${known.join(', ')}` };
    for (const [name, check] of Object.entries(fields)) {
      const wrong = value[name] === undefined && !required.includes(name) ? undefined : check(value[name] ?? null);
      if (typeof wrong === 'string') return { path: [name], what: `must be ${wrong}` };
      if (wrong !== undefined) return { ...wrong, path: [name, ...wrong.path] };
    }
    return undefined;
  };
}

/** A text that is not empty. */
export const text = must((value) => typeof value === 'string' && value !== '', 'a string that is not empty');
/** A number of things, at least one. */
export const count = must((value) => Number.isSafeInteger(value) && Number(value) >= 1, 'a whole number of at least 1');
/** A number of things. */
export const countOrZero = must((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number of at least 0');
/** A switch. */
export const flag = must((value) => typeof value === 'boolean', 'true or false');
/** A duration above zero. */
export const duration = must((value) => typeof value === 'string' && (durationOf(value) ?? 0) > 0, 'a duration, such as 60s');

/** `forge.commands`. */
export const forgeCommands = must(
  (value) => typeof value === 'boolean' || isTexts(value),
  'true, false, or a list of groups, such as [maintainers]',
);

const FORK = /^[A-Za-z0-9][A-Za-z0-9-]*(?:\/[\w.-]+)?$/;
/** `forge.forks`. */
export const forgeForks = must(
  (value) => isTexts(value) && (value as readonly string[]).every((one) => FORK.test(one)),
  'a list of owners or repositories at GitHub, such as [carol, acme/project]',
);

/** `forge.auth`. */
export const forgeAuth = must((value) => {
  if (value === 'gh') return true;
  if (!isJsonObject(value)) return false;
  const { token, app, private_key, installation, ...rest } = value;
  const isName = (name: Json | undefined): boolean => typeof name === 'string' && name !== '';
  const isNumber = (number: Json | undefined): boolean => Number.isSafeInteger(number) && Number(number) > 0;
  const isToken = isName(token) && app === undefined && private_key === undefined && installation === undefined;
  const isApp = token === undefined && (isNumber(app) || isName(app)) && isName(private_key);
  return (isToken || (isApp && (installation === undefined || isNumber(installation)))) && Object.keys(rest).length === 0;
}, 'gh, { token: SECRET } or { app: ID, private_key: SECRET }, where SECRET is the name of one under "secrets"');
