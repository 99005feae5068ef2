// Owns the accounting of an engine: an agent is admitted only if its account has capacity and no budget is used up, and
// its usage is recorded before its answer counts.

import type { AgentAnswer, AgentUsage } from '../agents/driver.ts';
import type { Accounting, Admission, Refusal, Spawn } from '../steps/accounting.ts';
import type { Store, Used } from '../store/store.ts';
import { type Budgets, budgetsOver, leftOf, shortageOf, unknownNotices } from './budgets.ts';
import type { Clock } from './clock.ts';
import { closedFor, closeFor } from './quota.ts';
import { openTranscript, type Transcript } from './transcripts.ts';

/** Dependencies of the accounting. */
export interface AccountingParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** The folder for transcripts. No transcripts are written without it. */
  readonly transcripts: string | undefined;
  readonly warn: (error: unknown) => void;
}

interface OpenParts extends AccountingParts {
  /** The rows of agents that work now. */
  readonly working: Set<number>;
}

/** Creates the accounting of an engine. */
export function createAccounting(parts: AccountingParts): Accounting {
  const open: OpenParts = { ...parts, working: new Set() };
  return { open: (spawn) => admit(open, spawn) };
}

async function admit(parts: OpenParts, spawn: Spawn): Promise<Admission | Refusal> {
  const { store, clock, budgets, working } = parts;
  const now = clock.now();
  const closed = await closedFor(store, spawn, now);
  if (closed !== undefined) return closed;
  const held = await budgetsOver(store, spawn, { budgets, now, working });
  const shortage = shortageOf(held);
  if (shortage !== undefined) return shortage;
  const { run, path, step, attempt, role, account } = spawn;
  const row = await store.beginUse({ run, path, step, attempt, role, account, at: now });
  working.add(row);
  const transcript = openTranscript(parts.transcripts, spawn, { now: () => clock.now(), warn: parts.warn });
  for (const text of unknownNotices(held)) transcript.add({ kind: 'notice', text });
  return {
    left: leftOf(held, spawn.budgets.attempt),
    onEvent: (event) => transcript.add(event),
    close: (answer) => settle(parts, spawn, { answer, row, since: now, transcript }),
  };
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
function knownOf({ inputTokens, outputTokens, costUsd, turns }: AgentUsage): Omit<Used, 'ms'> {
  const whole = Object.entries({ inputTokens, outputTokens, turns }).filter(
    ([, count]) => Number.isSafeInteger(count) && Number(count) >= 0,
  );
  const isCost = costUsd !== undefined && Number.isFinite(costUsd) && costUsd >= 0;
  return { ...Object.fromEntries(whole), ...(isCost ? { costUsd } : {}) };
}
