import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { arg, defineWorkflow, step, workflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const items = Array.from({ length: 100 }, (_, n) => `item-${n}`);

function createWorker() {
  const worker = {
    ran: [] as string[],
    broken: true,
    work(item: string): string {
      worker.ran.push(item);
      if (worker.broken && item === 'item-4') throw new Error('item 4 is broken');
      return item.toUpperCase();
    },
  };
  return worker;
}

describe('R01: a fan-out of 100 in which item 4 fails', () => {
  test('R01: when item 4 of 100 fails in a graph, the others stay done and resuming runs only item 4', async () => {
    const worker = createWorker();
    const fan = defineWorkflow({
      name: 'fan',
      params: { list: arg({ default: items }) },
      steps: [
        { id: 'each', each: { items: 'params.list', concurrency: 10, step: { handler: (ctx) => worker.work(ctx.item) } }, next: 'end' },
        { id: 'end', handler: (ctx) => ({ got: ((ctx.results.each?.output ?? []) as string[]).length }), next: null },
      ],
    });
    const first = await rig.open({ workflows: [fan] });
    const run = await first.start(fan);
    const halted = await run.wait();
    expect([halted.status, halted.error]).toEqual(['escalated', '1 of 100 did not succeed: item-4 (error: item 4 is broken)']);
    expect(worker.ran).toHaveLength(100);
    expect(await first.run(run.id).resumeContext()).toMatchObject({ parallelStatus: { total: 100, completed: 99, failed: ['item-4'] } });
    await first.close();

    worker.ran.length = 0;
    worker.broken = false;
    const second = await rig.open({ workflows: [fan] });
    await second.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    const view = await second.run(run.id).wait();
    expect([view.status, view.output, worker.ran]).toEqual(['completed', { got: 100 }, ['item-4']]);
    expect(view.steps.filter(({ path }) => path === 'each#1/item-4').map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'failed'],
      [2, 'completed'],
    ]);
    const all = view.steps.findLast(({ path }) => path === 'each#1')?.output ?? [];
    expect((all as string[]).slice(3, 6)).toEqual(['ITEM-3', 'ITEM-4', 'ITEM-5']);
  });

  test('R01: when item 4 of 100 fails in a flow, the others stay done and resuming runs only item 4', async () => {
    const worker = createWorker();
    const fan = workflow('fanFlow', function* () {
      const got = yield* step('each').each(items, (item) => step('work').task((name: string) => worker.work(name), item));
      return got[4];
    });
    const first = await rig.open({ workflows: [fan] });
    const run = await first.start(fan);
    expect((await run.wait()).status).toBe('failed');
    await first.close();
    worker.ran.length = 0;
    worker.broken = false;
    const second = await rig.open({ workflows: [fan] });
    await second.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    const view = await second.run(run.id).wait();
    expect([view.status, view.output, worker.ran]).toEqual(['completed', 'ITEM-4', ['item-4']]);
  });
});

describe('a fan-out', () => {
  test('a fan-out over a list that the previous step made sees that list', async () => {
    const engine = await rig.open();
    const fan = defineWorkflow({
      name: 'made',
      steps: [
        { id: 'make', handler: () => ({ chapters: ['one', 'two'] }), next: 'write' },
        { id: 'write', parallel: true, parallelKey: 'chapters', handler: (ctx) => `wrote ${ctx.item}`, next: null },
      ],
    });
    expect((await (await engine.start(fan)).wait()).output).toEqual(['wrote one', 'wrote two']);
  });

  test('a fan-out over an empty list is done immediately', async () => {
    const engine = await rig.open();
    const fan = defineWorkflow({
      name: 'empty',
      params: { list: arg({ default: [] }) },
      steps: [{ id: 'each', each: { items: 'params.list', step: { handler: () => 1 } }, next: null }],
    });
    expect(await (await engine.start(fan)).wait()).toMatchObject({ status: 'completed', output: [] });
  });

  test('a fan-out never works on more items at the same time than its limit, and keeps the order of the items', async () => {
    const engine = await rig.open();
    let [now, most] = [0, 0];
    const fan = workflow('narrow', function* () {
      return yield* step('each').each(
        [5, 4, 3, 2, 1],
        (n) =>
          step('work').task(async (ms: number) => {
            now += 1;
            most = Math.max(most, now);
            await new Promise((resolve) => setTimeout(resolve, ms * 2));
            now -= 1;
            return ms;
          }, n),
        { concurrency: 2 },
      );
    });
    expect((await (await engine.start(fan)).wait()).output).toEqual([5, 4, 3, 2, 1]);
    expect(most).toBe(2);
  });
});
