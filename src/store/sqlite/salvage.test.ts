import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../../test/temp-folder.ts';
import { changeStep, createActivation, createAttempt, createFirst, createNext, createValue } from '../../proof/store-suite/deltas.ts';
import { openSqliteStore } from './open.ts';
import { salvage } from './salvage.ts';

const RUNS = 60;
const PAGE = 4096;
let directory: string;
let file: string;

beforeEach(async () => {
  directory = tempFolder();
  file = join(directory, 'pawl.db');
  const store = await openSqliteStore({ file });
  for (let n = 0; n < RUNS; n += 1) {
    const value = createValue({ n });
    const first = createFirst({ run: `run-${n}`, owner: 'me' });
    await store.commit(first);
    const changed = changeStep(createActivation('build', { feedback: `note of ${n};` }));
    await store.commit(createNext(first, [changed], { values: [value], attempts: [createAttempt('build', { output: value.ref })] }));
  }
  await store.close();
});

/** Fills the page of a table that contains a text with zeros. */
function zeroPageOf(table: string, text: string): void {
  const db = new DatabaseSync(file);
  const pages = db.prepare('SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ?').all(table, 'leaf');
  db.close();
  const bytes = readFileSync(file);
  const page = pages.map(({ pageno }) => (pageno as number) - 1).find((at) => bytes.subarray(at * PAGE, (at + 1) * PAGE).includes(text));
  expect(page).toBeDefined();
  bytes.fill(0, (page as number) * PAGE, ((page as number) + 1) * PAGE);
  writeFileSync(file, bytes);
}

test('an unreadable page of runs does not hide the others, and its runs are listed as damaged', async () => {
  zeroPageOf('runs', 'run-30');
  const store = await openSqliteStore({ file });
  const listed = await store.list({});
  await store.close();
  expect(listed).toHaveLength(RUNS);
  expect(listed.find(({ id }) => id === 'run-30')).toMatchObject({ damaged: expect.any(String) });
  const sound = listed.filter(({ damaged }) => damaged === undefined);
  expect(sound.length).toBeGreaterThan(RUNS / 3);
  expect(sound.length).toBeLessThan(RUNS);
});

test('the records before the first one that cannot be read are saved', () => {
  zeroPageOf('events', 'note of 30;');
  const saved = [...salvage(file)];
  expect(saved).toHaveLength(RUNS);
  expect(saved.find(({ run }) => run === 'run-30')).toMatchObject({ isWhole: false, why: expect.stringContaining('cannot be read') });
  const whole = saved.filter(({ isWhole }) => isWhole);
  expect(whole.length).toBeGreaterThan(RUNS / 3);
  expect(whole[0]).toMatchObject({ why: null, workflow: expect.any(String), records: [{ seq: 1 }, { seq: 2 }] });
  expect(Object.values(whole[0]?.values ?? {})).toContainEqual({ n: RUNS - 1 });
});

test('a changed record is not saved', () => {
  const db = new DatabaseSync(file);
  db.exec("UPDATE events SET body = replace(body, 'note of 7;', 'noTe of 7;') WHERE body LIKE '%note of 7;%'");
  db.close();
  const run = [...salvage(file)].find(({ run: id }) => id === 'run-7');
  expect(run).toMatchObject({ isWhole: false, why: '2 records were written; record 2 was changed', records: [{ seq: 1 }] });
});
