// Owns the masking of secrets in data that leaves an attempt: every text in it, keys included.

import type { Json, JsonObject } from '../base/json.ts';
import type { Redactor } from '../process/redact.ts';

/** The same data without secrets. */
export function redactJson<T extends Json | undefined>(redactor: Redactor | undefined, value: T): T {
  return redactor === undefined || value === undefined ? value : (masked(redactor, value) as T);
}

function masked(redactor: Redactor, value: Json): Json {
  if (typeof value === 'string') return redactor.text(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => masked(redactor, item));
  const members = Object.entries(value as JsonObject).map(([key, member]) => [redactor.text(key), masked(redactor, member)] as const);
  return Object.fromEntries(members);
}
