import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine, type Engine } from '../api/engine.ts';
import { isEngineError } from '../base/error.ts';
import { defineWorkflow } from '../compat/index.ts';
import { type AttendedRun, readAttendedRun, sourceOfEngine } from './attended-run.ts';
import { readOpenRuns } from './open-runs.ts';
import { AttendedSession } from './session.ts';
import { newWork, onlyOwnStep, workIn } from './submission.ts';

let engine: Engine;
let remembered: string[];
/** The runs that another live session works on. */
let held: Set<string>;
/** Ends the program's step that takes long. */
let finish: () => void;
let finished: Promise<void>;
beforeEach(async () => {
  remembered = [];
  held = new Set();
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

function sessionOf(runs: readonly string[] = [], waitMs = 5000, mayAdopt = true): AttendedSession {
  return new AttendedSession(
    {
      open: async () => engine,
      start: async ({ workflow, params, id }) => {
        const { id: run } = await engine.start(workflow, params, { facts: { $attended: true }, ...(id === undefined ? {} : { id }) });
        return { engine, run };
      },
      offers: async () => ({ workflows: [], untrusted: 0 }),
      remember: (run) => remembered.push(run),
      openRuns: async () => {
        const open = await readOpenRuns(sourceOfEngine(engine), () => true);
        return open.map((run) => ({ run, holder: held.has(run.id) ? 'other' : undefined }));
      },
      assign: (run) => remembered.push(run),
    },
    { runs, waitMs, mayAdopt },
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

test('AT3: a start under a key is one run, also from another session, and other parameters under that key are rejected', async () => {
  const first = await sessionOf().start({ workflow: 'work', params: { n: 2 }, key: 'k' });
  const again = await sessionOf().start({ workflow: 'work', params: { n: 2 }, key: 'k' });
  expect([again.id, tokenOf(again)]).toEqual([first.id, tokenOf(first)]);
  expect(await codeOf(sessionOf().start({ workflow: 'work', params: { n: 3 }, key: 'k' }))).toBe('RUN_EXISTS');
  expect((await sessionOf().start({ workflow: 'work', params: { n: 2 }, key: 'other' })).id).not.toBe(first.id);
  expect((await sessionOf([], 10).start({ workflow: 'slow', params: {}, key: 'k' })).id).not.toBe(first.id);
  expect(await engine.list({ workflow: 'work' })).toHaveLength(2);
  expect(remembered).toContain(first.id);
});

test('AT2: the token of a run that the session did not adopt is unknown, and nothing happens to that run', async () => {
  const mine = sessionOf();
  const { id } = await mine.start({ workflow: 'work', params: {} });
  const other = await sessionOf().start({ workflow: 'work', params: {} });
  const token = tokenOf(other);
  expect(await codeOf(mine.submit({ kind: 'result', token, result: 1 }))).toBe('TOKEN_UNKNOWN');
  expect(await codeOf(mine.submit({ kind: 'questions', token, questions: [{ question: 'Which?', options: ['a', 'b'] }] }))).toBe(
    'TOKEN_UNKNOWN',
  );
  expect(await codeOf(mine.next({ token }))).toBe('TOKEN_UNKNOWN');
  expect(await codeOf(mine.status(''))).toBe('RUN_NOT_FOUND');
  expect((await mine.status()).runs.map((run) => run.id)).toEqual([id]);
  expect((await mine.next()).runs.map((run) => run.id)).toEqual([id]);
  expect((await engine.run(other.id).get()).waits.map(({ kind }) => kind)).toEqual(['report']);
});

test('AT2: a session without a run adopts the only open one that no live session has, or one that it names', async () => {
  const first = await sessionOf().start({ workflow: 'work', params: {} });
  const fresh = sessionOf();
  expect(await codeOf(fresh.next({ token: tokenOf(first) }))).toBe('TOKEN_UNKNOWN');
  expect(await fresh.status()).toMatchObject({ runs: [], others: [{ run: { id: first.id }, holder: undefined }] });
  expect((await fresh.next()).runs.map(tokenOf)).toEqual([tokenOf(first)]);
  expect(remembered.filter((run) => run === first.id)).toHaveLength(2);
  held.add(first.id);
  const late = sessionOf();
  expect(await late.next()).toMatchObject({ runs: [], others: [{ run: { id: first.id }, holder: 'other' }] });
  expect((await late.next({ run: first.id.slice(0, 8) })).runs.map(tokenOf)).toEqual([tokenOf(first)]);
  held.clear();
  const second = await sessionOf().start({ workflow: 'work', params: {} });
  expect((await sessionOf().next()).others.map(({ run }) => run.id)).toEqual([second.id, first.id]);
  expect(await codeOf(sessionOf().next({ run: 'zzzz' }))).toBe('RUN_NOT_FOUND');
});

test('AT2: a session that was given its runs adopts no others, not even by name', async () => {
  const [mine, other] = [
    await sessionOf().start({ workflow: 'work', params: {} }),
    await sessionOf().start({ workflow: 'work', params: {} }),
  ];
  const given = sessionOf([mine.id], 5000, false);
  await engine.run(mine.id).cancel({ actor: 'ann' });
  expect(await given.next()).toMatchObject({ runs: [{ id: mine.id, kind: 'ended' }], others: [] });
  expect((await given.status()).others).toEqual([]);
  for (const asked of [given.next({ run: other.id }), given.status(other.id)]) expect(await codeOf(asked)).toBe('RUN_NOT_FOUND');
});

test('a worker with a token gets that step only, and after its report that step again or nothing', async () => {
  const session = sessionOf();
  const [first, second] = workIn(await session.start({ workflow: 'judged', params: {} }));
  const asked = await session.next({ token: second?.token });
  expect(asked.runs.flatMap(workIn)).toEqual([second]);
  const refused = onlyOwnStep(await session.submit({ kind: 'result', token: first?.token ?? '', result: 1 }, { only: true }));
  expect([refused.receipt?.kind, workIn(refused.run)]).toMatchObject(['refused', [{ item: 'one', attempt: 2 }]]);
  const done = onlyOwnStep(await session.submit({ kind: 'result', token: second?.token ?? '', result: 1 }, { only: true }));
  expect([done.receipt?.kind, workIn(done.run)]).toEqual(['accepted', []]);
  expect((await session.next({ item: 'one' })).runs.flatMap(workIn)).toMatchObject([{ item: 'one', attempt: 2 }]);
  expect(await codeOf(session.next({ item: 'two' }))).toBe('STEP_UNKNOWN');
});

test('a wait contains the question, who may answer, and the command to run', async () => {
  const session = sessionOf();
  const started = await session.start({ workflow: 'work', params: {} });
  const { run } = await session.submit({ kind: 'result', token: tokenOf(started), result: 'x' });
  expect(run.kind === 'waiting' && run.waits).toMatchObject([
    { asks: [{ prompt: 'Ship it?', options: ['yes', 'no'] }], command: `pawl decide ${started.id} --option yes` },
  ]);
});

test('work that waits for a person is not for the agent, and the same report again gets the same reply', async () => {
  const session = sessionOf();
  const token = tokenOf(await session.start({ workflow: 'work', params: {} }));
  const { receipt, run } = await session.submit({ kind: 'result', token, result: 'x' });
  expect(receipt).toEqual({ kind: 'accepted', step: 'do', path: 'do#1', attempt: 1, repeated: false });
  expect(kindsOf(run)).toEqual(['waiting', 'human']);
  expect((await session.submit({ kind: 'result', token, result: 'x' })).receipt).toMatchObject({ kind: 'accepted', repeated: true });
  expect(await codeOf(session.submit({ kind: 'result', token, result: 'y' }))).toBe('TOKEN_SPENT');
});

test('a call returns while the engine still executes, and a later one returns the step', async () => {
  const session = sessionOf([], 10);
  const started = await session.start({ workflow: 'slow', params: {} });
  expect(kindsOf(started)).toEqual(['executing']);
  finish();
  await engine.run(started.id).wait('idle');
  const [next] = (await session.next()).runs;
  expect(stepsOf(next)).toEqual(['look']);
});

test('a run whose child executes is executing too', async () => {
  const { id } = await sessionOf([], 10).start({ workflow: 'above', params: {} });
  // On a busy machine the child may not have begun when the call returns.
  await expect.poll(async () => kindsOf(await readAttendedRun(sourceOfEngine(engine), id)), { timeout: 20_000 }).toEqual(['executing']);
});

test('a report whose verification takes long is recorded, and the same report later gets its verdict', async () => {
  const started = await sessionOf().start({ workflow: 'checked', params: {} });
  const session = sessionOf([started.id], 50);
  const report = { kind: 'result', token: tokenOf(started), result: 'x' } as const;
  const { receipt, run } = await session.submit(report);
  expect([receipt, run.kind]).toEqual([{ kind: 'pending' }, 'executing']);
  finish();
  await engine.run(started.id).wait();
  expect((await session.submit(report)).receipt).toMatchObject({ kind: 'accepted', repeated: true });
});

test('a failure that the agent reports is not a refusal, and has the reason', async () => {
  const session = sessionOf();
  const token = tokenOf(await session.start({ workflow: 'work', params: {} }));
  const { receipt, run } = await session.submit({ kind: 'failure', token, failure: 'no network' });
  expect(receipt).toMatchObject({ kind: 'failed', step: 'do', message: expect.stringContaining('no network') });
  expect(run).toMatchObject({ kind: 'halted', status: 'escalated', problem: expect.stringContaining('no network') });
});

test('a report that is not accepted says what is missing, and only the step to repeat is new', async () => {
  const session = sessionOf();
  const [first, second] = workIn(await session.start({ workflow: 'judged', params: {} })).map(({ token }) => token);
  const reply = await session.submit({ kind: 'result', token: first ?? '', result: 1 });
  expect(reply.receipt).toMatchObject({ kind: 'refused', repeated: false, message: expect.stringContaining('it is not good') });
  expect(workIn(reply.run).map(({ token }) => token)).toContain(second);
  expect(newWork(reply)).toMatchObject([{ item: 'one', attempt: 2, number: 1 }]);
});

test('a step that another agent got is not new, unless a report is repeated because its reply was lost', async () => {
  const session = sessionOf();
  const started = await session.start({ workflow: 'several', params: {} });
  const [first = '', second = ''] = workIn(started).map(({ token }) => token);
  const report = { kind: 'result', token: first, result: 1 } as const;
  const reply = await session.submit(report);
  expect([workIn(reply.run).map(({ token }) => token), newWork(reply)]).toEqual([[second], []]);
  expect(newWork(await session.submit(report)).map(({ token }) => token)).toEqual([second]);
});

test('a call waits for what is due soon; what is due later is returned with its time', async () => {
  expect(stepsOf(await sessionOf().start({ workflow: 'later', params: {} }))).toEqual(['do']);
  const much = await sessionOf().start({ workflow: 'much-later', params: {} });
  expect([kindsOf(much), much]).toMatchObject([['waiting', 'delay'], { due: expect.any(Number) }]);
});

test('questions of an agent wait for the person, and the step is opened again with the answers', async () => {
  const session = sessionOf();
  const started = await session.start({ workflow: 'work', params: {} });
  const token = tokenOf(started);
  const questions = [{ question: 'Which colour?', options: ['red', 'blue'] }];
  const { receipt, run } = await session.submit({ kind: 'questions', token, questions });
  expect([receipt, kindsOf(run)]).toEqual([{ kind: 'asked' }, ['waiting', 'answer']]);
  const again = session.submit({ kind: 'result', token, result: 1 });
  await expect(again).rejects.toThrow('ended with a question; once a person has answered it, the step is open again with a new token');
  await engine.run(started.id).answer({ answers: ['blue'], actor: 'ann' });
  const [next] = (await session.next()).runs;
  expect(next?.kind === 'work' && next.work[0]?.prompt).toContain('blue');
});

test('a step of a run that the run started is handed out and reported like its own', async () => {
  const session = sessionOf();
  const started = await session.start({ workflow: 'parent', params: {} });
  expect(stepsOf(started)).toEqual(['inner']);
  expect(workIn(started)[0]?.run).not.toBe(started.id);
  const { run } = await session.submit({ kind: 'result', token: tokenOf(started), result: 1 });
  expect(run).toMatchObject({ id: started.id, kind: 'ended', status: 'completed' });
});

test('AT1: a run that a person paused has nothing open, and asking for the next step does not resume it', async () => {
  const session = sessionOf();
  const { id } = await session.start({ workflow: 'work', params: {} });
  await engine.run(id).pause({ actor: 'ann' });
  const [run] = (await session.next()).runs;
  expect(kindsOf(run)).toEqual(['waiting', 'pause']);
});

test('a call does not wait for what is due in a paused run', async () => {
  const { id } = await engine.start('later', {}, { facts: { $attended: true } });
  await engine.run(id).pause({ actor: 'ann' });
  const [run] = (await sessionOf([id]).next()).runs;
  expect(run).toMatchObject({ kind: 'waiting', due: undefined });
});

test('runs that ended are returned only when nothing else is left, or by their id', async () => {
  const session = sessionOf();
  const open = await session.start({ workflow: 'work', params: {} });
  const ended = await session.start({ workflow: 'work', params: {} });
  await engine.run(ended.id).cancel({ actor: 'ann' });
  expect((await session.next()).runs.map(({ id }) => id)).toEqual([open.id]);
  expect((await session.next({ run: ended.id.slice(0, 6).toUpperCase() })).runs).toMatchObject([{ kind: 'ended', status: 'cancelled' }]);
  await engine.run(open.id).cancel({ actor: 'ann' });
  expect((await session.next()).runs.map(({ id }) => id)).toEqual([ended.id]);
});

test('a long wait ends when a step is open, even if another run still executes', async () => {
  const slowly = await sessionOf([], 10).start({ workflow: 'slow', params: {} });
  const { id } = await sessionOf().start({ workflow: 'work', params: {} });
  const { runs } = await sessionOf([slowly.id, id], 10).next({}, { idleMs: 60_000 });
  expect(runs.map(({ kind }) => kind)).toEqual(['work', 'executing']);
  const waiting = sessionOf([slowly.id], 10).next({}, { idleMs: 60_000 });
  finish();
  expect(stepsOf((await waiting).runs[0])).toEqual(['look']);
});
