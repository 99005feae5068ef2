// Reports of attended agents that come twice: one counts, and both are told the same verdict.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow, type Engine } from '../../src/index.ts';
import { createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const two = defineWorkflow({
  name: 'two',
  steps: [
    { id: 'plan', agent: 'planner', prompt: 'Plan.', next: 'build' },
    { id: 'build', agent: 'builder', prompt: 'Build.', next: null },
  ],
});

async function begun(engine: Engine) {
  const run = await engine.start(two, {}, { facts: { $attended: true } });
  await run.wait('idle');
  const [handout] = await engine.handouts(run.id);
  return { id: run.id, token: handout?.token ?? '' };
}

const isRepeated = ({ repeated }: { readonly repeated: boolean }): boolean => repeated;

describe('the same report twice', () => {
  test('at the same moment counts once: both are told the verdict, and one that it was on record', async () => {
    const engine = await rig.open();
    const { id, token } = await begun(engine);
    const verdicts = await Promise.all([1, 2].map(() => engine.report(id, { token, result: { pages: 2 } })));
    expect(verdicts.map(isRepeated).sort()).toEqual([false, true]);
    expect(verdicts).toMatchObject([
      { accepted: true, step: 'plan', attempt: 1 },
      { accepted: true, step: 'plan', attempt: 1 },
    ]);
    await engine.wait(id, 'idle');
    expect((await engine.get(id)).steps.map(({ path, status }) => `${path} ${status}`)).toEqual(['plan#1 completed', 'build#1 waiting']);
  });

  test('that gave up is told so again, and a result for that attempt is refused', async () => {
    const engine = await rig.open();
    const { id, token } = await begun(engine);
    const first = await engine.report(id, { token, failure: 'no network' });
    expect(await engine.report(id, { token, failure: 'no network' })).toEqual({ ...first, repeated: true });
    expect((await errorOf(engine.report(id, { token, result: 1 }))).code).toBe('TOKEN_SPENT');
  });
});
