// Functions of a workflow use a protected database, which is backed up before their run.

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEngine, defineWorkflow } from '../../src/index.ts';
import { databaseContext, listBackups, restoreBackup, SafeDatabaseClient } from '../../src/safe-db/index.ts';
import { createBook, dump } from './book.ts';

function open(file: string): SafeDatabaseClient {
  const db = new SafeDatabaseClient(file);
  onTestFinished(() => db.close());
  return db;
}

test('the database is backed up once before the run, and steps and postconditions receive it', async () => {
  const file = createBook();
  const before = dump(file);
  const db = open(file);
  const context = databaseContext({ db });
  const write = defineWorkflow({
    name: 'write',
    context,
    steps: {
      one: {
        handler: (ctx) => ({ rows: ctx.db.run("INSERT INTO lines (text) VALUES ('one')").changes }),
        postconditions: [
          { name: 'written', check: (ctx) => ctx.db.get("SELECT 1 FROM lines WHERE text = 'one'") !== undefined, error: 'not written' },
        ],
        next: 'ruin',
      },
      ruin: { handler: (ctx) => ({ rows: ctx.db.run('DELETE FROM lines').changes }), retry: { max: 2 }, next: null },
    },
  });
  const engine = await createEngine({ db: ':memory:', workflows: [write] });
  const run = await engine.start(write);
  await run.wait('idle');
  await engine.close();
  expect(listBackups(file)).toMatchObject([{ runId: run.id, reason: 'run', verified: true }]);
  expect(dump(file).lines).toHaveLength(4);
  await restoreBackup(file, listBackups(file)[0]?.path ?? '');
  expect(dump(file)).toEqual(before);
});

test('steps that begin at once share a backup, and another process does not make a second one', async () => {
  const file = createBook();
  const context = databaseContext({ db: open(file) });
  await Promise.all([context({ runId: 'r1' }), context({ runId: 'r1' }), context({ runId: 'r2' })]);
  await databaseContext({ db: open(file) })({ runId: 'r1' });
  expect(
    listBackups(file)
      .map(({ runId }) => runId)
      .sort(),
  ).toEqual(['r1', 'r2']);
});

test('a backup beyond the number to keep is not made again later', async () => {
  const file = createBook();
  const db = new SafeDatabaseClient(file, { keepBackups: 1 });
  for (const runId of ['r1', 'r2']) await databaseContext({ db })({ runId });
  const { path } = listBackups(file).find(({ runId }) => runId === 'r1') ?? { path: '' };
  await databaseContext({ db })({ runId: 'r1' });
  db.close();
  await expect(restoreBackup(file, path)).rejects.toThrow('the file does not exist');
  expect(listBackups(file)).toHaveLength(2);
});

test('a failed backup fails the step', async () => {
  const file = createBook();
  const db = new SafeDatabaseClient(file, { backupFolder: join(file, 'no folder') });
  onTestFinished(() => db.close());
  const context = databaseContext({ db });
  await expect(context({ runId: 'r1' })).rejects.toThrow('cannot back up');
  await expect(context({ runId: 'r1' })).rejects.toThrow('cannot back up');
});
