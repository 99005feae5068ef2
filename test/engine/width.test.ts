import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { casesOf } from '../cases.ts';
import { all, arg, defineWorkflow, EngineError, step, workflow } from './library.ts';
import { createLatch, createRig, errorOf, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Takes between 0 and 20 ms, different for each item. */
async function work(item: number): Promise<{ item: number; text: string }> {
  await new Promise((resolve) => setTimeout(resolve, (item * 7) % 21));
  return { item, text: `result of ${item}` };
}

const done = (count: number) => numbers(count).map((item) => ({ item, text: `result of ${item}` }));

describe('a fan-out of 64 and more whose workers take time', () => {
  test.each([64, 100, 500])('a fan-out of %i items with functions, as a graph, completes with every result', async (count) => {
    const fan = defineWorkflow({
      name: 'fan',
      params: { list: arg({ default: numbers(count) }) },
      steps: [{ id: 'each', each: { items: 'params.list', step: { handler: (ctx) => work(ctx.item) } }, next: null }],
    });
    const engine = await rig.open();
    expect(await (await engine.start(fan)).wait()).toMatchObject({ status: 'completed', output: done(count) });
  });

  test('a fan-out of more items than may work at the same time works on no more than the engine allows, and shows what is queued', async () => {
    const limit = 8;
    const items = numbers(casesOf(1000));
    const [full, go] = [createLatch(), createLatch()];
    let [active, most] = [0, 0];
    const fan = defineWorkflow({
      name: 'fan',
      params: { list: arg({ default: items }) },
      steps: [
        {
          id: 'each',
          each: {
            items: 'params.list',
            step: {
              handler: async (ctx) => {
                active += 1;
                most = Math.max(most, active);
                if (active === limit) full.open();
                await go.promise;
                active -= 1;
                return ctx.item;
              },
            },
          },
          next: null,
        },
      ],
    });
    const engine = await rig.open({ limits: { global: limit } });
    const run = await engine.start(fan);
    await full.promise;
    // One too many would begin while the run is read several times.
    for (let turn = 0; turn < 20; turn += 1) await engine.run(run.id).get();
    const waiting = (await engine.run(run.id).get()).waits.filter(({ kind }) => kind === 'capacity');
    expect(waiting).toHaveLength(items.length - limit);
    go.open();
    expect([(await run.wait()).output, most]).toEqual([items, limit]);
  });

  test('a wide fan-out of a flow, with `each` and with `all`, completes with every result', async () => {
    const fan = workflow('fan', function* () {
      const each = yield* step('each').each(numbers(100), (item) => step('work').task(work, item));
      const group = yield* all(numbers(100).map((item) => step(`one-${item}`).task(work, item)));
      return { each, group };
    });
    const engine = await rig.open();
    expect((await (await engine.start(fan)).wait()).output).toEqual({ each: done(100), group: done(100) });
  });

  test('a wide group of `parallel` branches completes with every result', async () => {
    const branches = numbers(100).map((item) => ({ id: `b${item}`, handler: () => work(item) }));
    const fan = defineWorkflow({ name: 'fan', steps: [{ id: 'par', parallel: { branches }, next: null }] });
    const engine = await rig.open();
    const { status, output } = await (await engine.start(fan)).wait();
    expect([status, Object.values(output as object)]).toEqual(['completed', done(100)]);
  });

  test('a wide fan-out with scripted agents completes with every result', async () => {
    const agent = createScriptedDriver(async ({ prompt }) => {
      const output = await work(Number(/item (\d+)/.exec(prompt)?.[1]));
      return [{ do: 'answer', output }];
    });
    const fan = workflow('fan', function* () {
      return yield* step('each').each(numbers(100), (item) => step('work').agent({ agent: 'worker', prompt: `item ${item}` }));
    });
    const engine = await rig.open({ roles: { worker: { driver: 'scripted' } }, drivers: { scripted: agent } });
    const { status, output } = await (await engine.start(fan)).wait();
    expect([status, (output as { output: unknown }[]).map((answer) => answer.output)]).toEqual(['completed', done(100)]);
  });

  test('a wide fan-out with commands completes with every result', async () => {
    const fan = workflow('fan', function* () {
      return yield* step('each').each(numbers(80), (item) => step('work').command({ run: 'echo "$ITEM"', env: { ITEM: `${item}` } }), {
        concurrency: 20,
      });
    });
    const engine = await rig.open();
    const { status, output } = await (await engine.start(fan)).wait();
    expect([status, (output as { stdout: string }[]).map(({ stdout }) => Number(stdout))]).toEqual(['completed', numbers(80)]);
  });
});

describe('a wide group whose members a crash left unknown', () => {
  let calls: number[] = [];
  const wide = workflow('wide', function* () {
    return yield* step('each').each(numbers(100), (item) =>
      step('work').task(async (own: number) => {
        calls.push(own);
        if (calls.length <= 100) await new Promise(() => undefined);
        return own;
      }, item),
    );
  });

  /** A run with 100 members of unknown end. */
  async function cutOff() {
    calls = [];
    const first = await rig.open({ workflows: [wide] });
    const run = await first.start(wide);
    while (calls.length < 100) await new Promise((resolve) => setImmediate(resolve));
    await first.close({ abort: true });
    const engine = await rig.open({ workflows: [wide], drives: 'own' });
    await engine.run(run.id).resume();
    expect((await engine.run(run.id).wait('idle')).waits.map(({ kind }) => kind)).toEqual(numbers(100).map(() => 'unknown'));
    return { engine, run: run.id };
  }

  test('a wide group whose members a crash left unknown runs them all again when a person chooses it for the group', async () => {
    const { engine, run } = await cutOff();
    await engine.run(run).resume({ actor: 'ann', choice: { how: 'rerun', path: 'each#1' } });
    expect(await engine.run(run).wait()).toMatchObject({ status: 'completed', output: numbers(100) });
    expect(calls.length).toBe(200);
  });

  test('a wide group whose members a crash left unknown counts them all as done, as one override, when a person chooses it for the group', async () => {
    const { engine, run } = await cutOff();
    await engine.run(run).resume({ actor: 'ann', choice: { how: 'done', path: 'each#1' } });
    const { status } = await engine.run(run).wait();
    const passed: number[] = [];
    for await (const event of engine.run(run).log())
      if (event.type === 'run.changed' && event.change === 'overridden') passed.push(event.override.passed.length);
    expect([status, passed, calls.length]).toEqual(['overridden', [100], 100]);
  });

  test('a wide group whose members a crash left unknown fails them all when a person chooses it for the group, also if some were settled before', async () => {
    const { engine, run } = await cutOff();
    await engine.run(run).resume({ actor: 'ann', choice: { how: 'done', path: 'each#1/7', output: 'seven' } });
    await engine.run(run).resume({ actor: 'ann', choice: { how: 'failed', path: 'each#1', note: 'the power went' } });
    expect(await engine.run(run).wait()).toMatchObject({ status: 'failed', error: expect.stringContaining('99 of 100 did not succeed') });
  });

  test('a wide group whose members a crash left unknown must be named by its path, and an output can only be given for one step', async () => {
    const { engine, run } = await cutOff();
    const resume = (choice: object) => errorOf(engine.run(run).resume({ actor: 'ann', choice: choice as never }));
    expect((await resume({ how: 'rerun' })).message).toContain('name one, or a group for all of its members: each#1, each#1/0, each#1/1,');
    expect((await resume({ how: 'rerun', path: 'each' })).code).toBe('WAIT_NOT_FOUND');
    expect((await resume({ how: 'done', path: 'each#1', output: 1 })).code).toBe('OPTION_INVALID');
  });
});

describe('a run whose driver failed', () => {
  const two = workflow('two', function* () {
    yield* step('a').task({ action: () => 'a', recovery: 'rerun' });
    return yield* step('b').task({ action: () => 'b', recovery: 'rerun' });
  });

  /** A run that a failed commit stopped, and the engine that drove it. */
  async function failed() {
    const store = await openSpiedStore(rig.db);
    let isBroken = false;
    store.around = async (delta, commit) => {
      isBroken ||= delta.attempts.length > 0;
      if (isBroken) throw new EngineError('STORE_FULL', 'there is no room on the disk');
      return commit();
    };
    const engine = await rig.open({ store, workflows: [two] });
    const run = await engine.start(two);
    return { store, engine, run };
  }

  test('E4: a failed commit is reported to everyone who waits for the run, which then has no owner', async () => {
    const { store, engine, run } = await failed();
    const errors = await Promise.all([errorOf(run.wait()), errorOf(engine.run(run.id).wait()), errorOf(engine.run(run.id).wait('idle'))]);
    expect(errors.map(({ code }) => code)).toEqual(['STORE_FULL', 'STORE_FULL', 'STORE_FULL']);
    expect((await engine.run(run.id).get()).owner).toBe(undefined);
    await store.close();
  });

  test('a run whose driver failed is driven by another engine of this process, while the first one lives', async () => {
    const { store, run } = await failed();
    await errorOf(run.wait());
    const other = await rig.open({ workflows: [two] });
    await other.run(run.id).resume();
    expect((await other.run(run.id).wait()).output).toBe('b');
    await store.close();
  });

  test('a run whose driver failed is driven by another process, while the first one lives', async () => {
    const { store, run } = await failed();
    await errorOf(run.wait());
    const other = rig.other(`
      const two = workflow('two', function* () {
        yield* step('a').task({ action: () => 'a', recovery: 'rerun' });
        return yield* step('b').task({ action: () => 'b', recovery: 'rerun' });
      });
      const engine = await createEngine({ db, workflows: [two], drives: 'own' });
      await engine.run('${run.id}').resume({ actor: 'ann', acceptChanges: true });
      say((await engine.run('${run.id}').wait()).output);
      await engine.close();`);
    expect(await other.said()).toBe('b');
    await other.ended;
    await store.close();
  });

  test('a run whose driver failed is released when the engine closes, if the store failed before', async () => {
    const { store, engine, run } = await failed();
    const { release } = store;
    store.release = async () => {
      throw new EngineError('STORE_FULL', 'there is no room on the disk');
    };
    await errorOf(run.wait());
    const other = await rig.open({ workflows: [two], drives: 'own' });
    expect((await errorOf(other.run(run.id).resume())).code).toBe('RUN_LOCKED');
    store.release = release;
    await engine.close();
    await other.run(run.id).resume();
    expect((await other.run(run.id).wait()).output).toBe('b');
    await store.close();
  });

  test('a run whose driver failed is tried again by its own engine after a minute', async () => {
    const clock = createVirtualClock();
    const store = await openSpiedStore(rig.db);
    let failures = 1;
    store.around = async (delta, commit) => {
      if (delta.attempts.length === 0 || failures === 0) return commit();
      failures -= 1;
      throw new EngineError('STORE_FULL', 'there is no room on the disk');
    };
    const engine = await rig.open({ store, workflows: [two], clock });
    const run = await engine.start(two);
    await errorOf(run.wait());
    const ended = run.wait();
    clock.advance(60_000);
    expect((await ended).output).toBe('b');
    await store.close();
  });
});
