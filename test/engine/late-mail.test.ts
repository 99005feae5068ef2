// Mail that comes just when a run is given up, or when nobody can act on it yet, is neither lost nor harmful.

import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { Store } from '../../src/index.ts';
import { createLatch, createRig, type Rig } from './rig.ts';
import { openSpiedStore, type SpiedStore } from './spied-store.ts';

let rig: Rig;
let store: SpiedStore;
beforeEach(async () => {
  rig = createRig();
  store = await openSpiedStore(rig.db);
});
afterEach(async () => {
  await rig.close();
  await store.close();
});

/** The store with mail that comes a turn late, so that a claim made with it comes first. */
function lateMail(inner: Store): Store {
  return {
    ...inner,
    post: async (mail) => {
      await turn();
      return inner.post(mail);
    },
    // Its bell does not ring before the answer: nobody but the request itself tells the driver.
    watch: () => () => undefined,
  };
}

const waiting = defineWorkflow({ name: 'waiting', steps: [{ id: 'go', signal: 'go', next: null }] });
const asking = defineWorkflow({ name: 'asking', steps: [{ id: 'ask', human: { prompt: 'Go on?' }, next: null }] });

test('a signal that comes while the run is being released is handled', async () => {
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

test('E3: signals that arrive during a commit are decided together and committed once', async () => {
  const names = ['x', 'y', 'z'];
  const [reached, go] = [createLatch(), createLatch()];
  const consumed: number[] = [];
  store.around = async (delta, commit) => {
    if (delta.consumed.length > 0) consumed.push(delta.consumed.length);
    if (delta.attempts.length > 0) {
      reached.open();
      await go.promise;
    }
    return commit();
  };
  const steps = [{ id: 'work', handler: () => 1, next: 'x' }, ...names.map((id, at) => ({ id, signal: id, next: names[at + 1] ?? null }))];
  const three = defineWorkflow({ name: 'three', steps });
  const engine = await rig.open({ store, workflows: [three] });
  const run = await engine.start(three);
  await reached.promise;
  const sent = names.map((name) => run.signal(name));
  await expect.poll(async () => (await store.inbox(run.id, 0)).length).toBe(names.length);
  await turn();
  go.open();
  await Promise.all(sent);
  expect((await run.wait()).status).toBe('completed');
  expect(consumed).toEqual([names.length]);
});

test('a run whose code is gone can be cancelled, whatever else is in its inbox', async () => {
  const first = await rig.open({ store, workflows: [asking] });
  const { id } = await first.start(asking);
  await first.run(id).wait('idle');
  const [approval] = await first.run(id).approvals();
  await first.close();
  const input = {
    type: 'decided',
    at: Date.now(),
    path: 'ask#1',
    option: 'approve',
    digest: approval?.digest ?? '',
    actor: 'ann',
  } as const;
  await store.post({ run: id, dedupe: 'somebody', input, values: [] });
  const engine = await rig.open({ store: lateMail(store), drives: 'own' });
  await engine.run(id).cancel({ actor: 'bob' });
  expect([(await engine.run(id).get()).status, rig.warnings]).toEqual(['cancelled', []]);
});

test('a request to a run that becomes busy was handled when it is answered', async () => {
  const begun = createLatch();
  const busy = defineWorkflow({
    name: 'busy',
    steps: [
      {
        id: 'work',
        recovery: 'rerun',
        handler: ({ signal }) =>
          new Promise((_, reject) => {
            begun.open();
            signal.addEventListener('abort', () => reject(new Error('stopped')));
          }),
        next: null,
      },
    ],
  });
  const first = await rig.open({ workflows: [busy] });
  const { id } = await first.start(busy);
  await begun.promise;
  await first.close({ abort: true });

  const engine = await rig.open({ workflows: [busy], drives: 'own', store: lateMail(store) });
  store.calls.length = 0;
  await engine.run(id).pause({ actor: 'ann' });
  expect((await store.load(id)).state.paused).toBe(true);
  expect(store.calls.filter((name) => name === 'claim' || name === 'post')).toEqual(['claim', 'post']);
  await engine.close({ abort: true });
});

test('a report on a run that has nothing else to do is verified when it is answered', async () => {
  const attended = defineWorkflow({ name: 'attended', steps: [{ id: 'plan', agent: 'planner', prompt: 'Plan.', next: null }] });
  const engine = await rig.open({ drives: 'own', store: lateMail(store) });
  const run = await engine.start(attended, {}, { facts: { $attended: true } });
  await run.wait('idle');
  const [openStep] = await engine.run(run.id).openSteps();
  store.calls.length = 0;
  const verdict = await engine.run(run.id).report({ token: openStep?.token ?? '', result: { pages: 2 } });
  expect(verdict).toMatchObject({ accepted: true, repeated: false, step: 'plan' });
  expect(store.calls.filter((name) => name === 'claim' || name === 'post').slice(0, 2)).toEqual(['claim', 'post']);
  await engine.close({ abort: true });
});
