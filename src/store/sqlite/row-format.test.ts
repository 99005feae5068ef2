import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { createPath } from '../../definition/address.ts';
import type { Activation } from '../../kernel/activation.ts';
import { startTimeOf } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import {
  createActivation,
  createAttempt,
  createFirst,
  createLine,
  createNext,
  createValue,
  START_AT,
} from '../../proof/store-suite/deltas.ts';
import type { Delta } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';
import { decodeLogRow, encodeLogRow, stepsInLogRow } from './row-format.ts';

let directory: string;
let store: SqliteStore;
let db: DatabaseSync;
let runs = 0;

beforeAll(async () => {
  directory = tempFolder();
  const file = join(directory, 'pawl.db');
  store = await openSqliteStore({ file, synchronous: 'NORMAL' });
  db = new DatabaseSync(file);
});

afterAll(async () => {
  db.close();
  await store.close();
});

/** One step of a run: how the previous one ends, and the next one. */
interface Turn {
  readonly step: string;
  readonly outcome: string;
  readonly output: unknown;
  readonly merge: boolean;
  readonly took: number;
  readonly lag: number;
}

/** The delta that ends a live step and begins the next one, as the kernel decides it. */
function turn(before: Delta, { step, outcome, output, merge, took, lag }: Turn): Delta {
  const ending = Object.values(before.state.live)[0] as Activation;
  const at = before.state.at + took;
  const value = output === undefined ? undefined : createValue(output as never);
  const result = value === undefined ? {} : { output: value.ref, ...(merge ? { merge: true as const } : {}) };
  const activation = createActivation(step, { path: createPath(step, before.seq + 2), openedAt: at, startedAt: at });
  const { path, step: ended, openedAt, attempt } = ending;
  const startedAt = startTimeOf(ending) ?? at;
  const events: RunEvent[] = [
    { type: 'step.settled', at, path, attempt, outcome, ...result },
    { type: 'edge.taken', at, from: path, outcome, to: step },
    { type: 'step.opened', at, activation },
  ];
  const row = { path, openedAt, startedAt, endedAt: at, maxAttempts: 2, outcome, ...(value === undefined ? {} : { output: value.ref }) };
  return createNext(before, events, {
    at: at + lag,
    values: value === undefined ? [] : [value],
    attempts: [createAttempt(ended, row)],
  });
}

function first(step = 'first'): Delta {
  runs += 1;
  const activation = createActivation(step, { startedAt: START_AT });
  return createFirst({ run: `r${runs}`, owner: 'me', definition: createLine('line', [step]), activation });
}

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
  expect(views.map(({ events }) => JSON.parse(String(events)))).toEqual(deltas.map(({ events }) => events));
  const seen = db.prepare('SELECT a.* FROM attempts a JOIN runs r ON r.key = a.run WHERE r.id = ? ORDER BY a.id').all(run);
  expect(seen).toMatchObject(
    stored.map(({ id, seq, path, step, kind, attempt, outcome, openedAt, startedAt, endedAt, output }) => ({
      ...{ id, seq, path, step, kind, attempt, outcome: outcome ?? null, output: output?.digest ?? null },
      ...{ opened: openedAt, started: startedAt ?? null, ended: endedAt },
    })),
  );
  const shown = db.prepare('SELECT current_step FROM workflow_runs WHERE run_id = ?').get(run);
  expect(shown?.current_step).toBe(Object.values(last.state.live)[0]?.step);
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

test('RF1: the store and its views return what was written, whatever the names and results of steps', async () => {
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

const stateWith = (more: object) => (delta: Delta) => ({ ...delta, state: { ...delta.state, ...more } });

describe('RF2: a checkpoint is read as written', () => {
  const TURN: Turn = { step: 'next', outcome: 'ok', output: undefined, merge: false, took: 7, lag: 1 };
  test.each<[string, (delta: Delta) => Delta]>([
    ['with counted visits', stateWith({ counts: { next: 1 } })],
    ['with a decision', stateWith({ decision: { step: 'ask', option: 'yes', actor: 'ada' } })],
    ['of a child', stateWith({ depth: 1, parent: { run: 'up', path: 'call#1' } })],
    ['that is paused', stateWith({ paused: true })],
    ['under another name than its definition', stateWith({ workflow: 'other' })],
    ['with a side step', (delta) => stateWith({ live: { ...delta.state.live, 'side#1': createActivation('side') } })(delta)],
    ['with a signal that waits', stateWith({ signals: { go: [null] } })],
    ['with an extended bound', stateWith({ extended: { 'a:ok': 1 } })],
    ['with flags', stateWith({ flags: [1] })],
    ['with an empty list and an empty object', stateWith({ said: [], granted: {} })],
    ['with a field that the store does not know', stateWith({ later: 1 })],
  ])('%s', async (_, change) => {
    const begin = first();
    const next = change(turn(begin, TURN));
    await commitAll([begin, next]);
    expect((await store.load(next.run)).state).toEqual(next.state);
  });
});

test.each([
  ['text that is not JSON', '{', 'JSON'],
  ['events that are not a list', '{"events":1}', 'list of events'],
  ['an event of an unknown type', '{"events":[{"type":"step.flew","at":1}]}', 'step.flew'],
])('RF3: a log row with %s is not decoded', (_, text, what) => {
  expect(() => decodeLogRow(text)).toThrow(what);
});

test('the steps of the attempts in a log row are found in its text, whatever their names and messages', () => {
  const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"step":"x"', '"attempts":[', '\\', 'a"b'));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name)), (rows) => {
      const attempts = rows.map(([step, message]) => {
        const { checks: _, ...attempt } = createAttempt(step, { error: { code: 'STEP_FAILED', message, reason: 'error' } });
        return attempt;
      });
      expect(stepsInLogRow(encodeLogRow({ events: [], attempts }))).toEqual(rows.map(([step]) => step));
    }),
  );
});
