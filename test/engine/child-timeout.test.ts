import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { defineWorkflow } from './library.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

test('a child that timed out is cancelled, also when a retry starts another one', async () => {
  const kid = defineWorkflow({ name: 'kid', steps: [{ id: 'sign', signal: 'signed', next: null }] });
  const parent = defineWorkflow({
    name: 'parent',
    steps: [{ id: 'child', workflow: kid, timeout: '1m', retry: { max: 1, on: ['timeout'] }, next: null }],
  });
  const clock = createVirtualClock();
  const engine = await rig.open({ workflows: [parent, kid], clock });
  const run = await engine.start(parent);
  await run.wait('idle');
  const [first] = await engine.list({ parent: run.id });
  clock.advance(60_000);
  expect(await engine.run(first?.id as string).wait()).toMatchObject({ status: 'cancelled' });
  expect((await engine.list({ parent: run.id })).map(({ status }) => status).sort()).toEqual(['cancelled', 'waiting']);
});
