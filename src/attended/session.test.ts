import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine, type Engine } from '../api/engine.ts';
import { isEngineError } from '../base/error.ts';
import { defineWorkflow } from '../compat/index.ts';
import { type AttendedRun, readAttendedRun, sourceOfEngine } from './attended-run.ts';
import { AttendedSession } from './session.ts';
import { newWork, workIn } from './submission.ts';

let engine: Engine;
let remembered: string[];
/** Ends the program's step that takes long. */
let finish: () => void;
let finished: Promise<void>;
beforeEach(async () => {
  remembered = [];
  finished = new Promise((resolve) => {
    finish = resolve;
  });
  engine = await createEngine({
    workflows: [work, slow, above, checked, several, judged, later, muchLater, child, parent],
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
const above = defineWorkflow({ name: 'above', steps: [{ id: 'call', workflow: 'slow', next: null }] });
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
const PARTS = { parts: { description: 'which', type: 'json', required: false, default: ['one', 'two'] } } as const;
const several = defineWorkflow({
  name: 'several',
  params: PARTS,
  steps: [{ id: 'do', parallel: true, parallelKey: 'parts', agent: 'worker', prompt: 'Do it.', next: null }],
});
const judged = defineWorkflow({
  name: 'judged',
  params: PARTS,
  steps: [
    {
      id: 'do',
      parallel: true,
      parallelKey: 'parts',
      agent: 'worker',
      prompt: 'Do it.',
      postconditions: [{ name: 'good', check: (ctx) => ctx.item === 'two', error: 'it is not good' }],
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

function sessionOf(runs: readonly string[] = [], patienceMs = 5000): AttendedSession {
  return new AttendedSession(
    {
      open: async () => engine,
      start: async ({ workflow, params, id }) => {
        const { id: run } = await engine.start(workflow, params, { facts: { $attended: true }, ...(id === undefined ? {} : { id }) });
        return { engine, run };
      },
      offers: async () => ({ workflows: [], untrusted: 0 }),
      remember: (run) => remembered.push(run),
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

const tokenOf = (run: AttendedRun): string => workIn(run)[0]?.token ?? '';
const stepsOf = (run: AttendedRun | undefined): readonly string[] => (run === undefined ? [] : workIn(run).map(({ step }) => step));
/** The kind of a run, and the kinds of what it waits for. */
const kindsOf = (run: AttendedRun | undefined): readonly string[] =>
  run?.kind === 'waiting' ? [run.kind, ...run.waits.map(({ wait }) => wait.kind)] : [run?.kind ?? 'none'];

test('AT3: a start under a key is one run, also from another session, and other parameters under that key are refused', async () => {
  const first = await sessionOf().start('work', { n: 2 }, 'k');
  const again = await sessionOf().start('work', { n: 2 }, 'k');
  expect([again.id, tokenOf(again)]).toEqual([first.id, tokenOf(first)]);
  expect(await codeOf(sessionOf().start('work', { n: 3 }, 'k'))).toBe('RUN_EXISTS');
  expect((await sessionOf().start('work', { n: 2 }, 'other')).id).not.toBe(first.id);
  expect((await sessionOf([], 10).start('slow', {}, 'k')).id).not.toBe(first.id);
  expect(await engine.list({ workflow: 'work' })).toHaveLength(2);
  expect(remembered).toContain(first.id);
});

test('AT2: a run of another session is unknown, and so is its token; nothing happens to it', async () => {
  const mine = sessionOf();
  const { id } = await mine.start('work', {});
  const other = await sessionOf().start('work', {});
  const token = tokenOf(other);
  expect(await codeOf(mine.submit({ kind: 'result', token, result: 1 }))).toBe('TOKEN_UNKNOWN');
  expect(await codeOf(mine.submit({ kind: 'questions', token, questions: [{ question: 'Which?', options: ['a', 'b'] }] }))).toBe(
    'TOKEN_UNKNOWN',
  );
  expect(await codeOf(mine.next(other.id))).toBe('RUN_NOT_FOUND');
  expect(await codeOf(mine.status(''))).toBe('RUN_NOT_FOUND');
  expect((await mine.status()).map((run) => run.id)).toEqual([id]);
  expect((await engine.run(other.id).get()).waits.map(({ kind }) => kind)).toEqual(['report']);
});

test('work that waits for a person is not for the agent, and the same report again gets the same reply', async () => {
  const session = sessionOf();
  const token = tokenOf(await session.start('work', {}));
  const { receipt, run } = await session.submit({ kind: 'result', token, result: 'x' });
  expect(receipt).toEqual({ kind: 'accepted', step: 'do', path: 'do#1', attempt: 1, repeated: false });
  expect(kindsOf(run)).toEqual(['waiting', 'human']);
  expect((await session.submit({ kind: 'result', token, result: 'x' })).receipt).toMatchObject({ kind: 'accepted', repeated: true });
  expect(await codeOf(session.submit({ kind: 'result', token, result: 'y' }))).toBe('TOKEN_SPENT');
});

test('a call returns while the engine still executes, and a later one returns the step', async () => {
  const session = sessionOf([], 10);
  const started = await session.start('slow', {});
  expect(kindsOf(started)).toEqual(['executing']);
  finish();
  await engine.run(started.id).wait('idle');
  const [next] = await session.next();
  expect(stepsOf(next)).toEqual(['look']);
});

test('a run whose child executes is executing too, whoever looks', async () => {
  const { id } = await sessionOf([], 10).start('above', {});
  // On a busy machine the child may not have begun when the call returns.
  await expect.poll(async () => kindsOf(await readAttendedRun(sourceOfEngine(engine), id)), { timeout: 20_000 }).toEqual(['executing']);
});

test('a report whose verification takes long is recorded, and the same report later gets its verdict', async () => {
  const started = await sessionOf().start('checked', {});
  const session = sessionOf([started.id], 50);
  const report = { kind: 'result', token: tokenOf(started), result: 'x' } as const;
  const { receipt, run } = await session.submit(report);
  expect([receipt, run.kind]).toEqual([{ kind: 'pending' }, 'executing']);
  finish();
  await engine.run(started.id).wait();
  expect((await session.submit(report)).receipt).toMatchObject({ kind: 'accepted', repeated: true });
});

test('a failure that the agent reports is no refusal, and says why', async () => {
  const session = sessionOf();
  const token = tokenOf(await session.start('work', {}));
  const { receipt, run } = await session.submit({ kind: 'failure', token, failure: 'no network' });
  expect(receipt).toMatchObject({ kind: 'gave-up', step: 'do', message: expect.stringContaining('no network') });
  expect(run).toMatchObject({ kind: 'halted', status: 'escalated', problem: expect.stringContaining('no network') });
});

test('a refused report says what is missing, and only the step to repeat is new', async () => {
  const session = sessionOf();
  const [first, second] = workIn(await session.start('judged', {})).map(({ token }) => token);
  const reply = await session.submit({ kind: 'result', token: first ?? '', result: 1 });
  expect(reply.receipt).toMatchObject({ kind: 'refused', repeated: false, message: expect.stringContaining('it is not good') });
  expect(workIn(reply.run).map(({ token }) => token)).toContain(second);
  expect(newWork(reply)).toMatchObject([{ item: 'one', attempt: 2, number: 1 }]);
});

test('a step that another agent was given is not new, unless a report is repeated because its reply was lost', async () => {
  const session = sessionOf();
  const started = await session.start('several', {});
  const [first = '', second = ''] = workIn(started).map(({ token }) => token);
  const report = { kind: 'result', token: first, result: 1 } as const;
  const reply = await session.submit(report);
  expect([workIn(reply.run).map(({ token }) => token), newWork(reply)]).toEqual([[second], []]);
  expect(newWork(await session.submit(report)).map(({ token }) => token)).toEqual([second]);
});

test('the call waits for what is due soon; what is due later is returned with its time', async () => {
  expect(stepsOf(await sessionOf().start('later', {}))).toEqual(['do']);
  const much = await sessionOf().start('much-later', {});
  expect([kindsOf(much), much]).toMatchObject([['waiting', 'delay'], { due: expect.any(Number) }]);
});

test('questions wait for the person, and the step is opened again with the answers', async () => {
  const session = sessionOf();
  const started = await session.start('work', {});
  const token = tokenOf(started);
  const questions = [{ question: 'Which colour?', options: ['red', 'blue'] }];
  const { receipt, run } = await session.submit({ kind: 'questions', token, questions });
  expect([receipt, kindsOf(run)]).toEqual([{ kind: 'asked' }, ['waiting', 'answer']]);
  expect(await codeOf(session.submit({ kind: 'result', token, result: 1 }))).toBe('TOKEN_SPENT');
  await engine.run(started.id).answer({ answers: ['blue'], actor: 'ann' });
  const [again] = await session.next();
  expect(again?.kind === 'work' && again.work[0]?.prompt).toContain('blue');
});

test('a step of a run that the run started is handed out and reported like its own', async () => {
  const session = sessionOf();
  const started = await session.start('parent', {});
  expect(stepsOf(started)).toEqual(['inner']);
  expect(workIn(started)[0]?.run).not.toBe(started.id);
  const { run } = await session.submit({ kind: 'result', token: tokenOf(started), result: 1 });
  expect(run).toMatchObject({ id: started.id, kind: 'ended', status: 'completed' });
});

test('AT1: a run that a person paused has nothing open, and asking for the next step does not resume it', async () => {
  const session = sessionOf();
  const { id } = await session.start('work', {});
  await engine.run(id).pause({ actor: 'ann' });
  const [run] = await session.next();
  expect(kindsOf(run)).toEqual(['waiting', 'pause']);
});

test('the call does not wait for what is due in a paused run', async () => {
  const { id } = await engine.start('later', {}, { facts: { $attended: true } });
  await engine.run(id).pause({ actor: 'ann' });
  const [run] = await sessionOf([id]).next();
  expect(run).toMatchObject({ kind: 'waiting', due: undefined });
});

test('runs that ended are returned only when nothing else is left, or by their id', async () => {
  const session = sessionOf();
  const open = await session.start('work', {});
  const ended = await session.start('work', {});
  await engine.run(ended.id).cancel({ actor: 'ann' });
  expect((await session.next()).map(({ id }) => id)).toEqual([open.id]);
  expect(await session.next(ended.id.slice(0, 6).toUpperCase())).toMatchObject([{ kind: 'ended', status: 'cancelled' }]);
  await engine.run(open.id).cancel({ actor: 'ann' });
  expect((await session.next()).map(({ id }) => id)).toEqual([ended.id]);
});
