// Mail that comes just when a run is given up, or when nobody can act on it yet, is neither lost nor harmful.

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow, type Store } from '../../src/index.ts';
import { isDead } from '../../src/process/owner.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let store: Store;
beforeEach(async () => {
  rig = createRig();
  store = await openSqliteStore({ file: rig.db, synchronous: 'NORMAL', isDead });
});
afterEach(async () => {
  await rig.close();
  await store.close();
});

const waiting = defineWorkflow({ name: 'waiting', steps: [{ id: 'go', signal: 'go', next: null }] });
const asking = defineWorkflow({ name: 'asking', steps: [{ id: 'ask', human: { prompt: 'Go on?' }, next: null }] });

test('a signal that comes while the run is being given up is taken', async () => {
  let sent = false;
  const commit: Store['commit'] = async (delta) => {
    const result = await store.commit(delta);
    if (result.result !== 'committed' || !result.released || sent) return result;
    sent = true;
    await store.post({ run: delta.run, dedupe: 'go', input: { type: 'signalled', at: Date.now(), name: 'go' }, values: [] });
    // The bell is heard before the driver hears that it gave the run up.
    await turn();
    return result;
  };
  const engine = await rig.open({ store: { ...store, commit }, workflows: [waiting] });
  const run = await engine.start(waiting);
  expect((await run.wait()).status).toBe('completed');
});

test('a store may take a claim before the mail that it is for', async () => {
  const slow: Store = { ...store, post: (mail) => turn().then(() => store.post(mail)) };
  const engine = await rig.open({ store: slow, workflows: [waiting], drives: 'own' });
  const run = await engine.start(waiting);
  await run.wait('idle');
  await engine.signal(run.id, 'go');
  expect((await engine.get(run.id)).status).toBe('completed');
});

test('a run whose code is gone is cancelled, whatever else lies in its inbox', async () => {
  const first = await rig.open({ store, workflows: [asking] });
  const { id } = await first.start(asking);
  await first.wait(id, 'idle');
  const [gate] = await first.gates(id);
  await first.close();
  const input = { type: 'decided', at: Date.now(), path: 'ask#1', option: 'approve', digest: gate?.digest ?? '', actor: 'ann' } as const;
  await store.post({ run: id, dedupe: 'somebody', input, values: [] });
  const slow: Store = { ...store, post: (mail) => turn().then(() => store.post(mail)) };
  const engine = await rig.open({ store: slow, drives: 'own' });
  await engine.cancel(id, { actor: 'bob' });
  expect([(await engine.get(id)).status, rig.warnings]).toEqual(['cancelled', []]);
});
