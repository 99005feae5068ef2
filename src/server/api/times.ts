// Owns times in requests and responses: ISO 8601 in UTC.

import { EngineError } from '../../base/error.ts';

/** Formats a time as ISO 8601. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** Parses the time of the field `name` in a query or body. */
export function timeOf(text: string, name: string): number;
export function timeOf(text: string | undefined, name: string): number | undefined;
export function timeOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw new EngineError('REQUEST_INVALID', `"${name}" must be a time such as 2026-01-31T12:00:00Z, not "${text}"`);
}
