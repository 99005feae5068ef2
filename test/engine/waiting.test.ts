import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { defineWorkflow, type RunHandle, step, workflow } from './library.ts';
import { codeOf, createLatch, createRig, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

/** Which of these have happened after everything that is at hand was done. */
async function happened(run: RunHandle): Promise<Record<'settled' | 'idle' | 'outside', boolean>> {
  const seen = { settled: false, idle: false, outside: false };
  for (const until of ['settled', 'idle', 'outside'] as const)
    run.wait(until).then(
      () => {
        seen[until] = true;
      },
      () => undefined,
    );
  await run.wait('idle');
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return seen;
}

describe('waiting for a run', () => {
  test.each([
    ['that ended', { handler: () => 1 }, { settled: true, idle: true, outside: true }],
    ['that waits for a person', { human: { prompt: 'Go?' } }, { settled: false, idle: true, outside: true }],
    ['that waits for a signal', { signal: 'go' }, { settled: false, idle: true, outside: true }],
    ['that waits for a time', { delay: '1h' }, { settled: false, idle: true, outside: false }],
    ['that waits for a person until a time', { human: { prompt: 'Go?' }, timeout: '1h' }, { settled: false, idle: true, outside: false }],
  ] as const)('%s', async (_, work, expected) => {
    const engine = await rig.open({ clock: createVirtualClock() });
    const run = await engine.start(defineWorkflow({ name: 'w', steps: [{ id: 'a', ...work, next: { ok: null, timeout: 'fail' } }] }));
    expect(await happened(run)).toEqual(expected);
  });

  test('waiting for a run sees what a manually advanced clock brings about', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    let calls = 0;
    const flaky = (): number => {
      calls += 1;
      if (calls < 3) throw new Error(`no answer ${calls}`);
      return calls;
    };
    const run = await engine.start(
      workflow('w', function* () {
        yield* step('fetch')
          .task(flaky)
          .retry({ max: 3, backoff: { initial: '10m', max: '10m' } });
        yield* step('ask').human({ prompt: 'Good?' });
      }),
    );
    const seen: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { waits } = await run.wait('idle');
      seen.push(waits[0]?.kind, calls);
      clock.advance(600_000);
    }
    expect(seen).toEqual(['delay', 1, 'delay', 2, 'human', 3]);
  });

  test('waiting for a run that ended here returns without reading it again', async () => {
    const store = await openSpiedStore(rig.db);
    const engine = await rig.open({ store });
    const run = await engine.start(defineWorkflow({ name: 'w', steps: [{ id: 'a', handler: () => 1, next: null }] }));
    store.calls.length = 0;
    await engine.run(run.id).waitOnly('settled');
    expect(store.calls).not.toContain('load');
    await engine.close();
    await store.close();
  });

  test('a run that halted is settled', async () => {
    const engine = await rig.open();
    const run = await engine.start(defineWorkflow({ name: 'w', steps: [{ id: 'a', handler: () => 'fail', next: null }] }));
    expect(await happened(run)).toEqual({ settled: true, idle: true, outside: true });
  });

  test('a run whose child waits for a time is not waiting for anything outside', async () => {
    const clock = createVirtualClock();
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'sleep', delay: '1h', next: null }] });
    const parent = workflow('parent', function* () {
      yield* step('child').workflow(kid);
      return 'end';
    });
    const engine = await rig.open({ clock, workflows: [kid, parent] });
    const run = await engine.start(parent);
    expect(await happened(run)).toEqual({ settled: false, idle: true, outside: false });
    clock.advance(3_600_000);
    expect((await run.wait()).output).toBe('end');
  });

  test('a run whose child has stopped is waiting for something outside', async () => {
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'a', handler: () => 'fail', next: null }] });
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: kid, next: null }] });
    const engine = await rig.open({ workflows: [parent] });
    expect(await happened(await engine.start(parent))).toEqual({ settled: false, idle: true, outside: true });
  });

  test('waiting for a run that does not exist is refused', async () => {
    const engine = await rig.open();
    expect(await codeOf(engine.run('nobody').wait())).toBe('RUN_NOT_FOUND');
    expect(await codeOf(engine.run('nobody').get())).toBe('RUN_NOT_FOUND');
    expect(await codeOf(engine.run('nobody').events().next())).toBe('RUN_NOT_FOUND');
  });
});

test('a reader that follows the log of a run gets its last events, also when the run ends right after a look at the log', async () => {
  const held = createLatch();
  const definition = defineWorkflow({ name: 'held', steps: [{ id: 'only', handler: () => held.promise, next: null }] });
  const driving = await rig.open({ workflows: [definition] });
  const run = await driving.start(definition, {}, { id: '0123456789abcdef' });
  const store = await openSpiedStore(rig.db);
  const events: typeof store.events = async (...args) => {
    const rows = await store.events(...args);
    if (rows.length > 0) return rows;
    held.open();
    await run.wait();
    return rows;
  };
  const reader = await rig.open({ store: { ...store, events }, drives: 'own' });
  const types: string[] = [];
  for await (const event of reader.run(run.id).events()) types.push(event.type);
  expect(types).toEqual(['WorkflowStarted', 'StepStarted', 'StepCompleted', 'WorkflowCompleted']);
  await reader.close();
  await store.close();
});
