import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createFirst, createNext, START_AT } from '../../proof/store-suite/deltas.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';

let directory: string;
let store: SqliteStore;
let other: SqliteStore;

beforeEach(async () => {
  directory = tempFolder();
  const open = () => openSqliteStore({ file: join(directory, 'pawl.db'), now: () => START_AT });
  store = await open();
  other = await open();
});

afterEach(async () => {
  await store.close();
  await other.close();
});

const first = createFirst({ run: 'r1', owner: 'me' });

test('a cached run is read again after a write of the same store, whatever was written', async () => {
  await store.commit(first);
  expect((await store.load('r1')).state.seq).toBe(first.state.seq);
  const second = createNext(first, [{ type: 'run.changed', at: START_AT, change: 'paused' }]);
  await store.commit(second);
  expect((await store.load('r1')).state).toEqual(second.state);
  await store.release('r1', { owner: 'me', epoch: 1 }, 0);
  expect((await store.load('r1')).owner).toBeUndefined();
  await store.claim('r1', 'you');
  expect(await store.load('r1')).toMatchObject({ owner: 'you', epoch: 2 });
});

test('a cached run is read again after a write of another connection', async () => {
  await store.commit({ ...first, release: true });
  expect((await store.load('r1')).owner).toBeUndefined();
  await other.claim('r1', 'you');
  expect((await store.load('r1')).owner).toBe('you');
});

test('M1, M2: a commit from the cached row of a run changes nothing if another process has claimed the run', async () => {
  await store.commit(first);
  const heir = await openSqliteStore({ file: join(directory, 'pawl.db'), now: () => START_AT, isDead: () => true });
  await heir.claim('r1', 'you');
  await heir.close();
  expect(await store.commit(createNext(first, []))).toEqual({ result: 'stale' });
  expect(await store.load('r1')).toMatchObject({ owner: 'you', epoch: 2, state: first.state });
});

test('each run is read as itself, however many are cached', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `r${n}`);
  for (const run of names) await store.commit(createFirst({ run, owner: `owner of ${run}` }));
  for (let round = 0; round < 2; round += 1)
    for (const run of names) expect(await store.load(run)).toMatchObject({ state: { id: run }, owner: `owner of ${run}` });
});
