// What a run did is undone when it fails, is rejected or is cancelled: newest first, each once, after any crash.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { all, type RunHandle, step, workflow } from '../../src/index.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { codeOf, createLatch, createRig, type Rig } from './rig.ts';

let rig: Rig;
/** What was done and undone, in order. */
let ledger: string[];
beforeEach(() => {
  rig = createRig();
  ledger = [];
});
afterEach(() => rig.close());

const does = (id: string, next: string | null) => ({
  id,
  handler: () => {
    ledger.push(id);
    return { id: `${id}-1` };
  },
  undo: (ctx: { readonly result: unknown }) => {
    ledger.push(`undo ${(ctx.result as { id: string }).id}`);
  },
  merges: false as const,
  next,
});
const asks = (next: string | null = null) => ({ id: 'ask', human: { prompt: 'Good?' }, next });
const line = defineWorkflow({ name: 'line', steps: [does('a', 'b'), does('b', 'ask'), asks()] });
const stepsOf = async (run: RunHandle): Promise<string[]> =>
  (await run.get()).steps.map(({ path, attempt, outcome, status }) => `${path}/${attempt} ${outcome ?? status}`);
const reject = async (run: RunHandle) => {
  await run.wait('idle');
  await run.decide({ option: 'reject', actor: 'ann' });
};

describe('a run that does not end well', () => {
  test('a rejected run is undone, newest first, before it ends', async () => {
    const run = await (await rig.open()).start(line);
    await reject(run);
    const view = await run.wait();
    expect(ledger).toEqual(['a', 'b', 'undo b-1', 'undo a-1']);
    expect([view.status, await stepsOf(run)]).toEqual([
      'rejected',
      ['a#1/1 ok', 'b#1/1 ok', 'ask#1/1 reject', '@undo#1/1 ok', '@undo#2/1 ok'],
    ]);
    expect(view.steps.at(-1)?.output).toEqual({ undid: { run: run.id, path: 'a#1', step: 'a' } });
  });

  test('a cancelled run stops the step at work and does not undo it', async () => {
    const began = createLatch();
    const slow = defineWorkflow({
      name: 'slow',
      steps: [
        does('a', 'b'),
        {
          ...does('b', null),
          handler: (ctx) => {
            began.open();
            return new Promise((_, fail) => ctx.signal.addEventListener('abort', () => fail(new Error('stopped'))));
          },
        },
      ],
    });
    const run = await (await rig.open()).start(slow);
    await began.promise;
    expect((await run.planCancel()).items).toMatchObject([{ path: 'a#1' }]);
    await run.cancel({ actor: 'ann' });
    expect((await run.wait()).status).toBe('cancelled');
    expect(ledger).toEqual(['a', 'undo a-1']);
  });

  test('a run that is cancelled while its undoing is paused continues to undo', async () => {
    const [began, goesOn] = [createLatch(), createLatch()];
    const slow = async () => {
      began.open();
      await goesOn.promise;
    };
    const paused = defineWorkflow({ name: 'paused', steps: [does('a', 'b'), { ...does('b', 'ask'), undo: slow }, asks()] });
    const run = await (await rig.open()).start(paused);
    await reject(run);
    await began.promise;
    await run.pause({ actor: 'ann' });
    goesOn.open();
    await expect.poll(() => stepsOf(run)).toContain('@undo#1/1 ok');
    expect(ledger).not.toContain('undo a-1');
    await run.cancel({ actor: 'ann' });
    expect([(await run.wait()).status, ledger]).toEqual(['rejected', ['a', 'b', 'undo a-1']]);
  });

  test('a flow that throws is undone, and cannot be resumed afterwards', async () => {
    const flow = workflow('flow', function* () {
      const a = yield* step('a').task({ action: () => 7, undo: (ctx) => void ledger.push(`undo ${String(ctx.result)}`) });
      yield* all([1, 2].map((n) => step(`p${n}`).task({ action: () => n, undo: () => void ledger.push(`undo p${n}`) })));
      throw new Error(`no ${a}`);
    });
    const run = await (await rig.open()).start(flow);
    expect(await run.wait()).toMatchObject({ status: 'failed', error: 'no 7' });
    expect([...ledger.slice(0, 2)].sort()).toEqual(['undo p1', 'undo p2']);
    expect(ledger.slice(2)).toEqual(['undo 7']);
    expect(await codeOf(run.resume({ choice: { how: 'retry' }, actor: 'ann' }))).toBe('RUN_FINAL');
    expect(ledger).toHaveLength(3);
  });

  test('a failed run with nothing to undo can be resumed', async () => {
    let isReady = false;
    const child = workflow('child', {}, function* () {
      yield* step('look').task(() => {
        if (!isReady) throw new Error('not ready');
        return 'seen';
      });
    });
    const parent = workflow('parent', {}, function* () {
      return yield* step('child').workflow(child, {});
    });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent, {});
    expect((await run.wait()).status).toBe('failed');
    isReady = true;
    await run.resume({ actor: 'ann', choice: { how: 'retry' } });
    expect((await run.wait()).status).toBe('completed');
  });

  test('a run that completes is not undone', async () => {
    const run = await (await rig.open()).start(defineWorkflow({ name: 'fine', steps: [does('a', null)] }));
    expect((await run.wait()).status).toBe('completed');
    expect(ledger).toEqual(['a']);
  });

  test('a run is cancelled without undoing when the request says so', async () => {
    const run = await (await rig.open()).start(line);
    await run.wait('idle');
    await run.cancel({ actor: 'ann', undo: false });
    expect((await run.wait()).status).toBe('cancelled');
    expect(ledger).toEqual(['a', 'b']);
  });
});

describe('what is undone', () => {
  test('every visit and every item that succeeded is undone', async () => {
    const looped = defineWorkflow({
      name: 'looped',
      steps: [
        {
          id: 'each',
          each: {
            items: 'params.list',
            step: {
              handler: (ctx: { readonly item: unknown }) => {
                if (ctx.item === 'bad') throw new Error('bad');
                return { id: ctx.item };
              },
              undo: does('x', null).undo,
            },
          },
          merges: false,
          next: { ok: 'ask', fail: 'ask' },
        },
        asks(),
      ],
      params: { list: { description: 'what to do' } },
    } as never);
    const run = await (await rig.open()).start(looped, { list: ['k', 'bad', 'm'] });
    await reject(run);
    await run.wait();
    expect([...ledger].sort()).toEqual(['undo k', 'undo m']);
  });

  test('completed child runs are undone too, and a cancelled child before its parent', async () => {
    const began = createLatch();
    const inner = (name: string, last: object) =>
      defineWorkflow({ name, steps: [does(`${name}.a`, 'end'), { id: 'end', ...last, next: null }] as never });
    const hangs = {
      handler: (ctx: { readonly signal: AbortSignal }) => {
        began.open();
        return new Promise((_, fail) => ctx.signal.addEventListener('abort', () => fail(new Error('stopped'))));
      },
    };
    const outer = defineWorkflow({
      name: 'outer',
      steps: [
        does('first', 'one'),
        { id: 'one', workflow: inner('one', { handler: () => ({}) }), next: 'two' },
        { id: 'two', workflow: inner('two', hangs), next: null },
      ],
    } as never);
    const run = await (await rig.open()).start(outer);
    await began.promise;
    await run.cancel({ actor: 'ann' });
    expect((await run.wait()).status).toBe('cancelled');
    expect(ledger).toEqual(['first', 'one.a', 'two.a', 'undo two.a-1', 'undo one.a-1', 'undo first-1']);
  });
});

describe('an undo that fails', () => {
  const broken = (fails: () => boolean) =>
    defineWorkflow({
      name: 'broken',
      steps: [
        does('a', 'b'),
        {
          ...does('b', 'ask'),
          undo: () => {
            ledger.push('try');
            if (fails()) throw new Error('the service is down');
          },
        },
        asks(),
      ],
    });

  test('an undo whose code has changed waits for a person, and does not stop the engine', async () => {
    const inner = (name: string) =>
      workflow('inner', function* () {
        yield* step(name).task({ action: () => ledger.push('x'), undo: () => void ledger.push('undo x') });
      });
    const outer = (name: string) =>
      defineWorkflow({
        name: 'outer',
        steps: [does('a', 'in'), { id: 'in', workflow: inner(name), next: 'ask' }, asks()],
      } as never);
    const first = await rig.open();
    const { id } = await first.start(outer('x'));
    await first.run(id).wait('idle');
    await first.close();
    const run = (await rig.open({ workflows: [outer('y')] })).run(id);
    await run.decide({ option: 'reject', actor: 'ann' });
    const view = await run.wait();
    expect(view).toMatchObject({ status: 'escalated', error: expect.stringContaining('the flow "inner" is not deterministic') });
    expect(ledger).toEqual(['a', 'x']);
  });

  test('an undo that fails is tried again, then waits for a person, who can have it tried again', async () => {
    let isDown = true;
    const clock = createVirtualClock();
    const run = await (await rig.open({ clock })).start(broken(() => isDown));
    await reject(run);
    for (const pauseMs of [1000, 4000, 16_000]) {
      await run.wait('idle');
      clock.advance(pauseMs);
    }
    const view = await run.wait();
    expect(view).toMatchObject({ status: 'escalated', error: 'step "b" (b#1) could not be undone: the service is down' });
    expect(ledger.filter((one) => one === 'try')).toHaveLength(4);
    isDown = false;
    await run.resume({ choice: { how: 'retry' }, actor: 'ann' });
    expect((await run.wait()).status).toBe('rejected');
    expect(ledger.at(-1)).toBe('undo a-1');
  });
});

describe('a crash while a run is undone', () => {
  const workflows = (recovery: string) => `
    const note = (text) => appendFileSync(db + '.ledger', text + '\\n');
    const does = (id, next, undo) => ({ id, handler: () => ({ id }), undo: { handler: undo, recovery: '${recovery}' }, merges: false, next });
    const line = defineWorkflow({ name: 'line', steps: [
      does('a', 'b', (ctx) => note('a ' + ctx.undoes.idempotencyKey.split('/').slice(1).join('/'))),
      does('b', 'c', async () => { note('b'); say('in b'); if (!existsSync(db + '.mended')) await new Promise(() => {}); }),
      does('c', 'ask', () => note('c')),
      { id: 'ask', human: { prompt: 'Good?' }, next: null },
    ] });
    const open = () => createEngine({ db, workflows: [line], synchronous: 'NORMAL' });`;
  const crashed = async (recovery: string): Promise<void> => {
    const first = rig.other(`${workflows(recovery)}
      const engine = await open();
      const run = await engine.start(line, {}, { id: 'r' });
      await run.wait('idle');
      await run.decide({ option: 'reject', actor: 'ann' });
      setInterval(() => {}, 1000);
      await new Promise(() => {});`);
    await first.said();
    await first.kill();
    writeFileSync(`${rig.db}.mended`, '');
  };
  const recovered = async (recovery: string, more = ''): Promise<string> => {
    const other = rig.other(`${workflows(recovery)}
      const engine = await open();
      await engine.recover();
      const run = engine.run('r');
      await run.wait();
      ${more}
      say('ended ' + (await run.get()).status);`);
    for (;;) {
      const line = await other.said();
      if (line !== 'in b') return line;
    }
  };
  const ledgerOf = (): string[] => readFileSync(`${rig.db}.ledger`, 'utf8').trim().split('\n');

  test('after a crash only the interrupted undo runs again, where its author says that this does no harm', async () => {
    await crashed('rerun');
    expect(await recovered('rerun')).toBe('ended rejected');
    expect(ledgerOf()).toEqual(['c', 'b', 'b', 'a a#1/1']);
  });

  test('after a crash a person says that the interrupted undo was done, and the rest is undone', async () => {
    await crashed('ask');
    expect(await recovered('ask')).toBe('ended escalated');
    expect(ledgerOf()).toEqual(['c', 'b']);
    expect(await recovered('ask', "await run.resume({ choice: { how: 'accept' }, actor: 'ann' }); await run.wait();")).toBe(
      'ended rejected',
    );
    expect(ledgerOf()).toEqual(['c', 'b', 'a a#1/1']);
  });
});
