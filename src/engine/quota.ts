// Owns capacity as a state: an account whose quota is used up is closed for every run and process on the store, until
// its reset; nothing is asked of it meanwhile.

import { digestText } from '../base/digest.ts';
import type { Refusal, Spawn } from '../steps/accounting.ts';
import type { Store } from '../store/store.ts';

const UNKNOWN_RESET_MS = 300_000;
const RESET_MS_MIN = 1000;
/** Longer than any reset that accounts know; what is later was misread. */
const RESET_MS_MAX = 32 * 86_400_000;
const SPREAD_MS_MAX = 30_000;

/** The refusal of an agent whose account is closed. */
export async function closedFor(store: Store, spawn: Spawn, now: number): Promise<Refusal | undefined> {
  const closed = (await store.closedAccounts(now)).find(({ account }) => account === spawn.account);
  if (closed === undefined) return undefined;
  const { until, why } = closed;
  const message =
    `the account "${spawn.account}" has no capacity until ${new Date(until).toISOString()}: ${why}; ` +
    `the run goes on then, or when "pawl resume ${spawn.run}" says that there is some`;
  return { reason: 'quota', message, resumeAt: until + spreadOf(spawn, until - now) };
}

/** Whoever finds an account closed comes back a little after its reset, each at another time: not all at once. */
function spreadOf({ run, path }: Spawn, waitMs: number): number {
  const share = Number.parseInt(digestText(`${run}/${path}`).slice(0, 8), 16) / 2 ** 32;
  return Math.round(share * Math.min(SPREAD_MS_MAX, waitMs / 10));
}

/** Closes the account of an agent that had no capacity; gives until when. The one that was told so is the first back. */
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
