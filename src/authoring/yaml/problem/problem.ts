// Owns the shape of a problem in a workflow file: a stable code, its position, a message and a hint.

import { shortText } from '../../../base/short-text.ts';
import type { FindingCode, Severity } from '../../../definition/validation/finding.ts';

/** One fault of a workflow file; lines and columns count from 1. */
export interface YamlProblem {
  readonly code: FindingCode;
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly hint?: string;
  readonly severity: Severity;
}

/** How many faults of one kind are reported; the rest appear once these are fixed. */
export const PROBLEMS_MAX = 100;

/** A fault without a position. */
export interface Fault {
  readonly code: FindingCode;
  readonly message: string;
  readonly hint?: string;
  readonly severity?: Severity;
}

/** The fault with a position. */
export function problemAt(place: { readonly line: number; readonly column: number }, fault: Fault): YamlProblem {
  const { code, message, hint, severity = 'error' } = fault;
  return { code, message, line: place.line, column: place.column, ...(hint === undefined ? {} : { hint }), severity };
}

/** Errors before warnings, each in the order of the file. */
export function bestFirst(problems: readonly YamlProblem[]): YamlProblem[] {
  const rank = ({ severity }: YamlProblem): number => (severity === 'error' ? 0 : 1);
  return [...problems].sort((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
}

/** A value for messages: short, on one line, with its type if the type matters. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'empty';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return value === '' ? 'an empty string' : quoted(value);
  return typeof value === 'number' ? `the number ${value}` : String(value);
}

const QUOTED_MAX = 60;

/** A string in quotes, shortened if it is long. */
export function quoted(text: string): string {
  return JSON.stringify(shortText(text, QUOTED_MAX));
}

const LISTED_MAX = 12;

/** Names in a row: `a, b and c`. */
export function listed(names: readonly string[], last = 'and'): string {
  if (names.length <= 1) return names.join('');
  if (names.length > LISTED_MAX) return `${names.slice(0, LISTED_MAX).join(', ')} and ${names.length - LISTED_MAX} more`;
  return `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}
