import { describe, expect, test } from 'vitest';
import { defineWorkflow } from '../compat/index.ts';
import { arg } from '../definition/param/arg.ts';
import { step } from '../kinds/step-builder.ts';
import { workflow } from './workflow.ts';

const boom = (): never => {
  throw new Error('boom');
};

describe('running a workflow in memory', () => {
  test('returns the result of the run and of each step, in the order in which they ran', async () => {
    const sum = workflow('sum', { params: { n: arg({ default: 1 }) } }, function* ({ n }) {
      const two = yield* step('double').task((x: number) => x * 2, n as number);
      const three = yield* step('add').task((x: number) => x + 1, two);
      return { three };
    });
    const result = await sum.run({ n: 5 });
    expect(result).toEqual({
      workflowName: 'sum',
      success: true,
      stepResults: [
        { name: 'double', stepType: 'task', success: true, output: 10, durationMs: expect.any(Number) },
        { name: 'add', stepType: 'task', success: true, output: 11, durationMs: expect.any(Number) },
      ],
      totalDurationMs: expect.any(Number),
      finalOutput: { three: 11 },
    });
  });

  test('S1-11, S1-12: results are deeply frozen and have no negative time', async () => {
    const result = await workflow('deep', function* () {
      return yield* step('a').task(() => ({ deep: { list: [1] } }));
    }).run();
    const output = result.stepResults[0]?.output as { deep: { list: number[] } };
    expect([result, result.stepResults, result.stepResults[0], output, output.deep, output.deep.list].every(Object.isFrozen)).toBe(true);
    expect(() => output.deep.list.push(2)).toThrow(TypeError);
    expect(result.totalDurationMs).toBeGreaterThanOrEqual(0);
    expect(result.stepResults.every(({ durationMs }) => durationMs >= 0)).toBe(true);
  });

  test.each([
    ['a value', () => 'mine', 'mine'],
    ['false', () => false, false],
    ['nothing', () => undefined, 'last'],
    ['null', () => null, 'last'],
  ])('S1-13: the final output of a flow that returns %s', async (_, returned, expected) => {
    const flow = workflow('returns', function* () {
      yield* step('a').task(() => 'first');
      yield* step('b').task(() => 'last');
      return returned();
    });
    expect((await flow.run()).finalOutput).toBe(expected);
  });

  test('S1-12: a flow without steps succeeds without an output', async () => {
    const empty = workflow('empty', function* () {});
    expect(await empty.run()).toMatchObject({ success: true, stepResults: [], finalOutput: null });
  });

  test('S1-15: a failed step stops the run; later steps do not run, and the result says why', async () => {
    const ran: string[] = [];
    const flow = workflow('stops', function* () {
      yield* step('a').task(boom);
      yield* step('b').task(() => ran.push('b'));
    });
    const result = await flow.run();
    expect(result).toMatchObject({ success: false, error: 'boom', stepResults: [{ name: 'a', success: false, error: 'boom' }] });
    expect([ran, result.stepResults[0]?.handled]).toEqual([[], undefined]);
  });

  test('S1-15: a caught failure stays in the results as handled, and the run succeeds', async () => {
    const flow = workflow('catches', function* () {
      try {
        yield* step('a').task(boom);
      } catch (error) {
        return (error as Error).message;
      }
      return 'not thrown';
    });
    const result = await flow.run();
    expect(result).toMatchObject({
      success: true,
      finalOutput: 'boom',
      stepResults: [{ name: 'a', success: false, error: 'boom', handled: true }],
    });
  });

  test('a graph that routes an error is handled as well', async () => {
    const graph = defineWorkflow({
      name: 'routes',
      steps: [
        { id: 'a', handler: boom, next: { ok: null, error: 'b' } },
        { id: 'b', handler: () => 'mended', next: null },
      ],
    });
    expect(await graph.run({})).toMatchObject({
      success: true,
      finalOutput: 'mended',
      stepResults: [{ handled: true }, { success: true }],
    });
  });

  test('S1-14: a step name that is used twice fails the run before the second one runs', async () => {
    let calls = 0;
    const flow = workflow('twice', function* () {
      yield* step('a').task(() => ++calls);
      yield* step('a').task(() => ++calls);
    });
    expect(await flow.run()).toMatchObject({ success: false, error: expect.stringContaining('"a"') });
    expect(calls).toBe(1);
  });

  test('a run that waits for a person ends with what it waits for, and does not hang', async () => {
    const asks = defineWorkflow({ name: 'asks', steps: [{ id: 'ask', human: { prompt: 'Go?' }, next: null }] });
    const result = await asks.run({});
    expect([result.success, result.error]).toEqual([false, expect.stringContaining('human at "ask"')]);
  });

  test('a run whose child is stopped does not hang either', async () => {
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'a', handler: boom, next: null }] });
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: kid, next: null }] });
    expect(await parent.run({})).toMatchObject({ success: false, error: expect.stringContaining('child at "child"') });
  });

  test('invalid parameters are rejected before anything runs', async () => {
    const strict = workflow('strict', { params: { n: arg({ type: 'integer', min: 1 }) } }, function* () {});
    await expect(strict.run({ n: 0 } as never)).rejects.toMatchObject({ code: 'PARAMS_INVALID' });
  });
});

class Money {
  readonly amount = 5;
}

describe('what a step returns', () => {
  test.each([
    ['an instance of a class', () => ({ cart: { price: new Money() } }), 'cart.price'],
    ['a map', () => ({ index: new Map([['a', 1]]) }), 'index'],
    ['a function', () => ({ list: [() => 1] }), 'list[0]'],
    ['a number that is none', () => ({ n: Number.NaN }), 'n'],
    ['a big integer', () => ({ n: 1n }), 'n'],
    [
      'itself',
      () => {
        const loop: Record<string, unknown> = {};
        loop.again = { loop };
        return loop;
      },
      'again.loop',
    ],
  ])('%s fails the step and names the path', async (_, handler, path) => {
    const result = await defineWorkflow({ name: 'w', steps: [{ id: 'make', handler: handler as () => unknown, next: null }] }).run({});
    expect(result.success).toBe(false);
    expect(result.error).toContain('step "make"');
    expect(result.error).toContain(path);
  });

  test('a value with toJSON is stored as its result', async () => {
    const when = new Date(0);
    const result = await defineWorkflow({ name: 'w', steps: [{ id: 'make', handler: () => ({ when }), next: null }] }).run({});
    expect(result.finalOutput).toEqual({ when: '1970-01-01T00:00:00.000Z' });
  });

  test('D14: keys such as __proto__ and constructor stay data, all the way to the next step and out again', async () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}},"lc":1,"$type":"Evil"}') as object;
    const seen: unknown[] = [];
    const graph = defineWorkflow({
      name: 'hostile',
      steps: [
        { id: 'make', handler: () => ({ made: hostile, ...JSON.parse('{"__proto__":{"admin":true}}') }), next: 'look' },
        {
          id: 'look',
          handler: (ctx) => {
            seen.push((ctx.stepState as { admin?: unknown }).admin, ({} as { admin?: unknown }).admin);
            return { back: ctx.stepState.made };
          },
          next: null,
        },
      ],
    });
    const result = await graph.run({});
    expect(seen).toEqual([undefined, undefined]);
    expect(JSON.stringify((result.finalOutput as { back: unknown }).back)).toBe(JSON.stringify(hostile));
  });

  test('D14: in a group as well: what its members merge stays data', async () => {
    const hostile = (): unknown => JSON.parse('{"__proto__":{"admin":true},"a":1}');
    const graph = defineWorkflow({
      name: 'group',
      steps: [
        { id: 'par', parallel: { branches: [{ id: 'one', handler: hostile }] }, next: 'look' },
        { id: 'look', handler: (ctx) => ({ own: Object.keys(ctx.stepState).sort(), admin: ctx.stepState.admin ?? null }), next: null },
      ],
    });
    expect((await graph.run({})).finalOutput).toEqual({ own: ['__proto__', 'a'], admin: null });
  });

  test('D16: 20 MB are returned unchanged', async () => {
    const text = 'pawl '.repeat(4 << 20);
    const flow = workflow('big', function* () {
      const made = yield* step('make').task(() => ({ text }));
      return yield* step('measure').task((given: { text: string }) => given.text.length, made);
    });
    const result = await flow.run();
    expect(result.finalOutput).toBe(text.length);
    const [made] = result.stepResults;
    expect(made?.output).toEqual({ text });
  });
});
