// Owns budgets: which ones apply to an agent, how much of each is used, and how much is left.
//
// - A run's budget covers all agents of the run and of the runs it starts; each of them is checked.
// - Unknown usage is never counted as zero. Unless the budget says `unknown: count`, no agent starts after an attempt
//   whose usage of a limited amount is unknown; with it, a sum with unknown parts is "at least" an amount.
// - Sums come from the store's ledger, so a crash, a resume or another process does not change them.

import { formatDuration } from '../../base/duration.ts';
import { EngineError } from '../../base/error.ts';
import { AMOUNTS, type Amount, type Budget, budgetFault } from '../../definition/budget.ts';
import type { Refusal, Spawn } from '../../steps/worker/accounting.ts';
import type { Store, UsageQuery, UsageTotal, WorkingAgents } from '../../store/store.ts';

/** Limits on what agents may use: per run including the runs it starts, and per day. A day starts at midnight UTC. */
export interface Budgets {
  readonly run?: Budget | undefined;
  readonly day?: Budget | undefined;
}

/** A budget that applies to an agent, with its usage so far. */
export interface ActiveBudget {
  /** The name in messages, such as `the budget of run 7kq2`. */
  readonly name: string;
  readonly limit: Budget;
  readonly used: UsageTotal;
  /** Returns what to do when the amount is used up. */
  readonly advice: (amount: Amount) => string;
  /** What to do to continue although usage is unknown. */
  readonly counting: string;
  readonly resumeAt?: number;
}

const DAY_MS = 86_400_000;

/** Throws on an invalid budget: an unreadable limit must not be treated as unlimited. */
export function assertBudgets(budgets: Readonly<Record<string, Budget | undefined>>): void {
  for (const [name, budget] of Object.entries(budgets)) {
    const fault = budget === undefined ? undefined : budgetFault(budget);
    if (fault !== undefined) throw new EngineError('CONFIG_INVALID', `${name} is invalid: ${fault}`, { details: { what: name } });
  }
}

/** Returns the budgets that apply to an agent. */
export async function budgetsOver(
  store: Store,
  spawn: Spawn,
  scope: { readonly budgets: Budgets; readonly now: number; readonly working: ReadonlySet<number> },
): Promise<ActiveBudget[]> {
  const { run, role, budgets } = spawn;
  const { ancestors } = await store.tree(run);
  const working = { run, rows: [...scope.working] };
  const active = await Promise.all([run, ...ancestors].map((id) => runBudgets(store, id, { spawn, working, budgets: scope.budgets })));
  const since = scope.now - (scope.now % DAY_MS);
  const day = { since, resumeAt: since + DAY_MS, working };
  return [
    ...active.flat(),
    ...(await dayBudgets(store, budgets.day, {
      ...day,
      role,
      name: `the daily budget of role "${role}"`,
      setting: `the role's budget.day`,
    })),
    ...(await dayBudgets(store, scope.budgets.day, { ...day, name: 'the daily budget of all runs', setting: 'budgets.day' })),
  ];
}

interface RunScope {
  readonly spawn: Spawn;
  readonly budgets: Budgets;
  readonly working: WorkingAgents;
}

/** The budgets of one run: its own, the one for every run, and, for the agent's own run, the one of its step. */
async function runBudgets(store: Store, run: string, { spawn, budgets, working }: RunScope): Promise<ActiveBudget[]> {
  const { state, definition } = await store.load(run);
  const advice = (amount: Amount): string => `"pawl resume ${run} --budget ${OPTIONS[amount]}" allows more`;
  const counting = `"pawl resume ${run} --budget unknown=count" continues with the known amounts`;
  const measure = async (name: string, budget: Budget | undefined, query: UsageQuery): Promise<ActiveBudget[]> => {
    if (budget === undefined) return [];
    return [{ name, limit: raised(budget, state.granted), used: await store.usage({ run, working, ...query }), advice, counting }];
  };
  const whole = { withChildren: true };
  const { step, role } = spawn;
  const own = run === spawn.run ? await measure(`the budget of step "${step}" in run ${run}`, stepBudget(spawn), { step }) : [];
  const ofAttempt = run === spawn.run ? await measure(`the budget of an attempt by role "${role}"`, spawn.budgets.attempt, { role }) : [];
  return [
    ...own,
    // The usage of other attempts does not count here, but whether it was known does.
    ...ofAttempt.map((budget) => ({ ...budget, used: { ...budget.used, ...NOTHING_USED } })),
    ...(await measure(`the budget of run ${run}`, definition.budget, whole)),
    ...(await measure(`the per-run budget of run ${run}`, budgets.run, whole)),
  ];
}

const OPTIONS: Readonly<Record<Amount, string>> = { tokens: 'tokens=N', costUsd: 'cost_usd=N', turns: 'turns=N', timeMs: 'time=1h' };

// A flow's step, and so its budget, is only known when it runs.
function stepBudget({ step, budgets }: Spawn): Budget | undefined {
  assertBudgets({ [`the budget of step "${step}"`]: budgets.step });
  return budgets.step;
}

function raised(limit: Budget, granted: Budget | undefined): Budget {
  const amounts = AMOUNTS.flatMap((name) => (limit[name] === undefined ? [] : [[name, limit[name] + (granted?.[name] ?? 0)]]));
  const unknown = granted?.unknown ?? limit.unknown;
  return { ...Object.fromEntries(amounts), ...(unknown === undefined ? {} : { unknown }) };
}

const NOTHING_USED = { inputTokens: 0, outputTokens: 0, costUsd: 0, turns: 0, ms: 0 };

interface Day {
  readonly name: string;
  readonly setting: string;
  readonly role?: string;
  readonly since: number;
  readonly resumeAt: number;
  readonly working: WorkingAgents;
}

async function dayBudgets(store: Store, limit: Budget | undefined, { name, setting, resumeAt, ...query }: Day): Promise<ActiveBudget[]> {
  if (limit === undefined) return [];
  const advice = (): string => `it resets at ${new Date(resumeAt).toISOString()}; raise ${setting} to allow more`;
  const counting = `set "unknown: count" in ${setting} to continue with the known amounts`;
  return [{ name, limit, used: await store.usage(query), advice, counting, resumeAt }];
}

/**
 * Returns the first budget that is used up, as a refusal. Budgets that do not reset by themselves come first, because a
 * person has to act.
 */
export function shortageOf(active: readonly ActiveBudget[]): Refusal | undefined {
  const over = active.filter((budget) => usedUp(budget) !== undefined || unknownIn(budget) !== undefined);
  const first = over.find(({ resumeAt }) => resumeAt === undefined) ?? over[0];
  if (first === undefined) return undefined;
  const { resumeAt } = first;
  return { reason: 'budget', message: shortageText(first), ...(resumeAt === undefined ? {} : { resumeAt }) };
}

function shortageText(budget: ActiveBudget): string {
  const amount = usedUp(budget);
  if (amount !== undefined) return `${budget.name} is used up: ${amountText(budget, amount)}; ${budget.advice(amount)}`;
  const unknown = unknownIn(budget) as Amount;
  const count = unknownOf(budget.used, unknown);
  return `${budget.name} cannot be enforced: it is not known how ${MEASURES[unknown]} ${attempts(count)} used; ${budget.counting}`;
}

const MEASURES: Readonly<Record<Amount, string>> = {
  tokens: 'many tokens',
  costUsd: 'much money',
  turns: 'many turns',
  timeMs: 'much time',
};

/** The first limited amount whose usage is unknown, unless the budget says `unknown: count`. */
function unknownIn({ limit, used }: ActiveBudget): Amount | undefined {
  return limit.unknown === 'count' ? undefined : AMOUNTS.find((name) => limit[name] !== undefined && unknownOf(used, name) > 0);
}

function usedUp({ limit, used }: ActiveBudget): Amount | undefined {
  return AMOUNTS.find((name) => limit[name] !== undefined && usedOf(used, name) >= limit[name]);
}

function usedOf({ inputTokens, outputTokens, costUsd, turns, ms }: UsageTotal, amount: Amount): number {
  return { tokens: inputTokens + outputTokens, costUsd, turns, timeMs: ms }[amount];
}

function amountText({ limit, used }: ActiveBudget, amount: Amount): string {
  const [is, may] = [usedOf(used, amount), limit[amount] ?? 0];
  const unknown = unknownOf(used, amount);
  const texts = {
    tokens: () => `${is} of ${may} tokens`,
    costUsd: () => `$${is.toFixed(2)} of $${may.toFixed(2)}`,
    turns: () => `${is} of ${may} turns`,
    timeMs: () => `${formatDuration(is)} of ${formatDuration(may)} of work`,
  };
  return unknown === 0 ? texts[amount]() : `at least ${texts[amount]()}; the usage of ${attempts(unknown)} is unknown`;
}

function unknownOf({ unknownCost, unknownTokens, unknownTurns }: UsageTotal, amount: Amount): number {
  return { tokens: unknownTokens, costUsd: unknownCost, turns: unknownTurns, timeMs: 0 }[amount];
}

function attempts(count: number): string {
  return count === 1 ? '1 attempt' : `${count} attempts`;
}

/** Returns what is left for an agent: the smallest remainder of each amount over all its budgets. */
export function remainingBudget(active: readonly ActiveBudget[], attempt: Budget | undefined): Budget {
  const { unknown: _, ...amounts } = attempt ?? {};
  const left: Partial<Record<Amount, number>> = { ...amounts };
  for (const { limit, used } of active)
    for (const name of AMOUNTS)
      if (limit[name] !== undefined) left[name] = Math.min(left[name] ?? Number.POSITIVE_INFINITY, limit[name] - usedOf(used, name));
  return left;
}

/** Returns a notice for each budget whose usage is only partly known. */
export function unknownNotices(active: readonly ActiveBudget[]): string[] {
  return active.flatMap((budget) =>
    AMOUNTS.filter((name) => budget.limit[name] !== undefined && unknownOf(budget.used, name) > 0).map(
      (name) => `${budget.name} cannot count all usage: ${amountText(budget, name)}; its other amounts are exact`,
    ),
  );
}
