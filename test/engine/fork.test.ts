import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/api/engine.ts';
import type { RunHandle } from '../../src/api/run.ts';
import type { RunView } from '../../src/engine/inspect.ts';
import { arg, defineWorkflow, step, workflow } from './library.ts';
import { createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

function createBook() {
  const world = { ran: [] as string[], ready: true };
  const graph = defineWorkflow({
    name: 'book',
    params: { tone: arg({ default: 'dry' }) },
    steps: [
      {
        id: 'plan',
        handler: () => {
          world.ran.push('plan');
          return { plan: 'three parts' };
        },
        next: 'ask',
      },
      { id: 'ask', human: { prompt: 'Write?' }, next: 'write' },
      {
        id: 'write',
        preconditions: [{ name: 'ready', check: () => world.ready, error: 'no paper' }],
        handler: (ctx) => {
          world.ran.push('write');
          return { text: `${ctx.stepState.plan}, ${ctx.workflowParams.tone}`, decided: ctx.checkpoint.lastDecision ?? null };
        },
        next: 'end',
      },
      { id: 'end', handler: (ctx) => ({ text: ctx.stepState.text, decided: ctx.stepState.decided }), next: null },
    ],
  });
  const flow = workflow('bookFlow', { params: { tone: arg({ default: 'dry' }) } }, function* ({ tone }) {
    const plan = yield* step('plan').task(() => {
      world.ran.push('plan');
      return 'three parts';
    });
    yield* step('ask').human({ prompt: 'Write?' });
    const text = yield* step('write').task(
      (from: string, how: string) => {
        world.ran.push('write');
        return `${from}, ${how}`;
      },
      plan,
      tone as string,
    );
    return { text };
  });
  return { world, graph, flow };
}

async function written(form: 'graph' | 'flow') {
  const book = createBook();
  const definition = book[form];
  const engine = await rig.open({ workflows: [book.graph, book.flow] });
  const run = await engine.start(definition, {}, { origin: { file: 'book.ts', issue: 7, deliveryId: 'd1' } });
  await run.wait('idle');
  await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
  const original = await run.wait();
  expect(original.status).toBe('completed');
  book.world.ran.length = 0;
  return { ...book, engine, run, original };
}

/** A run that begins behind a question asks it first; somebody approves, and it goes on. */
async function approved(engine: Engine, run: RunHandle): Promise<RunView> {
  expect((await run.wait('idle')).waits).toMatchObject([{ kind: 'human', step: 'ask' }]);
  await engine.run(run.id).decide({ option: 'approve', actor: 'bob' });
  return run.wait();
}

describe.each(['graph', 'flow'] as const)('a fork of a %s', (form) => {
  test('a fork reuses what came before the step, runs the rest again, and does not change the original', async () => {
    const { engine, run, original, world } = await written(form);
    const fork = await engine.run(run.id).fork({ from: 'write', actor: 'ann', ...(form === 'graph' ? { params: { tone: 'warm' } } : {}) });
    const view = await approved(engine, fork);
    const text = form === 'graph' ? 'three parts, warm' : 'three parts, dry';
    expect([view.status, world.ran, view.output]).toMatchObject(['completed', ['write'], { text }]);
    expect(view.origin).toEqual({ event: 'fork', actor: 'ann', file: 'book.ts', issue: 7 });
    expect(await engine.run(run.id).get()).toEqual(original);
    expect((await engine.store.check()).problems).toEqual([]);
  });

  test('a fork before a question asks again: approvals are not reused', async () => {
    const { engine, run } = await written(form);
    const fork = await engine.run(run.id).fork({ from: 'ask', actor: 'ann' });
    const view = await fork.wait('idle');
    expect([view.status, view.waits.map(({ kind }) => kind), view.decision]).toEqual(['waiting', ['human'], undefined]);
  });

  test('a fork can be planned without running anything: what is reused, what runs again', async () => {
    const { engine, run, world } = await written(form);
    const plan = await engine.run(run.id).planFork('write');
    expect([plan.asksFirst, plan.passed]).toEqual([['ask'], []]);
    const reused = [{ path: 'plan#1', step: 'plan', outcome: 'ok' }];
    const repeated = [{ path: 'write#1', step: 'write', kind: 'task' }];
    // A flow cannot be led past a question without its answer, so it begins there.
    expect(plan).toMatchObject(
      form === 'graph'
        ? {
            from: 'write',
            reused: [...reused, { path: 'ask#1', step: 'ask', outcome: 'ok' }],
            repeated: [...repeated, { path: 'end#1', step: 'end', kind: 'task' }],
          }
        : { from: 'ask', reused, repeated: [{ path: 'ask#1', step: 'ask', kind: 'human' }, ...repeated] },
    );
    expect([world.ran, (await engine.list()).length]).toEqual([[], 1]);
  });

  test('a fork at a step that was never opened is refused with a suggestion', async () => {
    const { engine, run } = await written(form);
    const error = await errorOf(engine.run(run.id).fork({ from: 'wrote', actor: 'ann' }));
    expect([error.code, error.message]).toEqual(['STEP_UNKNOWN', expect.stringContaining('did you mean "write"')]);
  });

  test('a fork can itself be forked and survives a restart', async () => {
    const { engine, run, graph, flow, world } = await written(form);
    const fork = await engine.run(run.id).fork({ from: 'ask', actor: 'ann' });
    await fork.wait('idle');
    await engine.close();
    const later = await rig.open({ workflows: [graph, flow] });
    await later.run(fork.id).decide({ option: 'approve', actor: 'bob' });
    expect((await later.run(fork.id).wait()).status).toBe('completed');
    const again = await later.run(fork.id).fork({ from: 'write', actor: 'ann' });
    expect(await approved(later, again)).toMatchObject({ status: 'completed', output: { text: 'three parts, dry' } });
    expect(world.ran).toEqual(['write', 'write']);
  });
});

describe('a flow that is given results', () => {
  test('in a fork, given results replace what a flow recorded, also after a restart', async () => {
    const { engine, run, graph, flow, world } = await written('flow');
    const fork = await engine.run(run.id).fork({ from: 'ask', actor: 'ann', outputs: { plan: 'one part' } });
    await fork.wait('idle');
    await engine.close();
    const later = await rig.open({ workflows: [graph, flow] });
    await later.run(fork.id).decide({ option: 'approve', actor: 'bob' });
    expect([(await later.run(fork.id).wait()).output, world.ran]).toEqual([{ text: 'one part, dry' }, ['write']]);
    const again = await later.run(fork.id).fork({ from: 'write', actor: 'ann' });
    expect((await approved(later, again)).output).toEqual({ text: 'one part, dry' });
  });

  test('a flow that is started with given results begins at the given step, and continues after a restart', async () => {
    const { graph, flow, world } = createBook();
    const engine = await rig.open({ workflows: [graph, flow] });
    const run = await engine.start(flow, {}, { from: 'ask', origin: { actor: 'ann' }, outputs: { plan: 'given' } });
    expect((await run.wait('idle')).waits).toMatchObject([{ kind: 'human', step: 'ask' }]);
    await engine.close();
    const later = await rig.open({ workflows: [graph, flow] });
    await later.run(run.id).decide({ option: 'approve', actor: 'bob' });
    expect([(await later.run(run.id).wait()).output, world.ran]).toEqual([{ text: 'given, dry' }, ['write']]);
  });

  test('a flow whose given results do not lead to the given step is rejected, and the error says where they lead', async () => {
    const { flow } = createBook();
    const engine = await rig.open({ workflows: [flow] });
    const error = await errorOf(engine.start(flow, {}, { from: 'write', origin: { actor: 'ann' }, outputs: { plan: 'given' } }));
    expect([error.code, error.message]).toEqual(['STEP_UNKNOWN', expect.stringContaining('it reaches step "ask"')]);
    expect(await engine.list()).toEqual([]);
  });
});

describe('a fork of a graph', () => {
  test('a fork of a graph begins at one visit of a step if its path is given', async () => {
    let rounds = 0;
    const loop = defineWorkflow({
      name: 'loop',
      steps: [
        {
          id: 'work',
          handler: () => ({ n: ++rounds }),
          next: { condition: 'result.n >= 3', onTrue: null, onFalse: 'work', maxIterations: 5 },
        },
      ],
    });
    const engine = await rig.open({ workflows: [loop] });
    const run = await engine.start(loop);
    await run.wait();
    const view = await (await engine.run(run.id).fork({ from: 'work#2', actor: 'ann' })).wait();
    expect([view.status, view.steps.map(({ path }) => path)]).toEqual(['completed', ['work#1', 'work#2']]);
  });

  test('a fork of a graph checks the preconditions of its first step again', async () => {
    const { engine, run, world } = await written('graph');
    world.ready = false;
    const view = await approved(engine, await engine.run(run.id).fork({ from: 'write', actor: 'ann' }));
    expect([view.status, view.error, world.ran]).toEqual(['escalated', 'no paper (precondition "ready" of step "write")', []]);
  });

  test('a fork of a graph replaces results that are given to it', async () => {
    const { engine, run } = await written('graph');
    const fork = await engine.run(run.id).fork({ from: 'write', actor: 'ann', outputs: { plan: { plan: 'one part' } } });
    const view = await approved(engine, fork);
    // A result that a person gives in the place of a step is passed by hand.
    expect([view.status, view.output]).toMatchObject(['overridden', { text: 'one part, dry', decided: { actor: 'bob' } }]);
  });
});

describe('a run that starts in the middle', () => {
  test('a run that starts in the middle gets the results of the earlier steps, and checks preconditions', async () => {
    const { graph, world } = createBook();
    const engine = await rig.open({ workflows: [graph] });
    const run = await engine.start(graph, {}, { from: 'write', origin: { actor: 'ann' }, outputs: { plan: { plan: 'given' } } });
    const view = await approved(engine, run);
    expect([view.status, view.output, world.ran]).toMatchObject(['overridden', { text: 'given, dry' }, ['write']]);
    expect(view.steps[0]).toMatchObject({ path: 'plan#0', actor: 'supplied', output: { plan: 'given' } });
    world.ready = false;
    const without = await engine.start(graph, {}, { from: 'write', origin: { actor: 'ann' } });
    expect((await approved(engine, without)).status).toBe('escalated');
  });

  test('a run that starts in the middle at a step that does not exist is refused', async () => {
    const { graph } = createBook();
    const engine = await rig.open({ workflows: [graph] });
    expect((await errorOf(engine.start(graph, {}, { from: 'wirte', origin: { actor: 'ann' } }))).code).toBe('STEP_UNKNOWN');
    expect(await engine.list()).toEqual([]);
  });
});
