import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { Activation } from '../../kernel/activation.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { RunState } from '../../kernel/run-state.ts';
import { changeStep, createFirst, createMember, createNext, createResumed, openStep, START_AT } from '../../proof/store-suite/deltas.ts';
import type { Delta, SuccessfulClaim } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';

let directory: string;
let store: SqliteStore;
let db: DatabaseSync;
let runs = 0;

beforeAll(async () => {
  directory = tempFolder();
  store = await openSqliteStore({ file: join(directory, 'pawl.db'), synchronous: 'NORMAL', isDead: () => true });
  db = new DatabaseSync(join(directory, 'pawl.db'));
});

afterAll(async () => {
  db.close();
  await store.close();
});

const opened = (key: number): RunEvent => openStep(createMember(String(key), key));
const settled = (path: string): RunEvent => ({ type: 'step.settled', at: START_AT, path, attempt: 1, outcome: 'ok' });
const changed = (key: number, feedback: string): RunEvent => changeStep(createMember(String(key), key, { feedback }));

const membersOf = (state: RunState): Activation[] => Object.values(state.live).filter(({ member }) => member !== undefined);
const count = (run: string): unknown =>
  db.prepare(`SELECT count(*) AS n FROM members WHERE run = (SELECT key FROM runs WHERE id = ?)`).get(run)?.n;

/** The content of one delta: how many members open, and the indexes of live ones that settle or change. */
const turns = fc.record({
  opens: fc.integer({ min: 0, max: 4 }),
  settles: fc.array(fc.nat(20), { maxLength: 4 }),
  changes: fc.array(fc.nat(20), { maxLength: 3 }),
  all: fc.boolean(),
  claims: fc.boolean(),
});

test('members are read as written, whichever opened, changed and settled together, even by a new owner', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turns, { minLength: 1, maxLength: 8 }), async (list) => {
      runs += 1;
      const run = `r${runs}`;
      let last: Delta = createFirst({ run, owner: 'me' });
      await store.commit(last);
      let next = 0;
      for (const { opens, settles, changes, all, claims } of list) {
        const live = membersOf(last.state).map(({ path }) => path);
        const ending = new Set(all ? live : settles.flatMap((n) => live[n] ?? []));
        const events = [...ending].map(settled);
        for (let n = 0; n < opens; n += 1) events.push(opened(next++));
        const candidates = [...live.filter((path) => !ending.has(path)), `each#1/${next - 1}`].filter(
          (path) => opens > 0 || live.includes(path),
        );
        for (const n of changes) {
          const path = candidates[n];
          if (path !== undefined && !ending.has(path)) events.push(changed(Number(path.split('/')[1]), `note ${n}`));
        }
        const claimed = claims ? ((await store.claim(run, 'you')) as SuccessfulClaim) : undefined;
        if (claimed !== undefined) expect(claimed.state).toEqual(last.state);
        last = claimed === undefined ? createNext(last, events) : createResumed(claimed, events);
        expect(await store.commit(last)).toMatchObject({ result: 'committed' });
        expect((await store.load(run)).state).toEqual(last.state);
        const seen = db
          .prepare('SELECT l.path FROM live_activations l JOIN runs r ON r.key = l.run WHERE r.id = ? AND l.of_group IS NOT NULL')
          .all(run);
        const paths = membersOf(last.state).map(({ path }) => path);
        expect(seen.map(({ path }) => path).sort()).toEqual(paths.sort());
      }
    }),
    { numRuns: 60 },
  );
});

test('each live member has a row, and no row is left when all have settled', async () => {
  const first = createFirst({ run: 'many', owner: 'me' });
  const keys = Array.from({ length: 1000 }, (_, key) => key);
  const second = createNext(first, keys.map(opened));
  await store.commit(first);
  await store.commit(second);
  expect(count('many')).toBe(1000);
  const third = createNext(second, [settled('each#1/7'), changed(8, 'again')]);
  await store.commit(third);
  expect(count('many')).toBe(999);
  expect(Object.keys((await store.load('many')).state.live)).toHaveLength(1000);
  await store.commit(
    createNext(
      third,
      keys.filter((key) => key !== 7).map((key) => settled(`each#1/${key}`)),
    ),
  );
  expect(count('many')).toBe(0);
});

test('a write that was rolled back changes no member', async () => {
  const first = createFirst({ run: 'undone', owner: 'me' });
  const second = createNext(first, [opened(0), opened(1)]);
  await store.commit(first);
  await store.commit(second);
  const mail = { run: 'undone', dedupe: 'a', input: 1n as never, values: [] };
  const lost = createNext(second, [settled('each#1/0')], { post: [mail] });
  await expect(store.commit(lost)).rejects.toThrow();
  const third = createNext(second, [settled('each#1/0')]);
  expect(await store.commit(third)).toMatchObject({ result: 'committed' });
  expect((await store.load('undone')).state).toEqual(third.state);
});

test('another store that opens the file reads the members', async () => {
  const first = createFirst({ run: 'handed', owner: 'me' });
  const second = createNext(first, [opened(0), opened(1)]);
  await store.commit(first);
  await store.commit(second);
  const other = await openSqliteStore({ file: join(directory, 'pawl.db'), synchronous: 'NORMAL' });
  const third = createNext(second, [settled('each#1/0')]);
  expect(await other.commit(third)).toMatchObject({ result: 'committed' });
  expect((await other.load('handed')).state).toEqual(third.state);
  await other.close();
});
