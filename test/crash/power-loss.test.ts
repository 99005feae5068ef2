// D04: the power goes. What was acknowledged is in the synced part of the files; what was written after that may be
// there, in part, torn or in another order.

import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine } from '../../src/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Delta, Store } from '../../src/store/store.ts';
import { tempFolder } from '../temp-folder.ts';

const STEPS = 12;
const BLOCK = 512;
let directory: string;

beforeEach(() => {
  directory = tempFolder();
});

interface Moment {
  readonly run: string;
  readonly seq: number;
  readonly walBytes: number;
  readonly copy: string;
}

const stepIds = Array.from({ length: STEPS }, (_, n) => `s${n}`);
const chain = defineWorkflow({
  name: 'chain',
  steps: stepIds.map((id, n) => ({ id, handler: () => ({ [id]: 'x'.repeat(200) }), next: stepIds[n + 1] ?? null })),
});

/** Runs the chain and copies the files at the moment each commit is acknowledged. */
async function moments(walAutocheckpoint: number): Promise<Moment[]> {
  const file = join(directory, 'pawl.db');
  const inner = await openSqliteStore({ file, walAutocheckpoint });
  const taken: Moment[] = [];
  const commit = async (delta: Delta) => {
    const result = await inner.commit(delta);
    const copy = join(directory, `copy-${taken.length}.db`);
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    taken.push({ run: delta.run, seq: delta.state.seq, walBytes: statSync(`${file}-wal`).size, copy });
    return result;
  };
  const store: Store = { ...inner, commit };
  const engine = await createEngine({ store, workflows: [chain] });
  const { id } = await engine.start(chain);
  expect(await engine.run(id).wait()).toMatchObject({ status: 'completed' });
  await engine.close();
  await inner.close();
  expect(taken).toHaveLength(STEPS + 1);
  return taken;
}

/** The position of the run in a copy, which must be whole. */
async function positionIn(copy: string, run: string): Promise<number> {
  const store = await openSqliteStore({ file: copy, adopt: true });
  try {
    const report = await store.check();
    expect(report.problems.filter(({ what }) => !what.includes('can be read by other users'))).toEqual([]);
    return (await store.load(run)).state.seq;
  } finally {
    await store.close();
  }
}

test.each([4000, 8])('every acknowledged commit is in the files at that moment (a checkpoint every %i pages)', async (pages) => {
  for (const { copy, run, seq } of await moments(pages)) expect(await positionIn(copy, run)).toBe(seq);
});

test('the write-ahead log cut off after the last acknowledged commit has that commit, and none that came later', async () => {
  const taken = await moments(4000);
  for (const [index, { run, seq, walBytes }] of taken.slice(0, -1).entries()) {
    const later = taken[index + 1] as Moment;
    const lost = join(directory, `lost-${index}.db`);
    copyFileSync(later.copy, lost);
    writeFileSync(`${lost}-wal`, readFileSync(`${later.copy}-wal`).subarray(0, walBytes), { mode: 0o600 });
    expect(later.walBytes).toBeGreaterThan(walBytes);
    expect(await positionIn(lost, run)).toBe(seq);
  }
});

test('a commit of which any block did not reach the disk is not there at all, and the one before it is', async () => {
  const taken = await moments(4000);
  const [before, torn] = taken.slice(-2) as [Moment, Moment];
  const whole = readFileSync(`${torn.copy}-wal`);
  for (let at = before.walBytes; at < torn.walBytes; at += BLOCK * 7) {
    const lost = join(directory, `torn-${at}.db`);
    copyFileSync(torn.copy, lost);
    writeFileSync(`${lost}-wal`, Buffer.from(whole).fill(0xa5, at, Math.min(at + BLOCK, whole.length)), { mode: 0o600 });
    expect(await positionIn(lost, torn.run)).toBe(before.seq);
  }
});
