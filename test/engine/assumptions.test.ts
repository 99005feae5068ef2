// What workers assume instead of asking: recorded by every kind of worker, answered by people when they like, and an
// answer that differs runs again only what rested on it.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { storedValue } from '../../src/engine/values.ts';
import type { Engine } from '../../src/index.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { AssumingAgents, assuming, DATABASE, pathsOf } from './assuming-agents.ts';
import { codeOf, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
let agents: AssumingAgents;
beforeEach(() => {
  rig = createRig();
  agents = new AssumingAgents();
});
afterEach(() => rig.close());

const line = defineWorkflow({
  name: 'line',
  steps: [
    { id: 'look', handler: () => ({ seen: true }), next: 'plan' },
    { id: 'plan', agent: 'dev', prompt: 'Plan it.', next: 'build' },
    { id: 'build', agent: 'dev', prompt: 'Build it.', next: 'ask' },
    { id: 'ask', human: { prompt: 'Good?' }, next: null },
  ],
});

describe('what a worker assumes', () => {
  test('an assumption of a worker is on record with its result, and the run goes on', async () => {
    agents.moves.plan = () => assuming({ ...DATABASE, options: ['SQLite', 'Postgres'] }, { question: 'Tabs?', assumed: 'no' });
    const engine = await agents.open(rig);
    const run = await engine.start(line);
    const view = await run.wait('idle');
    expect(view.waits.map(({ kind, step }) => [kind, step])).toEqual([['human', 'ask']]);
    expect(await run.assumptions()).toMatchObject([
      { ...DATABASE, id: 'a1', step: 'plan', path: 'plan#1', attempt: 1, state: 'open', options: ['SQLite', 'Postgres'] },
      { question: 'Tabs?', assumed: 'no', severity: 'SHOULD', id: 'a2', state: 'open' },
    ]);
    expect(agents.toldTo('build')).not.toContain('SQLite');
  });

  test('an assumption of a worker does not count when the attempt that said it is refused', async () => {
    let tries = 0;
    agents.moves.plan = () => assuming(tries === 0 ? DATABASE : { question: 'Port?', assumed: '80' });
    const guarded = defineWorkflow({
      name: 'guarded',
      steps: [
        {
          id: 'plan',
          agent: 'dev',
          prompt: 'Plan it.',
          postconditions: [{ name: 'second', check: () => tries++ > 0, error: 'no' }],
          next: null,
        },
      ],
    });
    const run = await (await agents.open(rig)).start(guarded);
    expect((await run.wait()).status).toBe('completed');
    expect((await run.assumptions()).map(({ question, attempt }) => [question, attempt])).toEqual([['Port?', 2]]);
  });

  test.each([
    ['too many', Array.from({ length: 11 }, (_, at) => ({ question: `q${at}`, assumed: 'x' })), 'an attempt records at most 10'],
    ['no question', [{ assumed: 'x' }], '"question" must be a string'],
    ['an unknown severity', [{ ...DATABASE, severity: 'HIGH' }], 'MUST, SHOULD, COULD'],
    ['a text that is too long', [{ ...DATABASE, question: 'x'.repeat(501) }], 'at most 500 are allowed'],
    ['a field too many', [{ ...DATABASE, note: 'x' }], 'unknown field "note"'],
  ])('an assumption of a worker with %s makes the reply invalid', async (_what, assumptions, why) => {
    agents.moves.plan = () => assuming(...assumptions);
    const run = await (await agents.open(rig)).start(line);
    const view = await run.wait();
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining(why)]);
    expect(await run.assumptions()).toEqual([]);
  });

  test('an assumption of a worker is recorded by a function with ctx.assume, which returns the answer once there is one', async () => {
    const used: string[] = [];
    const task = defineWorkflow({
      name: 'task',
      steps: [
        {
          id: 'pick',
          handler: (ctx) => {
            used.push(ctx.assume(DATABASE));
            return {};
          },
          next: 'ask',
        },
        { id: 'ask', human: { prompt: 'Good?' }, next: null },
      ],
    });
    const run = await (await agents.open(rig)).start(task);
    await run.wait('idle');
    expect(await run.answerAssumption({ answer: 'Postgres', actor: 'ann' })).toEqual({
      assumption: 'a1',
      agrees: false,
      again: { run: run.id, step: 'pick' },
    });
    await run.wait('idle');
    expect(used).toEqual(['SQLite', 'Postgres']);
    expect((await run.assumptions()).map(({ state, answer }) => [state, answer?.text])).toEqual([['differs', 'Postgres']]);
  });

  test('an assumption of a worker is recorded by a program in its report, which reads the answer when it runs again', async () => {
    const script = `let text = ''; process.stdin.on('data', (part) => { text += part; }).on('end', () => {
      const { answered = [] } = JSON.parse(text);
      console.log(JSON.stringify({ success: true, result: { use: answered[0]?.answer ?? 'SQLite' },
        assumptions: answered.length > 0 ? [] : [${JSON.stringify(DATABASE)}] }));
    });`;
    const program = defineWorkflow({
      name: 'program',
      steps: [
        { id: 'pick', command: [process.execPath, '-e', script], next: 'ask' },
        { id: 'ask', human: { prompt: 'Good?', context: ['use'] }, next: null },
      ],
    });
    const run = await (await agents.open(rig)).start(program);
    await run.wait('idle');
    expect((await run.approvals())[0]?.shown).toEqual({ use: 'SQLite' });
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await run.wait('idle');
    expect((await run.approvals())[0]?.shown).toEqual({ use: 'Postgres' });
    expect((await run.assumptions()).map(({ id, state }) => [id, state])).toEqual([['a1', 'differs']]);
  });

  test('an assumption of a worker is recorded by a live object of the application', async () => {
    const object = { execute: () => ({ success: true, output: {}, assumptions: [DATABASE] }) };
    const own = defineWorkflow({ name: 'own', steps: [{ id: 'plan', agent: object, next: null }] });
    const run = await (await agents.open(rig)).start(own);
    await run.wait();
    expect(await run.assumptions()).toMatchObject([{ id: 'a1', ...DATABASE }]);
  });

  test('an assumption of a worker is recorded once when a rerun says the same, and again when a person had said otherwise', async () => {
    agents.moves.plan = () => assuming(DATABASE);
    const run = await (await agents.open(rig)).start(line);
    await run.wait('idle');
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    await run.wait('idle');
    expect((await run.assumptions()).map(({ id, state }) => [id, state])).toEqual([
      ['a1', 'differs'],
      ['a2', 'open'],
    ]);
    await run.answerAssumption({ assumption: 'a2', agree: true, actor: 'ann' });
    expect((await run.assumptions()).map(({ state }) => state)).toEqual(['differs', 'confirmed']);
  });
});

describe('an attended agent', () => {
  const attended = defineWorkflow({
    name: 'attended',
    steps: [
      {
        id: 'plan',
        agent: 'someone',
        prompt: 'Plan it.',
        postconditions: [{ name: 'is done', check: (ctx) => isDone(ctx.result), error: 'not done' }],
        next: 'build',
      },
      { id: 'build', agent: 'someone', prompt: 'Build it.', next: null },
    ],
  });
  const isDone = (result: unknown): boolean => (result as { done?: boolean }).done === true;
  const facts = { $attended: true };

  async function handed(engine: Engine, id: string) {
    await engine.run(id).wait('idle');
    const [first] = await engine.run(id).openSteps();
    return first as NonNullable<typeof first>;
  }

  test('an attended agent records an assumption immediately and continues; it stays when the report is refused', async () => {
    const engine = await agents.open(rig);
    const run = await engine.start(attended, {}, { facts });
    const { token } = await handed(engine, run.id);
    await run.assume({ token, assumptions: [DATABASE] });
    await run.assume({ token, assumptions: [DATABASE] });
    expect((await handed(engine, run.id)).token).toBe(token);
    expect((await run.report({ token, result: {} })).accepted).toBe(false);
    expect((await run.assumptions()).map(({ id, state }) => [id, state])).toEqual([['a1', 'open']]);
    expect(await codeOf(run.assume({ token, assumptions: [DATABASE] }))).toBe('TOKEN_SPENT');
    expect(await codeOf(run.assume({ token: 'x', assumptions: [DATABASE] }))).toBe('TOKEN_UNKNOWN');
  });

  test('an attended agent records at most ten assumptions in one attempt, also when it calls more than once', async () => {
    const engine = await agents.open(rig);
    const run = await engine.start(attended, {}, { facts });
    const { token } = await handed(engine, run.id);
    const some = (count: number, word: string) => Array.from({ length: count }, (_, n) => ({ question: `${word} ${n}?`, assumed: 'yes' }));
    await run.assume({ token, assumptions: some(6, 'First') });
    expect(await codeOf(run.assume({ token, assumptions: some(5, 'Second') }))).toBe('LIMIT_REACHED');
    await run.assume({ token, assumptions: some(6, 'First') });
    await run.assume({ token, assumptions: some(4, 'Third') });
    expect(await run.assumptions()).toHaveLength(10);
    expect(await codeOf(run.assume({ token, assumptions: some(1, 'Fourth') }))).toBe('LIMIT_REACHED');
  });

  test('an attended agent that works on a wrong assumption gets a new token and the answer', async () => {
    const engine = await agents.open(rig);
    const run = await engine.start(attended, {}, { facts });
    const { token } = await handed(engine, run.id);
    await run.assume({ token, assumptions: [DATABASE] });
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    const again = await handed(engine, run.id);
    expect([again.step, again.attempt, again.token === token]).toEqual(['plan', 2, false]);
    expect(again.prompt).toContain('ann answered otherwise');
    expect(await errorOf(run.report({ token, result: { done: true } }))).toMatchObject({
      code: 'TOKEN_SPENT',
      message: expect.stringContaining('differs from what it assumed'),
    });
  });

  test('an attended agent cannot record more assumptions than a run holds', async () => {
    const engine = await agents.open(rig);
    const names = ['s0', 's1', 's2', 's3', 's4', 's5'];
    const steps = names.map((id, at) => ({ id, agent: 'someone', prompt: 'Do it.', next: names[at + 1] ?? null }));
    const run = await engine.start(defineWorkflow({ name: 'long', steps }), {}, { facts });
    const ten = (round: number) => Array.from({ length: 10 }, (_, at) => ({ question: `q${round}.${at}`, assumed: 'x' }));
    for (let round = 0; round < 5; round += 1) {
      const { token } = await handed(engine, run.id);
      await run.assume({ token, assumptions: ten(round) });
      await run.report({ token, result: {} });
    }
    const { token } = await handed(engine, run.id);
    expect(await codeOf(run.assume({ token, assumptions: [DATABASE] }))).toBe('LIMIT_REACHED');
  });
});

describe('an answer', () => {
  test('an answer to an assumption that agrees runs nothing again, and later agents are told', async () => {
    agents.moves.plan = () => assuming(DATABASE);
    const run = await (await agents.open(rig)).start(line);
    await run.wait('idle');
    const before = await pathsOf(run);
    expect(await run.answerAssumption({ answer: ' sqlite ', actor: 'ann' })).toEqual({ assumption: 'a1', agrees: true });
    expect(await pathsOf(run)).toEqual(before);
    expect(await codeOf(run.answerAssumption({ assumption: 'a1', answer: 'Postgres', actor: 'bob' }))).toBe('ALREADY_DECIDED');
  });

  test('an answer to an assumption that differs runs the step again and what came after it, and they are told', async () => {
    agents.moves.plan = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : []);
    const run = await (await agents.open(rig)).start(line);
    await run.wait('idle');
    await run.answerAssumption({ answer: 'Postgres,\nwith two replicas', actor: 'ann' });
    await run.wait('idle');
    expect(await pathsOf(run)).toEqual([
      'look#1/1 ok',
      'plan#1/1 ok',
      'build#1/1 ok',
      'ask#1/1 cancelled',
      'plan#1/2 ok',
      'build#2/1 ok',
      'ask#2/1 waiting',
    ]);
    for (const name of ['plan', 'build']) {
      expect(agents.toldTo(name)).toContain('ann answered otherwise; follow the answer');
      expect(agents.toldTo(name)).toContain('> Postgres,\n> with two replicas');
    }
    await run.decide({ option: 'approve', actor: 'ann' });
    expect((await run.wait()).status).toBe('completed');
  });

  test.each([
    ['no name', { answer: 'x', actor: ' ' }, 'ACTOR_REQUIRED'],
    ['no text', { answer: ' ', actor: 'ann' }, 'INPUT_REQUIRED'],
    ['an unknown id', { assumption: 'a7', answer: 'x', actor: 'ann' }, 'WAIT_NOT_FOUND'],
    ['another digest', { answer: 'x', actor: 'ann', digest: 'ffffffffffff' }, 'CONTENT_CHANGED'],
  ])('an answer to an assumption with %s is rejected, and nothing is recorded', async (_what, request, code) => {
    agents.moves.plan = () => assuming(DATABASE);
    const run = await (await agents.open(rig)).start(line);
    await run.wait('idle');
    expect(await codeOf(run.answerAssumption(request))).toBe(code);
    expect((await run.assumptions()).map(({ state }) => state)).toEqual(['open']);
  });

  test('an answer to an assumption goes back from a halt', async () => {
    agents.moves.plan = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : []);
    agents.moves.build = () => [{ do: 'fail', failure: 'refused' }];
    const run = await (await agents.open(rig)).start(line);
    expect((await run.wait()).status).toBe('escalated');
    agents.moves = {};
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    expect((await run.wait('idle')).waits.map(({ kind }) => kind)).toEqual(['human']);
  });

  test('an answer to an assumption waits while the run is paused', async () => {
    agents.moves.plan = () => assuming(DATABASE);
    const run = await (await agents.open(rig)).start(line);
    await run.wait('idle');
    await run.pause({ actor: 'ann' });
    agents.moves = {};
    await run.answerAssumption({ answer: 'Postgres', actor: 'ann' });
    expect((await pathsOf(run)).at(-1)).toBe('plan#1/2 queued');
    await run.resume({ actor: 'ann' });
    await run.wait('idle');
    expect((await pathsOf(run)).at(-1)).toBe('ask#2/1 waiting');
  });
});

describe('a run that is over', () => {
  const short = defineWorkflow({
    name: 'short',
    steps: [
      { id: 'plan', agent: 'dev', prompt: 'Plan it.', next: 'build' },
      { id: 'build', agent: 'dev', prompt: 'Build it.', next: null },
    ],
  });

  test('a run that is over takes the answer without its code, offers a fork, and the fork is told', async () => {
    agents.moves.plan = () => assuming(DATABASE);
    const first = await agents.open(rig);
    const run = await first.start(short);
    expect((await run.wait()).status).toBe('completed');
    await first.close();
    const engine = await agents.open(rig);
    const later = engine.run(run.id);
    expect(await later.answerAssumption({ answer: 'Postgres', actor: 'ann' })).toEqual({ assumption: 'a1', agrees: false, fork: 'plan' });
    expect(await later.assumptions()).toMatchObject([{ state: 'differs', answer: { actor: 'ann', text: 'Postgres', unmet: true } }]);
    await engine.close();
    agents.moves = {};
    const fork = await (await agents.open(rig, { workflows: [short] })).run(run.id).fork({ from: 'plan', actor: 'ann' });
    expect((await fork.wait()).status).toBe('completed');
    expect(agents.toldTo('plan')).toContain('Postgres');
    expect((await fork.assumptions()).map(({ state, answer }) => [state, answer?.unmet])).toEqual([['differs', undefined]]);
  });

  test('a child run that is over lets the step that started it run again', async () => {
    agents.moves.plan = () => assuming(DATABASE);
    const parent = defineWorkflow({
      name: 'parent',
      steps: [
        { id: 'look', handler: () => ({}), next: 'sub' },
        { id: 'sub', workflow: 'short', next: 'ask' },
        { id: 'ask', human: { prompt: 'Good?' }, next: null },
      ],
    });
    const engine = await agents.open(rig, { workflows: [short, parent] });
    const run = await engine.start(parent);
    await run.wait('idle');
    const child = (await run.get()).steps.find(({ step: name }) => name === 'sub')?.child ?? '';
    agents.moves = {};
    const answered = await engine.run(child).answerAssumption({ answer: 'Postgres', actor: 'ann' });
    expect(answered).toMatchObject({ agrees: false, again: { run: run.id, step: 'sub' } });
    await run.wait('idle');
    expect(await pathsOf(run)).toEqual(['look#1/1 ok', 'sub#1/1 ok', 'ask#1/1 cancelled', 'sub#1/2 ok', 'ask#2/1 waiting']);
    expect(agents.toldTo('plan')).toContain('The answer is: Postgres');
  });
});

describe('a process that dies', () => {
  test('a process that dies between the answer and the rerun loses nothing and runs nothing twice', async () => {
    agents.moves.plan = ({ attempt }) => (attempt === 1 ? assuming(DATABASE) : []);
    const first = await agents.open(rig, { workflows: [line] });
    const run = await first.start(line);
    await run.wait('idle');
    await first.close();
    // As a process leaves it that posts the answer and dies before anything acts on it.
    const store = await openSqliteStore({ file: rig.db, isDead: () => true });
    const text = storedValue('Postgres');
    const place = { path: 'plan#1', step: 'plan', outcome: 'ok', attempt: 1 };
    const action = { do: 'answer' as const, assumption: 'a1', agrees: false, text: text.ref, place };
    const mail = { run: run.id, dedupe: 'assumption/a1', input: { type: 'control' as const, at: 1, actor: 'ann', action }, values: [text] };
    expect([await store.post(mail), await store.post(mail)]).toEqual(['posted', 'duplicate']);
    await store.close();
    const engine = await agents.open(rig, { workflows: [line] });
    await engine.recover();
    const second = engine.run(run.id);
    await second.wait('idle');
    expect(await codeOf(second.answerAssumption({ assumption: 'a1', answer: 'Postgres', actor: 'ann' }))).toBe('ALREADY_DECIDED');
    expect((await pathsOf(second)).filter((path) => path.startsWith('plan'))).toEqual(['plan#1/1 ok', 'plan#1/2 ok']);
  });
});
