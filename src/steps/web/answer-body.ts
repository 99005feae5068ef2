// Parses the body of a response if it is JSON, and compares it with expected data.

import { isJsonObject, type Json, parseJson } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';

/** The body as data if it is JSON, otherwise as text. */
export function bodyOf({ body }: { readonly body: string }): Json {
  const value = parseJson(body);
  return value === undefined ? body : value;
}

/**
 * The first difference between data and the expected data, or undefined. In an object only the expected fields are compared;
 * a list must have the same length; a text, a number, a boolean or null must be equal, not `"1"` for 1.
 */
export function differenceOf(expected: Json, found: Json | undefined, path = 'body'): string | undefined {
  if (found === undefined) return `${path} is missing`;
  if (Array.isArray(expected)) return listDifference(expected, found, path);
  if (isJsonObject(expected)) {
    if (!isJsonObject(found)) return `${path} is ${shown(found)}, but an object is expected`;
    for (const [key, member] of Object.entries(expected)) {
      const difference = differenceOf(member, Object.hasOwn(found, key) ? found[key] : undefined, `${path}.${key}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return found === expected ? undefined : `${path} is ${shown(found)}, but ${shown(expected)} is expected`;
}

function listDifference(expected: readonly Json[], found: Json, path: string): string | undefined {
  if (!Array.isArray(found) || found.length !== expected.length)
    return `${path} is ${shown(found)}, but a list of ${expected.length} is expected`;
  for (const [index, member] of expected.entries()) {
    const difference = differenceOf(member, found[index] as Json, `${path}[${index}]`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

const SHOWN_MAX = 80;

function shown(value: Json): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isJsonObject(value)) return 'an object';
  return shortText(JSON.stringify(value), SHOWN_MAX);
}
