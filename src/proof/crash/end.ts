// Owns the data that is compared: how a run and its child runs ended in the store, and how they got there according to the
// ledger. The store is read as the last process left it.

import { digestText } from '../../base/digest.ts';
import { canonicalJson, type Json } from '../../base/json.ts';
import { overrideIn } from '../../engine/event-facts.ts';
import type { Path } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store, StoredAttempt } from '../../store/store.ts';
import { type LedgerLine, readLedger } from './ledger.ts';

/** The content of a store and a ledger after the run has ended. */
export interface CrashEnd {
  /** Values that must be the same in every trial, by name. */
  readonly facts: ReadonlyMap<string, string>;
  /** How often an attempt began again according to the log, by key. */
  readonly reruns: ReadonlyMap<string, number>;
  /** How many of these began without a check of what the interrupted attempt had done (`recovery: rerun`). */
  readonly unchecked: ReadonlyMap<string, number>;
  /** Attempts that a crash left without a recorded end, and that were recognised as such. */
  readonly interrupted: ReadonlySet<string>;
  readonly ledger: readonly LedgerLine[];
  /** Problems of this end that need no comparison. */
  readonly problems: readonly string[];
}

const RUNS_MAX = 1000;

/** Reads the end of a run from its files. */
export async function readEnd(files: { readonly db: string; readonly ledger: string }): Promise<CrashEnd> {
  const store = await openSqliteStore({ file: files.db });
  try {
    return await endOf(store, readLedger(files.ledger));
  } finally {
    await store.close();
  }
}

async function endOf(store: Store, ledger: readonly LedgerLine[]): Promise<CrashEnd> {
  const facts = new Map<string, string>();
  const recoveries: Recoveries = { reruns: new Map(), unchecked: new Map(), interrupted: new Set() };
  const problems = (await store.check()).problems.map(({ run = '', what }) => `the store is damaged: ${run} ${what}`);
  for (const { id } of await store.list({ limit: RUNS_MAX })) {
    for (const [what, value] of await factsOf(store, id)) facts.set(`${id} ${what}`, value);
    const events = (await store.events(id, 0)).flatMap((row) => row.events);
    noteRecoveries(id, events, recoveries);
    problems.push(...(await findLeftovers(store, id)));
  }
  for (const line of ledger) if (line.at === 'done') facts.set(`effect ${line.key}`, canonicalJson(line.output));
  return { facts, ...recoveries, ledger, problems };
}

/** Leftovers that a run must not have after its end: an owner, or unread mail. */
async function findLeftovers(store: Store, run: string): Promise<string[]> {
  const { owner } = await store.load(run);
  const mail = await store.inbox(run, 0);
  return [
    ...(owner === undefined ? [] : [`run ${run} has ended but ${owner} still owns it`]),
    ...mail.map(({ dedupe }) => `run ${run} has ended but mail ${dedupe} is unread`),
  ];
}

/** Whether the only overrides confirm that an `unknown` step took effect, in this run or in a child run. */
async function isResolvedOnly(store: Store, run: string): Promise<boolean> {
  const events = (await store.events(run, 0)).flatMap((row) => row.events);
  return events.every((event) => {
    const override = overrideIn(event);
    return override === undefined || override.how === 'done' || override.how === 'child';
  });
}

/** Data about protected files. It contains times, and depends on which of several agents recorded it first. */
const TIMED_DATA = /^\$(?:guarded|accepted):/;

async function factsOf(store: Store, run: string): Promise<[string, string][]> {
  const { state } = await store.load(run);
  const data = Object.fromEntries([...(await store.data(run))].filter(([key]) => !TIMED_DATA.test(key))) as Json;
  return [
    ['status', state.status === 'overridden' && (await isResolvedOnly(store, run)) ? 'completed' : state.status],
    ['output', state.output?.digest ?? 'nothing'],
    ['data', digestText(canonicalJson(data))],
    ['counts', canonicalJson({ ...state.counts })],
    ['decision', canonicalJson((state.decision ?? {}) as Json)],
    ...(await store.attempts(run)).map(rowFact),
  ];
}

function rowFact({ path, attempt, status, outcome, output, error }: StoredAttempt): [string, string] {
  return [`${path}/${attempt}`, [status, outcome ?? 'tried again', output?.digest ?? 'nothing', error?.message ?? ''].join(' ').trim()];
}

interface Recoveries {
  readonly reruns: Map<string, number>;
  readonly unchecked: Map<string, number>;
  readonly interrupted: Set<string>;
}

function noteRecoveries(run: string, events: readonly RunEvent[], { reruns, unchecked, interrupted }: Recoveries): void {
  const recoveries = new Map<Path, number>();
  const checked = new Set<Path>();
  for (const event of events) {
    if (event.type !== 'step.changed') continue;
    const { path, attempt, recovery = 0, state } = event.activation;
    const key = `${run}/${path}/${attempt}`;
    const again = recovery > (recoveries.get(path) ?? 0);
    recoveries.set(path, recovery);
    if (again) reruns.set(key, (reruns.get(key) ?? 0) + 1);
    if (again && !checked.delete(path)) unchecked.set(key, (unchecked.get(key) ?? 0) + 1);
    if (state === 'unknown' || state === 'verifying' || state === 'reconciling') checked.add(path);
    if (again || checked.has(path)) interrupted.add(key);
  }
}
