// What user code is given is its own: the same bytes while a run goes on and when it is replayed, whatever the code
// does with them.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { all, arg, defineWorkflow, race, type StepFailed, step, workflow } from './library.ts';
import { createLatch, createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

/** The output of a run that waits for the signal "go" and is replayed by another engine before it goes on. */
async function replayed(flow: AnyWorkflow, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  const first = await rig.open({ workflows: [flow] });
  const run = await first.start(flow, params);
  await run.wait('idle');
  await first.close();
  const second = await rig.open({ workflows: [flow] });
  await second.run(run.id).signal('go');
  const view = await second.run(run.id).wait();
  return view.status === 'completed' ? view.output : `${view.status}: ${view.error}`;
}

const unsorted = () => [3, 1, 2];

const sortsParams = workflow('sorts-params', { params: { list: arg({ default: [] }) } }, function* ({ list }) {
  return yield* step('sort').task((own: number[]) => own.sort(), list as number[]);
});

describe('a flow that changes what it was given', () => {
  test('a flow that changes what it was given repeats itself, also after a later step has read the results', async () => {
    const flow = workflow('sorts', function* () {
      const list = yield* step('list').task(unsorted);
      yield* step('look').task({ action: (seen: unknown) => seen, args: (ctx) => [ctx.results.list?.output] });
      list.sort();
      list.push(4);
      yield* step('wait').signal('go');
      return yield* step('use').task((given: number[]) => given, list);
    });
    expect(await replayed(flow)).toEqual([1, 2, 3, 4]);
  });

  test('a flow that changes what it was given does not change what later steps see', async () => {
    const flow = workflow('hidden', function* () {
      const list = yield* step('list').task(unsorted);
      list.sort();
      const seen = yield* step('look').task({ action: (given: unknown) => given, args: (ctx) => [ctx.results.list?.output] });
      yield* step('wait').signal('go');
      return seen;
    });
    expect(await replayed(flow)).toEqual([3, 1, 2]);
  });

  test.each([
    ['all', () => all([step('a').task(unsorted), step('b').task(unsorted)])],
    ['each', () => step('each').each(['x', 'y'], () => step('one').task(unsorted))],
  ])('a flow that changes what it was given gets results of its own from %s', async (_, group) => {
    const flow = workflow('grouped', function* () {
      const lists = (yield* group()) as number[][];
      for (const list of lists) list.sort();
      lists.reverse();
      yield* step('wait').signal('go');
      return yield* step('use').task((given: number[][]) => given, lists);
    });
    expect(await replayed(flow)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test('a flow that changes what it was given gets a result of its own from a race and from a child', async () => {
    const child = workflow('child', function* () {
      return yield* step('list').task(unsorted);
    });
    const flow = workflow('mixed', { children: [child] }, function* () {
      const winner = yield* race([step('only').task(unsorted)]);
      const ofChild = (yield* step('sub').workflow(child)) as number[];
      winner.sort();
      ofChild.sort();
      const seen = yield* step('look').task({
        action: (...given: unknown[]) => given,
        args: (ctx) => [ctx.results.sub?.output],
      });
      yield* step('wait').signal('go');
      return yield* step('use').task((...given: unknown[]) => given, winner, ofChild, seen);
    });
    expect(await replayed(flow)).toEqual([[1, 2, 3], [1, 2, 3], [[3, 1, 2]]]);
  });

  test('a flow that changes what it was given ends with the last result as it was, when it returns nothing', async () => {
    const flow = workflow('silent', function* () {
      yield* step('wait').signal('go');
      const list = yield* step('list').task(unsorted);
      list.sort();
    });
    expect(await replayed(flow)).toEqual([3, 1, 2]);
  });

  test('a flow that changes what it was given cannot change its params', async () => {
    const flow = workflow('fixed', { params: { list: arg({ default: [3, 1, 2] }) } }, function* (input) {
      let refused = false;
      try {
        (input.list as number[]).sort();
      } catch (error) {
        refused = error instanceof TypeError;
      }
      yield* step('wait').signal('go');
      return yield* step('use').task((...given: unknown[]) => given, refused, input.list);
    });
    expect(await replayed(flow, { list: [2, 1] })).toEqual([true, [2, 1]]);
  });

  test('a flow that changes what it was given sees the original failure of a step again on replay', async () => {
    let broken = true;
    const flow = workflow('caught', function* () {
      let seen = '';
      try {
        yield* step('a').task(() => {
          throw new Error('a broke');
        });
      } catch (error) {
        seen = (error as StepFailed).message;
        (error as Error).message = `changed: ${seen}`;
      }
      return yield* step('b').task((text: string) => {
        if (broken) throw new Error('b broke');
        return text;
      }, seen);
    });
    const engine = await rig.open({ workflows: [flow] });
    const run = await engine.start(flow);
    expect((await run.wait()).status).toBe('failed');
    broken = false;
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect(await engine.run(run.id).wait()).toMatchObject({ status: 'completed', output: 'a broke' });
  });
});

describe('a function that changes what it was given', () => {
  test('a function that changes what it was given does not change what the flow has, nor what its next attempt is given', async () => {
    const given: number[][] = [];
    const flow = workflow('arguments', function* () {
      const list = [3, 1, 2];
      const sorted = yield* step('sort')
        .task((own: number[]) => {
          given.push([...own]);
          own.sort();
          if (given.length === 1) throw new Error('once more');
          return own;
        }, list)
        .retry(1);
      yield* step('wait').signal('go');
      return yield* step('use').task((...both: unknown[]) => both, list, sorted);
    });
    expect([await replayed(flow), given]).toEqual([
      [
        [3, 1, 2],
        [1, 2, 3],
      ],
      [
        [3, 1, 2],
        [3, 1, 2],
      ],
    ]);
  });

  class Live {}
  const live = new Live();
  const sortsList = (own: { list: number[]; live: Live }): void => void own.list.sort();

  test.each([
    ['beside a live object', (list: number[]) => step('change').task(sortsList, { list, live })],
    ['built when the step begins', (list: number[]) => step('change').task({ action: sortsList, args: () => [{ list, live }] as const })],
    [
      'in a map',
      (list: number[]) => step('change').task((own: Map<string, number[]>) => void own.get('a')?.sort(), new Map([['a', list]])),
    ],
    ['beside a date', (list: number[]) => step('change').task((own: [Date, number[]]) => void own[1].sort(), [new Date(0), list])],
    [
      'of a live agent',
      (list: number[]) =>
        step('change').agent({ agent: { execute: (own: { list: number[] }) => void own.list.sort() }, context: () => ({ list }) }),
    ],
    ['of a child, built when the step begins', (list: number[]) => step('change').workflow(sortsParams, () => ({ list }))],
  ] as const)('does not change what the flow has where the data is %s', async (_, changing) => {
    const flow = workflow('mixed', { children: [sortsParams] }, function* () {
      const list = [3, 1, 2];
      yield* changing(list);
      yield* step('before').task((given: number[]) => given, list);
      yield* step('wait').signal('go');
      return list;
    });
    expect(await replayed(flow)).toEqual([3, 1, 2]);
  });

  test('a function that changes what it was given is given what the flow had when it wrote the step down', async () => {
    const flow = workflow('built', function* () {
      const list = [3];
      const first = step('first').task((own: number[]) => own, list);
      list.push(1);
      return yield* all([first, step('second').task((own: number[]) => own, list)]);
    });
    const engine = await rig.open();
    expect((await (await engine.start(flow)).wait()).output).toEqual([[3], [3, 1]]);
  });

  test('a function that changes what it was given is given a live object itself, not a copy', async () => {
    class Counter {
      count = 0;
    }
    const [counter, double] = [new Counter(), { calls: [] as string[], call: (text: string) => double.calls.push(text) }];
    const flow = workflow('live', function* () {
      yield* step('a').task(
        (own: Counter, other: typeof double) => {
          own.count += 1;
          other.call('once');
        },
        counter,
        double,
      );
    });
    const engine = await rig.open();
    await (await engine.start(flow)).wait();
    expect([counter.count, double.calls]).toEqual([1, ['once']]);
  });

  test.each(['results', 'stepState', 'checkpoint', 'workflowParams', 'item', 'result'] as const)(
    'cannot change ctx.%s, in a new run or in one that goes on',
    async (field) => {
      const change = (ctx: object): boolean => {
        const value = (ctx as Record<string, unknown>)[field];
        return [value, ...Object.values(value as object)].filter((part) => typeof part === 'object').every(Object.isFrozen);
      };
      const graph = defineWorkflow({
        name: 'graph',
        params: { list: arg({ default: [[3, 1, 2]] }) },
        steps: [
          { id: 'make', handler: () => ({ made: [3, 1, 2] }), next: 'wait' },
          { id: 'wait', signal: 'go', next: 'each' },
          {
            id: 'each',
            each: {
              items: 'params.list',
              step: {
                handler: (ctx) => ({ frozen: field === 'result' || change(ctx) }),
                postconditions: [{ name: 'frozen', check: (ctx) => change(ctx), error: 'it can be changed' }],
              },
            },
            next: null,
          },
        ],
      });
      expect(await replayed(graph)).toEqual([{ frozen: true }]);
    },
  );
});

test('a run has its own copy of its parameters: the caller may change theirs afterwards', async () => {
  const go = createLatch();
  const graph = defineWorkflow({
    name: 'given',
    steps: [
      { id: 'make', handler: () => [0], next: 'use' },
      {
        id: 'use',
        handler: async (ctx) => {
          await go.promise;
          return [ctx.results.make?.output ?? null, (ctx.stepState as unknown as { list: number[] }).list];
        },
        next: null,
      },
    ],
  });
  const engine = await rig.open();
  const [made, list] = [unsorted(), unsorted()];
  const run = await engine.start(graph, {}, { from: 'use', origin: { actor: 'ann' }, outputs: { make: made }, facts: { list } });
  made.sort();
  list.sort();
  go.open();
  expect((await run.wait()).output).toEqual([
    [3, 1, 2],
    [3, 1, 2],
  ]);
  expect(Object.isFrozen(made)).toBe(false);
});
