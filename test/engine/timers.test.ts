import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { defineWorkflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

const DAY = 86_400_000;
let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

function sleeper(days: number) {
  const woke: number[] = [];
  const clock = createVirtualClock();
  const definition = defineWorkflow({
    name: 'sleeper',
    steps: [
      { id: 'sleep', delay: `${days}d`, next: 'wake' },
      { id: 'wake', handler: () => ({ n: woke.push(clock.now()) }), next: null },
    ],
  });
  return { woke, clock, definition };
}

describe('D18: a timer', () => {
  test.each([30, 400])('D18: a timer of %i days fires once at its time, with a restart of the engine in between', async (days) => {
    const { woke, clock, definition } = sleeper(days);
    const due = clock.now() + days * DAY;
    const first = await rig.open({ clock, workflows: [definition] });
    const run = await first.start(definition);
    expect((await run.wait('idle')).waits).toMatchObject([{ kind: 'delay', due }]);
    clock.advance((days * DAY) / 2);
    await first.close();
    expect(clock.next()).toBeUndefined();

    const second = await rig.open({ clock, workflows: [definition] });
    expect(await second.recover()).toEqual([]);
    expect(clock.next()).toBe(due);
    clock.advance(due - clock.now() - 1);
    expect((await second.run(run.id).get()).status).toBe('waiting');
    clock.advance(1);
    expect((await second.run(run.id).wait()).status).toBe('completed');
    clock.advance(1000 * DAY);
    expect([woke, await second.recover()]).toEqual([[due], []]);
  });

  test('D18: a timer whose time passed while no engine ran fires when one starts', async () => {
    const { woke, clock, definition } = sleeper(30);
    const first = await rig.open({ clock, workflows: [definition] });
    const run = await first.start(definition);
    await run.wait('idle');
    await first.close();
    clock.advance(31 * DAY);
    const second = await rig.open({ clock, workflows: [definition] });
    expect((await second.run(run.id).wait()).status).toBe('completed');
    expect(woke).toEqual([clock.now()]);
  });

  test('D18: one timer of the clock is enough for many runs, and each wakes at its own time', async () => {
    const clock = createVirtualClock();
    const woke: string[] = [];
    const definition = defineWorkflow({
      name: 'many',
      steps: [
        { id: 'choose', handler: () => ({}), next: { ok: 'hour' } },
        { id: 'hour', delay: '1h', next: 'wake' },
        { id: 'wake', handler: (ctx) => ({ n: woke.push(ctx.runId) }), next: null },
      ],
    });
    const engine = await rig.open({ clock, workflows: [definition] });
    const ids = ['a', 'b', 'c'];
    for (const id of ids) {
      await (await engine.start(definition, {}, { id })).wait('idle');
      clock.advance(60_000);
    }
    for (const id of ids) {
      clock.advance((clock.next() as number) - clock.now());
      await engine.run(id).wait();
      expect(woke.at(-1)).toBe(id);
      await engine.recover();
    }
    expect(woke).toEqual(ids);
  });
});
