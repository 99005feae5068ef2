import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import type { RunEvent } from '../../kernel/event.ts';
import {
  changeStep,
  createActivation,
  createAttempt,
  createFirst,
  createMember,
  createNext,
  createValue,
  openStep,
  START_AT,
} from '../../proof/store-suite/deltas.ts';
import type { Delta } from '../store.ts';
import { openSqliteStore, type SqliteStore } from './open.ts';
import { defineSum } from './seals.ts';

let directory: string;
let file: string;
let store: SqliteStore;
const output = createValue({ answer: 42 });

function script(run: string): Delta[] {
  const feedback = (n: number): RunEvent => changeStep(createActivation('build', { feedback: `note ${n}` }), START_AT + n);
  const deltas = [createFirst({ run, owner: 'me', more: { data: [{ key: 'version', text: '{"n":1}' }] } })];
  const add = (events: readonly RunEvent[], more: Partial<Delta> = {}): unknown =>
    deltas.push(createNext(deltas.at(-1) as Delta, events, more));
  add([feedback(1)], { values: [output], attempts: [createAttempt('prepare', { output: output.ref })] });
  add([openStep(createMember('a')), openStep(createMember('b', 1))]);
  add([feedback(3), changeStep(createMember('b', 1, { feedback: 'again' }))]);
  add([feedback(4)], { release: true });
  return deltas;
}

beforeEach(async () => {
  directory = tempFolder();
  file = join(directory, 'pawl.db');
  store = await openSqliteStore({ file });
  for (const run of ['sound', 'hurt']) for (const delta of script(run)) await store.commit(delta);
});

afterEach(async () => {
  await store.close();
});

const HURT = "(SELECT key FROM runs WHERE id = 'hurt')";

function damage(...statements: string[]): void {
  const db = new DatabaseSync(file);
  defineSum(db);
  for (const statement of statements) expect(db.prepare(statement).run().changes).toBe(1);
  db.close();
}

const RUN_DAMAGED = (what: string): object => ({
  code: 'RUN_DAMAGED',
  message: expect.stringContaining(what),
  details: expect.objectContaining({ runId: 'hurt' }),
});

describe('a run that another program changed', () => {
  test.each([
    ['its checkpoint', `UPDATE runs SET state = replace(state, 'note 4', 'note 5') WHERE id = 'hurt'`, 'checkpoint at record 5'],
    ['its status', `UPDATE runs SET status = 'waiting' WHERE id = 'hurt'`, 'checkpoint at record 5'],
    ['a status that does not exist', `UPDATE runs SET status = 'asleep' WHERE id = 'hurt'`, 'a status'],
    ['its position', `UPDATE runs SET seq = 4 WHERE id = 'hurt'`, 'continues after record 4'],
    ['the count of its attempts', `UPDATE events SET attempts = 2 WHERE run = ${HURT} AND seq = 5`, 'checkpoint at record 5'],
    ['its last record', `UPDATE events SET body = replace(body, 'note 4', 'note 5') WHERE run = ${HURT} AND seq = 5`, 'record 5'],
    ['a missing last record', `DELETE FROM events WHERE run = ${HURT} AND seq = 5`, 'record 5'],
    ['a member', `UPDATE members SET text = replace(text, 'each', 'eacH') WHERE run = ${HURT} AND path = 'each#1/b'`, 'each#1/b'],
    ['a missing member', `DELETE FROM members WHERE run = ${HURT} AND path = 'each#1/a'`, '2 members'],
  ])('%s is found when it is claimed, loaded, listed and checked', async (_, statement, what) => {
    damage(statement);
    await expect(store.claim('hurt', 'me')).rejects.toMatchObject(RUN_DAMAGED(what));
    await expect(store.load('hurt')).rejects.toMatchObject(RUN_DAMAGED(what));
    expect(await store.list({})).toMatchObject([{ id: 'hurt', damaged: expect.stringContaining(what) }, { id: 'sound' }]);
    expect((await store.list({}))[1]).not.toHaveProperty('damaged');
    expect(await store.check()).toMatchObject({ ok: false, problems: [{ run: 'hurt', what: expect.stringContaining(what) }] });
    expect(await store.claim('sound', 'me')).toMatchObject({ claimed: true });
  });

  test('a claim that finds damage changes nothing', async () => {
    damage(`UPDATE runs SET state = '{' WHERE id = 'hurt'`);
    await expect(store.claim('hurt', 'me')).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
    const db = new DatabaseSync(file);
    expect(db.prepare("SELECT owner, epoch FROM runs WHERE id = 'hurt'").get()).toMatchObject({ owner: null, epoch: 1 });
    db.close();
  });

  test.each([
    ['changed', [`UPDATE events SET body = replace(body, 'note 1', 'note 9') WHERE run = ${HURT} AND seq = 2`], 2],
    ['missing', [`DELETE FROM events WHERE run = ${HURT} AND seq = 3`], 3],
    [
      'swapped',
      [
        `UPDATE events SET place = place + 97 WHERE run = ${HURT} AND seq = 2`,
        `UPDATE events SET place = place - 1 WHERE run = ${HURT} AND seq = 3`,
        `UPDATE events SET place = place - 96 WHERE run = ${HURT} AND seq = 99`,
      ],
      2,
    ],
    ['of another time', [`UPDATE events SET at = at + 1 WHERE run = ${HURT} AND seq = 2`], 2],
  ])('a record that is %s is named by its number', async (_, statements, seq) => {
    damage(...statements);
    await expect(store.events('hurt', 0)).rejects.toMatchObject({ code: 'RUN_DAMAGED', details: { seq } });
    expect(await store.check()).toMatchObject({ ok: false, problems: [{ run: 'hurt', seq }] });
    expect(await store.events('sound', 0)).toHaveLength(5);
  });

  test('a row of another run is not accepted', async () => {
    damage(
      `DELETE FROM events WHERE run = ${HURT} AND seq = 1`,
      `UPDATE events SET place = (${HURT} << 26) + 1 WHERE run <> ${HURT} AND seq = 1`,
    );
    await expect(store.events('hurt', 0)).rejects.toMatchObject({ details: { seq: 1 } });
  });

  test('a value is verified, and the damage names run and step', async () => {
    damage(`UPDATE contents SET text = '{"answer":43}'`);
    await expect(store.values([output.ref.digest])).rejects.toMatchObject({
      code: 'RUN_DAMAGED',
      message: expect.stringContaining('prepare'),
      details: { step: 'prepare' },
    });
    expect((await store.check()).problems).toMatchObject([{ what: expect.stringContaining(output.ref.digest) }]);
    damage('DELETE FROM contents');
    await expect(store.values([output.ref.digest])).rejects.toMatchObject({ message: expect.stringContaining('is missing') });
    expect((await store.check()).problems).toMatchObject([{ run: 'sound' }, { run: 'hurt' }]);
  });

  test.each([
    ['data', `UPDATE data SET text = '{"n":2}' WHERE run = ${HURT}`, () => store.data('hurt')],
    ['data that is not JSON', `UPDATE data SET text = '{"n":' WHERE run = ${HURT}`, () => store.data('hurt', ['version'])],
    [
      'an attempt',
      `UPDATE events SET body = replace(body, '"maxAttempts":1', '"maxAttempts":2') WHERE run = ${HURT} AND seq = 2`,
      () => store.attempts('hurt'),
    ],
    ['a definition', `UPDATE definitions SET text = replace(text, 'approve', 'approvE')`, () => store.load('hurt')],
  ])('%s is verified when it is read', async (_, statement, read) => {
    damage(statement);
    await expect(read()).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  });

  test('the check finds a missing attempt', async () => {
    damage(`UPDATE events SET body = json_remove(body, '$.attempts') WHERE run = ${HURT} AND seq = 2`);
    expect((await store.check()).problems).toMatchObject([{ run: 'hurt', seq: 2 }]);
  });

  test('the check finds a checkpoint that differs from the folded log', async () => {
    const last = script('sound').at(-1) as Delta;
    const claim = await store.claim('sound', 'me');
    expect(claim.claimed).toBe(true);
    const next = createNext({ ...last, epoch: 2 }, [changeStep()]);
    await store.commit({ ...next, state: { ...next.state, counts: { build: 7 } } });
    expect((await store.check()).problems).toMatchObject([{ run: 'sound', what: expect.stringContaining('folded log') }]);
  });
});

describe('a damaged file', () => {
  test('the check finds a zeroed page', async () => {
    await store.close();
    const bytes = readFileSync(file);
    const page = bytes.indexOf('note 3') >> 12;
    bytes.fill(0, page * 4096, (page + 1) * 4096);
    writeFileSync(file, bytes);
    store = await openSqliteStore({ file });
    expect((await store.check()).ok).toBe(false);
  });

  test('a truncated file is not treated as an empty one', async () => {
    await store.close();
    truncateSync(file, 8192);
    await expect(
      openSqliteStore({ file }).then(async (opened) => {
        store = opened;
        return store.list({});
      }),
    ).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});
