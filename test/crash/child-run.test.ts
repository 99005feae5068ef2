// What the crash proof found out about children, as small as it can be told.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createEngine, step, workflow } from '../../src/index.ts';
import { tempFolder } from '../temp-folder.ts';

test('a child that a flow gave as a value goes on in an engine that was told of the flow only', async () => {
  const directory = tempFolder();
  const options = () => {
    const grandchild = workflow('grandchild', function* () {
      return yield* step('ask').human({ prompt: 'On?' });
    });
    const child = workflow('child', function* () {
      return yield* step('deeper').workflow(grandchild);
    });
    const parent = workflow('parent', function* () {
      return yield* step('down').workflow(child);
    });
    return { db: join(directory, 'pawl.db'), workflows: [parent] };
  };
  const first = await createEngine(options());
  const { id } = await first.start('parent');
  await first.run(id).wait('idle');
  const [asking] = await first.list({ workflow: 'grandchild' });
  await first.close();

  const second = await createEngine(options());
  await second.run(asking?.id ?? '').decide({ option: 'approve', actor: 'ann' });
  expect(await second.run(id).wait()).toMatchObject({ status: 'completed', output: { option: 'approve', actor: 'ann' } });
  await second.close();
});

test('a step after a child sees what the child brought, although its parent was taken up when the child had ended', async () => {
  const child = defineWorkflow({
    name: 'child',
    steps: [
      { id: 'ask', human: { prompt: 'On?' }, next: 'answer' },
      { id: 'answer', handler: () => ({ sent: true }), next: null },
    ],
  });
  const parent = defineWorkflow({
    name: 'parent',
    steps: [
      { id: 'deliver', workflow: child, input: () => ({}), next: 'tell' },
      { id: 'tell', handler: (ctx) => ({ told: ctx.results.deliver?.output ?? null }), next: null },
    ],
  });
  const engine = await createEngine({ workflows: [parent] });
  const { id } = await engine.start(parent);
  await engine.run(id).wait('idle');
  const [asking] = await engine.list({ workflow: 'child' });
  await engine.run(asking?.id ?? '').decide({ option: 'approve', actor: 'ann' });
  expect((await engine.run(id).wait()).output).toEqual({ told: { sent: true } });
  await engine.close();
});
