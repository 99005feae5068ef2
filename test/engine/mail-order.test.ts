// Mail that a store takes after the claim of the run that it is for.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/index.ts';
import type { Store } from '../../src/store/store.ts';
import { createLatch, createRig, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

/** The store with mail that comes a turn late, so that a claim made with it comes first. */
function lateMail(store: Store): Store {
  return {
    ...store,
    post: async (mail) => {
      await nextTurn();
      return store.post(mail);
    },
    // Its bell does not ring before the answer: nobody but the request itself tells the driver.
    watch: () => () => undefined,
  };
}

test('a request to a run that is busy once it is claimed was taken when it is answered', async () => {
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

  const store = await openSpiedStore(rig.db);
  const engine = await rig.open({ workflows: [busy], drives: 'own', store: lateMail(store) });
  store.calls.length = 0;
  await engine.pause(id);
  expect((await store.load(id)).state.paused).toBe(true);
  expect(store.calls.filter((name) => name === 'claim' || name === 'post')).toEqual(['claim', 'post']);
  await engine.close({ abort: true });
  await store.close();
});

test('a report on a run that has nothing else to do is verified when it is answered', async () => {
  const attended = defineWorkflow({ name: 'attended', steps: [{ id: 'plan', agent: 'planner', prompt: 'Plan.', next: null }] });
  const store = await openSpiedStore(rig.db);
  const engine = await rig.open({ drives: 'own', store: lateMail(store) });
  const run = await engine.start(attended, {}, { facts: { $attended: true } });
  await run.wait('idle');
  const [handout] = await engine.handouts(run.id);
  store.calls.length = 0;
  const verdict = await engine.report(run.id, { token: handout?.token ?? '', result: { pages: 2 } });
  expect(verdict).toMatchObject({ accepted: true, repeated: false, step: 'plan' });
  expect(store.calls.filter((name) => name === 'claim' || name === 'post').slice(0, 2)).toEqual(['claim', 'post']);
  await engine.close({ abort: true });
  await store.close();
});
