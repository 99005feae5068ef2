// Owns budgets: how much agents may use, in four amounts, and their validation.

/** What agents may use. A missing amount is not limited. */
export interface Budget {
  /** Input and output tokens. */
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
  /** The time in which agents work, summed. */
  readonly timeMs?: number;
}

/** The amounts of a budget, in the order of messages. */
export const AMOUNTS = ['tokens', 'costUsd', 'turns', 'timeMs'] as const;

/** One amount of a budget. */
export type Amount = (typeof AMOUNTS)[number];

/** Returns what is wrong with a budget, if anything: an unreadable limit must not be treated as unlimited. */
export function budgetFault(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'a budget must be an object of amounts';
  for (const [name, amount] of Object.entries(value)) {
    if (!AMOUNTS.some((known) => known === name)) return `"${name}" is not an amount; use ${AMOUNTS.join(', ')}`;
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

/** Adds two budgets. An amount that only one of them has is kept. */
export function addBudgets(one: Budget, other: Budget): Budget {
  const sum: Partial<Record<Amount, number>> = { ...one };
  for (const name of AMOUNTS) if (other[name] !== undefined) sum[name] = (sum[name] ?? 0) + other[name];
  return sum;
}
