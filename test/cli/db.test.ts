import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPrivateFile } from '../../src/base/sqlite.ts';
import { MIGRATIONS } from '../../src/store/sqlite/migrate.ts';
import { runId, writeRuns } from './kept-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let db: string;

beforeEach(() => {
  rig = new CliRig();
  db = join(rig.state, 'runs.db');
});
afterEach(() => rig.close());

const pawl = (...words: string[]): Promise<Ended> => rig.run([...words, '--db', db]);
const newest = MIGRATIONS.at(-1)?.version;

test('"pawl db check" reports an intact database', async () => {
  await writeRuns(db, ['completed']);
  expect(await pawl('db', 'check')).toEqual({ code: 0, stdout: `✓ ${db} is intact (version ${newest})\n`, stderr: '' });
  expect(await rig.json(['db', 'check', '--db', db])).toEqual({
    code: 0,
    schemaVersion: 1,
    ok: true,
    file: db,
    version: newest,
    problems: [],
  });
});

test('"pawl db check" lists the damage by run, and exits with 1', async () => {
  await writeRuns(db, ['completed', 'completed']);
  const raw = new DatabaseSync(db);
  raw.exec('UPDATE events SET at = at + 1 WHERE run = 1 AND seq = 2');
  raw.close();
  const { code, stdout } = await pawl('db', 'check');
  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`^✗ run ${runId(1)} is damaged: .*\n1 problem in ${db}`));
  expect(await rig.json(['db', 'check', '--db', db])).toMatchObject({ code: 1, ok: false, problems: [{ run: runId(1) }] });
});

// Only one version of the file exists so far; that an older one is backed up first is tested in src/store/sqlite/file.test.ts.
test('"pawl db migrate" creates the tables of an empty file, and does not change a file of this version', async () => {
  createPrivateFile(db);
  expect(await rig.json(['db', 'migrate', '--db', db])).toMatchObject({ code: 0, file: db, from: 0, to: newest, backup: null });
  expect((await pawl('db', 'migrate')).stdout).toContain('is already version');
});

test('a copy is rejected until it is adopted', async () => {
  await writeRuns(db, ['completed']);
  const original = db;
  db = join(rig.state, 'moved.db');
  copyFileSync(original, db);
  expect(await pawl('prune', '--older-than', '0s', '--yes')).toMatchObject({ code: 6, stderr: expect.stringContaining('[STORE_COPIED]') });
  expect(await rig.json(['db', 'adopt', '--db', db])).toMatchObject({ code: 0, copyOf: original });
  expect((await pawl('prune', '--older-than', '0s', '--yes')).code).toBe(0);
  expect((await pawl('db', 'adopt')).stdout).toContain('is already yours');
});

test('without a database "pawl db" fails and creates none', async () => {
  for (const action of ['check', 'migrate', 'adopt'])
    expect(await pawl('db', action)).toMatchObject({ code: 6, stderr: expect.stringContaining('does not exist') });
  expect(existsSync(db)).toBe(false);
  expect(await pawl('db', 'chekc')).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "check"?') });
});
