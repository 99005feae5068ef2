// Owns times in requests and answers: ISO 8601 in UTC.

import { EngineError } from '../../base/error.ts';

/** A time as it is sent. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** The time of a query or a body; undefined if there is none. */
export function timeOf(text: string, name: string): number;
export function timeOf(text: string | undefined, name: string): number | undefined;
export function timeOf(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isFinite(time)) return time;
  throw new EngineError('REQUEST_INVALID', `"${name}" must be a time such as 2026-01-31T12:00:00Z, not "${text}"`);
}
