// What goes wrong with a child is data where its parent joins: why, and which run it was.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { all, arg, defineWorkflow, race, type StepFailed, step, workflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const kid = defineWorkflow({
  name: 'kid',
  params: { n: arg({ type: 'integer', required: true }) },
  steps: [
    {
      id: 'work',
      handler: (ctx) => {
        if (ctx.workflowParams.n === 13) throw new Error('13 is bad luck');
        return { n: ctx.workflowParams.n };
      },
      next: { ok: null, error: 'fail' },
    },
  ],
});

const REFUSED =
  'step "%" could not start workflow "kid": the parameters of workflow "kid" are not valid: "n" is "many", which is not of type integer; write an integer';
const UNKNOWN = 'step "%" could not start workflow "kit": this engine has no workflow "kit" (did you mean "kid"?); it has';
const refused = (step: string) => REFUSED.replace('%', step);

describe('a child that cannot be started', () => {
  test('a child that cannot be started names the invalid parameter and no run, and is not retried', async () => {
    const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'child', workflow: kid, input: { n: 'many' }, retry: 3, next: null }] });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    for (const until of ['idle', 'outside', 'settled'] as const)
      expect(await run.wait(until)).toMatchObject({
        status: 'escalated',
        error: refused('child'),
        steps: [{ path: 'child#1', attempt: 1, status: 'failed', output: { status: 'failed', error: refused('child') } }],
      });
    expect(await engine.list({ parent: run.id })).toEqual([]);
  });

  test('a child that cannot be started settles as a failure that a graph can route', async () => {
    const parent = defineWorkflow({
      name: 'parent',
      steps: [
        { id: 'child', workflow: kid, input: { n: 'many' }, next: { ok: null, error: 'tell' } },
        { id: 'tell', handler: (ctx) => ({ polluted: 'status' in ctx.stepState || 'error' in ctx.stepState }), next: null },
      ],
    });
    const engine = await rig.open({ workflows: [parent] });
    expect((await (await engine.start(parent)).wait()).output).toEqual({ polluted: false });
  });

  test('a child that cannot be started is thrown into a flow with the reason', async () => {
    const parent = workflow('parent', { children: [kid] }, function* () {
      try {
        yield* step('child').workflow(kid, { n: 'many' as never });
      } catch (error) {
        const { message, code, output } = error as StepFailed;
        return { message, code, output };
      }
      return null;
    });
    const engine = await rig.open();
    expect((await (await engine.start(parent)).wait()).output).toEqual({
      message: refused('child'),
      code: 'PARAMS_INVALID',
      output: { status: 'failed', error: refused('child') },
    });
  });
});

describe('failures of children are data at the join', () => {
  const failures = (run: string) => ({
    good: { n: 1 },
    bad: { status: 'failed', error: refused('all/bad') },
    luck: { status: 'failed', run, error: expect.stringContaining('13 is bad luck') },
    unknown: { status: 'failed', error: expect.stringContaining(UNKNOWN.replace('%', 'all/unknown')) },
  });

  test('in a graph, the step after a join sees the failure of each child, and the other children are not affected', async () => {
    const parent = defineWorkflow({
      name: 'parent',
      steps: [
        {
          id: 'all',
          parallel: {
            branches: [
              { id: 'good', workflow: kid, input: { n: 1 } },
              { id: 'bad', workflow: kid, input: { n: 'many' } },
              { id: 'luck', workflow: kid, input: { n: 13 } },
              { id: 'unknown', workflow: 'kit' },
            ],
          },
          next: { ok: null, fail: 'look' },
        },
        {
          id: 'look',
          handler: (ctx) => ({ seen: ctx.results.all?.output ?? null, polluted: 'error' in ctx.stepState }),
          next: null,
        },
      ],
    });
    const engine = await rig.open({ workflows: [kid] });
    const run = await engine.start(parent);
    const view = await run.wait();
    const children = await engine.list({ parent: run.id });
    const luck = children.find(({ status }) => status === 'failed')?.id as string;
    expect(children.map(({ status }) => status).sort()).toEqual(['completed', 'failed']);
    expect([view.status, view.output]).toEqual(['completed', { seen: failures(luck), polluted: false }]);
  });

  test('in a fan-out, the list has the failures of children in the order of the items', async () => {
    const parent = defineWorkflow({
      name: 'parent',
      params: { list: arg({ default: [1, 13, 2] }) },
      steps: [
        {
          id: 'all',
          each: { items: 'params.list', step: { workflow: kid, input: (ctx: { item?: unknown }) => ({ n: ctx.item }) } },
          next: { ok: null, fail: 'look' },
        },
        { id: 'look', handler: (ctx) => ctx.results.all?.output ?? null, next: null },
      ],
    });
    const engine = await rig.open({ workflows: [parent] });
    expect((await (await engine.start(parent)).wait()).output).toEqual([
      { n: 1 },
      { status: 'failed', run: expect.any(String), error: expect.stringContaining('13 is bad luck') },
      { n: 2 },
    ]);
  });

  test('in a flow, the thrown error has the results of all children, live and on replay', async () => {
    const parent = workflow('parent', { children: [kid] }, function* () {
      let output: unknown = null;
      try {
        yield* all([step('good').workflow(kid, { n: 1 }), step('bad').workflow(kid, { n: 'many' as never })]);
      } catch (error) {
        output = (error as StepFailed).output;
      }
      yield* step('wait').signal('go');
      return yield* step('tell').task((given: unknown) => given, output);
    });
    const first = await rig.open({ workflows: [parent] });
    const run = await first.start(parent);
    await run.wait('idle');
    await first.close();
    const second = await rig.open({ workflows: [parent] });
    await second.run(run.id).signal('go');
    expect(await second.run(run.id).wait()).toMatchObject({
      status: 'completed',
      output: { good: { n: 1 }, bad: { status: 'failed', error: refused('all-1/bad') } },
    });
  });

  test('in a fan-out of a flow, the list has the failures of children in the order of the items, live and on replay', async () => {
    const parent = workflow('parent', { children: [kid] }, function* () {
      let output: unknown = null;
      try {
        yield* step('each').each(['z', 1, 13, 'a', 2], (n) => step('one').workflow(kid, { n: n as number }));
      } catch (error) {
        output = (error as StepFailed).output;
      }
      yield* step('told').task((given: unknown) => given, output);
      yield* step('wait').signal('go');
      return output;
    });
    const first = await rig.open({ workflows: [parent] });
    const run = await first.start(parent);
    await run.wait('idle');
    await first.close();
    const second = await rig.open({ workflows: [parent] });
    await second.run(run.id).signal('go');
    expect((await second.run(run.id).wait()).output).toEqual([
      { status: 'failed', error: expect.stringContaining('"n" is "z", which is not of type integer') },
      { n: 1 },
      { status: 'failed', run: expect.any(String), error: expect.stringContaining('13 is bad luck') },
      { status: 'failed', error: expect.stringContaining('"n" is "a", which is not of type integer') },
      { n: 2 },
    ]);
  });

  test('in a race that no child wins, the thrown error has the results of all', async () => {
    const parent = workflow('parent', { children: [kid] }, function* () {
      try {
        return yield* race([step('luck').workflow(kid, { n: 13 }), step('bad').workflow(kid, { n: 'many' as never })]);
      } catch (error) {
        return (error as StepFailed).output;
      }
    });
    const engine = await rig.open({ workflows: [parent] });
    expect((await (await engine.start(parent)).wait()).output).toEqual({
      luck: { status: 'failed', run: expect.any(String), error: expect.stringContaining('13 is bad luck') },
      bad: { status: 'failed', error: refused('race-1/bad') },
    });
  });

  test('a cancelled child is reported with its status', async () => {
    const slow = defineWorkflow({ name: 'slow', steps: [{ id: 'hear', signal: 'go', next: null }] });
    const parent = defineWorkflow({
      name: 'parent',
      steps: [
        { id: 'all', parallel: { branches: [{ id: 'one', workflow: slow }] }, next: { ok: null, fail: 'look' } },
        { id: 'look', handler: (ctx) => ctx.results.all?.output ?? null, next: null },
      ],
    });
    const engine = await rig.open({ workflows: [parent] });
    const run = await engine.start(parent);
    await run.wait('idle');
    const [child] = await engine.list({ parent: run.id });
    await engine.run(child?.id as string).cancel({ actor: 'ann' });
    expect((await run.wait()).output).toEqual({
      one: { status: 'cancelled', run: child?.id, error: `the child run ${child?.id} ended cancelled` },
    });
  });
});

test('a step that started a run names it', async () => {
  const parent = workflow('parent', { children: [kid] }, function* () {
    yield* step('plain').task(() => 1);
    return yield* all([step('a').workflow(kid, { n: 1 }), step('b').workflow(kid, { n: 2 })]);
  });
  const engine = await rig.open();
  const run = await engine.start(parent);
  const { steps } = await run.wait();
  const children = (await engine.list({ parent: run.id })).map(({ id }) => id).sort();
  expect(steps.flatMap(({ child }) => child ?? []).sort()).toEqual(children);
  expect(steps.find(({ step: id }) => id === 'plain')?.child).toBe(undefined);
  expect((await engine.run(steps.find(({ step: id }) => id.endsWith('a'))?.child as string).get()).output).toEqual({ n: 1 });
});
