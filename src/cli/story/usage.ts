// Owns how what agents used is told: tokens and cost, where they are known, and how much is not.

import type { AgentUsed, UsageTotal } from '../../store/store.ts';

/** What agents used. `costUsd` is null where nothing of it is known; with unknown attempts it is a part of the cost. */
export interface StoryUsage extends Omit<UsageTotal, 'costUsd'> {
  readonly costUsd: number | null;
}

/** The sums as a story has them; nothing where no agent was asked. */
export function usageOf(total: UsageTotal): StoryUsage | undefined {
  if (total.attempts === 0) return undefined;
  return { ...total, costUsd: total.unknownCost === total.attempts ? null : total.costUsd };
}

/** What was used at one path in one attempt; a crash may have let it begin more than once. */
export function usageAt(uses: readonly AgentUsed[], path: string, attempt: number): StoryUsage | undefined {
  const own = uses.filter((use) => use.path === path && use.attempt === attempt);
  return sumOf(own.map((use) => totalOf(use)));
}

function totalOf({ inputTokens, outputTokens, costUsd, turns = 0, ms = 0 }: AgentUsed): UsageTotal {
  return {
    attempts: 1,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    costUsd: costUsd ?? 0,
    turns,
    ms,
    unknownCost: costUsd === undefined ? 1 : 0,
    unknownTokens: inputTokens === undefined && outputTokens === undefined ? 1 : 0,
  };
}

const NOTHING: UsageTotal = {
  attempts: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  turns: 0,
  ms: 0,
  unknownCost: 0,
  unknownTokens: 0,
};

/** Several sums together. */
export function sumOf(totals: readonly (UsageTotal | StoryUsage | undefined)[]): StoryUsage | undefined {
  const sum: { -readonly [K in keyof UsageTotal]: number } = { ...NOTHING };
  for (const total of totals) for (const name of NAMES) sum[name] += total?.[name] ?? 0;
  return usageOf(sum);
}

const NAMES = Object.keys(NOTHING) as (keyof UsageTotal)[];

/** The cost, as a cell of a table: `$1.20`, `$1.20+` when a part of it is not known, `?` when nothing is. */
export function costText({ costUsd, unknownCost }: StoryUsage): string {
  return costUsd === null ? '?' : `${dollars(costUsd)}${unknownCost > 0 ? '+' : ''}`;
}

/** Tokens and cost in words; a sum with unknown parts never passes for the whole. */
export function usageText(usage: StoryUsage): string {
  const { inputTokens, outputTokens, attempts, unknownTokens, unknownCost, costUsd } = usage;
  const tokens = counted(inputTokens + outputTokens);
  const tokenText = unknownTokens === attempts ? '' : `${unknownTokens > 0 ? 'at least ' : ''}${tokens} tokens`;
  if (costUsd === null) return [tokenText, 'cost unknown'].filter((text) => text !== '').join(', ');
  const unknown = unknownCost === 0 ? '' : `, ${unknownCost} ${unknownCost === 1 ? 'attempt' : 'attempts'} unknown`;
  const cost = `${unknownCost > 0 ? 'at least ' : ''}${dollars(costUsd)}${unknown}`;
  return [tokenText, cost].filter((text) => text !== '').join(', ');
}

// What is more than nothing never reads as nothing.
function dollars(costUsd: number): string {
  return costUsd > 0 && costUsd < 0.005 ? '<$0.01' : `$${costUsd.toFixed(2)}`;
}

function counted(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
