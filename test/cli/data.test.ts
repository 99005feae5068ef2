// `pawl data`: protected databases by name, from the command line.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { START_AT } from '../../src/proof/store-suite/deltas.ts';
import { recordStep } from '../../src/safe-db/accepted-steps.ts';
import { backUp } from '../../src/safe-db/index.ts';
import { dump, write } from '../safe-db/book.ts';
import { runId, writeRuns } from './kept-runs.ts';
import { CliRig, type Ended } from './rig.ts';

let rig: CliRig;
let file: string;

beforeEach(() => {
  rig = new CliRig();
  file = join(rig.project, 'data', 'book.db');
  settings('databases: { book: { path: data/book.db, migrations: migrations, keep_backups: 2 } }');
  migration('001_chapters.sql', "CREATE TABLE chapters (id INTEGER PRIMARY KEY, text); INSERT INTO chapters VALUES (1, 'a'), (2, 'b');");
});
afterEach(() => rig.close());

const data = (...words: string[]): Promise<Ended> => rig.run(['data', ...words]);
const json = <T extends object>(...words: string[]): Promise<T & { readonly code: number | null }> => rig.json<T>(['data', ...words]);

function settings(text: string): void {
  mkdirSync(join(rig.project, '.pawl'), { recursive: true });
  writeFileSync(join(rig.project, '.pawl', 'config.yaml'), `${text}\n`);
}

function migration(name: string, sql: string): void {
  mkdirSync(join(rig.project, 'migrations'), { recursive: true });
  writeFileSync(join(rig.project, 'migrations', name), sql);
}

test('migrate creates the database, and backs it up before later migrations', async () => {
  expect(await json('migrate')).toMatchObject({
    code: 0,
    databases: [{ name: 'book', path: file, applied: [{ number: 1 }], backup: null }],
  });
  migration('002_tag.sql', 'ALTER TABLE chapters ADD COLUMN tag;');
  expect(await json('migrate', 'book')).toMatchObject({ code: 0, databases: [{ applied: [{ number: 2 }], backup: { verified: true } }] });
  expect(await data('migrate')).toMatchObject({ code: 0, stdout: 'book has no new migrations\n' });
});

test('a migration that drops a table needs --allow-loss', async () => {
  await data('migrate');
  migration('002_drop.sql', 'DROP TABLE chapters;');
  expect(await data('migrate')).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-loss') });
  expect(dump(file).chapters).toHaveLength(2);
  expect(await data('migrate', '--allow-loss')).toMatchObject({ code: 0 });
  expect(dump(file).chapters).toBeUndefined();
});

test('"pawl data status" lists migrations, their problems, and backups', async () => {
  expect(await json('status')).toMatchObject({
    code: 0,
    databases: [{ bytes: null, migrations: { pending: [{ number: 1 }] }, backups: [] }],
  });
  await data('migrate');
  await data('backup');
  migration('001_chapters.sql', 'CREATE TABLE other (id);');
  const { code, stdout } = await data('status');
  expect([code, stdout]).toEqual([1, expect.stringContaining('001_chapters.sql was edited after it was applied')]);
  expect(stdout).toMatch(/[0-9a-f]{8} {2}\S+Z {2}request {2}\S+ \S+ {2}verified/);
  expect(await json('status')).toMatchObject({ code: 1, ok: false, databases: [{ rowLimit: 1000, backups: [{ reason: 'request' }] }] });
});

test('diff and restore find a backup by id, by run and by file; a restore can be undone', async () => {
  await data('migrate');
  const made = await backUp(file, { runId: 'r00000000000001' });
  const before = dump(file);
  write(file, "DELETE FROM chapters WHERE id = 1; UPDATE chapters SET text = 'c'");
  const ruined = dump(file);
  expect(await json('diff')).toMatchObject({ databases: [{ backup: made.path, tables: [{ table: 'chapters', removed: 1, changed: 1 }] }] });
  const { restored } = await json<{ restored: { saved: { id: string; path: string } }[] }>('restore', 'r0000000000');
  expect(dump(file)).toEqual(before);
  await data('restore', restored[0]?.saved.id.slice(0, 8) ?? '');
  expect(dump(file)).toEqual(ruined);
  expect(await data('restore', made.path)).toMatchObject({ code: 0 });
  expect(dump(file)).toEqual(before);
});

test('only as many backups as configured are kept', async () => {
  await data('migrate');
  for (let number = 0; number < 3; number += 1) await data('backup');
  expect(await json('status')).toMatchObject({ databases: [{ backups: [{}, {}] }] });
});

test('with several databases, a backup file must be given with its database', async () => {
  settings('databases: { book: { path: data/book.db, migrations: migrations }, other: { path: other.db } }');
  write(join(rig.project, 'other.db'), 'CREATE TABLE t (id)');
  await data('migrate', 'book');
  const { backups } = await json<{ backups: { name: string; path: string }[] }>('backup');
  expect(backups.map(({ name }) => name)).toEqual(['book', 'other']);
  const path = backups[1]?.path ?? '';
  expect(await data('restore', path)).toMatchObject({ code: 2, stderr: expect.stringContaining('--database: book, other') });
  expect(await data('restore', path, '--database', 'other')).toMatchObject({ code: 0 });
  expect(await data('migrate', 'other')).toMatchObject({ code: 2, stderr: expect.stringContaining('"databases.other.migrations"') });
});

test.each<[string, string[], string]>([
  ['an unknown database', ['backup', 'bok'], 'no protected database "bok" (did you mean "book"?)'],
  ['an unknown backup', ['restore', 'nothing'], 'no backup "nothing"'],
  ['no backup to compare with', ['diff'], 'no backup to compare with'],
  ['a restore without a backup', ['restore'], 'a backup is missing'],
  ['an option of another action', ['backup', '--allow-loss'], '--allow-loss is for "pawl data migrate"'],
  ['a database that is not there', ['backup'], '"pawl data migrate book" creates it'],
])('"pawl data" rejects %s', async (_, words, message) => {
  expect((await data(...words)).stderr).toContain(message);
});

test('a damaged backup is not restored', async () => {
  await data('migrate');
  const before = dump(file);
  const { backups } = await json<{ backups: { path: string }[] }>('backup');
  const path = backups[0]?.path ?? '';
  writeFileSync(path, readFileSync(path).fill(0, 100));
  expect(await data('restore', path)).toMatchObject({ code: 6, stderr: expect.stringContaining('nothing was changed') });
  expect(dump(file)).toEqual(before);
});

test('a damaged database is reported with its backups, and a backup can replace it', async () => {
  await data('migrate');
  const before = dump(file);
  const { backups } = await json<{ backups: { path: string }[] }>('backup');
  const path = backups[0]?.path ?? '';
  writeFileSync(file, 'not a database, but long enough to look like one');
  const problem = expect.stringContaining('it is damaged; "pawl data restore FILE" restores one of its backups');
  expect(await json('status')).toMatchObject({ code: 1, ok: false, databases: [{ problem, unrecorded: [path] }] });
  expect((await data('status')).stdout).toContain(path);
  for (const words of [['backup'], ['diff', path], ['migrate'], ['restore', 'run-1']])
    expect(await data(...words)).toMatchObject({ code: 6, stderr: problem });
  expect(await data('restore', path)).toMatchObject({ code: 0, stdout: expect.stringContaining('was damaged and is kept unchanged') });
  expect(dump(file)).toEqual(before);
});

test('settings of databases reject unknown fields, and a project file cannot set a path outside the project', async () => {
  settings('databases: { book: { file: x.db } }');
  expect(await data('status')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"databases.book.file" is unknown; known settings: path'),
  });
  settings('databases: { book: { path: ../../x.db } }');
  expect(await data('status')).toMatchObject({ code: 2, stderr: expect.stringContaining('is outside the project') });
  settings('databases: { book: { path: x.db, migrations: /etc } }');
  expect(await data('status')).toMatchObject({ code: 2, stderr: expect.stringContaining('the folder of migrations /etc is outside') });
  settings('limits: { global: 1 }');
  expect(await data('status')).toMatchObject({ code: 2, stderr: expect.stringContaining('no protected database is configured') });
});

test('a program that has the database open sees what was restored', async () => {
  await data('migrate');
  await data('backup');
  const open = new DatabaseSync(file);
  open.exec('DELETE FROM chapters');
  const { databases } = await json<{ databases: { backups: { id: string }[] }[] }>('status');
  await data('restore', databases[0]?.backups[0]?.id ?? '');
  expect(open.prepare('SELECT count(*) AS n FROM chapters').get()).toEqual({ n: 2 });
  open.close();
});

test('a whole run id names its backups even if another id begins with it, and several backups are an error', async () => {
  await data('migrate');
  const first = await backUp(file, { runId: 'edit-1', runStartedAt: 1 });
  await backUp(file, { runId: 'edit-10', runStartedAt: 2 });
  expect(await json('diff', 'edit-1')).toMatchObject({ code: 0, databases: [{ backup: first.path }] });
  const again = await backUp(file, { runId: 'edit-10', runStartedAt: 3, keep: 3 });
  const { code, stderr } = await data('restore', 'edit-10');
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${again.id.slice(0, 8)} (${again.createdAt})`)]);
});

test('prune removes the records of the runs in protected databases, but not those of a run with the same id elsewhere', async () => {
  await data('migrate');
  const runs = join(rig.folder, 'runs.db');
  await writeRuns(runs, ['completed', 'waiting']);
  const db = new DatabaseSync(file);
  const record = (run: string, started: number): void =>
    recordStep(db, { run, started, path: 'build#1', attempt: 1 }, { at: '2026-01-01T00:00:00.000Z', result: '"done"' });
  record(runId(1), START_AT);
  record(runId(1), START_AT + 5);
  record(runId(2), START_AT);
  expect(await rig.run(['prune', '--db', runs, '--older-than', '1d', '--yes'])).toMatchObject({ code: 0, stderr: '' });
  const left = db.prepare('SELECT run, started FROM pawl_steps ORDER BY run').all();
  db.close();
  expect(left.map((row) => ({ ...row }))).toEqual([
    { run: runId(1), started: START_AT + 5 },
    { run: runId(2), started: START_AT },
  ]);
});

test('a program that bypasses Pawl is reported with the step, also if the step does not use the database', async () => {
  await data('migrate');
  rig.write('direct.mjs', "import { DatabaseSync } from 'node:sqlite'; new DatabaseSync('data/book.db').exec(process.argv[2]);");
  const around = (sql: string): string => `run: "node direct.mjs \\"${sql}\\""`;
  rig.write(
    '.pawl/workflows/around.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: around }
stages:
  - { id: quiet, type: command, run: "true" }
  - { id: user, type: command, ${around("UPDATE chapters SET text = 'x' WHERE id = 1")}, databases: { book: { expect: ["SELECT 1"] } } }
  - { id: other, type: command, ${around('DELETE FROM chapters WHERE id = 2')} }
  - { id: remover, type: command, run: "rm data/book.db", databases: { book: { expect: ["SELECT 1"] } } }
`,
  );
  await rig.run(['trust', '--folder', '--yes']);
  const { stderr } = await rig.run(['run', 'around', '--id', 'around-1']);
  expect(stderr).toContain('while step "other" was running, which does not use database "book", something other than Pawl changed it');
  expect(stderr).not.toContain('"quiet"');
  const { stdout } = await rig.run(['show', 'around-1']);
  expect(stdout).toMatch(/user .*\n +database "book" was changed in the meantime by something other than Pawl:\s+chapters/);
  expect(stdout).toMatch(/other .*\n +database "book" was changed in the meantime by something other than Pawl\n/);
  expect(stdout).toMatch(/was\s+removed\s+while\s+step\s+"remover"\s+was\s+running/);
  const { stdout: status } = await data('status');
  expect(status).toContain('missing; "pawl data restore FILE" restores one of its backups');
  const [file] = (await json<{ databases: { unrecorded: string[] }[] }>('status')).databases[0]?.unrecorded ?? [];
  expect(await data('restore', file ?? '')).toMatchObject({ code: 0 });
});

test('a step whose rows others changed is shown as failed, with the row', async () => {
  await data('migrate');
  rig.write(
    'both.mjs',
    `import { DatabaseSync } from 'node:sqlite';
for (const [file, text] of [[process.env.PAWL_DB_BOOK, 'mine'], [${JSON.stringify(file)}, 'theirs']])
  new DatabaseSync(file).exec("UPDATE chapters SET text = '" + text + "' WHERE id = 1");
`,
  );
  rig.write(
    '.pawl/workflows/both.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: both }
stages:
  - { id: work, type: command, argv: [${JSON.stringify(process.execPath)}, both.mjs], databases: [book], on_conflict: complete }
`,
  );
  await rig.run(['trust', '--yes']);
  const { stdout } = await rig.run(['run', 'both', '--id', 'both-1']);
  expect(stdout).toMatch(/work#1 failed \(conflict\) in /);
  const shown = (await rig.run(['show', 'both-1'])).stdout;
  expect(shown).toContain('✗ work  conflict  ');
  expect(shown).toContain('rows that the step wrote were changed by others');
});
