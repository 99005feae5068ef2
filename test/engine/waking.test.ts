import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineError, openSqliteStore } from '../../src/index.ts';
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

/** A parent that wants a child, and an engine that was cut off before the child existed, as a crash would. */
async function cutOffBeforeBirth() {
  const child = workflow('child', function* () {
    return yield* step('work').task(() => 7);
  });
  const parent = workflow('parent', { children: [child] }, function* () {
    return yield* step('child').workflow('child', {});
  });
  const workflows = [parent, child];
  const store = await openSpiedStore(rig.db);
  const wanted = createLatch();
  const goOn = createLatch();
  store.around = async (delta, commit) => {
    if (delta.create?.definition.name !== 'child') return commit();
    wanted.open();
    await goOn.promise;
    return { result: 'stale' };
  };
  const engine = await rig.open({ store, workflows });
  const { id } = await engine.start(parent);
  await wanted.promise;
  const { owner = '', epoch } = await store.load(id);
  return { id, owner, epoch, workflows, store, cutOff: () => void engine.close({ abort: true }), goOn };
}

test('a run that is being claimed while its engine closes can be found by another engine', async () => {
  const first = await cutOffBeforeBirth();
  const { id, owner, epoch, workflows } = first;
  first.cutOff();
  await first.store.release(id, { owner, epoch }, Number.MAX_SAFE_INTEGER);
  await first.store.post({ run: id, dedupe: 'left', values: [], input: { type: 'due', at: 0 } });

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
  expect((await third.run(id).wait()).output).toBe(7);
  first.goOn.open();
  await Promise.all([first.store.close(), slow.close()]);
});

test('a run whose takeover failed can be found again, and is announced once', async () => {
  const { id, owner, workflows, store, goOn } = await cutOffBeforeBirth();
  const heir = await openSqliteStore({ file: rig.db, synchronous: 'NORMAL', isDead: (who) => who === owner });
  const posts: string[] = [];
  let troubled = true;
  const second = await rig.open({
    workflows,
    drives: 'own',
    store: {
      ...heir,
      attempts: (...asked) => (troubled ? Promise.reject(new EngineError('STORE_UNAVAILABLE', 'not now')) : heir.attempts(...asked)),
      post: async (mail) => {
        posts.push(await heir.post(mail));
        return posts.at(-1) as 'posted';
      },
    },
  });
  await second.recover();
  await second.recover();
  expect(posts).toEqual(['posted', 'duplicate']);
  expect((await heir.load(id)).owner).toBeUndefined();
  troubled = false;
  await second.recover();
  expect((await second.run(id).wait()).output).toBe(7);
  goOn.open();
  await Promise.all([heir.close(), store.close()]);
});

test.each([
  ['cut off', { abort: true }],
  ['let end', {}],
])('a run with work left, whose engine is %s, is given up only when word of it is on disk', async (_, how) => {
  const { id, store, workflows } = await cutOffBeforeBirth();
  const { owner } = await store.load(id);
  const heir = await openSqliteStore({ file: rig.db, synchronous: 'NORMAL', isDead: (who) => who === owner });
  const working = createLatch();
  const second = await rig.open({
    workflows,
    drives: 'own',
    store: {
      ...heir,
      // The child is wanted and never comes.
      commit: (delta) => (delta.create === undefined ? heir.commit(delta) : (working.open() ?? Promise.resolve({ result: 'stale' }))),
      post: () => Promise.reject(new EngineError('STORE_UNAVAILABLE', 'not now')),
    },
  });
  await second.recover();
  await working.promise;
  await second.close(how);
  expect((await heir.load(id)).owner).toBeDefined();
  await Promise.all([heir.close(), store.close()]);
});
