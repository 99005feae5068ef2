// Owns account capacity: an account whose quota is used up is closed for every run and process on the store until it
// resets. No request goes to it meanwhile.

import { digestText } from '../../base/digest.ts';
import type { Refusal, Spawn } from '../../steps/worker/accounting.ts';
import type { Store } from '../../store/store.ts';

const UNKNOWN_RESET_MS = 300_000;
const RESET_MS_MIN = 1000;
/** Longer than any real reset; a later time was misread. */
const RESET_MS_MAX = 32 * 86_400_000;
const SPREAD_MS_MAX = 30_000;

/** Returns a refusal if the agent's account is closed. */
export async function closedFor(store: Store, spawn: Spawn, now: number): Promise<Refusal | undefined> {
  const closed = (await store.closedAccounts(now)).find(({ account }) => account === spawn.account);
  if (closed === undefined) return undefined;
  const { until, why } = closed;
  const message =
    `account "${spawn.account}" has no capacity until ${new Date(until).toISOString()}: ${why}; ` +
    `the run continues then; if there is capacity earlier, run "pawl resume ${spawn.run}"`;
  return { reason: 'quota', message, resumeAt: until + spreadOf(spawn, until - now) };
}

/**
 * Each agent that waits for the account comes back at a slightly different time after its reset, so that they do not
 * all return at once.
 */
function spreadOf({ run, path }: Spawn, waitMs: number): number {
  const share = Number.parseInt(digestText(`${run}/${path}`).slice(0, 8), 16) / 2 ** 32;
  return Math.round(share * Math.min(SPREAD_MS_MAX, waitMs / 10));
}

/** Closes the account of an agent that had no capacity, and returns until when. That agent is the first to try again. */
export async function closeFor(
  store: Store,
  spawn: Spawn,
  told: { readonly resumeAt: number | undefined; readonly why: string; readonly now: number },
): Promise<number> {
  const { resumeAt, why, now } = told;
  const isTime = resumeAt !== undefined && Number.isFinite(resumeAt) && resumeAt <= now + RESET_MS_MAX;
  const until = Math.max(isTime ? Math.round(resumeAt) : now + UNKNOWN_RESET_MS, now + RESET_MS_MIN);
  await store.closeAccount({ account: spawn.account, until, why });
  return until;
}
