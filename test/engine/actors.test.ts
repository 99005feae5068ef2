import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { defineWorkflow, step, workflow } from './library.ts';
import { codeOf, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const asks = defineWorkflow({
  name: 'asks',
  steps: [
    { id: 'work', handler: () => ({ done: true }), next: 'ask' },
    { id: 'ask', human: { prompt: 'Go on?', options: [{ label: 'yes', outcome: 'ok' }] }, next: null },
  ],
});

const breaks = defineWorkflow({
  name: 'breaks',
  steps: [
    {
      id: 'first',
      handler: () => {
        throw new Error('no');
      },
      next: 'last',
    },
    { id: 'last', handler: () => null, next: null },
  ],
});

/** Values passed as the actor; `undefined` means it is missing. */
const NOBODY: readonly unknown[] = [undefined, null, '', '   ', 5, {}, 'a\nb', 'an\u200bn', '\u202eann', 'x'.repeat(201)];

type Act = (engine: Engine, run: string, actor: never) => Promise<unknown>;

const AT_A_QUESTION: Readonly<Record<string, Act>> = {
  decide: (engine, run, actor) => engine.run(run).decide({ option: 'yes', actor }),
  cancel: (engine, run, actor) => engine.run(run).cancel({ actor }),
  pause: (engine, run, actor) => engine.run(run).pause({ actor }),
  fork: (engine, run, actor) => engine.run(run).fork({ from: 'ask', actor }),
  'resume with a budget': (engine, run, actor) => engine.run(run).resume({ actor, budget: { turns: 1 } }),
  'resume with changed code': (engine, run, actor) => engine.run(run).resume({ actor, acceptChanges: true }),
  'start in the middle': (engine, _run, actor) => engine.start(asks, {}, { from: 'ask', origin: { actor } }),
  'start with outputs': (engine, _run, actor) => engine.start(asks, {}, { outputs: { work: 1 }, origin: { actor } }),
};

for (const [what, act] of Object.entries(AT_A_QUESTION)) {
  test(`${what} is rejected without an actor, and nothing is posted`, async () => {
    const engine = await rig.open({ workflows: [asks] });
    const { id } = await engine.start(asks);
    await engine.run(id).wait('idle');
    const before = await engine.store.events(id, 0);
    for (const actor of NOBODY) expect([actor, await codeOf(act(engine, id, actor as never))]).toEqual([actor, 'ACTOR_REQUIRED']);
    expect([await engine.store.inbox(id, 0), await engine.store.events(id, 0)]).toEqual([[], before]);
    expect((await engine.list()).map((run) => run.id)).toEqual([id]);
  });
}

for (const choice of [{ how: 'retry' }, { how: 'accept' }, { how: 'goto', step: 'last' }] as const) {
  test(`resume with "${choice.how}" is rejected without an actor, and nothing is posted`, async () => {
    const engine = await rig.open({ workflows: [breaks] });
    const { id } = await engine.start(breaks);
    await engine.run(id).wait();
    const before = await engine.store.events(id, 0);
    for (const actor of NOBODY)
      expect([actor, await codeOf(engine.run(id).resume({ actor: actor as string, choice }))]).toEqual([actor, 'ACTOR_REQUIRED']);
    expect([await engine.store.inbox(id, 0), await engine.store.events(id, 0)]).toEqual([[], before]);
  });
}

test('an answer is rejected without an actor', async () => {
  const engine = await rig.open({ workflows: [asks] });
  const { id } = await engine.start(asks);
  for (const actor of NOBODY)
    expect(await codeOf(engine.run(id).answer({ answers: ['x'], actor: actor as string }))).toBe('ACTOR_REQUIRED');
});

test('only a named actor can unpause a run', async () => {
  const engine = await rig.open({ workflows: [asks] });
  const { id } = await engine.start(asks);
  await engine.run(id).wait('idle');
  await engine.run(id).pause({ actor: 'ann' });
  const error = await errorOf(engine.run(id).resume());
  expect([error.code, error.message]).toEqual([
    'ACTOR_REQUIRED',
    `cannot unpause run ${id} without an actor: "actor" is missing; pass the name of the person or program as "actor"`,
  ]);
  await engine.run(id).resume({ actor: 'ann' });
  expect((await engine.run(id).get()).waits).toMatchObject([{ kind: 'human' }]);
});

test('an actor is recorded without surrounding spaces', async () => {
  const engine = await rig.open({ workflows: [asks] });
  const { id } = await engine.start(asks);
  await engine.run(id).wait('idle');
  await engine.run(id).decide({ option: 'yes', actor: '  Ann Lee ' });
  const view = await engine.run(id).wait();
  expect(view.steps.find(({ step: name }) => name === 'ask')?.actor).toBe('Ann Lee');
});

test('accepting changed code records the actor', async () => {
  const original = workflow('changing', function* () {
    yield* step('ask').human({ prompt: 'Go on?', options: [{ label: 'yes' }] });
    yield* step('after').task(() => 'one');
  });
  const first = await rig.open({ workflows: [original] });
  const { id } = await first.start('changing');
  await first.run(id).wait('idle');
  await first.close();
  const changed = workflow('changing', function* () {
    yield* step('ask').human({ prompt: 'Go on?', options: [{ label: 'yes' }] });
    yield* step('after').task(() => 'another');
  });
  const second = await rig.open({ workflows: [changed] });
  await second.run(id).resume({ actor: 'ann', acceptChanges: true });
  await second.run(id).wait('idle');
  const events = (await second.store.events(id, 0)).flatMap((row) => row.events);
  expect(events.find((event) => event.type === 'run.changed' && event.change === 'code-accepted')).toMatchObject({ actor: 'ann' });
});
