// What seeds have found, each as a test of its own: a seed may mean something else after a change, these do not.

import { afterEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine, type Engine, type EngineOptions, openSqliteStore, type Store, step, workflow } from '../../src/index.ts';
import type { View } from '../../src/kernel/program.ts';
import type { RunState } from '../../src/kernel/run-state.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createFlowProgram } from '../../src/programs/flow.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';

const opened: { close(options?: { abort?: boolean }): Promise<void> }[] = [];

async function open(options: EngineOptions): Promise<Engine> {
  const engine = await createEngine({ warn: () => undefined, ...options });
  opened.unshift(engine);
  return engine;
}

// Every owner that is not `me` counts as dead, as after the end of its process.
async function openStore(): Promise<Store> {
  const store = await openSqliteStore({ file: ':memory:', isDead: () => true });
  opened.push(store);
  return store;
}

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close({ abort: true });
});

function createLatch(): { readonly passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

test('a step that waited for a semaphore goes on after a pause that outlived its engine', async () => {
  const store = await openStore();
  const latch = createLatch();
  const held = defineWorkflow({ name: 'held', steps: [{ id: 'a', handler: () => latch.passed, slots: ['k'], next: null }] });
  const wants = defineWorkflow({ name: 'wants', steps: [{ id: 'b', handler: () => 'done', slots: ['k'], next: null }] });
  const options = { store, workflows: [held, wants], limits: { keys: { k: 1 } } };
  const first = await open(options);
  const blocker = await first.start(held);
  const { id } = await first.start(wants);
  await first.run(id).pause({ actor: 'ann' });
  latch.open();
  await blocker.wait();
  await first.close();
  const second = await open(options);
  await second.run(id).resume({ actor: 'ann' });
  expect((await second.run(id).wait()).status).toBe('completed');
});

test('a flow that failed stands at the failed step again when a person sends it back', () => {
  const flow = workflow('flow', function* () {
    yield* step('before').task(() => 1);
    yield* step('work').task(() => 2);
    return 'done';
  });
  const program = createFlowProgram({ workflow: flow.compiled, params: {}, facts: REGISTRY });
  const kept: unknown[] = [];
  const view = { value: () => null, keep: (value: unknown) => void kept.push(value) } as unknown as View;
  const run = {} as RunState;
  const error = { code: 'STEP_FAILED', message: 'not yet', reason: 'error' } as const;
  program.begin(run, view);
  program.next(run, { path: 'before#1', step: 'before', outcome: 'ok' }, view);
  expect(program.next(run, { path: 'work#1', step: 'work', outcome: 'error', error }, view)).toMatchObject([{ status: 'failed' }]);
  expect(program.model('work').id).toBe('work');
  expect(program.next(run, { path: 'work#1', step: 'work', outcome: 'ok' }, view)).toMatchObject([{ do: 'end', status: 'completed' }]);
  expect(kept).toEqual(['done']);
});

test('a verification that its engine did not finish is made again by the next one', async () => {
  const store = await openStore();
  const began = createLatch();
  let isFirst = true;
  const check = (): boolean | Promise<boolean> => {
    if (!isFirst) return true;
    isFirst = false;
    began.open();
    return new Promise<boolean>(() => undefined);
  };
  const human = { prompt: 'ok?', options: [{ label: 'yes' }] };
  const asking = defineWorkflow({
    name: 'asking',
    steps: [{ id: 'ask', human, postconditions: [{ name: 'seen', check, error: 'unseen' }], next: null }],
  });
  const first = await open({ store, workflows: [asking] });
  const run = await first.start(asking);
  await run.wait('idle');
  await first.run(run.id).decide({ option: 'yes', actor: 'ann' });
  await began.passed;
  await first.close({ abort: true });
  const second = await open({ store, workflows: [asking] });
  await second.recover();
  expect((await second.run(run.id).wait()).status).toBe('completed');
});

test('an attempt that a person sends back stands in the queue for its semaphore again', async () => {
  const store = await openStore();
  const [latch, began] = [createLatch(), createLatch()];
  let calls = 0;
  const work = (): unknown => {
    calls += 1;
    began.open();
    return calls === 1 ? new Promise(() => undefined) : 'done';
  };
  const held = defineWorkflow({ name: 'held', steps: [{ id: 'a', handler: () => latch.passed, slots: ['k'], next: null }] });
  const asks = defineWorkflow({
    name: 'asks',
    steps: [{ id: 'b', handler: work, slots: ['k'], recovery: 'ask', next: null }],
  });
  const options = { store, workflows: [held, asks], limits: { keys: { k: 1 } } };
  const first = await open(options);
  const { id } = await first.start(asks);
  await began.passed;
  await first.close({ abort: true });
  const second = await open(options);
  await second.recover();
  expect((await second.run(id).wait('outside')).waits).toMatchObject([{ kind: 'unknown' }]);
  const blocker = await second.start(held);
  await second.run(id).resume({ actor: 'ann', choice: { how: 'rerun' } });
  expect((await second.run(id).get()).waits).toMatchObject([{ kind: 'capacity' }]);
  expect(calls).toBe(1);
  latch.open();
  await blocker.wait();
  expect((await second.run(id).wait()).status).toBe('completed');
  expect(calls).toBe(2);
});

test('a run that is due and cannot be driven is not tried again and again', async () => {
  const inner = await openStore();
  const clock = createVirtualClock();
  let sweeps = 0;
  const store: Store = {
    ...inner,
    ready: (now, limit) => {
      sweeps += 1;
      return inner.ready(now, limit);
    },
  };
  const late = defineWorkflow({ name: 'late', steps: [{ id: 'wait', delay: '10s', next: null }] });
  const first = await open({ store, clock, workflows: [late] });
  await (await first.start(late)).wait('idle');
  await first.close();
  const stranger = await open({ store, clock, workflows: [] });
  clock.advance(11_000);
  await stranger.recover();
  const pass = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) {
      clock.advance(10);
      await new Promise(setImmediate);
    }
  };
  await pass();
  const before = sweeps;
  await pass();
  expect(sweeps).toBe(before);
});
