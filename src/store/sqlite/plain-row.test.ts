import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Activation } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import { createPath } from '../../kernel/run-state.ts';
import { createActivation, createAttempt, createFirst, createLine, createNext, createValue, START_AT } from '../../proof/store-deltas.ts';
import type { AttemptRow, Delta } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';

let directory: string;
let store: SqliteStore;
let db: DatabaseSync;
let runs = 0;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pawl-plain-'));
  const file = join(directory, 'pawl.db');
  store = await openSqliteStore({ file, synchronous: 'NORMAL' });
  db = new DatabaseSync(file);
});

afterAll(async () => {
  db.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** One step of a run: how the one before ended, and what the next is. */
interface Turn {
  readonly step: string;
  readonly outcome: string;
  readonly output: unknown;
  readonly merge: boolean;
  readonly took: number;
  readonly lag: number;
}

const PLAIN_TURN: Turn = { step: 'next', outcome: 'ok', output: undefined, merge: false, took: 7, lag: 1 };

/** The delta with which a live step ends and the next one begins, as the kernel decides it. */
function turn(before: Delta, { step, outcome, output, merge, took, lag }: Turn, more: Partial<AttemptRow> = {}): Delta {
  const ending = Object.values(before.state.live)[0] as Activation;
  const at = before.state.at + took;
  const value = output === undefined ? undefined : createValue(output as never);
  const brought = value === undefined ? {} : { output: value.ref, ...(merge ? { merge: true as const } : {}) };
  const activation = createActivation(step, { path: createPath(step, before.seq + 2), openedAt: at, startedAt: at });
  const { path, step: ended, openedAt, startedAt = at, attempt } = ending;
  const events: RunEvent[] = [
    { type: 'step.settled', at, path, attempt, outcome, ...brought },
    { type: 'edge.taken', at, from: path, outcome, to: step },
    { type: 'step.opened', at, activation },
  ];
  const row = { path, openedAt, startedAt, endedAt: at, maxAttempts: 2, outcome, ...(value === undefined ? {} : { output: value.ref }) };
  return createNext(before, events, {
    at: at + lag,
    values: value === undefined ? [] : [value],
    attempts: [createAttempt(ended, { ...row, ...more })],
  });
}

function first(step = 'first'): Delta {
  runs += 1;
  const activation = createActivation(step, { startedAt: START_AT });
  return createFirst({ run: `r${runs}`, owner: 'me', definition: createLine('line', [step]), activation });
}

const isPlain = ({ run, state }: Delta): boolean =>
  db.prepare("SELECT checkpoint = '' AS plain FROM events e JOIN runs r ON r.key = e.run WHERE r.id = ? AND e.seq = ?").get(run, state.seq)
    ?.plain === 1;

async function expectAsWritten(deltas: readonly Delta[]): Promise<void> {
  const last = deltas.at(-1) as Delta;
  const { run } = last;
  expect((await store.load(run)).state).toEqual(last.state);
  expect((await store.events(run, 0)).map(({ events }) => events)).toEqual(deltas.map(({ events }) => events));
  const attempts = deltas.flatMap((delta) => delta.attempts.map(({ checks: _, ...row }) => ({ ...row, seq: delta.seq + 1 })));
  const stored = await store.attempts(run);
  expect(stored).toEqual(attempts.map((row, index) => ({ ...row, id: index + 1 })));
  expect(await store.latest(run)).toEqual([...new Map(stored.map((row) => [row.step, row])).values()].sort((a, b) => a.id - b.id));
  const views = db.prepare('SELECT events FROM run_events WHERE run_id = ? ORDER BY seq').all(run);
  // The view leaves digests in their short spelling where a row is packed; the first row is.
  expect(views.slice(1).map(({ events }) => JSON.parse(String(events)))).toEqual(deltas.slice(1).map(({ events }) => events));
  const seen = db.prepare('SELECT a.* FROM attempts a JOIN runs r ON r.key = a.run WHERE r.id = ? ORDER BY a.id').all(run);
  expect(seen).toMatchObject(
    stored.map(({ id, seq, path, step, kind, attempt, outcome, openedAt, startedAt, endedAt, output }) => ({
      ...{ id, seq, path, step, kind, attempt, outcome: outcome ?? null, output: output?.digest ?? null },
      ...{ opened: openedAt, started: startedAt ?? null, ended: endedAt },
    })),
  );
  const state = db.prepare('SELECT state, current_step FROM run_states s JOIN workflow_runs w ON w.run_id = s.id WHERE s.id = ?').get(run);
  expect(JSON.parse(String(state?.state)).live).toEqual(last.state.live);
  expect(state?.current_step).toBe(Object.values(last.state.live)[0]?.step);
}

async function commitAll(deltas: readonly Delta[]): Promise<void> {
  for (const delta of deltas) expect(await store.commit(delta)).toEqual({ result: 'committed', released: false });
}

const names = fc.oneof(
  fc.constantFrom('build', 'build "it"', 'ü', 'a,b', 'a\\b', '__proto__', '\u2028'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
);
const turns = fc.record<Turn>({
  step: names.filter((name) => !name.includes('#')),
  outcome: fc.oneof(fc.constantFrom('ok', 'reject'), names),
  output: fc.option(fc.oneof(fc.string(), fc.integer(), fc.constant({ a: [1] })), { nil: undefined }),
  merge: fc.boolean(),
  took: fc.integer({ min: 0, max: 1e10 }),
  lag: fc.integer({ min: -5, max: 100 }),
});

test('R1: whatever steps are called and bring, the store gives back what was written, and so do the views', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turns, { minLength: 1, maxLength: 6 }), async (list) => {
      const deltas = [first()];
      for (const one of list) deltas.push(turn(deltas.at(-1) as Delta, one));
      await commitAll(deltas);
      await expectAsWritten(deltas);
    }),
    { numRuns: 60 },
  );
});

describe('a row is spelled short', () => {
  test.each([
    ['when a step has settled and the next one began', {}],
    ['with an outcome of the step’s own', { outcome: 'reject' }],
    ['with an output', { output: { a: 1 } }],
    ['with an output that joins the data', { output: { a: 1 }, merge: true }],
    ['when it is written later than it was decided', { lag: 12 }],
  ])('%s', async (_, more) => {
    const start = first();
    const next = turn(start, { ...PLAIN_TURN, ...more });
    await commitAll([start, next]);
    expect(isPlain(next)).toBe(true);
    await expectAsWritten([start, next]);
  });
});

const claim = createValue({ said: 'done' });
const activationWith = (more: Partial<Activation>) => (delta: Delta) => {
  const events = delta.events.map((event) =>
    event.type === 'step.opened' ? { ...event, activation: { ...event.activation, ...more } } : event,
  );
  const opened = events.at(-1) as Extract<RunEvent, { type: 'step.opened' }>;
  return { ...delta, events, state: { ...delta.state, live: { [opened.activation.path]: opened.activation } } };
};
const attemptWith = (more: Partial<AttemptRow>) => (delta: Delta) => ({
  ...delta,
  attempts: delta.attempts.map((row) => ({ ...row, ...more })),
});
const stateWith = (more: object) => (delta: Delta) => ({ ...delta, state: { ...delta.state, ...more } });

describe('a row is spelled out', () => {
  const start = (): Delta => first();
  test.each<[string, (delta: Delta) => Delta]>([
    ['the step that began has a limit of time', activationWith({ due: START_AT + 9 })],
    ['the step that began waits', activationWith({ state: 'waiting' })],
    ['visits are counted', stateWith({ counts: { next: 1 } })],
    ['a person has decided', stateWith({ decision: { gate: 'ask', option: 'yes', actor: 'ada' } })],
    ['the run is a child of another', stateWith({ depth: 1 })],
    ['the run is paused', stateWith({ paused: true })],
    ['the run goes by another name', stateWith({ workflow: 'other' })],
    ['another step is live', (delta) => stateWith({ live: { ...delta.state.live, 'side#1': createActivation('side') } })(delta)],
    ['the attempt was one of a group', attemptWith({ group: 'each#1', key: 'a', index: 0 })],
    ['the attempt was of a step that its path does not name', attemptWith({ step: 'other' })],
    ['a signal waits to be taken', stateWith({ signals: { go: [null] } })],
    ['a bound was extended', stateWith({ extended: { 'a:ok': 1 } })],
    ['the checkpoint has a field that is not known here', stateWith({ later: 1 })],
    ['it is a fork of meaning', stateWith({ flags: [1] })],
    [
      'the attempt has a claim',
      (delta) => ({ ...delta, values: [claim], attempts: delta.attempts.map((row) => ({ ...row, claim: claim.ref })) }),
    ],
    ['somebody did it', attemptWith({ actor: 'ada' })],
    [
      'times are no whole milliseconds',
      (delta) => ({ ...delta, attempts: delta.attempts.map((row) => ({ ...row, startedAt: START_AT + 0.1 })) }),
    ],
  ])('when %s', async (_, change) => {
    const begin = start();
    const next = change(turn(begin, PLAIN_TURN));
    await commitAll([begin, next]);
    expect(isPlain(next)).toBe(false);
    const { state } = await store.load(next.run);
    expect(state).toEqual(next.state);
    expect(await store.attempts(next.run)).toMatchObject(next.attempts.map(({ checks: __, ...row }) => row));
  });
});

test.each([
  ['its events', `UPDATE events SET body = replace(body, '"next#2"', '"nexT#2"')`, 'record 2'],
  ['its attempt', `UPDATE events SET body = replace(body, ',2,"ok"', ',3,"ok"')`, 'record 2'],
  ['its spelling', `UPDATE events SET body = '[1'`, 'record 2'],
  ['its columns', 'UPDATE events SET attempts = 2', 'checkpoint at record 2'],
])('damage to %s is found when the run is loaded, and when the store is checked', async (_, statement, what) => {
  const start = first();
  const next = turn(start, PLAIN_TURN);
  await commitAll([start, next]);
  expect(db.prepare(`${statement} WHERE run = (SELECT key FROM runs WHERE id = ?) AND seq = 2`).run(next.run).changes).toBe(1);
  const damage = { code: 'RUN_DAMAGED', message: expect.stringContaining(what) };
  await expect(store.load(next.run)).rejects.toMatchObject(damage);
  expect((await store.check()).problems).toContainEqual(expect.objectContaining({ run: next.run, what: expect.stringContaining(what) }));
});

test('damage to the attempt of a plain row is found when attempts are read', async () => {
  const start = first();
  const next = turn(start, PLAIN_TURN);
  await commitAll([start, next]);
  db.prepare(`UPDATE events SET body = replace(body, ',2,"ok"', ',3,"ok"') WHERE run = (SELECT key FROM runs WHERE id = ?)`).run(next.run);
  await expect(store.attempts(next.run)).rejects.toMatchObject({ code: 'RUN_DAMAGED', message: expect.stringContaining('record 2') });
});
