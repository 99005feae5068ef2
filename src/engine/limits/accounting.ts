// Owns the accounting of an engine: an agent is admitted only if its account has capacity and no budget is used up, and
// its usage is recorded before its answer counts. An account whose quota is used up is closed for every run and process on the
// store until it resets.

import type { AgentAnswer, AgentUsage } from '../../agents/driver.ts';
import { digestText } from '../../base/digest.ts';
import type { Accounting, Admission, Refusal, Spawn } from '../../steps/worker/accounting.ts';
import type { AgentUse, Store, UsedAmounts } from '../../store/store.ts';
import type { Clock } from '../clock.ts';
import { openTranscript, type Transcript } from '../transcript/transcripts.ts';
import { type Budgets, budgetsOver, remainingBudget, shortageOf, unknownNotices } from './budgets.ts';

/** Dependencies of the accounting. */
export interface AccountingParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** The folder for transcripts. No transcripts are written without it. */
  readonly transcripts: string | undefined;
  readonly warn: (error: unknown) => void;
  /** Called when an agent of a run used a tool. */
  readonly toolUsed?: (run: string) => void;
}

interface OpenParts extends AccountingParts {
  /** The ledger rows of agents that are running now. */
  readonly working: Set<number>;
}

/** Creates the accounting of an engine. */
export function createAccounting(parts: AccountingParts): Accounting {
  const open: OpenParts = { ...parts, working: new Set() };
  return { open: (spawn) => admit(open, spawn), reported: (spawn, ms) => recordReported(open, spawn, ms) };
}

async function admit(parts: OpenParts, spawn: Spawn): Promise<Admission | Refusal> {
  const { store, clock, budgets, working } = parts;
  const now = clock.now();
  const closed = await closedFor(store, spawn, now);
  if (closed !== undefined) return closed;
  const active = await budgetsOver(store, spawn, { budgets, now, working });
  const shortage = shortageOf(active);
  if (shortage !== undefined) return shortage;
  const left = remainingBudget(active, spawn.budgets.attempt);
  if (spawn.worker === 'handed') return { left, onEvent: () => undefined, close: async (answer) => answer };
  if (spawn.worker === 'object' && active.length === 0)
    return { left, onEvent: () => undefined, close: (answer) => recordKnown(parts, spawn, { answer, since: now }) };
  const row = await store.beginUse(useOf(spawn, now));
  working.add(row);
  const transcript = openTranscript(parts.transcripts, spawn, { now: () => clock.now(), warn: parts.warn });
  for (const text of unknownNotices(active)) transcript.add({ kind: 'notice', text });
  return {
    left,
    onEvent: (event) => {
      transcript.add(event);
      if (event.kind === 'tool') parts.toolUsed?.(spawn.run);
    },
    close: (answer) => settle(parts, spawn, { answer, row, since: now, transcript }),
  };
}

function useOf({ run, path, step, attempt, role, account }: Spawn, at: number): AgentUse {
  return { run, path, step, attempt, role, account, at };
}

/** Records the usage of an in-process agent that no budget limits, if it reported any. */
async function recordKnown(
  { store, clock }: AccountingParts,
  spawn: Spawn,
  { answer, since }: { readonly answer: AgentAnswer; readonly since: number },
): Promise<AgentAnswer> {
  const known = knownOf(answer.usage ?? {});
  if (Object.keys(known).length > 0)
    await store.endUse(await store.beginUse(useOf(spawn, since)), { ...known, ms: Math.max(0, Math.round(clock.now() - since)) });
  return answer;
}

async function recordReported({ store, clock, budgets, working }: OpenParts, spawn: Spawn, ms: number): Promise<void> {
  const now = clock.now();
  const active = await budgetsOver(store, spawn, { budgets, now, working });
  if (active.length > 0) await store.endUse(await store.beginUse(useOf(spawn, now)), { ms: Math.max(0, Math.round(ms)) });
}

interface Settling {
  readonly answer: AgentAnswer;
  readonly row: number;
  readonly since: number;
  readonly transcript: Transcript;
}

async function settle({ store, clock, working }: OpenParts, spawn: Spawn, settling: Settling): Promise<AgentAnswer> {
  const { answer, row, since, transcript } = settling;
  const now = clock.now();
  if (answer.kind === 'failed') transcript.add({ kind: 'notice', text: `the agent failed (${answer.failure}): ${answer.message}` });
  transcript.close();
  await store.endUse(row, { ...knownOf(answer.usage ?? {}), ms: Math.max(0, Math.round(now - since)) });
  working.delete(row);
  if (answer.kind !== 'failed' || answer.failure !== 'quota') return answer;
  return { ...answer, resumeAt: await closeFor(store, spawn, { resumeAt: answer.resumeAt, why: answer.message, now }) };
}

/** Usage as a driver reported it, without amounts that are not valid numbers: those count as unknown. */
function knownOf({ inputTokens, outputTokens, costUsd, turns }: AgentUsage): Omit<UsedAmounts, 'ms'> {
  const whole = Object.entries({ inputTokens, outputTokens, turns }).filter(
    ([, count]) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  const isCost = costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0;
  return { ...Object.fromEntries(whole), ...(isCost ? { costUsd } : {}) };
}

const UNKNOWN_RESET_MS = 300_000;
const RESET_MS_MIN = 1000;
/** Longer than any real reset; a later time was misread. */
const RESET_MS_MAX = 32 * 86_400_000;
const JITTER_MS_MAX = 30_000;

/** Returns a refusal if the agent's account is closed. */
async function closedFor(store: Store, spawn: Spawn, now: number): Promise<Refusal | undefined> {
  const closed = (await store.closedAccounts(now)).find(({ account }) => account === spawn.account);
  if (closed === undefined) return undefined;
  const { until, why } = closed;
  const message =
    `account "${spawn.account}" has no capacity until ${new Date(until).toISOString()}: ${why}; ` +
    `the run continues then; if there is capacity earlier, run "pawl resume ${spawn.run}"`;
  return { reason: 'quota', message, resumeAt: until + jitterOf(spawn, until - now) };
}

/**
 * Each agent that waits for the account tries again at a slightly different time after its reset, so that they do
 * not all return at the same time.
 */
function jitterOf({ run, path }: Spawn, waitMs: number): number {
  const fraction = Number.parseInt(digestText(`${run}/${path}`).slice(0, 8), 16) / 2 ** 32;
  return Math.round(fraction * Math.min(JITTER_MS_MAX, waitMs / 10));
}

/** Closes the account of an agent that had no capacity, and returns until when. That agent is the first to try again. */
async function closeFor(
  store: Store,
  spawn: Spawn,
  closing: { readonly resumeAt: number | undefined; readonly why: string; readonly now: number },
): Promise<number> {
  const { resumeAt, why, now } = closing;
  const isTime = resumeAt !== undefined && Number.isFinite(resumeAt) && resumeAt <= now + RESET_MS_MAX;
  const until = Math.max(isTime ? Math.round(resumeAt) : now + UNKNOWN_RESET_MS, now + RESET_MS_MIN);
  await store.closeAccount({ account: spawn.account, until, why });
  return until;
}
