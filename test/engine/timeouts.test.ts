import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { arg, step, workflow } from '../../src/index.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { childIn, createLatch, createRig, isRunning, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

describe('the time limit of an attempt', () => {
  test('C04: the time limit of an attempt ends the whole process tree, and the step settles as timeout', async () => {
    const engine = await rig.open();
    const tree = defineWorkflow({
      name: 'tree',
      steps: [
        {
          id: 'hang',
          command: 'sleep 300 & echo $! > grandchild; echo $$ > child; trap "" TERM; wait',
          timeout: 700,
          next: { ok: null, timeout: 'after' },
        },
        { id: 'after', handler: () => 'gave up', next: null },
      ],
    });
    const view = await (await engine.start(tree)).wait();
    const pids = ['child', 'grandchild'].map((name) => Number(readFileSync(rig.path(name), 'utf8')));
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect([view.status, view.output]).toEqual(['completed', 'gave up']);
    expect(view.steps[0]).toMatchObject({ outcome: 'timeout', error: expect.stringContaining('longer than 700 ms') });
  });

  test('the time limit of an attempt aborts the signal of a function; a later result is logged as late and changes nothing', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    const begun = createLatch();
    const aborted = createLatch<string>();
    const slow = defineWorkflow({
      name: 'slow',
      steps: [
        {
          id: 'hang',
          handler: async (ctx) => {
            begun.open();
            await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
            aborted.open('aborted');
            return { too: 'late' };
          },
          timeout: '5m',
          next: { ok: null, timeout: 'escalate' },
        },
      ],
    });
    const run = await engine.start(slow);
    await begun.promise;
    clock.advance(299_999);
    expect((await engine.run(run.id).get()).status).toBe('running');
    clock.advance(1);
    expect(await aborted.promise).toBe('aborted');
    const view = await run.wait();
    expect([view.status, view.steps[0]?.outcome, view.steps[0]?.output]).toEqual(['escalated', 'timeout', null]);
  });

  test('the time limit of an attempt applies to every attempt, and a retry after a timeout has a new key', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    const keys: string[] = [];
    let begun = createLatch();
    const slow = workflow('slow', function* () {
      return yield* step('hang').task({
        action: async (key: string) => {
          keys.push(key);
          begun.open();
          return keys.length === 3 ? 'made it' : new Promise<string>(() => {});
        },
        args: (ctx) => [ctx.idempotencyKey],
        timeout: '1m',
        retry: { max: 2, on: ['timeout'] },
      });
    });
    const run = await engine.start(slow);
    await begun.promise;
    begun = createLatch();
    clock.advance(60_000);
    await begun.promise;
    begun = createLatch();
    clock.advance(59_999);
    clock.advance(1);
    await begun.promise;
    const view = await run.wait();
    expect([view.output, keys]).toEqual(['made it', [1, 2, 3].map((attempt) => `${run.id}/hang#1/${attempt}`)]);
    expect(view.steps.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'completed'],
    ]);
  });
});

describe('the time limit of a wait', () => {
  test('the time limit of a step that waits for a child ends the child as well', async () => {
    const clock = createVirtualClock();
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'wait', signal: 'never', next: null }] });
    const parent = defineWorkflow({
      name: 'parent',
      steps: [{ id: 'child', workflow: kid, timeout: '1h', next: { ok: null, timeout: 'escalate' } }],
    });
    const engine = await rig.open({ clock, workflows: [parent] });
    const run = await engine.start(parent);
    const child = childIn(await run.wait('idle'));
    clock.advance(3_600_000);
    expect((await run.wait()).status).toBe('escalated');
    expect((await engine.run(child).wait()).status).toBe('cancelled');
  });

  test('the time limit of a group covers all members: completed ones stay, the others are stopped', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    const second = createLatch();
    const group = defineWorkflow({
      name: 'group',
      params: { list: arg({ default: ['quick', 'slow', 'never'] }) },
      steps: [
        {
          id: 'each',
          each: {
            items: 'params.list',
            concurrency: 1,
            step: {
              handler: async (ctx) => {
                if (ctx.item === 'quick') return 'done';
                second.open();
                return new Promise(() => {});
              },
            },
          },
          timeout: '10m',
          next: { ok: null, timeout: 'late' },
        },
        { id: 'late', handler: () => 'late', next: null },
      ],
    });
    const run = await engine.start(group);
    await second.promise;
    clock.advance(600_000);
    const view = await run.wait();
    expect(view.output).toBe('late');
    expect(view.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'each#1/quick ok',
      'each#1/slow cancelled',
      'each#1 timeout',
      'late#1 ok',
    ]);
  });

  test('a delay with a poll ends when the condition holds, or at the end of its time', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    let ready = false;
    let looked = createLatch();
    const polled = defineWorkflow({
      name: 'polled',
      steps: [
        {
          id: 'wait',
          delay: {
            duration: '1h',
            poll: {
              interval: '1m',
              condition: () => {
                looked.open();
                return ready;
              },
            },
          },
          next: null,
        },
      ],
    });
    const run = await engine.start(polled);
    await run.wait('idle');
    clock.advance(60_000);
    await looked.promise;
    expect((await run.wait('idle')).status).toBe('waiting');
    ready = true;
    looked = createLatch();
    clock.advance(60_000);
    await looked.promise;
    expect(await run.wait()).toMatchObject({ status: 'completed', updatedAt: clock.now() });

    ready = false;
    const stubborn = await engine.start(polled);
    await stubborn.wait('idle');
    clock.advance(3_600_000);
    expect((await stubborn.wait()).status).toBe('completed');
  });
});

describe('a retry', () => {
  test('a retry waits longer each time, up to its maximum, and passes the error to the next attempt', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    const seen: string[] = [];
    let begun = createLatch();
    const flaky = defineWorkflow({
      name: 'flaky',
      steps: [
        {
          id: 'try',
          handler: (ctx) => {
            seen.push(`${ctx.attempt}: ${ctx.retryContext?.error ?? 'none'}`);
            begun.open();
            throw new Error(`boom ${ctx.attempt}`);
          },
          retry: { max: 4, backoff: { initial: '1s', factor: 3, max: '10s' } },
          next: null,
        },
      ],
    });
    const run = await engine.start(flaky);
    const pauses: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      await begun.promise;
      expect((await run.wait('idle')).waits).toMatchObject([{ kind: 'delay', step: 'try' }]);
      begun = createLatch();
      const pause = (clock.next() as number) - clock.now();
      pauses.push(pause);
      clock.advance(pause - 1);
      expect(seen).toHaveLength(n + 1);
      clock.advance(1);
    }
    const view = await run.wait();
    expect(pauses).toEqual([1000, 3000, 9000, 10_000]);
    expect(seen).toEqual(['1: none', '2: boom 1', '3: boom 2', '4: boom 3', '5: boom 4']);
    expect([view.status, view.error]).toEqual(['escalated', 'boom 5']);
  });

  test('a retry does not happen for a reported fail', async () => {
    const engine = await rig.open();
    let calls = 0;
    const reports = defineWorkflow({
      name: 'reports',
      steps: [
        {
          id: 'say',
          handler: () => {
            calls += 1;
            return 'fail';
          },
          retry: 3,
          next: { ok: null, fail: 'fail' },
        },
      ],
    });
    expect((await (await engine.start(reports)).wait()).status).toBe('failed');
    expect(calls).toBe(1);
  });
});
