import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { step, workflow } from '../../src/index.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { codeOf, createLatch, createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const listener = workflow('listener', function* () {
  const first = yield* step('first').signal('go');
  const second = yield* step('second').signal('go');
  return { first, second };
});

describe('a signal', () => {
  test('a signal ends the wait for its name and delivers its payload', async () => {
    const engine = await rig.open();
    const run = await engine.start(listener);
    await run.wait('idle');
    await engine.run(run.id).signal('go', { payload: { n: 1 } });
    expect((await run.wait('idle')).waits).toMatchObject([{ kind: 'signal', name: 'go', step: 'second' }]);
    await engine.run(run.id).signal('go');
    expect((await run.wait()).output).toEqual({ first: { n: 1 }, second: null });
  });

  test('a signal that arrives before its wait is kept, in order, and consumed once', async () => {
    const engine = await rig.open();
    const working = createLatch();
    const late = workflow('late', function* () {
      yield* step('work').task(async () => working.promise);
      const first = yield* step('first').signal('go');
      const second = yield* step('second').signal('go');
      const third = yield* step('third').signal('go');
      return [first, second, third];
    });
    const run = await engine.start(late);
    await engine.run(run.id).signal('go', { payload: 'a' });
    await engine.run(run.id).signal('go', { payload: 'b' });
    working.open();
    expect((await run.wait('idle')).waits).toMatchObject([{ step: 'third' }]);
    await engine.run(run.id).signal('go', { payload: 'c' });
    expect((await run.wait()).output).toEqual(['a', 'b', 'c']);
  });

  test('a signal with an id that was used already changes nothing', async () => {
    const engine = await rig.open();
    const run = await engine.start(listener);
    for (let n = 0; n < 5; n += 1) await engine.run(run.id).signal('go', { payload: n, id: 'delivery-1' });
    expect((await run.wait('idle')).waits).toMatchObject([{ step: 'second' }]);
    await engine.run(run.id).signal('go', { payload: 9, id: 'delivery-2' });
    expect((await run.wait()).output).toEqual({ first: 0, second: 9 });
  });

  test('a signal with another name is kept for a wait with that name', async () => {
    const engine = await rig.open();
    const run = await engine.start(listener);
    await engine.run(run.id).signal('other', { payload: 1 });
    expect((await run.wait('idle')).waits).toMatchObject([{ step: 'first' }]);
  });

  test('a signal to a final run is refused', async () => {
    const engine = await rig.open();
    const run = await engine.start(defineWorkflow({ name: 'quick', steps: [{ id: 'a', handler: () => 1, next: null }] }));
    await run.wait();
    expect(await codeOf(engine.run(run.id).signal('go'))).toBe('RUN_FINAL');
  });

  test('a signal whose payload is not plain data is refused before anything is posted, with the path', async () => {
    const engine = await rig.open();
    const run = await engine.start(listener);
    await run.wait('idle');
    await expect(engine.run(run.id).signal('go', { payload: { deep: { when: new Map() } } })).rejects.toThrow(/deep\.when/);
    expect((await run.wait('idle')).waits).toMatchObject([{ step: 'first' }]);
  });

  test('a signal after the due time is too late: the wait has timed out', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock, drives: 'own' });
    const timed = defineWorkflow({
      name: 'timed',
      steps: [
        { id: 'hear', signal: 'go', timeout: '10m', next: { ok: null, timeout: 'silence' } },
        { id: 'silence', handler: () => 'silence', next: null },
      ],
    });
    const run = await engine.start(timed);
    await run.wait('idle');
    clock.advance(600_000);
    await engine.run(run.id).signal('go', { payload: 'hello?' });
    expect((await run.wait()).output).toBe('silence');
  });
});
