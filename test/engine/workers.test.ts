// The contract of every kind of worker: what it replies is checked in the same way, and budgets stop the next call,
// whether the worker is driven by a built-in driver or a custom one, is a live object, or reports by itself.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentUsage } from '../../src/agents/driver.ts';
import { isEngineError, workflowFromYaml } from '../../src/index.ts';
import { WORKERS, type WorkerReply } from '../workers.ts';
import { defineWorkflow, type Engine, step, workflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const SCHEMA = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };
const FITTING: WorkerReply = { output: { n: 1 } };

describe('a reviewer is marked with reviews: true', () => {
  const options = {
    roles: { worker: { driver: 'it' } },
    drivers: { it: { name: 'it', ask: async () => ({ kind: 'answered', success: true, output: 'fine' }) as const } },
  };
  const yaml = [
    'apiVersion: pawl.dev/v1',
    'kind: Workflow',
    'metadata: { name: y }',
    'stages:',
    '  - { id: a, type: agent, agent: worker, reviews: true }',
  ];
  test.each([
    ['in a graph', () => defineWorkflow({ name: 'g', steps: [{ id: 'a', agent: 'worker', reviews: true, next: null }] })],
    [
      'in a flow',
      () =>
        workflow('f', function* () {
          yield* step('a').agent({ agent: 'worker', reviews: true });
        }),
    ],
    ['in a workflow file', () => workflowFromYaml(yaml.join('\n'))],
  ])('%s', async (_place, definition) => {
    const engine = await rig.open(options);
    const run = await engine.start(await definition());
    const { status, steps } = await run.wait('idle');
    expect(status).not.toBe('completed');
    expect(steps.at(-1)?.error).toContain('a review needs "verdict"');
  });
});

describe.each(Object.entries(WORKERS))('%s', (_name, kind) => {
  interface Given {
    readonly step?: object;
    readonly budget?: object;
    /** More steps behind the first, with the same worker. */
    readonly more?: number;
  }

  /** Runs a workflow until it waits or ends; a refused report is the error of the step. */
  async function run(reply: WorkerReply, { step = {}, budget, more = 0 }: Given = {}) {
    const engine = await rig.open(kind.options(reply));
    const ids = ['work', ...Array.from({ length: more }, (_, index) => `more${index}`)];
    const steps = ids.map((id, index) => ({
      id,
      agent: kind.agent(reply),
      prompt: 'Work.',
      next: ids[index + 1] ?? null,
      ...(index === 0 ? step : {}),
    }));
    const definition = defineWorkflow({ name: 'one', steps: steps as never, ...(budget === undefined ? {} : { budget }) });
    const handle = await engine.start(definition);
    const refused = await untilIdle(engine, handle.id, reply);
    const view = await engine.run(handle.id).get();
    const errors = view.steps.flatMap(({ error }) => (error === undefined ? [] : [error]));
    return { view, error: refused ?? errors.join('\n'), asked: (await engine.store.usage({ run: handle.id })).attempts, engine };
  }

  /** Drives a run, and reports for a worker that does so by itself, until nothing moves. */
  async function untilIdle(engine: Engine, id: string, reply: WorkerReply): Promise<string | undefined> {
    for (let round = 0; round < 9; round += 1) {
      await engine.run(id).wait('idle');
      if (kind.work === undefined || (await engine.run(id).openSteps()).length === 0) return undefined;
      try {
        await kind.work(engine, id, reply);
      } catch (error) {
        if (!isEngineError(error) || error.code !== 'REPORT_INVALID') throw error;
        return error.message;
      }
    }
    return undefined;
  }

  test('an output that fits the schema is accepted', async () => {
    expect((await run(FITTING, { step: { schema: SCHEMA } })).view.status).toBe('completed');
  });

  test('an output that does not fit the schema is a failed attempt, with the reason', async () => {
    const { view, error } = await run({ output: { n: 'one' } }, { step: { schema: SCHEMA } });
    expect(view.status).not.toBe('completed');
    expect(error).toMatch(/\.n must be number, not a string/);
  });

  test('a reviewer approves and rejects by its verdict', async () => {
    const step = { next: { ok: null, reject: 'escalate' } };
    expect((await run({ verdict: 'approve' }, { step })).view.status).toBe('completed');
    expect((await run({ verdict: 'reject' }, { step })).view).toMatchObject({ status: 'escalated', steps: [{ outcome: 'reject' }] });
  });

  test.each<[string, WorkerReply]>([
    ['no verdict', { output: 'I reject this.' }],
    ['a verdict that the rest contradicts', { verdict: 'approve', output: { status: 'FAIL' } }],
    ['an approval that failed', { verdict: 'approve', success: false }],
  ])('a review with %s never counts as an approval', async (_what, reply) => {
    const { view, error } = await run(reply, { step: { next: { ok: null, reject: 'escalate' } } });
    expect(view.status).not.toBe('completed');
    expect(error).toMatch(/verdict|approves/);
  });

  test('values of arguments must be allowed', async () => {
    const step = { args: { confidence: { description: '', choices: ['low', 'high'], type: 'string', required: true } } };
    expect((await run({ output: { confidence: 'high' } }, { step })).view.status).toBe('completed');
    expect((await run({ output: { confidence: 'bogus' } }, { step })).error).toContain('"low", "high"');
  });

  test('postconditions are checked, whatever the reply says', async () => {
    const postconditions = [{ name: 'written', check: () => false, error: 'nothing was written' }];
    const { view, error } = await run({ output: { written: true } }, { step: { postconditions } });
    expect(view.status).not.toBe('completed');
    expect(error).toContain('nothing was written');
  });

  test('a declared file that did not change is not an output', async () => {
    writeFileSync(join(rig.directory, 'plan.md'), 'old');
    const outputs = [{ name: 'plan', type: 'file', pattern: 'plan.md', required: true }];
    const { view, error } = await run({ output: { plan: 'plan.md' } }, { step: { outputs } });
    expect(view.status).not.toBe('completed');
    expect(error).toContain('plan.md');
  });

  const usage: AgentUsage = { inputTokens: 10_000, outputTokens: 300, costUsd: 1, turns: 1 };

  test('a used-up budget stops the worker before the next call, and the run waits for more', async () => {
    const { view, asked } = await run({ usage }, { budget: { tokens: 300 }, more: 2 });
    expect(view).toMatchObject({ status: 'waiting', waits: [{ kind: 'budget' }] });
    expect(asked).toBe(1);
  });

  test('unknown usage stops the next call, unless the budget counts only known usage', async () => {
    const { view, error } = await run({}, { budget: { costUsd: 0.01 }, more: 1 });
    expect(view).toMatchObject({ status: 'waiting', waits: [{ kind: 'budget' }] });
    expect(error).toContain('unknown=count');
    expect((await run({}, { budget: { costUsd: 0.01, unknown: 'count' }, more: 1 })).view.status).toBe('completed');
  });
});
