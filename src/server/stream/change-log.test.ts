import { afterEach, expect, test } from 'vitest';
import { createEnd, createFirst, createNext, createResumed } from '../../proof/store-suite/deltas.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { HeadQuery, Store } from '../../store/store.ts';
import { openServerDatabase } from '../server-database.ts';
import { CHANGE_TABLES, ChangeLog } from './change-log.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A change log whose store never names the run that was written, as if another process wrote it; `written` reports a write. */
async function openLog() {
  const store = await openSqliteStore({ file: ':memory:' });
  const database = openServerDatabase(':memory:', [CHANGE_TABLES]);
  const queries: HeadQuery[] = [];
  const followers: (() => void)[] = [];
  const quiet: Store = {
    ...store,
    heads: (query) => {
      queries.push(query);
      return store.heads(query);
    },
    watch: () => () => undefined,
    follow: (follower) => {
      followers.push(follower);
      return () => undefined;
    },
  };
  const warn = (error: unknown): void => {
    throw error;
  };
  const open = (): ChangeLog => {
    const log = new ChangeLog({ engine: { store: quiet, onCommit: () => () => undefined }, database, warn, compareMs: 1 });
    closers.push(() => log.close());
    return log;
  };
  closers.push(
    () => store.close(),
    () => database.close(),
  );
  const written = (): void => {
    for (const follower of followers) follower();
  };
  /** How many runs were compared. */
  const compared = (): number => Number(database.get('SELECT count(*) AS n FROM seen')?.n);
  return { store, queries, open, written, compared };
}

const park = (store: Store, run: string) => store.commit(createFirst({ run, owner: 'other', more: { release: true } }));

async function end(store: Store, run: string): Promise<void> {
  const claimed = await store.claim(run, 'other');
  if (!claimed.claimed) throw new Error(`${run} is not free`);
  await store.commit(createResumed(claimed, [createEnd('completed')], { release: true }));
}

const rowsOf = (log: ChangeLog): string[] | undefined => log.after(0, 100)?.map(({ run, seq }) => `${run}/${seq}`);

test('runs that another process ended, or started and ended, get their positions once', async () => {
  const { store, open, written, compared } = await openLog();
  await park(store, 'parked');
  await park(store, 'old');
  const log = open();
  await expect.poll(compared).toBe(2);
  await park(store, 'first');
  written();
  await expect.poll(() => rowsOf(log)).toEqual(['first/1']);
  await end(store, 'parked');
  const first = createFirst({ run: 'short', owner: 'other' });
  await store.commit(first);
  await store.commit(createNext(first, [createEnd('completed')], { release: true }));
  written();
  await expect.poll(() => rowsOf(log)?.toSorted()).toEqual(['first/1', 'parked/2', 'short/1', 'short/2']);
});

test('runs that are final are compared once, however many there are', async () => {
  const { store, queries, open, written, compared } = await openLog();
  for (const run of ['a', 'b', 'c']) {
    await park(store, run);
    await end(store, run);
  }
  await park(store, 'parked');
  const log = open();
  const whole = (): HeadQuery[] => queries.filter((query) => query.of === 'all' && query.after === 0);
  await expect.poll(compared).toBe(4);
  await park(store, 'new');
  written();
  await expect.poll(() => rowsOf(log)).toEqual(['new/1']);
  await expect.poll(() => whole().length).toBeGreaterThan(1);
  expect(whole().filter((query) => !('status' in query))).toHaveLength(1);
});

test('a run with the id of a pruned run gets positions for all of its rows', async () => {
  const { store, open, written, compared } = await openLog();
  await park(store, 'kept');
  await park(store, 'pruned');
  await end(store, 'pruned');
  const log = open();
  await expect.poll(compared).toBe(2);
  await store.prune({ before: Number.MAX_SAFE_INTEGER, status: ['completed'] });
  await park(store, 'new');
  written();
  await expect.poll(() => rowsOf(log)).toEqual(['new/1']);
});
