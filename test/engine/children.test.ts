import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { arg, defineWorkflow, type Engine, step, workflow } from './library.ts';
import { childIn, createLatch, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const double = workflow('double', { params: { n: arg({ default: 1 }) } }, function* ({ n }) {
  return { twice: yield* step('double').task((x: number) => x * 2, n as number) };
});

const childOf = async (engine: Engine, run: string, at = 0) => (await engine.list({ parent: run })).toReversed()[at]?.id as string;

describe('a child run', () => {
  test('a child run returns its output to the parent, as a graph and as a flow, and names its parent', async () => {
    const graph = defineWorkflow({
      name: 'graph',
      steps: [
        { id: 'make', handler: () => ({ n: 21 }), next: 'child' },
        { id: 'child', workflow: double, input: (ctx: { stepState: { n?: unknown } }) => ({ n: ctx.stepState.n }), next: 'end' },
        { id: 'end', handler: (ctx) => ({ got: ctx.stepState.twice }), next: null },
      ],
    });
    const flow = workflow('flow', function* () {
      const child = yield* step('child').workflow(double, { n: 4 });
      return (child as { twice: number }).twice;
    });
    const engine = await rig.open({ workflows: [graph, flow] });
    const run = await engine.start(graph);
    expect((await run.wait()).output).toEqual({ got: 42 });
    expect((await (await engine.start(flow)).wait()).output).toBe(8);
    expect(await engine.list({ parent: run.id })).toMatchObject([{ workflow: 'double', status: 'completed', parent: run.id }]);
  });

  test('a child run that fails fails the step with its reason; every retry starts another child', async () => {
    let tries = 0;
    const flaky = workflow('flaky', function* () {
      return yield* step('try').task(() => {
        tries += 1;
        if (tries < 3) throw new Error(`boom ${tries}`);
        return tries;
      });
    });
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: flaky, retry: 1, next: null }] });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    const view = await run.wait();
    expect([view.status, view.error]).toEqual(['escalated', expect.stringMatching(/the child run \w+ ended failed: boom 2/)]);
    const failed = await engine.list({ parent: run.id });
    expect(failed.map(({ status }) => status)).toEqual(['failed', 'failed']);
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect(await run.wait()).toMatchObject({ status: 'completed', output: 3 });
    expect(new Set((await engine.list({ parent: run.id })).map(({ id }) => id)).size).toBe(3);
  });

  test('a child run that is rejected settles the step as reject', async () => {
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'say', handler: () => 'reject', next: null }] });
    const parent = defineWorkflow({
      name: 'parent',
      steps: [
        { id: 'child', workflow: kid, next: { ok: null, reject: 'again' } },
        { id: 'again', handler: () => 'rejected below', next: null },
      ],
    });
    const engine = await rig.open({ workflows: [parent] });
    expect((await (await engine.start(parent)).wait()).output).toBe('rejected below');
  });

  test('a child run that was cancelled fails the step', async () => {
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'hear', signal: 'go', next: null }] });
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: kid, next: { ok: null, fail: 'fail' } }] });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    await run.wait('idle');
    await engine.run(await childOf(engine, run.id)).cancel({ actor: 'ann' });
    expect(await run.wait()).toMatchObject({ status: 'failed', error: expect.stringContaining('ended cancelled') });
  });

  test('a child run that escalates keeps the parent waiting; resuming the child finishes both', async () => {
    let fixed = false;
    const kid = defineWorkflow({
      name: 'kid',
      steps: [
        {
          id: 'work',
          handler: () => {
            if (!fixed) throw new Error('boom');
            return 'mended';
          },
          next: null,
        },
      ],
    });
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: kid, next: null }] });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    const waiting = await run.wait('idle');
    const child = await engine.run(await childOf(engine, run.id)).get();
    expect([child.status, waiting.status]).toEqual(['escalated', 'waiting']);
    fixed = true;
    await engine.run(child.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect(await run.wait()).toMatchObject({ status: 'completed', output: 'mended' });
  });

  test('a child run that waits for a person parks the parent, too; a decision in the child finishes both', async () => {
    const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'ask', human: { prompt: 'Go?' }, next: null }] });
    const parent = defineWorkflow({
      name: 'parent',
      steps: [
        { id: 'child', workflow: kid, next: 'end' },
        { id: 'end', handler: () => 'end', next: null },
      ],
    });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    const view = await run.wait('idle');
    const child = childIn(view);
    expect([view.status, view.owner, view.waits]).toMatchObject(['waiting', undefined, [{ kind: 'child' }]]);
    expect((await engine.run(child).approvals()).map((approval) => approval.step)).toEqual(['ask']);
    await engine.close();
    const later = await rig.open({ workflows: [parent] });
    await later.run(child).decide({ option: 'approve', actor: 'ann' });
    expect([(await later.run(child).wait()).status, (await later.run(run.id).wait()).output]).toEqual(['completed', 'end']);
  });

  test('B06: child runs can be nested up to the limit, and no deeper', async () => {
    const down = workflow('down', { params: { n: arg({ default: 0 }) } }, function* ({ n }) {
      const below: unknown = yield* step('down').workflow('down', { n: (n as number) + 1 });
      return below;
    });
    const engine = await rig.open({ workflows: [down], depthMax: 3 });
    const view = await (await engine.start(down)).wait();
    expect([view.status, view.error]).toEqual(['failed', expect.stringContaining('would start a run at depth 4; the limit is 3')]);
    expect(await engine.list({ workflow: 'down' })).toHaveLength(4);
  });

  test('workflows that start each other in a cycle are refused when the engine is created', async () => {
    const a = defineWorkflow({ name: 'a', steps: [{ id: 'down', workflow: 'b', next: null }] });
    const b = defineWorkflow({ name: 'b', steps: [{ id: 'down', workflow: 'a', next: null }] });
    const error = await errorOf(rig.open({ workflows: [a, b] }));
    expect([error.code, error.message]).toEqual(['DEFINITION_CYCLE', expect.stringContaining('a → b → a')]);
  });

  test('a child run whose input cannot be built fails the step with the reason, and no child exists', async () => {
    const parent = defineWorkflow({
      name: 'parent',
      steps: [
        {
          id: 'child',
          workflow: double,
          input: () => {
            throw new Error('no input');
          },
          next: null,
        },
      ],
    });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    expect(await run.wait()).toMatchObject({ status: 'escalated', error: expect.stringContaining('no input') });
    expect(await engine.list({ parent: run.id })).toEqual([]);
  });

  test('a run with an existing id cannot be started again, and the existing one continues', async () => {
    const [begun, go] = [createLatch(), createLatch()];
    const held = workflow('held', function* () {
      yield* step('work').task(async () => {
        begun.open();
        await go.promise;
      });
      return yield* step('hear').signal('go');
    });
    const engine = await rig.open({ workflows: [held] });
    const run = await engine.start(held, {}, { id: 'mine' });
    await begun.promise;
    expect((await errorOf(engine.start(held, {}, { id: 'mine' }))).code).toBe('RUN_EXISTS');
    await engine.run('mine').signal('other');
    go.open();
    expect((await run.wait('idle')).waits).toMatchObject([{ kind: 'signal', step: 'hear' }]);
    expect((await errorOf(engine.start(held, {}, { id: 'mine' }))).code).toBe('RUN_EXISTS');
    await engine.run('mine').signal('go', { payload: 1 });
    expect((await run.wait()).output).toBe(1);
  });
});
