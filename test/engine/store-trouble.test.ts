import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProcess } from '../../src/process/process-table.ts';
import { defineWorkflow, EngineError, step, workflow } from './library.ts';
import { codeOf, createLatch, createRig, errorOf, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

describe('D05: a commit that fails because the disk is full', () => {
  test('D05: a full disk stops the work, is reported by wait(), leaves nothing half written, and a later resume succeeds', async () => {
    const store = await openSpiedStore(rig.db);
    const ran: string[] = [];
    let isFull = false;
    store.around = async (_, commit) => {
      if (isFull) throw new EngineError('STORE_FULL', 'there is no room on the disk');
      return commit();
    };
    const stopped = createLatch();
    const flow = workflow('flow', function* () {
      yield* step('a').task(() => ran.push('a'));
      isFull = ran.length === 1;
      yield* step('b').task({ action: () => ran.push('b'), recovery: 'rerun' });
      return 'end';
    });
    const slow = defineWorkflow({
      name: 'slow',
      steps: [
        {
          id: 'par',
          parallel: {
            branches: [
              {
                id: 'hang',
                recovery: 'rerun',
                handler: async (ctx) => {
                  if (ran.includes('again')) return 'fine';
                  await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
                  stopped.open();
                },
              },
              {
                id: 'quick',
                recovery: 'rerun',
                handler: () => {
                  isFull = !ran.includes('again');
                  return 'quick';
                },
              },
            ],
          },
          next: null,
        },
      ],
    });
    const engine = await rig.open({ store, workflows: [flow, slow] });
    const run = await engine.start(flow);
    const error = await errorOf(run.wait());
    expect([error.code, ran]).toEqual(['STORE_FULL', ['a']]);
    isFull = false;

    const hanging = await engine.start(slow);
    expect(await codeOf(hanging.wait())).toBe('STORE_FULL');
    await stopped.promise;
    isFull = false;
    ran.push('again');

    await engine.run(run.id).resume();
    await engine.run(hanging.id).resume();
    expect((await engine.run(hanging.id).wait()).output).toEqual({ hang: 'fine', quick: 'quick' });
    // The step whose end could not be recorded may have had its effect: a person says so.
    expect((await engine.run(run.id).wait('idle')).waits).toMatchObject([{ kind: 'unknown', step: 'a' }]);
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'done', output: 1 } });
    expect([(await engine.run(run.id).wait()).output, ran]).toEqual(['end', ['a', 'again', 'b']]);
    expect((await store.check()).problems).toEqual([]);
    await store.close();
  });

  test('D05: a full disk at the first commit is reported by start(), and there is no run', async () => {
    const store = await openSpiedStore(rig.db);
    store.around = async () => {
      throw new EngineError('STORE_FULL', 'there is no room on the disk');
    };
    const engine = await rig.open({ store });
    const one = defineWorkflow({ name: 'one', steps: [{ id: 'a', handler: () => 1, next: null }] });
    expect(await codeOf(engine.start(one, {}, { id: 'mine' }))).toBe('STORE_FULL');
    expect(await engine.list()).toEqual([]);
    store.around = (_, commit) => commit();
    expect((await (await engine.start(one, {}, { id: 'mine' })).wait()).status).toBe('completed');
    await store.close();
  });
});

test('a store that became read-only stops the process of a step, and nothing more runs', async () => {
  const store = await openSpiedStore(rig.db);
  let isReadOnly = false;
  store.around = async (_, commit) => {
    if (isReadOnly) throw new EngineError('STORE_READONLY', 'the database cannot be written');
    return commit();
  };
  const pair = defineWorkflow({
    name: 'pair',
    steps: [
      {
        id: 'both',
        parallel: {
          branches: [
            { id: 'agent', command: 'echo $$ > pid; exec sleep 1000' },
            {
              id: 'quick',
              handler: async () => {
                await expect.poll(() => existsSync(rig.path('pid'))).toBe(true);
                isReadOnly = true;
              },
            },
          ],
        },
        next: 'after',
      },
      { id: 'after', command: 'touch after', next: null },
    ],
  });
  const engine = await rig.open({ store, workflows: [pair] });
  expect(await codeOf((await engine.start(pair)).wait())).toBe('STORE_READONLY');
  const pid = Number(readFileSync(rig.path('pid'), 'utf8'));
  await expect.poll(() => readProcess(pid)?.ended ?? true).toBe(true);
  expect(existsSync(rig.path('after'))).toBe(false);
});

describe('an engine with nothing to do', () => {
  test('E5, E6: 50 runs that only wait have no owner, and their engine makes no query in 300 ms', async () => {
    const store = await openSpiedStore(rig.db);
    const waits = defineWorkflow({
      name: 'waits',
      steps: [{ id: 'ask', human: { prompt: 'Go?' }, timeout: '30d', next: { ok: null, timeout: null } }],
    });
    const engine = await rig.open({ store, workflows: [waits] });
    const runs = await Promise.all(Array.from({ length: 50 }, () => engine.start(waits)));
    await Promise.all(runs.map((run) => run.wait('idle')));
    expect(await store.heads({ of: 'owned' })).toEqual([]);
    await engine.recover();
    const asked = store.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(store.calls.slice(asked)).toEqual([]);
    await engine.run(runs[49]?.id as string).decide({ option: 'approve', actor: 'ann' });
    expect((await engine.run(runs[49]?.id as string).wait()).status).toBe('completed');
    await store.close();
  });
});
