import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Limits } from './library.ts';
import { type AgentDriver, defineWorkflow, type Engine, step, workflow } from './library.ts';
import { createLatch, createRig, type Latch, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

/** Counts how many work at once, and lets each go on a few turns later. */
function createMeter() {
  let now = 0;
  const meter = {
    most: 0,
    done: 0,
    async work(): Promise<number> {
      now += 1;
      meter.most = Math.max(meter.most, now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now -= 1;
      meter.done += 1;
      return meter.done;
    },
  };
  return meter;
}

async function runAll(engines: readonly Engine[], definition: Parameters<Engine['start']>[0], each: number): Promise<string[]> {
  const runs = await Promise.all(engines.flatMap((engine) => Array.from({ length: each }, () => engine.start(definition))));
  return Promise.all(runs.map(async (run) => (await run.wait()).status));
}

describe('a semaphore', () => {
  const meter = { current: createMeter() };
  const driver: AgentDriver = { name: 'here', ask: async () => ({ kind: 'answered', success: true, output: await meter.current.work() }) };
  const services = {
    drivers: { here: driver },
    roles: { writer: { driver: 'here', credential: 'account' }, editor: { driver: 'here', credential: 'account' } },
  };
  const task = defineWorkflow({
    name: 'task',
    steps: [{ id: 'work', handler: async () => ({ n: await meter.current.work() }), slots: ['db'], next: null }],
  });
  test.each([
    ['of a workflow', [{ key: 'workflow:a', max: 2 }]],
    [
      'that two workflows share',
      [
        { key: 'shared:deploy', max: 2 },
        { key: 'shared:deploy', max: 2 },
      ],
    ],
  ])('the concurrency %s limits its steps without any settings', async (_what, limits) => {
    meter.current = createMeter();
    const engine = await rig.open({});
    const done = limits.map((concurrency, index) => {
      const steps = [{ id: 'work', handler: async () => ({ n: await meter.current.work() }), next: null }];
      return runAll([engine], defineWorkflow({ name: `limited-${index}`, concurrency, steps }), 6);
    });
    const statuses = (await Promise.all(done)).flat();
    expect([new Set(statuses), meter.current.most]).toEqual([new Set(['completed']), 2]);
  });

  const write = defineWorkflow({ name: 'write', steps: [{ id: 'work', agent: 'writer', prompt: 'write', next: null }] });
  const twoRoles = defineWorkflow({
    name: 'twoRoles',
    steps: [
      {
        id: 'par',
        parallel: {
          branches: [
            { id: 'w', agent: 'writer', prompt: 'write' },
            { id: 'e', agent: 'editor', prompt: 'edit' },
          ],
        },
        next: null,
      },
    ],
  });

  test.each<[string, Limits, { definition: Parameters<Engine['start']>[0]; most: number }]>([
    ['global', { global: 3 }, { definition: task, most: 3 }],
    ['of a repository', { repository: 2 }, { definition: task, most: 2 }],
    ['of a role', { roles: { writer: 2 } }, { definition: write, most: 2 }],
    ['of a credential, which two roles share', { credentials: { account: 2 } }, { definition: twoRoles, most: 2 }],
    ["of one's own", { keys: { db: 1 } }, { definition: task, most: 1 }],
    ['the smallest of several', { global: 4, keys: { db: 2 } }, { definition: task, most: 2 }],
  ])('%s is used up to its limit and never beyond, across two engines on one file', async (_, limits, { definition, most }) => {
    meter.current = createMeter();
    const engines = [await rig.open({ limits, ...services }), await rig.open({ limits, ...services })];
    const statuses = await runAll(engines, definition, 6);
    expect(new Set(statuses)).toEqual(new Set(['completed']));
    expect(meter.current.most).toBe(most);
  });

  test('a semaphore without a limit blocks nobody', async () => {
    meter.current = createMeter();
    const engine = await rig.open({ limits: { keys: { other: 1 } }, ...services });
    await runAll([engine], task, 6);
    expect(meter.current.most).toBe(6);
  });

  test('a semaphore applies across two processes', async () => {
    const code = `
      const job = defineWorkflow({ name: 'job', steps: [{ id: 'work', slots: ['db'], next: null, handler: async () => {
        appendFileSync(db + '.ledger', '+');
        await new Promise((resolve) => setTimeout(resolve, 5));
        appendFileSync(db + '.ledger', '-');
      } }] });
      const engine = await createEngine({ db, workflows: [job], limits: { keys: { db: 2 } }, drives: 'own', synchronous: 'NORMAL' });
      say('ready');
      await hear();
      const runs = await Promise.all(Array.from({ length: 12 }, () => engine.start(job)));
      const views = await Promise.all(runs.map((run) => run.wait()));
      say(views.filter((view) => view.status === 'completed').length);
      await engine.close();`;
    const others = [rig.other(code), rig.other(code)];
    for (const other of others) expect(await other.said()).toBe('ready');
    for (const other of others) other.tell('go');
    expect(await Promise.all(others.map((other) => other.said()))).toEqual(['12', '12']);
    let now = 0;
    const levels = [...readFileSync(`${rig.db}.ledger`, 'utf8')].map((mark) => (now += mark === '+' ? 1 : -1));
    expect([levels.length, Math.max(...levels), levels.at(-1)]).toEqual([48, 2, 0]);
  });
});

describe('waiting for a semaphore', () => {
  /** Runs of one step each, which hold the key until their latch opens. */
  function createQueue() {
    const order: string[] = [];
    const latches = new Map<string, Latch>();
    const begun = new Map<string, Latch>();
    const latchOf = (map: Map<string, Latch>, id: string): Latch => map.get(id) ?? (map.set(id, createLatch()).get(id) as Latch);
    const definition = defineWorkflow({
      name: 'holder',
      steps: [
        {
          id: 'hold',
          slots: ['db'],
          handler: async (ctx) => {
            order.push(ctx.runId);
            latchOf(begun, ctx.runId).open();
            await latchOf(latches, ctx.runId).promise;
            if (ctx.runId === 'fails') throw new Error('boom');
          },
          next: null,
        },
      ],
    });
    return { definition, order, begun: (id: string) => latchOf(begun, id).promise, finish: (id: string) => latchOf(latches, id).open() };
  }

  async function openQueue() {
    const store = await openSpiedStore(rig.db);
    let full = createLatch();
    store.around = async (_, commit) => {
      const result = await commit();
      if (result.result === 'full') full.open();
      return result;
    };
    const queue = createQueue();
    const engine = await rig.open({ store, limits: { keys: { db: 1 } }, workflows: [queue.definition] });
    const enter = async (id: string, priority?: number): Promise<void> => {
      full = createLatch();
      await engine.start(queue.definition, {}, { id, ...(priority === undefined ? {} : { origin: { priority } }) });
      await full.promise;
    };
    return { store, engine, queue, enter };
  }

  test('waiting for a semaphore is first come, first served, and makes no query meanwhile', async () => {
    const { store, engine, queue, enter } = await openQueue();
    await engine.start(queue.definition, {}, { id: 'first' });
    await queue.begun('first');
    const waiters = ['a', 'b', 'c', 'd', 'e'];
    for (const id of waiters) await enter(id);
    expect((await engine.run('c').get()).waits).toMatchObject([{ kind: 'capacity', step: 'hold' }]);
    const asked = store.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(store.calls.slice(asked)).toEqual([]);
    for (const id of ['first', ...waiters]) {
      await queue.begun(id);
      queue.finish(id);
    }
    for (const id of waiters) expect((await engine.run(id).wait()).status).toBe('completed');
    expect(queue.order).toEqual(['first', ...waiters]);
  });

  test('waiting for a semaphore is ordered by the priority of the runs, then by age', async () => {
    const { engine, queue, enter } = await openQueue();
    await engine.start(queue.definition, {}, { id: 'first' });
    await queue.begun('first');
    await enter('old');
    await enter('last', -1);
    await enter('young', 0);
    await enter('urgent', 5);
    const order = ['first', 'urgent', 'old', 'young', 'last'];
    for (const id of order) {
      await queue.begun(id);
      queue.finish(id);
    }
    for (const id of order) expect((await engine.run(id).wait()).status).toBe('completed');
    expect(queue.order).toEqual(order);
  });

  test('a child run has the priority of its parent, and a priority is a whole number', async () => {
    const child = workflow('child', function* () {
      yield* step('work').task(() => null);
    });
    const parent = workflow('parent', function* () {
      yield* step('child').workflow(child, {});
    });
    const engine = await rig.open({ workflows: [parent, child] });
    const run = await engine.start(parent, {}, { origin: { priority: 7 } });
    await run.wait();
    expect((await engine.list()).map(({ origin }) => origin.priority)).toEqual([7, 7]);
    await expect(engine.start(parent, {}, { origin: { priority: 1.5 } })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test.each([
    ['fails', async (_: Engine, finish: (id: string) => void) => finish('fails')],
    [
      'is cancelled',
      async (engine: Engine, finish: (id: string) => void) => {
        const cancelled = engine.run('fails').cancel({ actor: 'ann' });
        finish('fails');
        await cancelled;
      },
    ],
  ])('waiting for a semaphore ends when the holder %s', async (_, end) => {
    const { engine, queue, enter } = await openQueue();
    await engine.start(queue.definition, {}, { id: 'fails' });
    await queue.begun('fails');
    await enter('next');
    await end(engine, queue.finish);
    await queue.begun('next');
    queue.finish('next');
    expect((await engine.run('next').wait()).status).toBe('completed');
  });

  test('waiting for a semaphore costs a wide fan-out a few commits per member, however many wait', async () => {
    const meter = createMeter();
    const wide = workflow('wide', function* () {
      return yield* step('each').each(
        Array.from({ length: 150 }, (_, n) => n),
        () => step('work').task({ action: () => meter.work(), slots: ['db'] }),
      );
    });
    const store = await openSpiedStore(rig.db);
    let full = 0;
    store.around = async (_delta, commit) => {
      const result = await commit();
      if (result.result === 'full') full += 1;
      return result;
    };
    const engine = await rig.open({ store, workflows: [wide], limits: { keys: { db: 3 } } });
    expect((await (await engine.start(wide)).wait()).status).toBe('completed');
    expect([meter.done, meter.most, full < 6 * 150]).toEqual([150, 3, true]);
    await store.close();
  });

  test('a cancelled waiter does not block the next one', async () => {
    const { engine, queue, enter } = await openQueue();
    await engine.start(queue.definition, {}, { id: 'first' });
    await queue.begun('first');
    await enter('gone');
    await enter('next');
    expect((await engine.run('gone').cancel({ actor: 'ann' })).status).toBe('cancelled');
    queue.finish('first');
    await queue.begun('next');
    expect(queue.order).toEqual(['first', 'next']);
    queue.finish('next');
    expect((await engine.run('next').wait()).status).toBe('completed');
  });

  test('a paused run does not start when its turn comes, and lets others pass, until it is resumed', async () => {
    const { engine, queue, enter } = await openQueue();
    await engine.start(queue.definition, {}, { id: 'first' });
    await queue.begun('first');
    await enter('paused');
    await enter('next');
    await engine.run('paused').pause({ actor: 'ann' });
    queue.finish('first');
    await queue.begun('next');
    expect(queue.order).toEqual(['first', 'next']);
    queue.finish('next');
    await engine.run('next').wait();
    await engine.run('paused').resume({ actor: 'ann' });
    await queue.begun('paused');
    queue.finish('paused');
    expect((await engine.run('paused').wait()).status).toBe('completed');
  });

  test('a result that comes while a semaphore is found full is not lost', async () => {
    const store = await openSpiedStore(rig.db);
    let full = createLatch();
    const hold = createLatch();
    let held = createLatch();
    let isHolding = false;
    store.around = async (delta, commit) => {
      if (isHolding && delta.run === 'group' && delta.slots.take.length === 0) {
        isHolding = false;
        held.open();
        await hold.promise;
      }
      const result = await commit();
      if (result.result === 'full') full.open();
      return result;
    };
    const [holderBegun, holderEnd, aEnd, aBegun] = [createLatch(), createLatch(), createLatch(), createLatch()];
    const holder = workflow('holder', function* () {
      yield* step('hold')
        .task(async () => {
          holderBegun.open();
          await holderEnd.promise;
        })
        .slots('db');
    });
    const group = defineWorkflow({
      name: 'group',
      steps: [
        {
          id: 'par',
          parallel: {
            branches: [
              {
                id: 'a',
                handler: async () => {
                  aBegun.open();
                  await aEnd.promise;
                  return { a: 'the result of a' };
                },
              },
              { id: 'b', handler: () => ({ b: 'b' }), slots: ['db'] },
            ],
          },
          next: null,
        },
      ],
    });
    const engine = await rig.open({ store, limits: { keys: { db: 1 } }, workflows: [holder, group] });
    await engine.start(holder, {}, { id: 'holder' });
    await holderBegun.promise;
    await engine.start(group, {}, { id: 'group' });
    await Promise.all([full.promise, aBegun.promise]);
    // While a commit of the run is under way, its turn for the semaphore comes up in vain, and then a's result comes.
    isHolding = true;
    const first = engine.run('group').signal('anything');
    await held.promise;
    held = createLatch();
    full = createLatch();
    await store.post({ run: 'group', dedupe: 'second', input: { type: 'signalled', at: Date.now(), name: 'anything' }, values: [] });
    await new Promise((resolve) => setImmediate(resolve));
    aEnd.open();
    await new Promise((resolve) => setImmediate(resolve));
    hold.open();
    await Promise.all([first, full.promise]);
    holderEnd.open();
    const view = await engine.run('group').wait();
    expect(view.output).toEqual({ a: { a: 'the result of a' }, b: { b: 'b' } });
    expect((await engine.store.check()).problems).toEqual([]);
  });
});

test('a place that becomes free before the answer that there was none is taken all the same', async () => {
  const store = await openSpiedStore(rig.db);
  const [began, goesOn] = [createLatch(), createLatch()];
  const hold = async () => {
    began.open();
    await goesOn.promise;
  };
  const held = defineWorkflow({ name: 'held', steps: [{ id: 'a', handler: hold, slots: ['k'], next: null }] });
  const wants = defineWorkflow({ name: 'wants', steps: [{ id: 'b', handler: () => 'done', slots: ['k'], next: null }] });
  const engine = await rig.open({ store, workflows: [held, wants], limits: { keys: { k: 1 } } });
  const blocker = await engine.start(held);
  await began.promise;
  let refused = 0;
  store.around = async (_, commit) => {
    const result = await commit();
    if (result.result !== 'full') return result;
    refused += 1;
    goesOn.open();
    await blocker.wait();
    // By now the store has signalled the free place.
    await new Promise((resolve) => setImmediate(resolve));
    return result;
  };
  const run = await engine.start(wants);
  expect([(await run.wait()).status, refused]).toEqual(['completed', 1]);
  await engine.close();
  await store.close();
});
