// Reports of attended agents that come twice: one counts, and both are told the same verdict.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type Engine, step, workflow } from '../../src/index.ts';
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

async function begun(engine: Engine, definition: Parameters<Engine['start']>[0] = two) {
  const run = await engine.start(definition, {}, { facts: { $attended: true } });
  await run.wait('idle');
  const [openStep] = await engine.run(run.id).openSteps();
  return { id: run.id, token: openStep?.token ?? '' };
}

const isRepeated = ({ repeated }: { readonly repeated: boolean }): boolean => repeated;

describe('the same report twice', () => {
  test('the same report twice at the same moment counts once: both get the verdict, and one is marked as repeated', async () => {
    const engine = await rig.open();
    const { id, token } = await begun(engine);
    const verdicts = await Promise.all([1, 2].map(() => engine.run(id).report({ token, result: { pages: 2 } })));
    expect(verdicts.map(isRepeated).sort()).toEqual([false, true]);
    expect(verdicts).toMatchObject([
      { accepted: true, step: 'plan', attempt: 1 },
      { accepted: true, step: 'plan', attempt: 1 },
    ]);
    await engine.run(id).wait('idle');
    expect((await engine.run(id).get()).steps.map(({ path, status }) => `${path} ${status}`)).toEqual([
      'plan#1 completed',
      'build#1 waiting',
    ]);
  });

  test('the same report again, while the first is verified, waits for its verdict, and another report is refused', async () => {
    const verified = Promise.withResolvers<boolean>();
    const slow = defineWorkflow({
      name: 'slow',
      steps: [
        {
          id: 'plan',
          agent: 'planner',
          prompt: 'Plan it.',
          postconditions: [{ name: 'verified', check: () => verified.promise, error: 'it is not' }],
          next: null,
        },
      ],
    });
    const engine = await rig.open();
    const { id, token } = await begun(engine, slow);
    const first = engine.run(id).report({ token, result: { pages: 2 } });
    await expect.poll(async () => (await engine.run(id).get()).steps.at(-1)?.status).toBe('verifying');
    const second = engine.run(id).report({ token, result: { pages: 2 } });
    expect((await errorOf(engine.run(id).report({ token, result: 'other' }))).code).toBe('TOKEN_SPENT');
    verified.resolve(true);
    expect(await Promise.all([first, second])).toMatchObject([
      { accepted: true, repeated: false },
      { accepted: true, repeated: true, step: 'plan', attempt: 1 },
    ]);
  });

  test('the same report twice in a flow gets the recorded verdict, as in a graph', async () => {
    const flow = workflow('flow', {}, function* () {
      yield* step('plan').agent({ agent: 'planner', context: {} });
      return yield* step('build').agent({ agent: 'builder', context: {} });
    });
    const engine = await rig.open();
    for (const result of [{ pages: 2 }, 'done', null]) {
      const { id, token } = await begun(engine, flow);
      await engine.run(id).report({ token, result });
      await engine.run(id).wait('idle');
      expect(await engine.run(id).report({ token, result })).toMatchObject({ accepted: true, repeated: true, step: 'plan' });
    }
  });

  test('the same report of a failure twice gets the same answer, and a result for that attempt is refused', async () => {
    const engine = await rig.open();
    const { id, token } = await begun(engine);
    const first = await engine.run(id).report({ token, failure: 'no network' });
    expect(await engine.run(id).report({ token, failure: 'no network' })).toEqual({ ...first, repeated: true });
    expect((await errorOf(engine.run(id).report({ token, result: 1 }))).code).toBe('TOKEN_SPENT');
  });
});

test('a report on a cancelled step is not accepted, with the reason', async () => {
  const first = defineWorkflow({
    name: 'first',
    steps: [
      { id: 'any', parallel: { branches: ['a', 'b'].map((id) => ({ id, agent: 'builder', prompt: 'Build.' })), join: 'any' }, next: 'end' },
      { id: 'end', agent: 'planner', prompt: 'Plan.', next: null },
    ],
  });
  const engine = await rig.open();
  const { id, token } = await begun(engine, first);
  const late = (await engine.run(id).openSteps())[1]?.token as string;
  expect(await engine.run(id).report({ token, result: { pages: 2 } })).toMatchObject({ accepted: true });
  await engine.run(id).wait('idle');
  expect(await engine.run(id).report({ token: late, result: { pages: 3 } })).toMatchObject({
    accepted: false,
    path: 'any#1/b',
    message: 'the step was cancelled before its report was verified; no more work is needed on it',
  });
});

test('the first of two different reports at the same moment counts, and the other is refused', async () => {
  const engine = await rig.open();
  const { id, token } = await begun(engine);
  const ends = await Promise.allSettled([1, 2].map((result) => engine.run(id).report({ token, result })));
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.code] : []));
  expect(refused).toEqual(['TOKEN_SPENT']);
});

test('while a person decides about the work, the same report gets its verdict again, and another one is refused', async () => {
  const asking = defineWorkflow({
    name: 'asking',
    steps: [{ id: 'plan', agent: 'planner', prompt: 'Plan it.', humanGate: { prompt: 'Good?' }, next: null }],
  });
  const engine = await rig.open();
  for (const result of [{ pages: 2 }, null]) {
    const { id, token } = await begun(engine, asking);
    expect(await engine.run(id).report({ token, result })).toMatchObject({ accepted: true, repeated: false });
    expect(await engine.run(id).report({ token, result })).toMatchObject({ accepted: true, repeated: true, step: 'plan', attempt: 1 });
    expect((await errorOf(engine.run(id).report({ token, result: 'other' }))).code).toBe('TOKEN_SPENT');
    expect((await errorOf(engine.run(id).report({ token, failure: 'no' }))).code).toBe('TOKEN_SPENT');
  }
});
