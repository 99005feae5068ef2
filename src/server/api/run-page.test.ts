import { expect, test } from 'vitest';
import { createActivation, createFirst } from '../../proof/store-suite/deltas.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { RunQuery, Store } from '../../store/store.ts';
import { readRunPage } from './run-page.ts';

const OLD = ['run01', 'run04'];

/** A store with twelve runs, of which two old ones have a tag. */
async function twelveRuns(): Promise<Store> {
  const store = await openSqliteStore({ file: ':memory:' });
  for (let n = 1; n <= 12; n += 1) {
    const run = `run${String(n).padStart(2, '0')}`;
    const origin = OLD.includes(run) ? { tags: ['old'] } : {};
    await store.commit(createFirst({ run, owner: 'test', creation: { origin }, activation: createActivation('build'), more: { at: n } }));
  }
  return store;
}

/** The runs of each page until the last, and where each page ended. */
async function allPages(store: Store, query: RunQuery & { readonly limit: number }, searchMs: number) {
  const pages: { readonly runs: readonly string[]; readonly rest: number | undefined }[] = [];
  let below: number | undefined;
  do {
    const page = await readRunPage(store, { ...query, ...(below === undefined ? {} : { below }) }, { slice: 5, searchMs });
    pages.push({ runs: page.runs.map(({ id }) => id), rest: page.rest });
    below = page.below;
  } while (below !== undefined);
  return pages;
}

test('a page stops at its time limit with what it found, and the next page continues from there', async () => {
  const store = await twelveRuns();
  expect(await allPages(store, { tags: ['old'], limit: 5 }, -1)).toEqual([
    { runs: [], rest: 7 },
    { runs: ['run04'], rest: 2 },
    { runs: ['run01'], rest: undefined },
  ]);
});

test('a page within its time limit searches all runs', async () => {
  const store = await twelveRuns();
  expect(await allPages(store, { tags: ['old'], limit: 5 }, 60_000)).toEqual([{ runs: ['run04', 'run01'], rest: undefined }]);
});

test('a full page ends at its last run, also when it spans slices', async () => {
  const store = await twelveRuns();
  const pages = await allPages(store, { status: ['running'], limit: 7 }, 60_000);
  expect(pages.map(({ runs }) => runs.length)).toEqual([7, 5]);
  expect(new Set(pages.flatMap(({ runs }) => runs)).size).toBe(12);
  expect(pages[0]?.rest).toBe(5);
});

test('pruned runs do not take up pages', async () => {
  const store = await twelveRuns();
  const asked: RunQuery[] = [];
  const list = store.list.bind(store);
  const gappy = Object.assign(Object.create(store) as Store, {
    list: async (query: RunQuery) => {
      asked.push(query);
      const far = query.below === undefined ? undefined : query.below - 1_000_000;
      const near = query.from === undefined ? undefined : query.from - 1_000_000;
      const found = await list({ ...query, ...(far === undefined ? {} : { below: far }), ...(near === undefined ? {} : { from: near }) });
      return found.map((run) => ({ ...run, place: run.place + 1_000_000 }));
    },
  });
  const page = await readRunPage(gappy, { tags: ['old'], limit: 5 }, { slice: 5, searchMs: 60_000 });
  expect(page).toMatchObject({ runs: [{ id: 'run04' }, { id: 'run01' }], below: undefined });
  expect(asked.length).toBe(7);
});
