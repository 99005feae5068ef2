import { describe, expect, test } from 'vitest';
import { defineWorkflow } from '../compat/index.ts';
import { createEngine } from '../index.ts';

const approve = [{ label: 'approve', nextStep: null, ends: 'completed' as const }];

async function runToRest(workflow: ReturnType<typeof defineWorkflow>) {
  const engine = await createEngine({ db: ':memory:', workflows: [workflow] });
  try {
    const run = await engine.start(workflow);
    const view = await run.wait('idle');
    return { view, approvals: await engine.run(run.id).approvals() };
  } finally {
    await engine.close({ abort: true });
  }
}

describe('a decision sees what it settled', () => {
  test('a fan-out right after the step that changed its list works on the new list', async () => {
    const { view } = await runToRest(
      defineWorkflow({
        name: 'narrowing',
        steps: [
          { id: 'plan', handler: () => ({ areas: ['a', 'b'] }), next: 'write' },
          { id: 'write', each: { items: 'areas', step: { handler: (ctx) => ({ did: ctx.item }) } }, next: 'review' },
          {
            id: 'review',
            handler: (ctx) => (ctx.checkpoint.iterationCounts.write === 1 ? { areas: ['b'], good: false } : { good: true }),
            next: { condition: 'result.good', onTrue: null, onFalse: 'write', maxIterations: 2 },
          },
        ],
      }),
    );
    expect(view.steps.filter(({ kind }) => kind === 'each').map(({ output }) => output)).toEqual([
      [{ did: 'a' }, { did: 'b' }],
      [{ did: 'b' }],
    ]);
  });

  test('a question right after a step shows what the step merged', async () => {
    const { approvals } = await runToRest(
      defineWorkflow({
        name: 'shown',
        steps: [
          { id: 'measure', handler: () => ({ metrics: { delta: 3 } }), next: 'ask' },
          { id: 'ask', human: { prompt: 'well?', context: ['metrics.delta'], options: approve } },
        ],
      }),
    );
    expect(approvals.map(({ shown }) => shown)).toEqual([{ 'metrics.delta': 3 }]);
  });

  test('conditions right behind a step read its data and its output, and a group its members have merged', async () => {
    const { view } = await runToRest(
      defineWorkflow({
        name: 'conditions',
        steps: [
          { id: 'first', handler: () => ({ go: true }), next: 'data' },
          { id: 'data', condition: 'checkpoint.go', handler: () => ({ n: 1 }), next: 'output' },
          { id: 'output', condition: 'outputs.data.n == 1', handler: () => 'not an object', next: 'group' },
          { id: 'group', parallel: { branches: [{ id: 'x', handler: () => ({ fromGroup: 1 }) }] }, next: 'last' },
          { id: 'last', condition: 'checkpoint.fromGroup == 1 && checkpoint.n == 1', handler: () => 'reached', next: null },
        ],
      }),
    );
    expect([view.status, view.output, view.error]).toEqual(['completed', 'reached', undefined]);
  });

  test('a name of the engine that a step returns is not read by the next one', async () => {
    const { view } = await runToRest(
      defineWorkflow({
        name: 'forged',
        steps: [
          { id: 'first', handler: () => ({ $forged: true, go: true }), next: 'next' },
          { id: 'next', condition: 'checkpoint["$forged"] == true', handler: () => 'believed', next: null },
        ],
      }),
    );
    expect(view.steps.map(({ step, outcome }) => [step, outcome])).toEqual([
      ['first', 'ok'],
      ['next', 'error'],
    ]);
  });
});
