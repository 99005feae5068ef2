// The alternative syntax of `pawl/compat`: it works there, and `pawl` rejects it and names its own.

import { expect, test } from 'vitest';
import { arg } from '../definition/param/arg.ts';
import { defineWorkflow as define } from '../index.ts';
import { defineWorkflow, StepDef, Workflow } from './index.ts';

const params = { size: arg({ default: 3 }) };

test('handlers get the parameters and the data under the names of the seeds', async () => {
  const compat = defineWorkflow({
    name: 'compat',
    params,
    steps: [
      { id: 'a', handler: ({ workflowParams }) => ({ doubled: Number(workflowParams.size) * 2 }), next: 'b' },
      {
        id: 'b',
        handler: (ctx) => ({ ...ctx.stepState, same: ctx.workflowParams === ctx.params, listed: 'stepState' in { ...ctx } }),
        next: null,
      },
    ],
  });
  expect((await compat.run()).finalOutput).toEqual({ size: 3, doubled: 6, same: true, listed: true });
});

test.each([
  ['workflowParams', 'params'],
  ['stepState', 'checkpoint'],
])('in other workflows `ctx.%s` fails, and says that it is `ctx.%s`', async (name, main) => {
  const read = define({
    name: 'main',
    params,
    steps: { a: { handler: (ctx) => (ctx as unknown as Record<string, unknown>)[name], next: null } },
  });
  expect((await read.run()).error).toContain(`reads \`ctx.${name}\`, which only pawl/compat has; read \`ctx.${main}\``);
  const own = define({
    name: 'own',
    params,
    steps: { a: { handler: (ctx) => ({ n: [name in { ...ctx }, ctx.params.size] }), next: null } },
  });
  expect((await own.run()).finalOutput).toEqual({ n: [false, 3] });
});

test('a step definition is frozen and can be shared', () => {
  const step = StepDef({ id: 'a', next: { ok: null } });
  expect(() => Object.assign(step, { id: 'b' })).toThrow(TypeError);
  expect(() => Object.assign(step.next as object, { ok: 'b' })).toThrow(TypeError);
  expect(new Workflow('one', step).compiled.definition.steps).toEqual(new Workflow('two', step).compiled.definition.steps);
});
