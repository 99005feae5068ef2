import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine, type Engine } from '../api/engine.ts';
import { EngineError, isEngineError } from '../base/error.ts';
import { defineWorkflow } from '../compat/index.ts';
import { Desk } from './desk.ts';
import type { Standing } from './standing.ts';
import { serverOf } from './tools.ts';

let engine: Engine;
let kept: string[];
/** Ends the program's step that takes long. */
let finish: () => void;
let finished: Promise<void>;
beforeEach(async () => {
  kept = [];
  finished = new Promise((resolve) => {
    finish = resolve;
  });
  engine = await createEngine({
    workflows: [work, slow, checked, later, muchLater, child, parent],
    roles: { attended: { driver: 'attended' } },
    drives: 'own',
  });
});
afterEach(() => {
  finish();
  return engine.close({ abort: true });
});

const work = defineWorkflow({
  name: 'work',
  params: { n: { description: 'a number', required: false, default: 1 } },
  steps: [
    { id: 'do', agent: 'worker', prompt: 'Do it.', supportsQuestions: true, next: 'ship' },
    { id: 'ship', human: { prompt: 'Ship it?', options: [{ label: 'yes' }, { label: 'no' }] }, next: null },
  ],
});
const slow = defineWorkflow({
  name: 'slow',
  steps: [
    { id: 'build', handler: () => finished, next: 'look' },
    { id: 'look', agent: 'worker', prompt: 'Look at it.', next: null },
  ],
});
const checked = defineWorkflow({
  name: 'checked',
  steps: [
    {
      id: 'do',
      agent: 'worker',
      prompt: 'Do it.',
      postconditions: [{ name: 'seen', check: () => finished.then(() => true), error: 'it was not seen' }],
      next: null,
    },
  ],
});
const later = defineWorkflow({
  name: 'later',
  steps: [
    { id: 'wait', delay: '20ms', next: 'do' },
    { id: 'do', agent: 'worker', prompt: 'Do it now.', next: null },
  ],
});
const muchLater = defineWorkflow({ name: 'much-later', steps: [{ id: 'wait', delay: '1h', next: null }] });
const child = defineWorkflow({ name: 'child', steps: [{ id: 'inner', agent: 'attended', prompt: 'Inside.', next: null }] });
const parent = defineWorkflow({ name: 'parent', steps: [{ id: 'call', workflow: 'child', next: null }] });

function deskOf(runs: readonly string[] = [], patienceMs = 5000): Desk {
  return new Desk(
    {
      open: async () => engine,
      start: async ({ workflow, params, id }) => {
        const { id: run } = await engine.start(workflow, params, { facts: { $attended: true }, ...(id === undefined ? {} : { id }) });
        return { engine, run };
      },
      offers: async () => ({ workflows: [], untrusted: 0 }),
      keep: (run) => kept.push(run),
    },
    { runs, patienceMs },
  );
}

async function codeOf(doing: Promise<unknown>): Promise<string> {
  try {
    await doing;
    return 'no error';
  } catch (error) {
    return isEngineError(error) ? error.code : String(error);
  }
}

const tokenOf = ({ handouts }: Standing): string => handouts[0]?.token ?? '';

test('a start under a key is one run, also from another desk, and other parameters under that key are refused', async () => {
  const first = await deskOf().start('work', { n: 2 }, 'k');
  const again = await deskOf().start('work', { n: 2 }, 'k');
  expect([again.run, tokenOf(again)]).toEqual([first.run, tokenOf(first)]);
  expect(await codeOf(deskOf().start('work', { n: 3 }, 'k'))).toBe('RUN_EXISTS');
  expect((await deskOf().start('work', { n: 2 }, 'other')).run).not.toBe(first.run);
  expect((await deskOf([], 10).start('slow', {}, 'k')).run).not.toBe(first.run);
  expect(await engine.list({ workflow: 'work' })).toHaveLength(2);
  expect(kept).toContain(first.run);
});

test('a run of another desk is unknown, and so is its token; nothing happens to it', async () => {
  const mine = deskOf();
  const { run } = await mine.start('work', {});
  const foreign = await deskOf().start('work', {});
  const token = tokenOf(foreign);
  expect(await codeOf(mine.report({ token, result: 1 }))).toBe('TOKEN_UNKNOWN');
  expect(await codeOf(mine.ask(token, [{ question: 'Which?', options: ['a', 'b'] }]))).toBe('TOKEN_UNKNOWN');
  expect(await codeOf(mine.next(foreign.run))).toBe('RUN_NOT_FOUND');
  expect(await codeOf(mine.status(''))).toBe('RUN_NOT_FOUND');
  expect((await mine.status()).map((one) => one.run)).toEqual([run]);
  expect((await engine.run(foreign.run).get()).waits.map(({ kind }) => kind)).toEqual(['report']);
});

test('work that waits for a person is not for the agent, and the same report again gets the same answer', async () => {
  const desk = deskOf();
  const token = tokenOf(await desk.start('work', {}));
  const { taken, standing } = await desk.report({ token, result: 'x' });
  expect(taken).toMatchObject({ accepted: true, repeated: false });
  expect([standing.handouts, standing.waits.map(({ kind }) => kind)]).toEqual([[], ['human']]);
  expect((await desk.report({ token, result: 'x' })).taken).toMatchObject({ accepted: true, repeated: true });
  expect(await codeOf(desk.report({ token, result: 'y' }))).toBe('TOKEN_SPENT');
});

test('while the engine is at work a call comes back and says so, and a later one gives the step', async () => {
  const desk = deskOf([], 10);
  const started = await desk.start('slow', {});
  expect([started.isAtWork, started.handouts]).toEqual([true, []]);
  finish();
  await engine.run(started.run).wait('idle');
  const [next] = await desk.next();
  expect(next?.handouts.map(({ step }) => step)).toEqual(['look']);
});

test('a report whose verification takes long is on record, and the same report later gets its verdict', async () => {
  const desk = deskOf([], 50);
  const started = await desk.start('checked', {});
  const report = { token: tokenOf(started), result: 'x' };
  const { taken, standing } = await desk.report(report);
  expect([taken, standing.isAtWork]).toEqual(['pending', true]);
  finish();
  await engine.run(started.run).wait();
  expect((await desk.report(report)).taken).toMatchObject({ accepted: true, repeated: true });
});

test('what is due soon is waited for and driven on; what is due later is told', async () => {
  const { handouts } = await deskOf().start('later', {});
  expect(handouts.map(({ step }) => step)).toEqual(['do']);
  const { waits, due } = await deskOf().start('much-later', {});
  expect([waits.map(({ kind }) => kind), typeof due]).toEqual([['delay'], 'number']);
});

test('questions wait for the person, and the step is opened again with the answers', async () => {
  const desk = deskOf();
  const started = await desk.start('work', {});
  const asked = await desk.ask(tokenOf(started), [{ question: 'Which colour?', options: ['red', 'blue'] }]);
  expect([asked.handouts, asked.waits.map(({ kind }) => kind)]).toEqual([[], ['answer']]);
  expect(await codeOf(desk.report({ token: tokenOf(started), result: 1 }))).toBe('TOKEN_SPENT');
  await engine.run(started.run).answer({ answers: ['blue'], actor: 'ann' });
  const [again] = await desk.next();
  expect(again?.handouts[0]?.prompt).toContain('blue');
});

test('a step of a run that the run started is handed out and reported like its own', async () => {
  const desk = deskOf();
  const { handouts, run } = await desk.start('parent', {});
  expect(handouts.map(({ step }) => step)).toEqual(['inner']);
  expect(handouts[0]?.run).not.toBe(run);
  const { standing } = await desk.report({ token: handouts[0]?.token ?? '', result: 1 });
  expect([standing.run, standing.status]).toEqual([run, 'completed']);
});

test('a run that a person paused has nothing open, and asking for the next step does not resume it', async () => {
  const desk = deskOf();
  const { run } = await desk.start('work', {});
  await engine.run(run).pause({ actor: 'ann' });
  const [standing] = await desk.next();
  expect([standing?.handouts, standing?.waits.map(({ kind }) => kind)]).toEqual([[], ['pause']]);
});

test('runs that ended are told only when nothing else is left, or by their name', async () => {
  const desk = deskOf();
  const open = await desk.start('work', {});
  const ended = await desk.start('work', {});
  await engine.run(ended.run).cancel({ actor: 'ann' });
  expect((await desk.next()).map(({ run }) => run)).toEqual([open.run]);
  expect((await desk.next(ended.run.slice(0, 6).toUpperCase())).map(({ status }) => status)).toEqual(['cancelled']);
  await engine.run(open.run).cancel({ actor: 'ann' });
  expect((await desk.next()).map(({ run }) => run)).toEqual([ended.run]);
});

test('no tool decides, answers, cancels, or takes more than it says; a desk that serves given runs starts none', async () => {
  const names = (mayStart: boolean): string[] => serverOf(deskOf(), { version: '1', mayStart }).tools.map(({ name }) => name);
  expect(names(true)).toEqual(['pawl_start', 'pawl_next', 'pawl_report', 'pawl_ask', 'pawl_status']);
  expect(names(false)).toEqual(['pawl_next', 'pawl_report', 'pawl_ask', 'pawl_status']);
  const { call } = serverOf(deskOf(), { version: '1', mayStart: true });
  for (const args of [{}, { token: 1 }, { token: 'x', more: 1 }, { token: 'x', result: 1, failure: 'y' }])
    expect(await call('pawl_report', args)).toMatchObject({ isError: true, text: expect.stringContaining('[USAGE]') });
  expect(await call('pawl_start', { workflow: 'nowhere' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('[WORKFLOW_UNKNOWN]'),
  });
});

test('a failure of any kind is an answer with its code', async () => {
  const broken = new Desk(
    {
      open: async () => engine,
      start: () => Promise.reject(new TypeError('a bug')),
      offers: () => Promise.reject(new EngineError('STORE_FULL', 'the disk is full')),
      keep: () => undefined,
    },
    { runs: [] },
  );
  const { call } = serverOf(broken, { version: '1', mayStart: true });
  expect(await call('pawl_start', { workflow: 'x' })).toEqual({ isError: true, text: 'a bug [INTERNAL]' });
  expect(await call('pawl_status', {})).toEqual({ isError: true, text: 'the disk is full [STORE_FULL]' });
});
