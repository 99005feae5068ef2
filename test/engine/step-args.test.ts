// The arguments of a step, its context as an object, and what else a step's author can rely on.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Dispatch, defineWorkflow as defineList } from '../../src/compat/index.ts';
import { arg, defineWorkflow, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const CONFIDENCE = { confidence: arg({ choices: ['low', 'high'], default: 'low' }), rounds: arg({ type: 'integer', default: 2 }) };

describe('the arguments of a step', () => {
  test('the arguments of a step are passed to its handler: from the run’s data, else their defaults', async () => {
    const w = defineWorkflow({
      name: 'args',
      steps: {
        judge: { handler: () => ({ confidence: 'high' }), next: 'look' },
        look: { args: CONFIDENCE, handler: (ctx) => ({ ...ctx.args }), next: null },
      },
    });
    const view = await (await (await rig.open()).start(w)).wait();
    expect(view.output).toEqual({ confidence: 'high', rounds: 2 });
  });

  test('the arguments of a step are checked when an agent reports them', async () => {
    const w = defineWorkflow({ name: 'reported', steps: { judge: { agent: 'dev', prompt: 'p', args: CONFIDENCE, next: null } } });
    const engine = await rig.open();
    const run = await engine.start(w, {}, { facts: { $attended: true } });
    await run.wait('idle');
    const [openStep] = await run.openSteps();
    const report = (result: object) => run.report({ token: openStep?.token ?? '', result });
    await expect(report({ confidence: 'bogus' })).rejects.toMatchObject({
      code: 'REPORT_INVALID',
      message: expect.stringContaining('step "judge": "confidence"'),
    });
    await expect(report({ rounds: 'many' })).rejects.toMatchObject({ code: 'REPORT_INVALID' });
    expect(await report({ confidence: 'high', other: 1 })).toMatchObject({ accepted: true });
  });
});

test('a context can be spread', async () => {
  const w = defineWorkflow({
    name: 'spread',
    context: () => ({ book: 'b' }),
    steps: {
      a: {
        handler: (ctx) => {
          const { runId, stepId, attempt, params, book } = { ...ctx };
          return { runId: typeof runId, stepId, attempt, params, book };
        },
        next: null,
      },
    },
  });
  const view = await (await (await rig.open()).start(w)).wait();
  expect(view.output).toEqual({ runId: 'string', stepId: 'a', attempt: 1, params: {}, book: 'b' });
});

test('the result of a step that ran another workflow has that run and its steps', async () => {
  const child = workflow('child', function* () {
    return yield* step('add').task(() => 3);
  });
  const result = await defineWorkflow({ name: 'parent', steps: { sub: { workflow: child, next: null } } }).run();
  expect(result.stepResults[0]).toMatchObject({
    name: 'sub',
    output: 3,
    child: { runId: expect.stringMatching(/^\w{16}$/), workflowName: 'child', success: true, stepResults: [{ name: 'add', output: 3 }] },
  });
});

test.each(['a b', '../x', '', '-x', 'a\nb', 'a'.repeat(65)])('%j cannot be the id of a run', async (id) => {
  const w = defineWorkflow({ name: 'w', steps: { a: { handler: () => 1, next: null } } });
  await expect((await rig.open()).start(w, {}, { id })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});

test('a Dispatch names an agent and a script', () => {
  const define = (given: object) => defineList({ name: 'd', steps: [{ id: 'a', handler: Dispatch(given as never), next: null }] });
  expect(() => define({ agent: 'developer' })).toThrow('`script` of Dispatch is missing');
  expect(() => define({ script: 'x.py' })).toThrow('`agent` of Dispatch is missing');
  expect(() => define({ agent: 'developer', script: 'x.py', scirpt: 1 })).toThrow('a Dispatch has no field "scirpt"');
});

test('`parallel: true` without a list runs the step once', async () => {
  const w = defineList({ name: 'p', steps: [{ id: 'a', parallel: true, handler: () => 'once', next: null }] });
  expect(w.definition.steps[0]?.kind).toBe('task');
  const view = await (await (await rig.open()).start(w)).wait();
  expect(view.output).toBe('once');
});

test('a question that shows a value which does not exist says so', async () => {
  const w = defineWorkflow({ name: 'q', steps: { a: { human: { prompt: 'p', show: ['nope.nada'] }, next: null } } });
  const engine = await rig.open();
  const run = await engine.start(w);
  await run.wait('idle');
  const [approval] = await run.approvals();
  expect(approval?.shown).toEqual({ 'nope.nada': '(nothing in this run has that name)' });
});
