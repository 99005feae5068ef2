import { afterEach, beforeEach, expect, test } from 'vitest';
import { step, workflow } from './library.ts';
import { createLatch, createRig, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

test('a ring that comes while a sweep is looking is not lost', async () => {
  const definition = workflow('waits', function* () {
    return yield* step('go').signal('go');
  });
  const store = await openSpiedStore(rig.db);
  const looking = createLatch();
  const looked = createLatch();
  const { ready } = store;
  let held = true;
  const slow = {
    ...store,
    ready: async (now: number, limit: number) => {
      const found = await ready(now, limit);
      if (held) {
        held = false;
        looking.open();
        await looked.promise;
      }
      return found;
    },
  };
  const engine = await rig.open({ store: slow, workflows: [definition] });
  const [other, run] = [await engine.start(definition), await engine.start(definition)];
  await Promise.all([other.wait('idle'), run.wait('idle')]);
  const sweep = engine.store.post({ run: other.id, dedupe: 'first', values: [], input: { type: 'due', at: 0 } });
  await looking.promise;
  await sweep;
  await engine.store.post({ run: run.id, dedupe: 'second', values: [], input: { type: 'signalled', at: Date.now(), name: 'go' } });
  looked.open();
  expect((await run.wait()).status).toBe('completed');
  await store.close();
});
