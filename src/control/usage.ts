// Formats the usage of agents: tokens and cost, and how much of them is unknown.

import { NO_USAGE, type RecordedAgentUse, type UsageTotal } from '../store/store.ts';
import type { UsageReport } from './schema/value.ts';

/** The totals for a report; undefined if no agent ran. */
export function usageOf(total: UsageTotal): UsageReport | undefined {
  if (total.attempts === 0) return undefined;
  return { ...total, costUsd: total.unknownCost === total.attempts ? null : total.costUsd };
}

/** The usage of one attempt at one path; after a crash it may have started more than once. */
export function usageAt(uses: readonly RecordedAgentUse[], path: string, attempt: number): UsageReport | undefined {
  return usageOfAll(uses.filter((use) => use.path === path && use.attempt === attempt));
}

/** The usage of several attempts together; undefined if there are none. */
export function usageOfAll(uses: readonly RecordedAgentUse[]): UsageReport | undefined {
  return sumOf(uses.map((use) => totalOf(use)));
}

function totalOf({ inputTokens, outputTokens, costUsd, turns, ms = 0 }: RecordedAgentUse): UsageTotal {
  return {
    attempts: 1,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    costUsd: costUsd ?? 0,
    turns: turns ?? 0,
    ms,
    unknownCost: costUsd === undefined ? 1 : 0,
    unknownTokens: inputTokens === undefined && outputTokens === undefined ? 1 : 0,
    unknownTurns: turns === undefined ? 1 : 0,
  };
}

/** Adds up several totals. */
export function sumOf(totals: readonly (UsageTotal | UsageReport | undefined)[]): UsageReport | undefined {
  const sum: { -readonly [K in keyof UsageTotal]: number } = { ...NO_USAGE };
  const names = Object.keys(sum) as (keyof UsageTotal)[];
  for (const total of totals) for (const name of names) sum[name] += total?.[name] ?? 0;
  return usageOf(sum);
}

/** The cost as a table cell: `$1.20`, `$1.20+` if part of it is unknown, `?` if all of it is. */
export function costText({ costUsd, unknownCost }: UsageReport): string {
  return costUsd === null ? '?' : `${dollars(costUsd)}${unknownCost > 0 ? '+' : ''}`;
}

/** Tokens and cost as text; a total with unknown parts says so. */
export function usageText(usage: UsageReport): string {
  const { inputTokens, outputTokens, attempts, unknownTokens, unknownCost, costUsd } = usage;
  const tokens = counted(inputTokens + outputTokens);
  const tokenText = unknownTokens === attempts ? '' : `${unknownTokens > 0 ? 'at least ' : ''}${tokens} tokens`;
  if (costUsd === null) return [tokenText, 'cost unknown'].filter((text) => text !== '').join(', ');
  const unknown = unknownCost === 0 ? '' : `, ${unknownCost} ${unknownCost === 1 ? 'attempt' : 'attempts'} unknown`;
  const cost = `${unknownCost > 0 ? 'at least ' : ''}${dollars(costUsd)}${unknown}`;
  return [tokenText, cost].filter((text) => text !== '').join(', ');
}

// An amount above zero is never printed as zero.
function dollars(costUsd: number): string {
  return costUsd > 0 && costUsd < 0.005 ? '<$0.01' : `$${costUsd.toFixed(2)}`;
}

function counted(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
