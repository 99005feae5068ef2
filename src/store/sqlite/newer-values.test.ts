// What a newer version stored never reaches the kernel: a run with a state, a wait or an input that is not known is damaged (RF3).

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createFirst, createMember, createNext, openStep, START_AT } from '../../proof/store-suite/deltas.ts';
import type { Delta } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';

let store: SqliteStore;
let file: string;
beforeEach(async () => {
  file = join(tempFolder(), 'pawl.db');
  store = await openSqliteStore({ file });
});
afterEach(() => store.close());

/** The value as a newer version would store it: with another word in place of one. */
function newer<T>(value: T, word: string, other: string): T {
  const text = JSON.stringify(value);
  expect(text).toContain(word);
  return JSON.parse(text.replace(word, other));
}

/** Stores the deltas of a run, and reads it as another process does. */
async function stored(...deltas: readonly Delta[]): Promise<SqliteStore> {
  for (const delta of deltas) await store.commit(delta);
  await store.close();
  store = await openSqliteStore({ file });
  return store;
}

const first = createFirst({ run: 'r1', owner: 'me' });
const damaged = (what: string) => ({ code: 'RUN_DAMAGED', message: expect.stringContaining(what) });

test('RF3: a checkpoint with an unknown state does not load', async () => {
  const next = createNext(first, []);
  const state = newer(next.state, '"state":"running"', '"state":"dreaming"');
  await expect((await stored(first, { ...next, state })).load('r1')).rejects.toMatchObject(damaged('its checkpoint'));
});

test('RF3: a checkpoint with an unknown wait does not load', async () => {
  const next = createNext(first, []);
  const state = newer(next.state, '"state":"running"', '"state":"waiting","wait":{"kind":"eclipse"}');
  await expect((await stored(first, { ...next, state })).load('r1')).rejects.toMatchObject(damaged('its checkpoint'));
});

test('RF3: a member of a group with an unknown state does not load', async () => {
  const next = createNext(first, [openStep(newer(createMember('a'), '"state":"running"', '"state":"dreaming"'))]);
  await expect((await stored(first, next)).load('r1')).rejects.toMatchObject(damaged('the live member each#1/a'));
});

test('RF3: mail of an unknown type is not received', async () => {
  const input = newer({ type: 'signalled', at: START_AT, name: 'x' } as const, 'signalled', 'whispered');
  await store.commit(first);
  await store.post({ run: 'r1', dedupe: 'm1', input, values: [] });
  await expect((await stored()).inbox('r1', 0)).rejects.toMatchObject(damaged('its mail 1'));
});
