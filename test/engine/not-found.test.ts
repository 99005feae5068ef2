// What a program is told when it names something that is not there: what is, by name.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { all, createEngine, defineWorkflow, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

test('a decision about a question that is not open names the open ones', async () => {
  const flow = workflow('two', function* () {
    yield* all([step('draft').human({ prompt: 'Fine?' }), step('ship').human({ prompt: 'Ship?' })]);
  });
  const engine = await rig.open({ workflows: [flow] });
  const run = await engine.start(flow);
  await run.wait('idle');
  await expect(run.decide({ option: 'approve', actor: 'ann', approval: 'shp' as never })).rejects.toMatchObject({
    code: 'WAIT_NOT_FOUND',
    message: `run ${run.id} has no approval "shp" that waits for a person; open are: all-1#1/draft, all-1#1/ship`,
  });
});

test('without an open question, it says what the run waits for, and where', async () => {
  const flow = workflow('one', function* () {
    yield* step('go').signal('go');
  });
  const engine = await rig.open({ workflows: [flow] });
  const run = await engine.start(flow);
  await run.wait('idle');
  await expect(run.decide({ option: 'approve', actor: 'ann' })).rejects.toMatchObject({
    code: 'WAIT_NOT_FOUND',
    message: `run ${run.id} has no approval that waits for a person; it waits for: signal at go#1`,
  });
});

test('the typed handle of a run belongs to a run of its workflow', async () => {
  const one = defineWorkflow({ name: 'one', steps: { a: { handler: () => 1, next: null } } });
  const other = defineWorkflow({ name: 'other', steps: { a: { handler: () => 'x', next: null } } });
  const engine = await rig.open({ workflows: [one, other] });
  const { id } = await engine.start(one);
  expect((await engine.run(one, id).wait()).output).toBe(1);
  expect((await engine.run('one', id).wait()).output).toBe(1);
  const wrong = { code: 'RUN_NOT_FOUND', message: `run ${id} is a run of workflow "one", not of "other"` };
  await expect(engine.run(other, id).get()).rejects.toMatchObject(wrong);
  await expect(engine.run('other', id).wait()).rejects.toMatchObject(wrong);
});

test('a run that a store in memory does not have is looked for with the engine, not with a command', async () => {
  await using engine = await createEngine({});
  await expect(engine.run('nobody').get()).rejects.toMatchObject({
    code: 'RUN_NOT_FOUND',
    message: 'no run "nobody" in this store, which is in memory; engine.list() shows those that exist',
  });
});
