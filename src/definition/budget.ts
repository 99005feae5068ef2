// Owns budgets: how much agents may use, in four amounts, what happens when usage is not known, their form in files, and
// their validation.

import { parseDuration, writeDuration } from '../base/duration.ts';
import { omitUndefined } from '../base/fields.ts';
import type { JsonObject } from '../base/json.ts';
import { camel, snake } from '../base/letter-case.ts';

/** Limits on what agents may use. A missing amount is not limited. */
export interface Budget {
  /** Input and output tokens. */
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
  /** The total working time of agents. */
  readonly timeMs?: number;
  /**
   * What happens after an attempt whose usage of a limited amount is not known: `stop` starts no further agent until a
   * person allows it, `count` continues with the known amounts. Default: `stop`.
   */
  readonly unknown?: UnknownUsage;
}

/** A budget in a file. */
export interface WrittenBudget {
  readonly tokens?: number | undefined;
  readonly cost_usd?: number | undefined;
  readonly turns?: number | undefined;
  readonly time?: string | undefined;
  readonly unknown?: UnknownUsage | undefined;
}

/** The budget of a file. */
export function readWrittenBudget({ time, ...others }: WrittenBudget): Budget {
  return omitUndefined({ ...camel(others), timeMs: time === undefined ? undefined : parseDuration(time, 'time') });
}

/** A budget as files write it. */
export function writeBudget({ timeMs, ...others }: Budget): JsonObject {
  return omitUndefined({ ...snake(others), time: timeMs === undefined ? undefined : writeDuration(timeMs) });
}

/** How a budget treats unknown usage. */
export type UnknownUsage = 'stop' | 'count';

/** The values of `unknown`. */
const UNKNOWN_USAGE: readonly string[] = ['stop', 'count'] satisfies UnknownUsage[];

/** The amounts of a budget, in the order of messages. */
export const AMOUNTS = ['tokens', 'costUsd', 'turns', 'timeMs'] as const;

/** One amount of a budget. */
export type Amount = (typeof AMOUNTS)[number];

/** Returns what is wrong with a budget, if anything: an unreadable limit must not be treated as unlimited. */
export function budgetFault(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'a budget must be an object of amounts';
  for (const [name, amount] of Object.entries(value)) {
    if (name === 'unknown') {
      if (amount !== undefined && !UNKNOWN_USAGE.includes(amount)) return `unknown must be "stop" or "count", not ${shown(amount)}`;
      continue;
    }
    if (!AMOUNTS.some((known) => known === name)) return `"${name}" is not an amount; use ${AMOUNTS.join(', ')} or unknown`;
    if (amount === undefined) continue;
    if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0 || amount > Number.MAX_SAFE_INTEGER)
      return `${name} must be a number of at least 0, not ${shown(amount)}`;
    if (name !== 'costUsd' && !Number.isInteger(amount)) return `${name} must be a whole number, not ${amount}`;
  }
  return undefined;
}

function shown(amount: unknown): string {
  return typeof amount === 'number' ? String(amount) : JSON.stringify(amount);
}

/** Adds two budgets. An amount that only one of them has is kept; the second decides about unknown usage. */
export function addBudgets(first: Budget, second: Budget): Budget {
  const sum: Partial<Record<Amount, number>> = {};
  for (const name of AMOUNTS)
    if (first[name] !== undefined || second[name] !== undefined) sum[name] = (first[name] ?? 0) + (second[name] ?? 0);
  const unknown = second.unknown ?? first.unknown;
  return { ...sum, ...(unknown === undefined ? {} : { unknown }) };
}
