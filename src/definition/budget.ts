// Owns what a budget is: how much agents may use, in four amounts, and which of them cannot be meant.

/** What agents may use. An amount that is not there is not limited. */
export interface Budget {
  /** Tokens read and written. */
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly turns?: number;
  /** Time in which agents work, one after the other. */
  readonly timeMs?: number;
}

/** The amounts of a budget, in the order in which they are told. */
export const AMOUNTS = ['tokens', 'costUsd', 'turns', 'timeMs'] as const;

/** One amount of a budget. */
export type Amount = (typeof AMOUNTS)[number];

/** What is wrong with a budget; a limit that cannot be read must not be taken for none. */
export function budgetFault(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'a budget is an object of amounts';
  for (const [name, amount] of Object.entries(value)) {
    if (!AMOUNTS.some((known) => known === name)) return `it has no amount "${name}"; there are ${AMOUNTS.join(', ')}`;
    if (amount === undefined) continue;
    if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0 || amount > Number.MAX_SAFE_INTEGER)
      return `${name} is ${told(amount)}, and must be a number from 0 up`;
    if (name !== 'costUsd' && !Number.isInteger(amount)) return `${name} is ${amount}, and must be a whole number`;
  }
  return undefined;
}

function told(amount: unknown): string {
  return typeof amount === 'number' ? String(amount) : JSON.stringify(amount);
}

/** Both budgets together: amounts that one of them does not have are as the other says. */
export function addBudgets(one: Budget, other: Budget): Budget {
  const sum: Partial<Record<Amount, number>> = { ...one };
  for (const name of AMOUNTS) if (other[name] !== undefined) sum[name] = (sum[name] ?? 0) + other[name];
  return sum;
}
