// Steps of a flow that are done on a condition, chosen, or allowed to fail.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { all, branch, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const fails = (): number => {
  throw new Error('broken');
};

test('when(false) records the step as skipped, and its result is null', async () => {
  const flow = workflow('when', function* () {
    const a: number | null = yield* step('a')
      .task(() => 1)
      .when(true);
    const b: number | null = yield* step('b').task(fails).when(false);
    const c: number[] | null = yield* step('c')
      .each([1], () => step('d').task(() => 2))
      .when(false);
    return { a, b, c };
  });
  const view = await (await (await rig.open()).start(flow)).wait();
  expect(view.output).toEqual({ a: 1, b: null, c: null });
  expect(view.steps.map((one) => [one.step, one.status])).toEqual([
    ['a', 'completed'],
    ['b', 'skipped'],
    ['c', 'skipped'],
  ]);
});

test('skipOnError continues with null after a failure, but not after a rejection', async () => {
  const flow = workflow('skip', function* () {
    const a: number | null = yield* step('a').task(fails).skipOnError();
    yield* step('ask').human({ prompt: 'p' }).skipOnError();
    return a;
  });
  const engine = await rig.open();
  const run = await engine.start(flow);
  const waiting = await run.wait('idle');
  expect(waiting.steps.map((one) => [one.step, one.status])).toEqual([
    ['a', 'failed'],
    ['ask', 'waiting'],
  ]);
  await run.decide({ option: 'reject', actor: 'ann' });
  expect((await run.wait('outside')).status).not.toBe('completed');
});

test('a group cannot hold a step with skipOnError', () => {
  expect(() => all([step('a').task(fails).skipOnError()])).toThrow('cannot contain step "a" with skipOnError; yield* that step separately');
});

test('branch runs the first step whose condition is true', async () => {
  const flow = workflow('branch', function* () {
    const size: number = yield* step('size').task(() => 7);
    return yield* branch([
      [size > 10, step('split').task(() => 'split')],
      [true, step('edit').task(() => 'edited')],
    ]);
  });
  const view = await (await (await rig.open()).start(flow)).wait();
  expect([view.status, view.output]).toEqual(['completed', 'edited']);
  expect(() => branch([[false, step('a').task(fails)]])).toThrow('branch([…]) must have a condition that is true');
});

test('a run that exists is not continued with other parameters', async () => {
  const flow = workflow('once', function* () {
    yield* step('a').task(() => 1);
  });
  const engine = await rig.open();
  await (await engine.start(flow, {}, { id: 'mine' })).wait();
  await expect(engine.start(flow, {}, { id: 'mine' })).rejects.toMatchObject({ code: 'RUN_EXISTS' });
});
