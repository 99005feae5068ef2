import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow, step, workflow } from './library.ts';
import { appeared, childIn, codeOf, createLatch, createRig, isRunning, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

describe('pause', () => {
  test('a pause lets running steps finish and begins nothing new until the run is resumed', async () => {
    const engine = await rig.open();
    const [begun, go] = [createLatch(), createLatch()];
    const ran: string[] = [];
    const two = workflow('two', function* () {
      yield* step('a').task(async () => {
        begun.open();
        await go.promise;
        ran.push('a');
      });
      yield* step('b').task(() => ran.push('b'));
      return 'end';
    });
    const run = await engine.start(two);
    await begun.promise;
    expect(await engine.run(run.id).pause({ actor: 'ann' })).toMatchObject({ status: 'running', waits: [{ kind: 'pause' }] });
    go.open();
    const parked = await run.wait('idle');
    expect([ran, parked.status, parked.steps.map(({ path, status }) => `${path} ${status}`)]).toEqual([
      ['a'],
      'waiting',
      ['a#1 completed', 'b#1 queued'],
    ]);
    await engine.run(run.id).resume({ actor: 'bob' });
    expect([(await run.wait()).output, ran]).toEqual(['end', ['a', 'b']]);
  });

  test('a pause stops the members of a group that have not begun', async () => {
    const engine = await rig.open();
    const latches = [createLatch(), createLatch(), createLatch()];
    const begun: number[] = [];
    const first = createLatch();
    const fan = workflow('fan', function* () {
      return yield* step('each').each(
        [0, 1, 2],
        (n) =>
          step(`m${n}`).task(async (which: number) => {
            begun.push(which);
            first.open();
            await latches[which]?.promise;
            return which;
          }, n),
        { concurrency: 1 },
      );
    });
    const run = await engine.start(fan);
    await first.promise;
    await engine.run(run.id).pause({ actor: 'ann' });
    latches[0]?.open();
    await run.wait('idle');
    expect(begun).toEqual([0]);
    for (const latch of latches) latch.open();
    await engine.run(run.id).resume({ actor: 'ann' });
    expect((await run.wait()).output).toEqual([0, 1, 2]);
  });

  test('a pause keeps a decision made meanwhile', async () => {
    const engine = await rig.open();
    const ran: string[] = [];
    const asks = defineWorkflow({
      name: 'asks',
      steps: [
        { id: 'ask', human: { prompt: 'Go?' }, next: 'work' },
        { id: 'work', handler: () => ({ n: ran.push('work') }), next: null },
      ],
    });
    const run = await engine.start(asks);
    await run.wait('idle');
    await engine.run(run.id).pause({ actor: 'ann' });
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    expect([(await run.wait('idle')).status, ran]).toEqual(['waiting', []]);
    await engine.run(run.id).resume({ actor: 'ann' });
    expect([(await run.wait()).status, ran]).toEqual(['completed', ['work']]);
  });

  test('a pause of a final run is refused', async () => {
    const engine = await rig.open();
    const run = await engine.start(defineWorkflow({ name: 'quick', steps: [{ id: 'a', handler: () => 1, next: null }] }));
    await run.wait();
    expect([await codeOf(engine.run(run.id).pause({ actor: 'ann' })), await codeOf(engine.run(run.id).cancel({ actor: 'ann' }))]).toEqual([
      'RUN_FINAL',
      'RUN_FINAL',
    ]);
  });
});

describe('cancel', () => {
  test('a cancel stops the processes of the run before it resolves', async () => {
    const engine = await rig.open();
    const hang = defineWorkflow({
      name: 'hang',
      steps: [
        { id: 'work', command: 'echo $$ > pid; sleep 300 & wait', next: 'after' },
        { id: 'after', handler: () => 'no', next: null },
      ],
    });
    const run = await engine.start(hang);
    const pid = Number(await appeared(rig.path('pid')));
    await engine.run(run.id).cancel({ actor: 'ann' });
    const view = await run.wait();
    expect([view.status, isRunning(pid)]).toEqual(['cancelled', false]);
    expect(view.steps).toMatchObject([{ path: 'work#1', status: 'cancelled', actor: 'ann' }]);
  });

  test('a cancelled parked run is final immediately', async () => {
    const engine = await rig.open();
    const run = await engine.start(defineWorkflow({ name: 'waits', steps: [{ id: 'hear', signal: 'go', next: null }] }));
    await run.wait('idle');
    expect((await engine.run(run.id).cancel({ actor: 'ann' })).status).toBe('cancelled');
  });

  test('a cancel includes grandchildren, and the parent is cancelled only after them', async () => {
    const begun = createLatch();
    const stopped = createLatch();
    const held = createLatch();
    const grandkid = defineWorkflow({
      name: 'grandkid',
      steps: [
        {
          id: 'work',
          handler: async (ctx) => {
            begun.open();
            await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
            stopped.open();
            await held.promise;
          },
          next: null,
        },
      ],
    });
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'down', workflow: grandkid, next: null }] });
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'down', workflow: kid, next: null }] });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    await begun.promise;
    const child = childIn(await engine.run(run.id).get());
    const grandchild = childIn(await engine.run(child).get());
    await engine.run(run.id).cancel({ actor: 'ann' });
    await stopped.promise;
    held.open();
    expect((await run.wait()).status).toBe('cancelled');
    const steps: string[] = [];
    for await (const event of engine.run(run.id).log())
      if (event.type === 'run.changed') steps.push(event.change === 'ended' ? event.status : event.change);
    expect(steps).toEqual(['cancelling', 'cancelled']);
    const childEnd = (await engine.run(child).get()).updatedAt;
    expect((await engine.run(run.id).get()).updatedAt).toBeGreaterThanOrEqual(childEnd);
    expect([(await engine.run(child).get()).status, (await engine.run(grandchild).get()).status]).toEqual(['cancelled', 'cancelled']);
  });
});
