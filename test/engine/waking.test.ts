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

test('a run that is being claimed while its engine closes is left to be found', async () => {
  const child = workflow('child', function* () {
    return yield* step('work').task(() => 7);
  });
  const parent = workflow('parent', { children: [child] }, function* () {
    return yield* step('child').workflow('child', {});
  });
  const workflows = [parent, child];
  const unborn = await openSpiedStore(rig.db);
  const wanted = createLatch();
  unborn.around = (delta, commit) => {
    if (delta.create?.definition.name !== 'child') return commit();
    wanted.open();
    return new Promise(() => {});
  };
  const first = await rig.open({ store: unborn, workflows });
  const run = await first.start(parent);
  await wanted.promise;
  // The first engine is cut off before the child exists, as a crash would.
  void first.close({ abort: true });
  const { owner = '', epoch } = await unborn.load(run.id);
  await unborn.release(run.id, { owner, epoch }, Number.MAX_SAFE_INTEGER);
  await unborn.post({ run: run.id, dedupe: 'left', values: [], input: { type: 'due', at: 0 } });

  const claiming = createLatch();
  const claimed = createLatch();
  const slow = await openSpiedStore(rig.db);
  const second = await rig.open({
    workflows,
    store: {
      ...slow,
      claim: async (id: string, me: string) => {
        claiming.open();
        await claimed.promise;
        return slow.claim(id, me);
      },
    },
  });
  const recovering = second.recover();
  await claiming.promise;
  const closing = second.close();
  claimed.open();
  await Promise.allSettled([recovering, closing]);

  const third = await rig.open({ workflows });
  await third.recover();
  expect((await third.wait(run.id)).output).toBe(7);
  await Promise.all([unborn.close(), slow.close()]);
});
