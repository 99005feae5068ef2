import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type Engine, step, workflow } from '../../src/index.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { codeOf, createLatch, createRig, errorOf, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const review = defineWorkflow({
  name: 'review',
  steps: [
    { id: 'draft', handler: () => ({ text: 'hello' }), next: 'ask' },
    {
      id: 'ask',
      human: {
        prompt: 'Publish?',
        context: ['text'],
        options: [
          { label: 'yes', nextStep: 'publish' },
          { label: 'no', nextStep: null },
          { label: 'rework', nextStep: 'draft', requiresInput: true },
        ],
      },
      next: 'publish',
    },
    { id: 'publish', handler: (ctx) => ({ decided: ctx.checkpoint.lastDecision }), next: null },
  ],
});

async function parked(engine: Engine, definition = review): Promise<string> {
  const run = await engine.start(definition);
  await run.wait('idle');
  return run.id;
}

describe('an approval', () => {
  test('an approval parks the run with what is shown and its digest, and no process owns it meanwhile', async () => {
    const engine = await rig.open();
    const id = await parked(engine);
    const view = await engine.run(id).get();
    const [approval] = await engine.run(id).approvals();
    expect([view.status, view.owner, view.currentStep]).toEqual(['waiting', undefined, 'ask']);
    expect(approval).toMatchObject({ path: 'ask#1', step: 'ask', shown: { text: 'hello' } });
    expect(view.waits).toMatchObject([{ kind: 'human', digest: approval?.digest }]);
    expect(approval?.question.options.map(({ label }) => label)).toEqual(['yes', 'no', 'rework']);
  });

  test('a decision moves the run to its option, and who decided is on record', async () => {
    const engine = await rig.open();
    const id = await parked(engine);
    const [approval] = await engine.run(id).approvals();
    await engine.run(id).decide({ option: 'yes', actor: 'ann', digest: approval?.digest as string });
    const view = await engine.run(id).wait();
    expect([view.status, view.decision]).toEqual(['completed', { step: 'ask', option: 'yes', actor: 'ann' }]);
    expect(view.steps.find(({ path }) => path === 'ask#1')).toMatchObject({
      outcome: 'ok',
      actor: 'ann',
      output: { option: 'yes', actor: 'ann' },
    });
    expect(view.output).toEqual({ decided: { step: 'ask', option: 'yes', actor: 'ann' } });
  });

  test('an option that ends the run rejects it; it is never completed', async () => {
    const engine = await rig.open();
    const id = await parked(engine);
    await engine.run(id).decide({ option: 'no', actor: 'ann' });
    expect((await engine.run(id).wait()).status).toBe('rejected');
    expect(await codeOf(engine.run(id).decide({ option: 'yes', actor: 'bob' }))).toBe('RUN_FINAL');
  });

  test('G01: after rework the question is asked again, and the text of the decision reaches the step', async () => {
    const engine = await rig.open();
    const id = await parked(engine);
    await engine.run(id).decide({ option: 'rework', actor: 'ann', input: 'shorter' });
    const view = await engine.run(id).wait('idle');
    expect([view.status, view.waits.map(({ path }) => path)]).toEqual(['waiting', ['ask#2']]);
    expect((await engine.run(id).checkpoint()).lastDecision).toEqual({ step: 'ask', option: 'rework', input: 'shorter' });
    await engine.run(id).decide({ option: 'yes', actor: 'ann' });
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('an approval as the first step asks again after a rework, and after a rejection never counts as passed, also in a later engine', async () => {
    const first = defineWorkflow({
      name: 'first',
      steps: [
        {
          id: 'ask',
          human: {
            prompt: 'Start?',
            options: [
              { label: 'yes', nextStep: 'work' },
              { label: 'later', nextStep: 'ask' },
              { label: 'no', nextStep: null },
            ],
          },
        },
        { id: 'work', handler: () => 'done', next: null },
      ],
    });
    const engine = await rig.open({ workflows: [first] });
    const [again, never] = [await parked(engine, first), await parked(engine, first)];
    await engine.run(again).decide({ option: 'later', actor: 'ann' });
    await engine.run(never).decide({ option: 'no', actor: 'ann' });
    await engine.close();
    const later = await rig.open({ workflows: [first] });
    await later.run(again).resume();
    expect((await later.run(again).wait('idle')).waits.map(({ path }) => path)).toEqual(['ask#2']);
    expect(await codeOf(later.run(never).resume())).toBe('RUN_FINAL');
    expect(await later.run(never).get()).toMatchObject({ status: 'rejected', steps: [{ path: 'ask#1' }] });
    await later.run(again).decide({ option: 'yes', actor: 'ann' });
    expect((await later.run(again).wait()).output).toBe('done');
  });

  test.each([
    [
      'an option that does not exist',
      { option: 'yse' },
      { code: 'OPTION_INVALID', message: expect.stringContaining('did you mean "yes"') },
    ],
    ['a missing text', { option: 'rework' }, { code: 'INPUT_REQUIRED', message: expect.stringContaining('requires a text') }],
    ['a blank text', { option: 'rework', input: '  ' }, { code: 'INPUT_REQUIRED', message: expect.stringContaining('requires a text') }],
    [
      'another digest',
      { option: 'yes', digest: 'other' },
      { code: 'CONTENT_CHANGED', message: expect.stringContaining('and decide again') },
    ],
    [
      'another approval',
      { option: 'yes', approval: 'draft' },
      { code: 'WAIT_NOT_FOUND', message: expect.stringContaining('no approval "draft"') },
    ],
    [
      'an unknown field',
      { option: 'yes', gate: 'ask' },
      { code: 'OPTION_INVALID', message: expect.stringContaining('unknown field "gate"') },
    ],
  ])('%s is refused, and the approval keeps waiting', async (_, decision, expected) => {
    const engine = await rig.open();
    const id = await parked(engine);
    const error = await errorOf(engine.run(id).decide({ actor: 'ann', ...decision }));
    expect({ code: error.code, message: error.message }).toEqual(expected);
    expect((await engine.run(id).get()).waits.map(({ kind }) => kind)).toEqual(['human']);
  });

  test('the first committed decision counts; every other one fails with who decided', async () => {
    const engine = await rig.open();
    const held = defineWorkflow({
      name: 'held',
      steps: [
        {
          id: 'ask',
          human: {
            prompt: 'Go?',
            options: [
              { label: 'a', nextStep: 'rest' },
              { label: 'b', nextStep: 'rest' },
            ],
          },
          next: 'rest',
        },
        { id: 'rest', signal: 'never', next: null },
      ],
    });
    const id = await parked(engine, held);
    const deciders = Array.from({ length: 8 }, (_, n) => ({ actor: `person-${n}`, option: n % 2 === 0 ? 'a' : 'b' }));
    const told = await Promise.all(
      deciders.map((decision) =>
        engine
          .run(id)
          .decide(decision)
          .then(
            () => undefined,
            (error) => error,
          ),
      ),
    );
    const winners = deciders.filter((_, n) => told[n] === undefined);
    const { decision } = await engine.run(id).get();
    expect(winners).toEqual([{ actor: decision?.actor, option: decision?.option }]);
    const losers = told.filter((error) => error !== undefined);
    expect(losers.map(({ code }) => code)).toEqual(Array.from({ length: 7 }, () => 'ALREADY_DECIDED'));
    expect((await errorOf(engine.run(id).decide({ option: 'a', actor: 'late' }))).message).toContain(`by ${decision?.actor}`);
  });

  test('two approvals that wait at once are decided separately, by name', async () => {
    const engine = await rig.open();
    const both = defineWorkflow({
      name: 'both',
      steps: [
        {
          id: 'par',
          parallel: {
            branches: [
              { id: 'one', human: { prompt: 'One?' } },
              { id: 'two', human: { prompt: 'Two?' } },
            ],
          },
          next: null,
        },
      ],
    });
    const id = await parked(engine, both);
    expect((await errorOf(engine.run(id).decide({ option: 'approve', actor: 'ann' }))).message).toContain('name one: par#1/one, par#1/two');
    await engine.run(id).decide({ option: 'approve', actor: 'ann', approval: 'par#1/two' });
    expect((await engine.run(id).approvals()).map(({ path }) => path)).toEqual(['par#1/one']);
    await engine.run(id).decide({ option: 'approve', actor: 'bob', approval: 'par/one' });
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('K7: a decision after the due time loses, even if nobody was awake when it passed', async () => {
    const clock = createVirtualClock();
    const timed = defineWorkflow({
      name: 'timed',
      steps: [
        { id: 'ask', human: { prompt: 'Go?' }, timeout: '1h', next: { ok: 'went', timeout: 'gaveUp' } },
        { id: 'went', handler: () => 'went', next: null },
        { id: 'gaveUp', handler: () => 'gave up', next: null },
      ],
    });
    const sleeping = await rig.open({ clock, drives: 'own' });
    const id = await parked(sleeping, timed);
    clock.advance(3_600_001);
    expect(await codeOf(sleeping.run(id).decide({ option: 'approve', actor: 'ann' }))).toBe('CONTENT_CHANGED');
    const view = await sleeping.run(id).wait();
    expect([view.status, view.output, view.decision]).toEqual(['completed', 'gave up', undefined]);
    expect(view.steps[0]).toMatchObject({ path: 'ask#1', outcome: 'timeout' });
  });

  test('a decision just before the due time counts', async () => {
    const clock = createVirtualClock();
    const engine = await rig.open({ clock });
    const timed = defineWorkflow({
      name: 'timed',
      steps: [{ id: 'ask', human: { prompt: 'Go?' }, timeout: '1h', next: { ok: null, timeout: 'fail' } }],
    });
    const id = await parked(engine, timed);
    clock.advance(3_599_999);
    await engine.run(id).decide({ option: 'approve', actor: 'ann' });
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('a question after a step is asked once its postconditions hold, and keeps the result of the work', async () => {
    const engine = await rig.open();
    const behind = defineWorkflow({
      name: 'behind',
      steps: [
        {
          id: 'work',
          handler: () => ({ made: 3 }),
          postconditions: [{ name: 'made', check: (ctx) => ctx.result.made === 3, error: 'not made' }],
          humanGate: { prompt: 'Fine?' },
          next: 'end',
        },
        { id: 'end', handler: (ctx) => ({ saw: ctx.stepState.made }), next: null },
      ],
    });
    const id = await parked(engine, behind);
    expect((await engine.run(id).get()).waits.map(({ kind, step: at }) => [kind, at])).toEqual([['human', 'work']]);
    await engine.run(id).decide({ option: 'approve', actor: 'ann' });
    expect((await engine.run(id).wait()).output).toEqual({ saw: 3 });
  });

  test('in a flow, the answer to an approval is the result of the step, and a rejection is thrown into the generator', async () => {
    const engine = await rig.open();
    const flow = workflow('asks', function* () {
      const answer = yield* step('first').human({ prompt: 'One?', options: ['left', 'right'] });
      try {
        yield* step('second').human({ prompt: 'Two?' });
      } catch (error) {
        return { answer: answer.option, rejected: (error as Error).message };
      }
      return 'passed';
    });
    const run = await engine.start(flow);
    await run.wait('idle');
    await engine.run(run.id).decide({ option: 'right', actor: 'ann' });
    await run.wait('idle');
    await engine.run(run.id).decide({ option: 'reject', actor: 'ann' });
    expect((await run.wait()).output).toEqual({ answer: 'right', rejected: 'ann decided "reject" at step "second"' });
  });

  test('a decision made by another process finishes a run that this engine parked', async () => {
    const engine = await rig.open();
    const plain = defineWorkflow({ name: 'plain', steps: [{ id: 'ask', human: { prompt: 'Go?' }, next: null }] });
    const id = await parked(engine, plain);
    const other = rig.other(`
      const plain = defineWorkflow({ name: 'plain', steps: [{ id: 'ask', human: { prompt: 'Go?' }, next: null }] });
      const engine = await createEngine({ db, workflows: [plain] });
      await engine.run(${JSON.stringify(id)}).decide({ option: 'approve', actor: 'from afar' });
      await engine.close();
      say('decided');`);
    expect(await other.said()).toBe('decided');
    const view = await engine.run(id).wait();
    expect([view.status, view.decision?.actor]).toEqual(['completed', 'from afar']);
  });
});

test('a decision made before its approval opened is refused, however soon it opened', async () => {
  const driver = await rig.open();
  const store = await openSpiedStore(rig.db);
  const held = createLatch();
  const definition = defineWorkflow({
    name: 'slow',
    steps: [
      { id: 'draft', handler: () => held.promise, next: 'ask' },
      { id: 'ask', human: { prompt: 'Publish?' }, next: null },
    ],
  });
  const run = await driver.start(definition);
  const before = await store.load(run.id);
  held.open();
  await run.wait('idle');
  const loads = [before];
  const behind = { ...store, load: async (id: string) => loads.pop() ?? store.load(id) };
  const late = await rig.open({ store: behind, workflows: [definition], drives: 'own' });
  expect(await codeOf(late.run(run.id).decide({ option: 'approve', actor: 'ann' }))).toBe('WAIT_NOT_FOUND');
  await store.close();
});
