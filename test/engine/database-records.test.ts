// What a protected database remembers of runs: which of their steps were accepted, and which backup was made before each.
// A run is told from an earlier one with the same id.

import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine, defineWorkflow } from '../../src/index.ts';
import { deleteStepRecords } from '../../src/safe-db/accepted-steps.ts';
import { databaseContext, listBackups, SafeDatabaseClient } from '../../src/safe-db/index.ts';
import { createBook, write } from '../safe-db/book.ts';
import { tempFolder } from '../temp-folder.ts';

const lengthen = defineWorkflow({
  name: 'lengthen',
  databases: ['book'],
  steps: {
    one: {
      handler: (ctx) => ({ rows: ctx.db.run("UPDATE books SET title = title || '+' WHERE id = 1").changes }),
      postconditions: [
        { name: 'longer', check: (ctx) => ctx.db.get("SELECT 1 FROM books WHERE title LIKE '%+'") !== undefined, error: 'no +' },
      ],
      next: null,
    },
  },
});

/** Runs the workflow to its end in a project of its own, as another project or a store that was begun anew would. */
async function runElsewhere(file: string, id: string): Promise<{ readonly status: string; readonly createdAt: number }> {
  const engine = await createEngine({ db: ':memory:', databases: { book: { path: file } }, workflows: [lengthen], cwd: tempFolder() });
  try {
    const run = await engine.start(lengthen, {}, { id });
    const { status } = await run.wait('idle');
    return { status, createdAt: (await run.get()).createdAt };
  } finally {
    await engine.close();
  }
}

function rowsOf(file: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

const titleIn = (file: string): unknown => rowsOf(file, 'SELECT title FROM books WHERE id = 1')[0]?.title;

test('SD15: a run with the id of an earlier one does its own work, and has its own backup', async () => {
  const file = createBook();
  expect((await runElsewhere(file, 'nightly')).status).toBe('completed');
  expect((await runElsewhere(file, 'nightly')).status).toBe('completed');
  expect(titleIn(file)).toBe('Alpha++');
  const backups = listBackups(file).map(({ runId, path }) => [runId, titleIn(path)]);
  expect(backups).toEqual([
    ['nightly', 'Alpha+'],
    ['nightly', 'Alpha'],
  ]);
});

test('SD15: the records of a run can be deleted without those of another run with its id', async () => {
  const file = createBook();
  const first = await runElsewhere(file, 'nightly');
  const second = await runElsewhere(file, 'nightly');
  await runElsewhere(file, 'weekly');
  expect(deleteStepRecords(file, [{ run: 'nightly', started: first.createdAt }])).toBe(1);
  expect(rowsOf(file, 'SELECT run, started FROM pawl_steps ORDER BY run')).toEqual([
    { run: 'nightly', started: second.createdAt },
    { run: 'weekly', started: expect.any(Number) },
  ]);
});

test('SD15: a context of databases backs up before a run whose id was used before', async () => {
  const file = createBook();
  const db = new SafeDatabaseClient(file);
  onTestFinished(() => db.close());
  const context = databaseContext({ db });
  await context({ runId: 'nightly', startedAt: 1 });
  await context({ runId: 'nightly', startedAt: 1 });
  write(file, "UPDATE books SET title = 'Mine' WHERE id = 1");
  await context({ runId: 'nightly', startedAt: 2 });
  // Another process.
  await databaseContext({ db })({ runId: 'nightly', startedAt: 2 });
  expect(listBackups(file).map(({ path }) => titleIn(path))).toEqual(['Mine', 'Alpha']);
});
