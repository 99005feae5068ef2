// Owns circuit breakers: limits that stop a run that goes on for too long, whatever its steps allow. Then a person decides.

import { parseDuration } from '../base/duration.ts';
import { omitUndefined } from '../base/fields.ts';
import { didYouMean } from '../base/suggest.ts';

/** The limits of a run. A missing one is not enforced. */
export interface Breakers {
  /** How often one step is visited. */
  readonly iterations?: number;
  /** The tool calls of its agents, if their drivers report them. */
  readonly toolCalls?: number;
  /** The turns of its agents, if their drivers report them. */
  readonly turns?: number;
  /** The total time that its steps have been running. */
  readonly activeMs?: number;
  /** The time without any activity. */
  readonly sleepMs?: number;
}

/** The limits that apply unless a workflow or the settings set others. */
const DEFAULT_BREAKERS: Required<Breakers> = {
  iterations: 5,
  toolCalls: 200,
  turns: 50,
  activeMs: 2 * 3_600_000,
  sleepMs: 24 * 3_600_000,
};

/** Their names, in the order of messages. */
export const BREAKERS = Object.keys(DEFAULT_BREAKERS) as readonly (keyof Breakers)[];

/** The share of a limit from which people are warned. */
export const WARNED_FROM = 0.8;

/** Limits as an author writes them: `true` for the defaults, or the values that differ; `false` turns one off. */
export type BreakersSpec = true | { readonly [Name in keyof Breakers]?: number | false };

/** The limits of a spec, with defaults filled in. */
export function breakersOf(spec: BreakersSpec | undefined): Breakers | undefined {
  if (spec === undefined) return undefined;
  const written = spec === true ? {} : spec;
  const all = Object.entries({ ...DEFAULT_BREAKERS, ...written }).filter(([, limit]) => limit !== false && limit !== undefined);
  return Object.fromEntries(all) as Breakers;
}

/** Limits as files write them. */
interface WrittenBreakers {
  readonly max_iterations?: number | false | undefined;
  readonly max_tool_calls?: number | false | undefined;
  readonly max_turns?: number | false | undefined;
  readonly max_active?: string | false | undefined;
  readonly max_sleep?: string | false | undefined;
}

/** The limits of a file. */
export function readBreakers(written: true | WrittenBreakers): BreakersSpec {
  if (written === true) return true;
  const { max_iterations: iterations, max_tool_calls: toolCalls, max_turns: turns, max_active: active, max_sleep: sleep } = written;
  const time = (value: string | false | undefined): number | false | undefined =>
    typeof value === 'string' ? parseDuration(value, 'a circuit breaker') : value;
  return omitUndefined({ iterations, toolCalls, turns, activeMs: time(active), sleepMs: time(sleep) });
}

/** Returns what is wrong with limits, if anything: an unreadable limit must not be treated as none. */
export function breakersFault(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'circuit breakers must be an object of limits';
  for (const [name, limit] of Object.entries(value)) {
    if (!BREAKERS.includes(name as keyof Breakers))
      return `there is no limit "${name}"${didYouMean(name, BREAKERS)}; use ${BREAKERS.join(', ')}`;
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
      return `${name} must be a whole number of at least 1, not ${String(limit)}`;
  }
  return undefined;
}
