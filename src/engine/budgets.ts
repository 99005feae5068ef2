// Owns budgets: which of them an agent is under, how much of each is used, and what is left for it.
//
// G1. A budget of a run holds for all agents of the run and of the runs it starts; each of them is checked.
// G2. What is not known is not counted, and is told: a sum with unknown parts is "at least" so much, never "so much".
// G3. Sums come from the ledger of the store, so that a crash, a resume or another process changes nothing about them.

import { formatDuration } from '../base/duration.ts';
import { EngineError } from '../base/error.ts';
import { AMOUNTS, type Amount, type Budget, budgetFault } from '../definition/budget.ts';
import type { Refusal, Spawn } from '../steps/accounting.ts';
import type { Store, UsageQuery, UsageTotal } from '../store/store.ts';

/** What agents may use: in each run with the runs it starts, and in a day, which begins at midnight UTC. */
export interface Budgets {
  readonly run?: Budget;
  readonly day?: Budget;
}

/** A budget that an agent is under, with what is used of it. */
export interface Held {
  /** `the budget of run 7kq2`. */
  readonly what: string;
  readonly limit: Budget;
  readonly used: UsageTotal;
  /** How it goes on, when the amount is used up. */
  readonly wayOn: (amount: Amount) => string;
  readonly resumeAt?: number;
}

const DAY_MS = 86_400_000;

/** Refuses budgets that cannot be kept: a limit that cannot be read must not be taken for none. */
export function assertBudgets(budgets: Readonly<Record<string, Budget | undefined>>): void {
  for (const [what, budget] of Object.entries(budgets)) {
    const fault = budget === undefined ? undefined : budgetFault(budget);
    if (fault !== undefined) throw new EngineError('CONFIG_INVALID', `${what} cannot be kept: ${fault}`, { details: { what } });
  }
}

/** The budgets that an agent is under. */
export async function budgetsOver(store: Store, spawn: Spawn, scope: { readonly budgets: Budgets; readonly now: number }): Promise<Held[]> {
  const { run, role, budgets } = spawn;
  const { ancestors } = await store.family(run);
  const held = await Promise.all([run, ...ancestors].map((id) => heldByRun(store, id, { spawn, ...scope })));
  const since = scope.now - (scope.now % DAY_MS);
  const day = { since, resumeAt: since + DAY_MS };
  return [
    ...held.flat(),
    ...(await heldByDay(store, budgets.day, {
      ...day,
      role,
      what: `the budget of role "${role}" for a day`,
      setting: `budget.day of the role`,
    })),
    ...(await heldByDay(store, scope.budgets.day, { ...day, what: 'the budget of all runs for a day', setting: 'budgets.day' })),
  ];
}

interface RunScope {
  readonly spawn: Spawn;
  readonly budgets: Budgets;
}

/** The budgets of one run: its own, that of every run, and, for the run of the agent, that of its step. */
async function heldByRun(store: Store, run: string, { spawn, budgets }: RunScope): Promise<Held[]> {
  const { state, definition } = await store.load(run);
  const wayOn = (amount: Amount): string => `"pawl resume ${run} --budget ${OPTIONS[amount]}" lets it use more`;
  const hold = async (what: string, budget: Budget | undefined, query: UsageQuery): Promise<Held[]> => {
    if (budget === undefined) return [];
    return [{ what, limit: raised(budget, state.granted), used: await store.usage({ run, ...query }), wayOn }];
  };
  const whole = { withChildren: true };
  const own =
    run === spawn.run ? await hold(`the budget of step "${spawn.step}" in run ${run}`, stepBudget(spawn), { step: spawn.step }) : [];
  return [
    ...own,
    ...(await hold(`the budget of run ${run}`, definition.budget, whole)),
    ...(await hold(`the budget of every run, and so of run ${run},`, budgets.run, whole)),
  ];
}

const OPTIONS: Readonly<Record<Amount, string>> = { tokens: 'tokens=N', costUsd: 'cost_usd=N', turns: 'turns=N', timeMs: 'time=1h' };

// The step of a flow is known only when it runs.
function stepBudget({ step, budgets }: Spawn): Budget | undefined {
  assertBudgets({ [`the budget of step "${step}"`]: budgets.step });
  return budgets.step;
}

function raised(limit: Budget, granted: Budget | undefined): Budget {
  const amounts = AMOUNTS.flatMap((name) => (limit[name] === undefined ? [] : [[name, limit[name] + (granted?.[name] ?? 0)]]));
  return Object.fromEntries(amounts);
}

interface Day {
  readonly what: string;
  readonly setting: string;
  readonly role?: string;
  readonly since: number;
  readonly resumeAt: number;
}

async function heldByDay(store: Store, limit: Budget | undefined, { what, setting, resumeAt, ...query }: Day): Promise<Held[]> {
  if (limit === undefined) return [];
  const wayOn = (): string => `it begins anew at ${new Date(resumeAt).toISOString()}; more is allowed with ${setting}`;
  return [{ what, limit, used: await store.usage(query), wayOn, resumeAt }];
}

/** The first budget that is used up, as a refusal. One that no time renews comes first: it needs somebody. */
export function shortageOf(held: readonly Held[]): Refusal | undefined {
  const over = held.filter((budget) => usedUp(budget) !== undefined);
  const first = over.find(({ resumeAt }) => resumeAt === undefined) ?? over[0];
  if (first === undefined) return undefined;
  const amount = usedUp(first) as Amount;
  const { what, resumeAt } = first;
  const message = `${what} is used up: ${amountText(first, amount)}; ${first.wayOn(amount)}`;
  return { reason: 'budget', message, ...(resumeAt === undefined ? {} : { resumeAt }) };
}

function usedUp({ limit, used }: Held): Amount | undefined {
  return AMOUNTS.find((name) => limit[name] !== undefined && usedOf(used, name) >= limit[name]);
}

function usedOf({ inputTokens, outputTokens, costUsd, turns, ms }: UsageTotal, amount: Amount): number {
  return { tokens: inputTokens + outputTokens, costUsd, turns, timeMs: ms }[amount];
}

function amountText({ limit, used }: Held, amount: Amount): string {
  const [is, may] = [usedOf(used, amount), limit[amount] ?? 0];
  const unknown = unknownOf(used, amount);
  const told = {
    tokens: () => `${is} of ${may} tokens`,
    costUsd: () => `$${is.toFixed(2)} of $${may.toFixed(2)}`,
    turns: () => `${is} of ${may} turns`,
    timeMs: () => `${formatDuration(is)} of ${formatDuration(may)} of work`,
  };
  return unknown === 0 ? told[amount]() : `at least ${told[amount]()}, and what ${attempts(unknown)} used is not known`;
}

function unknownOf({ unknownCost, unknownTokens }: UsageTotal, amount: Amount): number {
  if (amount === 'costUsd') return unknownCost;
  return amount === 'tokens' ? unknownTokens : 0;
}

function attempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}

/** What is left for an agent under all of them: the least of each amount. */
export function leftOf(held: readonly Held[], attempt: Budget | undefined): Budget {
  const left: Partial<Record<Amount, number>> = { ...attempt };
  for (const { limit, used } of held)
    for (const name of AMOUNTS)
      if (limit[name] !== undefined) left[name] = Math.min(left[name] ?? Number.POSITIVE_INFINITY, limit[name] - usedOf(used, name));
  return left;
}

/** What must be said before an agent is asked: which budgets cannot count all that was used. */
export function unknownNotices(held: readonly Held[]): string[] {
  return held.flatMap((budget) =>
    AMOUNTS.filter((name) => budget.limit[name] !== undefined && unknownOf(budget.used, name) > 0).map(
      (name) => `${budget.what} has a part that is not known: ${amountText(budget, name)}; the other amounts hold as they are`,
    ),
  );
}
