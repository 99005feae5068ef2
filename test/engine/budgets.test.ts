// Budgets: what agents may use, checked before each one starts, and summed over crashes, resumes and child runs.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest, AgentUsage } from '../../src/agents/driver.ts';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { Budget } from '../../src/definition/budget.ts';
import { hashDefinition } from '../../src/definition/hash.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { accepted } from '../kernel/definitions.ts';
import { defineWorkflow, type Engine, step, workflow } from './library.ts';
import { codeOf, createLatch, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
let asked: AgentRequest[];
beforeEach(() => {
  rig = createRig();
  asked = [];
});
afterEach(() => rig.close());

/** Roles with an agent that always uses the same amounts. */
function using(usage: AgentUsage | undefined, role: object = {}) {
  const driver = createScriptedDriver((request) => {
    asked.push(request);
    return [{ do: 'answer', ...(usage === undefined ? {} : { usage }) }];
  });
  return { roles: { worker: { driver: 'scripted', ...role } }, drivers: { scripted: driver } };
}

const work = (id: string, next: string | null, more: object = {}) => ({ id, agent: 'worker', prompt: 'Work.', next, ...more });
/** The same workflow under a budget, for the run or by step. */
function under(given: AnyWorkflow, { run, steps = {} }: { readonly run?: Budget; readonly steps?: Readonly<Record<string, Budget>> }) {
  const compiled = 'compiled' in given ? given.compiled : given;
  const models = compiled.definition.steps.map((model) => {
    const budget = steps[model.id];
    return budget === undefined || model.kind !== 'agent' ? model : { ...model, config: { ...model.config, budget } };
  });
  const definition = accepted({ ...compiled.definition, steps: models, ...(run === undefined ? {} : { budget: run }) });
  return { ...compiled, definition, hash: hashDefinition(definition) };
}

const three = ({ budget }: { readonly budget?: Budget } = {}) =>
  under(
    defineWorkflow({ name: 'three', steps: [work('a', 'b'), work('b', 'c'), work('c', null)] }),
    budget === undefined ? {} : { run: budget },
  );

async function shortage(engine: Engine, run: string) {
  const view = await engine.run(run).get();
  return {
    status: view.status,
    waits: view.waits.map(({ kind }) => kind),
    error: view.steps.findLast(({ error }) => error !== undefined)?.error,
  };
}

describe('the budget of a run', () => {
  test('the budget of a run is checked before each agent starts; once used up, the run waits and says what to do', async () => {
    const engine = await rig.open(using({ costUsd: 0.6, inputTokens: 10 }));
    const run = await engine.start(three({ budget: { costUsd: 1 } }));
    await run.wait('idle');
    expect(asked.map(({ step: id }) => id)).toEqual(['a', 'b']);
    expect(await shortage(engine, run.id)).toEqual({
      status: 'waiting',
      waits: ['budget'],
      error: `the budget of run ${run.id} is used up: $1.20 of $1.00; "pawl resume ${run.id} --budget cost_usd=N" allows more`,
    });
  });

  test('the rest of a budget is given to the agent, which can stop there by itself', async () => {
    const engine = await rig.open(using({ costUsd: 0.25, inputTokens: 10, outputTokens: 5, turns: 1 }, { budget: { turns: 4 } }));
    await (await engine.start(three({ budget: { costUsd: 1, tokens: 100, turns: 5 } }))).wait();
    expect(asked.map(({ budget }) => budget)).toEqual([
      { costUsd: 1, tokens: 100, turns: 4 },
      { costUsd: 0.75, tokens: 85, turns: 4 },
      { costUsd: 0.5, tokens: 70, turns: 3 },
    ]);
  });

  test('a grant is recorded with its actor and raises the budget, also after a restart', async () => {
    const options = { workflows: [three({ budget: { turns: 1 } })], ...using({ turns: 1 }) };
    const first = await rig.open(options);
    const { id } = await first.start('three');
    await first.run(id).wait('idle');
    await first.close();
    const second = await rig.open({ ...options, drives: 'own' });
    await second.run(id).resume({ actor: 'ann', budget: { turns: 1 } });
    await second.run(id).wait('idle');
    expect(asked).toHaveLength(2);
    await second.run(id).resume({ actor: 'bob' });
    await second.run(id).wait('idle');
    expect((await shortage(second, id)).error).toContain('2 of 2 turns');
    await second.run(id).resume({ actor: 'ann', budget: { turns: 5 } });
    expect((await second.run(id).wait()).status).toBe('completed');
    const granted = (await second.store.events(id, 0)).flatMap(({ events }) => events).filter((event) => 'granted' in event);
    expect(granted).toMatchObject([
      { actor: 'ann', granted: { turns: 1 } },
      { actor: 'ann', granted: { turns: 5 } },
    ]);
    expect((await second.store.check()).problems).toEqual([]);
  });

  test('an invalid grant is rejected', async () => {
    const engine = await rig.open(using({ turns: 1 }));
    const run = await engine.start(three({ budget: { turns: 1 } }));
    await run.wait('idle');
    expect(await codeOf(engine.run(run.id).resume({ actor: 'ann', budget: { turns: -1 } }))).toBe('OPTION_INVALID');
  });

  test('the budget of a run counts the usage of an attempt whose answer came too late', async () => {
    const clock = createVirtualClock();
    const atWork = createLatch();
    const slow = {
      name: 'slow',
      ask: async ({ signal }: AgentRequest) => {
        const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
        atWork.open();
        await stopped;
        return { kind: 'failed', failure: 'aborted', message: 'stopped', usage: { costUsd: 2 } } as const;
      },
    };
    const late = defineWorkflow({ name: 'late', steps: [work('a', null, { timeout: '1h' })] });
    const engine = await rig.open({ clock, roles: { worker: { driver: 'slow' } }, drivers: { slow } });
    const run = await engine.start(late);
    await atWork.promise;
    clock.advance(3_600_000);
    await run.wait();
    await engine.close();
    const { store } = await rig.open();
    expect(await store.usage({ run: run.id })).toMatchObject({ attempts: 1, costUsd: 2, unknownCost: 0 });
  });

  test('the budget of a run counts an attempt that a crash cut off as unknown usage', async () => {
    const other = rig.other(`
      const ask = ({ runId }) => { say(runId); return new Promise(() => {}); };
      const engine = await pawl.createEngine({ db, roles: { worker: { driver: 'deaf' } }, drivers: { deaf: { name: 'deaf', ask } } });
      const steps = [{ id: 'a', agent: 'worker', prompt: 'Work.', next: null }];
      await engine.start(defineWorkflow({ name: 'one', steps }));
      await new Promise(() => setInterval(() => {}, 1000));
    `);
    const run = await other.said();
    await other.kill();
    const { store } = await rig.open({ drives: 'own' });
    expect(await store.usage({ run })).toMatchObject({ attempts: 1, unknownCost: 1, unknownTokens: 1 });
  });

  test('the budget of a run includes child runs: their usage counts, and they wait as well', async () => {
    const child = defineWorkflow({ name: 'child', steps: [work('x', 'y'), work('y', null)] });
    const flow = workflow('parent', { children: [child] }, function* () {
      yield* step('own').agent({ agent: 'worker', prompt: 'Work.' });
      yield* step('child').workflow(child, {});
    });
    const parent = under(flow, { run: { turns: 2 } });
    const engine = await rig.open({ workflows: [parent], ...using({ turns: 1 }) });
    const run = await engine.start(parent);
    await run.wait('idle');
    const id = (await engine.list({ parent: run.id }))[0]?.id as string;
    await engine.run(id).wait('idle');
    expect(asked.map(({ step: name }) => name)).toEqual(['own', 'x']);
    expect((await shortage(engine, id)).error).toContain(`the budget of run ${run.id} is used up: 2 of 2 turns`);
    await engine.run(run.id).resume({ actor: 'ann', budget: { turns: 1 } });
    expect((await run.wait()).status).toBe('completed');
  });

  test('a budget of time ends an attempt that has none left, and the run waits', async () => {
    const hanging = createScriptedDriver((request) => {
      asked.push(request);
      return [{ do: 'hang' }];
    });
    const engine = await rig.open({ roles: { worker: { driver: 'scripted' } }, drivers: { scripted: hanging } });
    const run = await engine.start(three({ budget: { timeMs: 30 } }));
    await run.wait('idle');
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([30]);
    expect((await engine.run(run.id).get()).waits).toMatchObject([{ kind: 'budget' }]);
  });

  test('the budget of a run can be set in a YAML file', async () => {
    const yaml = [
      'apiVersion: pawl.dev/v1',
      'kind: Workflow',
      'metadata: { name: y }',
      'budget: { tokens: 10, cost_usd: 0.5, turns: 3, time: 1h, unknown: count }',
      'stages:',
      '  - { id: a, type: agent, agent: worker, prompt: p }',
    ].join('\n');
    const { compiled } = checkYaml('y.yaml', yaml, REGISTRY);
    expect(compiled?.definition.budget).toEqual({ tokens: 10, costUsd: 0.5, turns: 3, timeMs: 3_600_000, unknown: 'count' });
  });
});

describe('unknown usage', () => {
  interface Unknown {
    readonly usage: AgentUsage;
    readonly budget: Budget;
    readonly unknown: string;
  }
  test.each<[string, Unknown]>([
    ['cost', { usage: { turns: 1, inputTokens: 1 }, budget: { costUsd: 0.01 }, unknown: 'how much money 1 attempt used' }],
    ['tokens', { usage: { turns: 1, costUsd: 1 }, budget: { tokens: 300 }, unknown: 'how many tokens 1 attempt used' }],
    ['turns', { usage: { inputTokens: 1, costUsd: 1 }, budget: { turns: 5 }, unknown: 'how many turns 1 attempt used' }],
  ])('after unknown usage of %s no further agent starts, and the run says how to continue', async (_, { usage, budget, unknown }) => {
    const engine = await rig.open(using(usage));
    const run = await engine.start(three({ budget }));
    await run.wait('idle');
    expect(asked).toHaveLength(1);
    expect(await shortage(engine, run.id)).toEqual({
      status: 'waiting',
      waits: ['budget'],
      error: `the budget of run ${run.id} cannot be enforced: it is not known ${unknown}; "pawl resume ${run.id} --budget unknown=count" continues with the known amounts`,
    });
    await engine.run(run.id).resume({ actor: 'ann', budget: { unknown: 'count' } });
    expect((await run.wait()).status).toBe('completed');
  });

  test('unknown usage does not stop a budget that does not limit that amount', async () => {
    const engine = await rig.open(using({ turns: 1 }));
    expect((await (await engine.start(three({ budget: { turns: 9 } }))).wait()).status).toBe('completed');
  });

  test('unknown usage of an attempt stops a role whose attempts have a budget', async () => {
    const engine = await rig.open(using({ turns: 1 }, { budget: { costUsd: 0.01 } }));
    const run = await engine.start(three());
    await run.wait('idle');
    expect(asked).toHaveLength(1);
    expect((await shortage(engine, run.id)).error).toContain('the budget of an attempt by role "worker" cannot be enforced');
  });

  test('unknown usage is not assumed of agents that work at the same time', async () => {
    const engine = await rig.open(using({ costUsd: 0.01 }));
    const member = (id: string) => ({ id, agent: 'worker', prompt: 'Work.' });
    const side = defineWorkflow({
      name: 'side',
      steps: [{ id: 'both', parallel: { branches: [member('x'), member('y'), member('z')], join: 'all' }, next: null }],
    });
    expect((await (await engine.start(under(side, { run: { costUsd: 1 } }))).wait()).status).toBe('completed');
  });

  test('unknown usage of a crashed attempt stops the run that goes on after it', async () => {
    const other = rig.other(`
      const ask = ({ runId }) => { say(runId); return new Promise(() => {}); };
      const engine = await pawl.createEngine({ db, cwd: ${JSON.stringify(rig.directory)}, roles: { worker: { driver: 'deaf' } }, drivers: { deaf: { name: 'deaf', ask } } });
      const steps = [{ id: 'a', agent: 'worker', prompt: 'Work.', recovery: 'rerun', next: null }];
      await engine.start(defineWorkflow({ name: 'one', budget: { costUsd: 1 }, steps }));
      await new Promise(() => setInterval(() => {}, 1000));
    `);
    const id = await other.said();
    await other.kill();
    const steps = [work('a', null, { recovery: 'rerun' })];
    const one = defineWorkflow({ name: 'one', budget: { costUsd: 1 }, steps });
    const engine = await rig.open({ workflows: [one], ...using({ costUsd: 0.1 }) });
    await engine.run(id).wait('idle');
    expect(asked).toHaveLength(0);
    expect((await shortage(engine, id)).error).toContain('how much money 1 attempt used');
  });

  test('unknown usage is left out of the sums where the budget says so, and never counts as zero', async () => {
    const engine = await rig.open(using({ turns: 1 }));
    const run = await engine.start(three({ budget: { costUsd: 1, turns: 2, unknown: 'count' } }));
    await run.wait('idle');
    expect(asked).toHaveLength(2);
    expect((await shortage(engine, run.id)).error).toContain('2 of 2 turns');
    expect(await engine.store.usage({ run: run.id })).toMatchObject({ costUsd: 0, unknownCost: 2 });
  });

  test('unknown usage together with known usage makes the sum "at least" an amount', async () => {
    let calls = 0;
    const driver = createScriptedDriver(() => {
      calls += 1;
      return [{ do: 'answer', ...(calls === 1 ? {} : { usage: { costUsd: 5 } }) }];
    });
    const engine = await rig.open({ roles: { worker: { driver: 'scripted' } }, drivers: { scripted: driver } });
    const run = await engine.start(three({ budget: { costUsd: 1, unknown: 'count' } }));
    await run.wait('idle');
    expect((await shortage(engine, run.id)).error).toContain('at least $5.00 of $1.00; the usage of 1 attempt is unknown');
  });

  test('unknown usage is assumed for invalid amounts from a driver', async () => {
    const engine = await rig.open(using({ costUsd: Number.NaN, inputTokens: -1, outputTokens: 1.5, turns: 2 }));
    const run = await engine.start(three());
    await run.wait();
    expect(await engine.store.usage({ run: run.id })).toMatchObject({ unknownCost: 3, unknownTokens: 3, turns: 6 });
  });
});

describe('other budgets', () => {
  test('the budget of a step counts all its attempts in the run, and no other step', async () => {
    const failing = createScriptedDriver((request) => {
      asked.push(request);
      if (request.step === 'a') return { kind: 'answered', success: true, output: null, usage: { turns: 7 } };
      return { kind: 'failed', failure: 'crash', message: 'it broke', usage: { turns: 1 } };
    });
    const engine = await rig.open({ roles: { worker: { driver: 'scripted' } }, drivers: { scripted: failing } });
    const steps = [work('a', 'b'), work('b', null, { retry: 5 })];
    const run = await engine.start(under(defineWorkflow({ name: 'failing', steps }), { steps: { b: { turns: 2 } } }));
    await run.wait('idle');
    expect(asked.map(({ step: id }) => id)).toEqual(['a', 'b', 'b']);
    expect((await shortage(engine, run.id)).error).toContain(`the budget of step "b" in run ${run.id} is used up: 2 of 2 turns`);
    await engine.run(run.id).resume({ actor: 'ann', budget: { turns: 1 } });
    await run.wait('idle');
    expect(asked.map(({ step: id }) => id)).toEqual(['a', 'b', 'b', 'b']);
  });

  test.each([
    ['of all runs', { options: { budgets: { day: { turns: 2 } } }, role: {}, what: 'the daily budget of all runs' }],
    ['of a role', { options: {}, role: { budget: { day: { turns: 2 } } }, what: 'the daily budget of role "worker"' }],
  ])('budgets of a day %s are reset at midnight, and the run continues by itself', async (_, { options, role, what }) => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock, ...options, ...using({ turns: 1 }, role) });
    const run = await engine.start(three());
    await run.wait('idle');
    const midnight = clock.now() - (clock.now() % 86_400_000) + 86_400_000;
    expect((await engine.run(run.id).get()).waits).toMatchObject([{ kind: 'budget', due: midnight }]);
    expect((await shortage(engine, run.id)).error).toContain(
      `${what} is used up: 2 of 2 turns; it resets at ${new Date(midnight).toISOString()}`,
    );
    clock.advance(midnight - clock.now());
    expect((await run.wait()).status).toBe('completed');
  });

  test('budgets per run apply to runs whose workflow has none', async () => {
    const engine = await rig.open({ budgets: { run: { turns: 1 } }, ...using({ turns: 1 }) });
    const run = await engine.start(three());
    await run.wait('idle');
    expect((await shortage(engine, run.id)).error).toContain(`the per-run budget of run ${run.id} is used up: 1 of 1 turns`);
  });

  test.each([
    ['not a number', Number.NaN],
    ['negative', -1],
    ['endless', Number.POSITIVE_INFINITY],
  ])('budgets that are %s are rejected when they are loaded, wherever they are written', async (_, turns) => {
    const budget = { turns };
    expect(() => three({ budget })).toThrow('budget');
    expect(() => under(three(), { steps: { b: budget } })).toThrow('budget');
    for (const options of [
      { budgets: { run: budget } },
      { budgets: { day: budget } },
      using({}, { budget }),
      using({}, { budget: { day: budget } }),
    ])
      expect((await errorOf(rig.open(options))).code).toBe('CONFIG_INVALID');
  });
});

describe('runs that start runs', () => {
  test('runs that start runs stop at the limit of runs in a run tree', async () => {
    const leaf = defineWorkflow({ name: 'leaf', steps: [{ id: 'x', handler: () => null, next: null }] });
    const parent = workflow('parent', { children: [leaf] }, function* () {
      for (const at of [1, 2, 3]) yield* step(`child-${at}`).workflow(leaf, {});
    });
    const engine = await rig.open({ workflows: [parent], runsMax: 3 });
    const run = await engine.start(parent);
    const view = await run.wait();
    expect(view.error).toContain('step "child-3" cannot start another run: this run and the runs it started already number 3, the limit');
    expect(await engine.list({ parent: run.id })).toHaveLength(2);
  });
});
