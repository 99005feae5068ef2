// Owns the lifetimes of links and tokens: the defaults, and the allowed values.

import { durationOf } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';

/** How long each lasts by default. */
const LIFETIMES = { login: '15m', invite: '7d', decide: '24h', token: '90d' } as const;

const YEAR_MS = 366 * 24 * 60 * 60 * 1000;

/** Whether a text is an allowed duration. */
export function isDuration(text: string): boolean {
  return msIn(text) !== undefined;
}

/** The duration of a text, or the default one. */
export function lifetimeOf(text: string | undefined, kind: keyof typeof LIFETIMES): number {
  const ms = msIn(text ?? LIFETIMES[kind]);
  if (ms !== undefined) return ms;
  throw new EngineError('USAGE', `--expires must be a duration such as 12h, 30d or 52w, of at most a year, not "${text}"`);
}

function msIn(text: string): number | undefined {
  const ms = durationOf(text) ?? 0;
  return ms > 0 && ms <= YEAR_MS ? ms : undefined;
}
