// A step whose changes of a protected database are refused leaves nothing in the workspace either, with `onFail: 'restore'`.

import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine, defineWorkflow } from '../../src/index.ts';
import { listBackups } from '../../src/safe-db/index.ts';
import { createRepository, git } from '../git.ts';
import { createBook, dump, write } from '../safe-db/book.ts';
import { tempFolder } from '../temp-folder.ts';

/** A program that writes files and runs SQL on its copy; `theirs` is what another program does to the database meanwhile. */
async function ruined(sql: string, theirs?: { readonly file: string; readonly sql: string }) {
  const project = join(tempFolder(), 'project');
  createRepository(project, { text: 'one\n' });
  const file = theirs?.file ?? createBook();
  const program = `const { writeFileSync } = require('node:fs');
    const { DatabaseSync } = require('node:sqlite');
    writeFileSync('text', 'ruined'); writeFileSync('new', 'new');
    const change = (file, sql) => new DatabaseSync(file).exec(sql);
    change(process.env.PAWL_DB_BOOK, ${JSON.stringify(sql)});
    ${theirs === undefined ? '' : `change(${JSON.stringify(file)}, ${JSON.stringify(theirs.sql)});`}`;
  const edit = defineWorkflow({
    name: 'edit',
    steps: {
      one: {
        command: [process.execPath, '-e', program],
        databases: { book: { expect: ['SELECT 1'] } },
        onFail: 'restore',
        contractRetries: 0,
        next: { ok: null, conflict: 'complete' },
      },
    },
  });
  const options = { db: join(tempFolder(), 'pawl.db'), workflows: [edit], databases: { book: { path: file } } };
  const engine = await createEngine({ ...options, cwd: project });
  onTestFinished(() => engine.close({ abort: true }));
  const view = await (await engine.start(edit)).wait('idle');
  return { step: view.steps[0], file, text: readFileSync(join(project, 'text'), 'utf8'), isNew: existsSync(join(project, 'new')) };
}

const RESTORED = { restored: { files: 2, kept: [] } };

test.each([
  ['deletes rows', 'DELETE FROM lines'],
  ['changes the schema', 'DROP TABLE lines'],
])('files of a step that %s are put back, too', async (_, sql) => {
  const { step, text, isNew, file } = await ruined(sql);
  expect(step).toMatchObject({ error: expect.stringContaining('were discarded'), evidence: RESTORED });
  expect([text, isNew, (dump(file).lines as unknown[]).length]).toEqual(['one\n', false, 3]);
});

test('files of a step whose rows others changed meanwhile are put back, too', async () => {
  const file = createBook();
  write(file, 'PRAGMA journal_mode = WAL');
  const { step, text, isNew } = await ruined("UPDATE books SET title = 'Mine' WHERE id = 1", {
    file,
    sql: "UPDATE books SET title = 'Theirs' WHERE id = 1",
  });
  expect(step).toMatchObject({ outcome: 'conflict', evidence: RESTORED });
  expect([text, isNew, (dump(file).books as { title: string }[])[0]?.title]).toEqual(['one\n', false, 'Theirs']);
});

test('a database in the workspace and its backups are no files of a step: nothing puts them back or removes them', async () => {
  const project = join(tempFolder(), 'project');
  createRepository(project, { text: 'one\n' });
  const file = join(project, 'book.db');
  copyFileSync(createBook(), file);
  git(project, 'add', '--all');
  git(project, 'commit', '-qm', 'with the database');
  const change = (sql: string, end = ''): string =>
    `new (require('node:sqlite').DatabaseSync)(process.env.PAWL_DB_BOOK ?? 'book.db').exec(${JSON.stringify(sql)});${end}`;
  const program = (text: string): string[] => [process.execPath, '-e', text];
  const edit = defineWorkflow({
    name: 'edit',
    steps: {
      one: {
        command: program(`${change("UPDATE books SET title = 'Mine' WHERE id = 1")}require('node:fs').writeFileSync('text', 'two')`),
        databases: { book: { expect: ['SELECT 1'] } },
        next: 'two',
      },
      two: {
        command: program(
          `${change("UPDATE books SET title = 'Direct' WHERE id = 2")}require('node:fs').writeFileSync('text', 'three');process.exit(1)`,
        ),
        onFail: 'restore',
        retry: { max: 0 },
        next: { ok: null, error: 'fail' },
      },
    },
  });
  const options = { db: join(tempFolder(), 'pawl.db'), workflows: [edit], databases: { book: { path: 'book.db' } } };
  const engine = await createEngine({ ...options, cwd: project });
  onTestFinished(() => engine.close({ abort: true }));
  const run = await engine.start(edit);
  await run.wait('idle');
  const titles = (): unknown[] => (dump(file).books as { title: string }[]).map(({ title }) => title);
  expect([readFileSync(join(project, 'text'), 'utf8'), titles()]).toEqual(['two', ['Mine', 'Direct', 'Gamma']]);
  expect((await run.files()).files.map(({ path }) => path)).toEqual(['text']);
  await run.undo({ to: 'one', actor: 'ann' });
  expect([readFileSync(join(project, 'text'), 'utf8'), titles()]).toEqual(['one\n', ['Mine', 'Direct', 'Gamma']]);
  expect(listBackups(file).map(({ path }) => existsSync(path))).toEqual([true]);
});
