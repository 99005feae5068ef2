// Owns the accounting of an engine: an agent is admitted only if its account has capacity and no budget is used up, and
// its usage is recorded before its answer counts.

import type { AgentAnswer, AgentUsage } from '../../agents/driver.ts';
import type { Accounting, Admission, Refusal, Spawn } from '../../steps/worker/accounting.ts';
import type { AgentUse, Store, UsedAmounts } from '../../store/store.ts';
import type { Clock } from '../clock.ts';
import { openTranscript, type Transcript } from '../transcript/transcripts.ts';
import { type Budgets, budgetsOver, leftOf, shortageOf, unknownNotices } from './budgets.ts';
import { closedFor, closeFor } from './quota.ts';

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
  const held = await budgetsOver(store, spawn, { budgets, now, working });
  const shortage = shortageOf(held);
  if (shortage !== undefined) return shortage;
  const left = leftOf(held, spawn.budgets.attempt);
  if (spawn.worker === 'handed') return { left, onEvent: () => undefined, close: async (answer) => answer };
  if (spawn.worker === 'object' && held.length === 0)
    return { left, onEvent: () => undefined, close: (answer) => recordKnown(parts, spawn, { answer, since: now }) };
  const row = await store.beginUse(useOf(spawn, now));
  working.add(row);
  const transcript = openTranscript(parts.transcripts, spawn, { now: () => clock.now(), warn: parts.warn });
  for (const text of unknownNotices(held)) transcript.add({ kind: 'notice', text });
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
  const held = await budgetsOver(store, spawn, { budgets, now, working });
  if (held.length > 0) await store.endUse(await store.beginUse(useOf(spawn, now)), { ms: Math.max(0, Math.round(ms)) });
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
