// Reads the messages of agents' programs: one JSON object per line, any field of which may be missing or have another type.

import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../base/json.ts';

/** Parses the message in a line. Returns undefined for other lines: programs print banners and notices, too. */
export function parseMessage(line: string): JsonObject | undefined {
  return line.trimStart().startsWith('{') ? parseJsonObject(line) : undefined;
}

/** Returns the value at a path of a message, or undefined. */
export function valueAt(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = value;
  for (const key of path) found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

/** Returns the string at a path of a message, or undefined. */
export function textAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** Returns the number at a path of a message, or undefined. */
export function numberAt(value: Json | undefined, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** Returns the object at a path of a message, or an empty one. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
}

/** Returns the list at a path of a message, or an empty one. */
export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}
