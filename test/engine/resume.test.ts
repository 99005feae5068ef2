import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow, type Engine, type RunEventOf, step, workflow } from './library.ts';
import { codeOf, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

async function changes(engine: Engine, run: string): Promise<RunEventOf<'run.changed'>[]> {
  const found: RunEventOf<'run.changed'>[] = [];
  for await (const event of engine.run(run).log()) if (event.type === 'run.changed') found.push(event);
  return found;
}

describe('a broken contract', () => {
  test('K5: a broken contract is retried once with the evidence, then the run escalates and stops', async () => {
    const engine = await rig.open();
    const told: (string | undefined)[] = [];
    const broken = defineWorkflow({
      name: 'broken',
      steps: [
        {
          id: 'work',
          handler: (ctx) => {
            told.push(ctx.retryContext?.error);
            return { claim: 'done' };
          },
          postconditions: [{ name: 'there', check: () => false, error: 'the file is not there' }],
          next: 'after',
        },
        { id: 'after', handler: () => 'never', next: null },
      ],
    });
    const view = await (await engine.start(broken)).wait();
    const evidence = 'the file is not there (postcondition "there" of step "work")';
    expect(told).toEqual([undefined, evidence]);
    expect([view.status, view.currentStep, view.error]).toEqual(['escalated', 'work', evidence]);
    expect(view.steps.map(({ attempt, status, claim }) => ({ attempt, status, claim }))).toEqual([
      { attempt: 1, status: 'failed', claim: { claim: 'done' } },
      { attempt: 2, status: 'failed', claim: { claim: 'done' } },
    ]);
    expect(view.waits).toMatchObject([{ kind: 'escalation', step: 'work' }]);
  });

  test('a precondition that does not hold runs nothing and is not retried', async () => {
    const engine = await rig.open();
    let ran = 0;
    const guarded = defineWorkflow({
      name: 'guarded',
      steps: [
        {
          id: 'work',
          preconditions: [{ name: 'ready', check: () => false, error: 'not ready' }],
          handler: () => {
            ran += 1;
          },
          retry: 3,
          next: null,
        },
      ],
    });
    const view = await (await engine.start(guarded)).wait();
    expect([view.status, view.error, ran, view.steps.length]).toEqual([
      'escalated',
      'not ready (precondition "ready" of step "work")',
      0,
      1,
    ]);
  });
});

function halting(world: { fixed: boolean; notes: (string | undefined)[] }) {
  return defineWorkflow({
    name: 'halting',
    steps: [
      {
        id: 'work',
        handler: (ctx) => {
          world.notes.push(ctx.retryContext?.note ?? ctx.retryContext?.error);
          if (!world.fixed) throw new Error('boom');
          return { by: 'work' };
        },
        next: 'end',
      },
      { id: 'end', handler: (ctx) => ({ by: ctx.stepState.by ?? null }), next: null },
    ],
  });
}

describe('a run that halted', () => {
  test('a run that halted is not resumed without a choice; the error names the choices', async () => {
    const engine = await rig.open();
    const run = await engine.start(halting({ fixed: false, notes: [] }));
    await run.wait();
    const error = await errorOf(engine.run(run.id).resume());
    expect([error.code, error.message]).toEqual([
      'RESUME_REFUSED',
      expect.stringMatching(/stopped at "work": boom; choose how.*retry.*accept.*goto.*cancel/),
    ]);
  });

  test('retry: the step is retried at the same path with the next attempt, the note and the name of the person', async () => {
    const engine = await rig.open();
    const world = { fixed: false, notes: [] as (string | undefined)[] };
    const run = await engine.start(halting(world));
    await run.wait();
    world.fixed = true;
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry', note: 'the disk is back' } });
    const view = await run.wait();
    expect([view.status, world.notes]).toEqual(['completed', [undefined, 'the disk is back']]);
    expect(view.steps.map(({ path, attempt, status }) => `${path}/${attempt} ${status}`)).toEqual([
      'work#1/1 failed',
      'work#1/2 completed',
      'end#1/1 completed',
    ]);
    expect(await changes(engine, run.id)).toContainEqual(
      expect.objectContaining({ change: 'resumed', actor: 'ann', note: 'the disk is back' }),
    );
  });

  test('retry without a note passes the error on', async () => {
    const engine = await rig.open();
    const world = { fixed: false, notes: [] as (string | undefined)[] };
    const run = await engine.start(halting(world));
    await run.wait();
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect((await run.wait()).status).toBe('escalated');
    expect(world.notes).toEqual([undefined, 'boom']);
  });

  test('accept: a named person accepts the step with an output, and the step records who', async () => {
    const engine = await rig.open();
    const run = await engine.start(halting({ fixed: false, notes: [] }));
    await run.wait();
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'accept', output: { by: 'hand' }, note: 'done by hand' } });
    const view = await run.wait();
    expect([view.status, view.output]).toEqual(['overridden', { by: 'hand' }]);
    expect(view.steps.find(({ path, attempt }) => path === 'work#1' && attempt === 2)).toMatchObject({
      outcome: 'ok',
      actor: 'ann',
      output: { by: 'hand' },
    });
  });

  test('goto: the run continues at another existing step', async () => {
    const engine = await rig.open();
    const run = await engine.start(halting({ fixed: false, notes: [] }));
    await run.wait();
    expect((await errorOf(engine.run(run.id).resume({ actor: 'ann', choice: { how: 'goto', step: 'ennd' } }))).message).toContain(
      'did you mean "end"',
    );
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'goto', step: 'end' } });
    const view = await run.wait();
    expect([view.status, view.output, view.steps.at(-1)?.step]).toEqual(['overridden', { by: null }, 'end']);
  });

  test('goto back to a completed step is a new visit', async () => {
    const engine = await rig.open();
    let fixed = false;
    const two = defineWorkflow({
      name: 'two',
      steps: [
        { id: 'first', handler: () => ({ n: 1 }), next: 'second' },
        {
          id: 'second',
          handler: () => {
            if (!fixed) throw new Error('boom');
            return 'done';
          },
          next: null,
        },
      ],
    });
    const run = await engine.start(two);
    await run.wait();
    fixed = true;
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'goto', step: 'first' } });
    const view = await run.wait();
    expect([view.status, view.steps.map(({ path }) => path)]).toEqual(['completed', ['first#1', 'second#1', 'first#2', 'second#2']]);
  });

  test('cancel: the run is final, and who cancelled is recorded', async () => {
    const engine = await rig.open();
    const run = await engine.start(halting({ fixed: false, notes: [] }));
    await run.wait();
    expect((await engine.run(run.id).cancel({ actor: 'ann', reason: 'not needed' })).status).toBe('cancelled');
    expect(await changes(engine, run.id)).toContainEqual(
      expect.objectContaining({ status: 'cancelled', actor: 'ann', note: 'not needed' }),
    );
    expect(await codeOf(engine.run(run.id).resume())).toBe('RUN_FINAL');
  });

  test('a choice for a run that has not stopped is refused', async () => {
    const engine = await rig.open();
    const waits = defineWorkflow({ name: 'waits', steps: [{ id: 'hear', signal: 'go', next: null }] });
    const run = await engine.start(waits);
    await run.wait('idle');
    for (const choice of [{ how: 'retry' }, { how: 'accept' }, { how: 'goto', step: 'hear' }] as const)
      expect(await codeOf(engine.run(run.id).resume({ actor: 'ann', choice }))).toBe('RESUME_REFUSED');
    for (const how of ['rerun', 'done', 'failed'] as const)
      expect(await codeOf(engine.run(run.id).resume({ actor: 'ann', choice: { how } }))).toBe('WAIT_NOT_FOUND');
  });
});

describe('K9: a bound that is used up', () => {
  const bounded = () => {
    let rounds = 0;
    const definition = defineWorkflow({
      name: 'bounded',
      steps: [
        {
          id: 'work',
          handler: () => {
            rounds += 1;
            return { rounds };
          },
          next: 'check',
        },
        {
          id: 'check',
          handler: (ctx) => ({ enough: Number(ctx.stepState.rounds) >= 5 }),
          next: { condition: 'result.enough', onTrue: null, onFalse: 'work', maxIterations: 2 },
        },
      ],
    });
    return { definition, rounds: () => rounds };
  };

  test('K9: a used-up bound escalates; only more iterations or another step continue the run', async () => {
    const engine = await rig.open();
    const { definition, rounds } = bounded();
    const run = await engine.start(definition);
    expect(await run.wait()).toMatchObject({ status: 'escalated', error: expect.stringContaining('reached its limit of 2') });
    expect(rounds()).toBe(3);
    for (const choice of [{ how: 'retry' }, { how: 'accept' }] as const)
      expect((await errorOf(engine.run(run.id).resume({ actor: 'ann', choice }))).message).toContain('extend');
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry', extend: 2 } });
    expect(await run.wait()).toMatchObject({ status: 'completed', iterationCounts: { 'check:ok:false': 4 } });
    expect([rounds(), (await changes(engine, run.id)).find(({ change }) => change === 'bound-extended')]).toMatchObject([
      5,
      { actor: 'ann', by: 2 },
    ]);
  });
});

test('a used-up bound of a transition to an end is an escalation like any other: a retry runs the step again', async () => {
  const engine = await rig.open();
  let tries = 0;
  const definition = defineWorkflow({
    name: 'twice',
    steps: [
      {
        id: 'work',
        handler: () => {
          tries += 1;
          if (tries < 4) throw new Error('not yet');
        },
        next: { ok: null, error: { to: 'escalate', maxIterations: 1 } },
      },
    ],
  });
  const run = await engine.start(definition);
  const again = async () => {
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    return run.wait();
  };
  expect(await run.wait()).toMatchObject({ status: 'escalated', error: 'not yet' });
  const limited = 'the transition from "work" to "escalate" reached its limit of 1';
  expect([await again(), await again()]).toMatchObject([
    { status: 'escalated', error: limited },
    { status: 'escalated', error: limited },
  ]);
  expect(await again()).toMatchObject({ status: 'completed' });
});

describe('a flow that failed', () => {
  test('a retry of a flow that failed at a step runs that step again and nothing before it', async () => {
    const engine = await rig.open();
    const ran: string[] = [];
    let fixed = false;
    const flow = workflow('flow', function* () {
      const a = yield* step('a').task(() => ran.push('a'));
      const b = yield* step('b').task(() => {
        ran.push('b');
        if (!fixed) throw new Error('boom');
        return 'b';
      });
      return { a, b };
    });
    const run = await engine.start(flow);
    expect(await run.wait()).toMatchObject({ status: 'failed', error: 'boom' });
    fixed = true;
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect(await run.wait()).toMatchObject({ status: 'completed', output: { a: 1, b: 'b' } });
    expect(ran).toEqual(['a', 'b', 'b']);
  });

  test('a retry of a flow that failed by itself replays it, and runs no step again', async () => {
    const engine = await rig.open();
    let calls = 0;
    let fixed = false;
    const flow = workflow('thrower', function* () {
      const n = yield* step('a').task(() => {
        calls += 1;
        return calls;
      });
      if (!fixed) throw new Error('own fault');
      return n;
    });
    const run = await engine.start(flow);
    expect(await run.wait()).toMatchObject({ status: 'failed', error: 'own fault' });
    fixed = true;
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect(await run.wait()).toMatchObject({ status: 'completed', output: 1 });
    expect(calls).toBe(1);
  });

  test('a flow that failed at a step that a person accepts continues with their output', async () => {
    const engine = await rig.open();
    const flow = workflow('accepted', function* () {
      const a = yield* step('a').task((): string => {
        throw new Error('boom');
      });
      return `got ${a}`;
    });
    const run = await engine.start(flow);
    await run.wait();
    await engine.run(run.id).resume({ actor: 'ann', choice: { how: 'accept', output: 'mine' } });
    expect((await run.wait()).output).toBe('got mine');
    expect(await codeOf(engine.run(run.id).resume({ actor: 'ann', choice: { how: 'goto', step: 'a' } }))).toBe('RUN_FINAL');
  });
});

describe('the context of a resumed step', () => {
  test('the context of a resumed step names the completed steps, the last output and what is to be retried', async () => {
    const engine = await rig.open();
    const flow = defineWorkflow({
      name: 'known',
      steps: [
        { id: 'a', handler: () => ({ n: 1 }), next: 'b' },
        {
          id: 'b',
          handler: () => {
            throw new Error('boom');
          },
          next: null,
        },
      ],
    });
    const run = await engine.start(flow);
    await run.wait();
    expect(await engine.run(run.id).resumeContext()).toEqual({
      workflowType: 'known',
      runId: run.id,
      currentStep: 'b',
      completedSteps: ['a'],
      lastStepOutput: { n: 1 },
      pendingRetry: { step: 'b', error: 'boom', attempt: 1 },
    });
    expect(await engine.run(run.id).checkpoint()).toMatchObject({
      workflowRunId: run.id,
      workflowType: 'known',
      completedSteps: [{ step: 'a', result: { n: 1 } }],
    });
  });
});
