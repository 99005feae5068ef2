// A rejected request never takes effect: a request that ends in an error leaves nothing behind that acts later.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EngineOptions } from '../../src/index.ts';
import { defineWorkflow, type Engine, step, workflow } from './library.ts';
import { codeOf, createRig, errorOf, type Rig } from './rig.ts';
import { openSpiedStore } from './spied-store.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

type Workflows = NonNullable<EngineOptions['workflows']>;
type Act = (engine: Engine, run: string) => Promise<unknown>;

const QUESTION = { prompt: 'Go on?', options: [{ label: 'yes', outcome: 'ok' as const }] };

/** A workflow whose code differs by what `last` does. */
function asking(last: () => object) {
  return defineWorkflow({
    name: 'subject',
    steps: [
      { id: 'ask', human: QUESTION, next: 'last' },
      { id: 'last', handler: last, next: null },
    ],
  });
}

function breaking(last: () => object) {
  return defineWorkflow({
    name: 'subject',
    steps: [
      {
        id: 'first',
        handler: () => {
          throw new Error('broken');
        },
        next: 'last',
      },
      { id: 'last', handler: last, next: null },
    ],
  });
}

function attended(last: () => object) {
  return defineWorkflow({
    name: 'subject',
    steps: [
      { id: 'work', agent: 'worker', prompt: 'Work.', supportsQuestions: true, next: 'last' },
      { id: 'last', handler: last, next: null },
    ],
  });
}

const QUESTIONS = [{ question: 'Which?', options: ['a', 'b'] }];

async function tokenOf(engine: Engine, run: string): Promise<string> {
  return (await engine.run(run).openSteps())[0]?.token as string;
}

interface Case {
  readonly create: (last: () => object) => ReturnType<typeof asking>;
  /** Brings the run to where the request is made. */
  readonly prepare?: Act;
  readonly act: Act;
}

const CASES: Readonly<Record<string, Case>> = {
  decide: { create: asking, act: (engine, run) => engine.run(run).decide({ option: 'yes', actor: 'ann' }) },
  signal: { create: asking, act: (engine, run) => engine.run(run).signal('go', { id: '1' }) },
  pause: { create: asking, act: (engine, run) => engine.run(run).pause({ actor: 'ann' }) },
  'a budget grant': { create: asking, act: (engine, run) => engine.run(run).resume({ actor: 'ann', budget: { turns: 3 } }) },
  'the end of a pause': {
    create: asking,
    prepare: (engine, run) => engine.run(run).pause({ actor: 'ann' }),
    act: (engine, run) => engine.run(run).resume({ actor: 'ann' }),
  },
  retry: { create: breaking, act: (engine, run) => engine.run(run).resume({ actor: 'ann', choice: { how: 'retry' } }) },
  accept: { create: breaking, act: (engine, run) => engine.run(run).resume({ actor: 'ann', choice: { how: 'accept' } }) },
  goto: { create: breaking, act: (engine, run) => engine.run(run).resume({ actor: 'ann', choice: { how: 'goto', step: 'last' } }) },
  report: { create: attended, act: async (engine, run) => engine.run(run).report({ token: await tokenOf(engine, run), result: 1 }) },
  ask: { create: attended, act: async (engine, run) => engine.run(run).ask({ token: await tokenOf(engine, run), questions: QUESTIONS }) },
  answer: {
    create: attended,
    prepare: async (engine, run) => engine.run(run).ask({ token: await tokenOf(engine, run), questions: QUESTIONS }),
    act: (engine, run) => engine.run(run).answer({ answers: ['a'], actor: 'ann' }),
  },
};

const ENGINES: readonly (readonly [string, string, (of: Case) => Workflows])[] = [
  ['has no such workflow', 'WORKFLOW_UNKNOWN', () => []],
  ['has another version of it', 'DEFINITION_CHANGED', ({ create }) => [create(() => ({ version: 2 }))]],
];

for (const [which, code, workflowsFor] of ENGINES) {
  describe(`an engine that ${which} records nothing of`, () => {
    test.each(Object.entries(CASES))('%s', async (_what, of) => {
      const right = of.create(() => ({ version: 1 }));
      const first = await rig.open({ workflows: [right] });
      const { id } = await first.start(right, {}, { facts: { $attended: true } });
      await first.run(id).wait('idle');
      await of.prepare?.(first, id);
      await first.run(id).wait('idle');
      await first.close();
      const wrong = await rig.open({ workflows: workflowsFor(of), drives: 'own' });
      const before = await wrong.store.events(id, 0);
      expect(await codeOf(of.act(wrong, id))).toBe(code);
      expect((await wrong.store.inbox(id, 0)).map(({ dedupe }) => dedupe)).toEqual([]);
      await wrong.close();
      const later = await rig.open({ workflows: [right] });
      await later.recover();
      await later.run(id).wait('idle');
      expect(await later.store.events(id, 0)).toEqual(before);
      expect(await codeOf(of.act(later, id))).toBe('none');
    });
  });
}

const OPTIONS = { version: '1' };

/** A flow whose first step is called otherwise while its code counts as the same. */
function flowing(name: string) {
  return workflow('flow', OPTIONS, function* () {
    yield* step(name).task(() => 1);
    yield* step('ask').human({ prompt: 'Go on?', options: [{ label: 'yes' }, { label: 'no' }] });
  });
}

describe('a flow that is not deterministic', () => {
  test.each(['decide', 'signal', 'pause', 'a budget grant'])('takes no %s, and the restored code takes it as the first', async (what) => {
    const { act } = CASES[what] as Case;
    const first = await rig.open({ workflows: [flowing('before')] });
    const { id } = await first.start('flow');
    await first.run(id).wait('idle');
    await first.close();
    const wrong = await rig.open({ workflows: [flowing('after')], drives: 'own' });
    const before = await wrong.store.events(id, 0);
    expect(await codeOf(act(wrong, id))).toBe('NONDETERMINISM');
    expect((await wrong.store.inbox(id, 0)).map(({ dedupe }) => dedupe)).toEqual([]);
    await wrong.close();
    const later = await rig.open({ workflows: [flowing('before')] });
    await later.recover();
    await later.run(id).wait('idle');
    expect(await later.store.events(id, 0)).toEqual(before);
    expect(await codeOf(act(later, id))).toBe('none');
  });
});

test('a run whose owner was killed takes nothing from an engine that cannot drive it', async () => {
  const flow = `const flow = workflow('killed', { version: '1' }, function* () {
    yield* step('work').task(() => new Promise(() => say('begun')));
    yield* step('go').signal('go');
  });`;
  const other = rig.other(`${flow}
    const engine = await createEngine({ db, workflows: [flow] });
    await engine.start(flow, {}, { id: 'orphan' });
    await hear();`);
  expect(await other.said()).toBe('begun');
  await other.kill();
  const wrong = await rig.open({ drives: 'own' });
  expect(await codeOf(wrong.run('orphan').pause({ actor: 'ann' }))).toBe('WORKFLOW_UNKNOWN');
  expect(await codeOf(wrong.run('orphan').signal('go'))).toBe('WORKFLOW_UNKNOWN');
  expect((await wrong.store.inbox('orphan', 0)).map(({ input }) => input.type)).toEqual(['due']);
});

test('a request that cannot be withdrawn says that it is recorded', async () => {
  const store = await openSpiedStore(rig.path('pawl.db'));
  const first = await rig.open({ store, workflows: [flowing('before')] });
  const { id } = await first.start('flow');
  await first.run(id).wait('idle');
  await first.close();
  const failing = { ...store, withdraw: () => Promise.reject(new Error('the disk is gone')) };
  const wrong = await rig.open({ store: failing, workflows: [flowing('after')], drives: 'own' });
  const error = await errorOf(wrong.run(id).decide({ option: 'yes', actor: 'ann' }));
  expect([error.code, error.message]).toEqual(['NONDETERMINISM', expect.stringContaining('is recorded and may still take effect')]);
  await store.close();
});

test('a request that one engine cannot handle succeeds if another engine does', async () => {
  const first = await rig.open({ workflows: [flowing('before')] });
  const { id } = await first.start('flow');
  await first.run(id).wait('idle');
  await first.close();
  const store = await openSpiedStore(rig.db);
  const right = await rig.open({ workflows: [flowing('before')], drives: 'own' });
  // The right one takes the run between the refusal and the withdrawal.
  const racing = {
    ...store,
    withdraw: async (...given: Parameters<typeof store.withdraw>) => {
      await right.run(id).resume();
      await right.run(id).wait();
      return store.withdraw(...given);
    },
  };
  const wrong = await rig.open({ store: racing, workflows: [flowing('after')], drives: 'own' });
  await wrong.run(id).decide({ option: 'yes', actor: 'ann' });
  expect((await right.run(id).get()).status).toBe('completed');
  await wrong.close();
  await store.close();
});

test('a grant is not recorded when the choice beside it is refused', async () => {
  const definition = breaking(() => ({}));
  const engine = await rig.open({ workflows: [definition] });
  const { id } = await engine.start(definition);
  await engine.run(id).wait();
  const before = await engine.store.events(id, 0);
  const request = { actor: 'ann', budget: { turns: 3 }, choice: { how: 'goto', step: 'lats' } } as const;
  expect(await codeOf(engine.run(id).resume(request))).toBe('STEP_UNKNOWN');
  expect(await engine.store.events(id, 0)).toEqual(before);
});

test('a decision left in the inbox by a crashed process is reported by name, and consumed', async () => {
  const definition = asking(() => ({}));
  const engine = await rig.open({ workflows: [definition], drives: 'own' });
  const { id } = await engine.start(definition);
  await engine.run(id).wait('idle');
  const dying = await rig.open({ workflows: [definition], drives: 'own' });
  // A process that dies between the two leaves the mail and no owner.
  await postDecision(dying, id, 'ann');
  await dying.close();
  const error = await errorOf(engine.run(id).decide({ option: 'yes', actor: 'bob' }));
  expect([error.code, error.message]).toEqual([
    'ALREADY_DECIDED',
    `approval "ask" of run ${id} was already decided by ann ("yes"); the first decision counts`,
  ]);
  expect((await engine.run(id).wait()).status).toBe('completed');
});

test('the same decision again, after its process died, counts', async () => {
  const definition = asking(() => ({}));
  const engine = await rig.open({ workflows: [definition], drives: 'own' });
  const { id } = await engine.start(definition);
  await engine.run(id).wait('idle');
  await postDecision(engine, id, 'ann');
  await engine.run(id).decide({ option: 'yes', actor: 'ann' });
  expect((await engine.run(id).wait()).status).toBe('completed');
});

async function postDecision(engine: Engine, run: string, actor: string): Promise<void> {
  const [approval] = await engine.run(run).approvals();
  const digest = approval?.digest as string;
  const input = { type: 'decided', at: 1, path: 'ask#1', option: 'yes', digest, actor } as const;
  await engine.store.post({ run, dedupe: `decided/ask#1/1/${digest}`, input, values: [] });
}

describe('a malformed request is rejected with a clear message', () => {
  test.each([
    ['goto without a step', (engine: Engine, run: string) => engine.run(run).resume({ actor: 'ann', choice: { how: 'goto' } as never })],
    ['an unknown choice', (engine: Engine, run: string) => engine.run(run).resume({ actor: 'ann', choice: { how: 'skip' } as never })],
    ['no choice at all', (engine: Engine, run: string) => engine.run(run).resume({ actor: 'ann', choice: null as never })],
    [
      'a note that is no text',
      (engine: Engine, run: string) => engine.run(run).resume({ actor: 'ann', choice: { how: 'retry', note: 5 } as never }),
    ],
    ['0 more rounds', (engine: Engine, run: string) => engine.run(run).resume({ actor: 'ann', choice: { how: 'retry', extend: 0 } })],
    ['a decision without an option', (engine: Engine, run: string) => engine.run(run).decide({ actor: 'ann' } as never)],
    [
      'an input that is no text',
      (engine: Engine, run: string) => engine.run(run).decide({ actor: 'ann', option: 'yes', input: 5 } as never),
    ],
    ['a signal without a name', (engine: Engine, run: string) => engine.run(run).signal(undefined as never)],
    ['answers that are no list', (engine: Engine, run: string) => engine.run(run).answer({ actor: 'ann' } as never)],
  ])('%s', async (_what, act) => {
    const definition = breaking(() => ({}));
    const engine = await rig.open({ workflows: [definition] });
    const { id } = await engine.start(definition);
    await engine.run(id).wait();
    expect(await codeOf(act(engine, id))).toBe('OPTION_INVALID');
    expect(await engine.store.inbox(id, 0)).toEqual([]);
  });
});
