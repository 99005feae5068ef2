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

/** What is given where a name belongs; `undefined` is nothing at all. */
const NOBODY: readonly unknown[] = [undefined, null, '', '   ', 5, {}, 'a\nb', 'an\u200bn', '\u202eann', 'x'.repeat(201)];

type Act = (engine: Engine, run: string, actor: never) => Promise<unknown>;

const AT_A_QUESTION: Readonly<Record<string, Act>> = {
  decide: (engine, run, actor) => engine.decide(run, { option: 'yes', actor }),
  cancel: (engine, run, actor) => engine.cancel(run, { actor }),
  pause: (engine, run, actor) => engine.pause(run, { actor }),
  fork: (engine, run, actor) => engine.fork(run, { from: 'ask', actor }),
  'resume with a budget': (engine, run, actor) => engine.resume(run, { actor, budget: { turns: 1 } }),
  'resume with changed code': (engine, run, actor) => engine.resume(run, { actor, acceptChanges: true }),
  'start in the middle': (engine, _run, actor) => engine.start(asks, {}, { from: 'ask', origin: { actor } }),
  'start with outputs': (engine, _run, actor) => engine.start(asks, {}, { outputs: { work: 1 }, origin: { actor } }),
};

for (const [what, act] of Object.entries(AT_A_QUESTION)) {
  test(`${what} is refused without a name, and nothing is posted`, async () => {
    const engine = await rig.open({ workflows: [asks] });
    const { id } = await engine.start(asks);
    await engine.wait(id, 'idle');
    const before = await engine.store.events(id, 0);
    for (const actor of NOBODY) expect([actor, await codeOf(act(engine, id, actor as never))]).toEqual([actor, 'ACTOR_REQUIRED']);
    expect([await engine.store.inbox(id, 0), await engine.store.events(id, 0)]).toEqual([[], before]);
    expect((await engine.list()).map((run) => run.id)).toEqual([id]);
  });
}

for (const choice of [{ how: 'retry' }, { how: 'accept' }, { how: 'goto', step: 'last' }] as const) {
  test(`resume with "${choice.how}" is refused without a name, and nothing is posted`, async () => {
    const engine = await rig.open({ workflows: [breaks] });
    const { id } = await engine.start(breaks);
    await engine.wait(id);
    const before = await engine.store.events(id, 0);
    for (const actor of NOBODY)
      expect([actor, await codeOf(engine.resume(id, { actor: actor as string, choice }))]).toEqual([actor, 'ACTOR_REQUIRED']);
    expect([await engine.store.inbox(id, 0), await engine.store.events(id, 0)]).toEqual([[], before]);
  });
}

test('an answer is refused without a name', async () => {
  const engine = await rig.open({ workflows: [asks] });
  const { id } = await engine.start(asks);
  for (const actor of NOBODY) expect(await codeOf(engine.answer(id, { answers: ['x'], actor: actor as string }))).toBe('ACTOR_REQUIRED');
});

test('a paused run goes on only when somebody says so by name', async () => {
  const engine = await rig.open({ workflows: [asks] });
  const { id } = await engine.start(asks);
  await engine.wait(id, 'idle');
  await engine.pause(id, { actor: 'ann' });
  const error = await errorOf(engine.resume(id));
  expect([error.code, error.message]).toEqual([
    'ACTOR_REQUIRED',
    `nobody is named who ends the pause of run ${id}: there is no actor; pass the name of the person or program as "actor"`,
  ]);
  await engine.resume(id, { actor: 'ann' });
  expect((await engine.get(id)).waits).toMatchObject([{ kind: 'human' }]);
});

test('a name is recorded without the spaces around it', async () => {
  const engine = await rig.open({ workflows: [asks] });
  const { id } = await engine.start(asks);
  await engine.wait(id, 'idle');
  await engine.decide(id, { option: 'yes', actor: '  Ann Lee ' });
  const view = await engine.wait(id);
  expect(view.steps.find(({ step: name }) => name === 'ask')?.actor).toBe('Ann Lee');
});

test('changed code is accepted under the name of whoever accepts it', async () => {
  const original = workflow('changing', function* () {
    yield* step('ask').human({ prompt: 'Go on?', options: [{ label: 'yes' }] });
    yield* step('after').task(() => 'one');
  });
  const first = await rig.open({ workflows: [original] });
  const { id } = await first.start('changing');
  await first.wait(id, 'idle');
  await first.close();
  const changed = workflow('changing', function* () {
    yield* step('ask').human({ prompt: 'Go on?', options: [{ label: 'yes' }] });
    yield* step('after').task(() => 'another');
  });
  const second = await rig.open({ workflows: [changed] });
  await second.resume(id, { actor: 'ann', acceptChanges: true });
  await second.wait(id, 'idle');
  const events = (await second.store.events(id, 0)).flatMap((row) => row.events);
  expect(events.find((event) => event.type === 'run.changed' && event.code !== undefined)).toMatchObject({ actor: 'ann' });
});
