import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import {
  changeStep,
  createAttempt,
  createEnd,
  createFirst,
  createMember,
  createNext,
  createValue,
  openStep,
  START_AT,
} from '../../proof/store-suite/deltas.ts';
import type { PruneRequest } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';
import { defineSum } from './seals.ts';

const EVERYTHING: PruneRequest = { before: START_AT + 1000, status: ['completed'] };
let directory: string;
let file: string;
let store: SqliteStore;

beforeEach(async () => {
  directory = tempFolder();
  file = join(directory, 'pawl.db');
  store = await openSqliteStore({ file, synchronous: 'NORMAL' });
});
afterEach(async () => {
  await store.close();
});

function sql(statement: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file);
  defineSum(db);
  try {
    return db.prepare(statement).all();
  } finally {
    db.close();
  }
}

/** Writes a run with a row in every table that has runs. */
async function addRun(run: string, text = run): Promise<void> {
  const output = createValue(text);
  const first = createFirst({ run, owner: 'me', more: { data: [{ key: 'k', text: '1' }] } });
  await store.commit(first);
  await store.post({ run, dedupe: 'a', input: { type: 'signalled', at: START_AT, name: 'a' }, values: [] });
  const [mail] = await store.inbox(run, 0);
  const checks = [{ type: 'ci', config: {}, passed: true, result: {}, at: START_AT }];
  const last = createNext(
    first,
    [
      openStep(createMember('a')),
      openStep(createMember('b', 1)),
      changeStep(createMember('b', 1, { feedback: 'again' })),
      { type: 'run.changed', at: START_AT, change: 'ended', status: 'completed' },
    ],
    { values: [output], attempts: [createAttempt('build', { output: output.ref, checks })], consumed: [mail?.id as number], release: true },
  );
  expect(await store.commit(last)).toEqual({ result: 'committed', released: true });
}

test('no table has rows of a removed run', async () => {
  await addRun('old');
  const tables = ['runs', 'events', 'checks', 'members', 'contents', 'data', 'mail'];
  const counts = (): unknown[] => tables.map((table) => [table, Number(sql(`SELECT count(*) AS n FROM ${table}`)[0]?.n)]);
  expect(counts()).toEqual(tables.map((table) => [table, table === 'events' || table === 'members' ? 2 : 1]));
  await store.prune(EVERYTHING);
  expect(counts()).toEqual(tables.map((table) => [table, 0]));
});

test('the next prune removes values that a crash left behind', async () => {
  await addRun('old');
  sql('DELETE FROM runs');
  sql('DELETE FROM events');
  expect(await store.prune({ ...EVERYTHING, before: 0 })).toEqual({ runs: [], values: 1 });
});

test('many runs are removed in several transactions, and a vacuum frees the space', async () => {
  for (let n = 0; n < 450; n += 1) await addRun(`run-${n}`, `${n} `.repeat(1000));
  await store.close();
  const before = statSync(file).size;
  store = await openSqliteStore({ file, synchronous: 'NORMAL' });
  const { runs, values } = await store.prune({ ...EVERYTHING, vacuum: true });
  expect([new Set(runs.map(({ id }) => id)).size, values]).toEqual([450, 450]);
  await store.close();
  expect(statSync(file).size).toBeLessThan(before / 4);
  store = await openSqliteStore({ file });
  expect(await store.check()).toMatchObject({ ok: true });
  await addRun('next');
});

test('nothing is removed from a copy until it is adopted', async () => {
  await addRun('old');
  const { path } = await store.backup(join(directory, 'copy.db'));
  const moved = join(directory, 'moved.db');
  copyFileSync(path, moved);
  const copy = await openSqliteStore({ file: moved });
  await expect(copy.prune(EVERYTHING)).rejects.toMatchObject({ code: 'STORE_COPIED' });
  expect(await copy.list({})).toHaveLength(1);
  await copy.close();
});

test('a completed run whose process died before it released it can be removed', async () => {
  const store = await openSqliteStore({ file: ':memory:', isDead: (owner) => owner === 'dead' });
  for (const owner of ['dead', 'alive']) {
    const first = createFirst({ run: owner, owner });
    await store.commit(first);
    await store.commit(createNext(first, [createEnd('completed')], { status: 'completed' }));
  }
  expect(await store.prune({ before: Date.now(), status: ['completed'] })).toMatchObject({ runs: [{ id: 'dead' }] });
  await store.close();
});
