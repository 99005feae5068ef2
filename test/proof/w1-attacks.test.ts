// Agents of the editing workflow that ruin the books: each is refused by name, and nothing of what it did is there.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { booksIn, type Editing, openEditing } from '../../examples/w1/editing.ts';
import { addPondBook } from '../../examples/w1/manuscript.ts';
import type { RunView } from '../../src/index.ts';
import { differences, listBackups, restoreBackup } from '../../src/safe-db/index.ts';
import { dump } from '../safe-db/book.ts';
import type { Fault } from '../seeds/faulty-command.ts';
import { tempFolder } from '../temp-folder.ts';

const FAULTY = join(import.meta.dirname, '../seeds', 'faulty-command.ts');
const IN_PLACE = "UPDATE chapters SET text = 'Gone.' WHERE version_id = 'ponds-v1'";
const FINISHED = 'a finished version is not changed; make a new version';

let editing: Editing;

afterEach(async () => {
  await editing.close();
});

/** A run in which one command damages the books beside its work, or in its place; with what the books were before. */
async function attacked(command: string, fault: Fault): Promise<{ view: RunView; before: object; id: string }> {
  const directory = tempFolder();
  const target = fault.file === undefined ? fault : { ...fault, file: booksIn(directory) };
  editing = await openEditing({ directory, commands: { [command]: [process.execPath, FAULTY, command, JSON.stringify(target)] } });
  const book = addPondBook(editing);
  const before = dump(booksIn(directory));
  const run = await editing.start(book);
  return { view: await run.wait('idle'), before, id: run.id };
}

const tablesOf = (rows: object): object => ({ ...rows, workflow_runs: undefined });
const books = (): object => tablesOf(dump(booksIn(editing.directory)));
const dropped = 'the changes of step "strategic-planning" to its copy of database "book" were discarded: ';

test.each<[string, string, string]>([
  ['drops a table', 'DROP TABLE chapters', `${dropped}it changed the schema: `],
  ['deletes the chapters', 'DELETE FROM chapters', `${dropped}it deleted 3 rows (3 of table "chapters"), but may delete only 0`],
  [
    'deletes a version',
    "PRAGMA foreign_keys = OFF; DELETE FROM versions WHERE id = 'ponds-v1'",
    `${dropped}it deleted 1 rows (1 of table "versions")`,
  ],
  ['adds a table', 'CREATE TABLE notes (text)', `${dropped}it changed the schema: `],
  ['edits in place', IN_PLACE, FINISHED],
  ['replaces in place', "REPLACE INTO chapters VALUES ('ponds-v1', 1, 'Gone', 'Gone.')", FINISHED],
  ['deletes and inserts in place', "DELETE FROM chapters; INSERT INTO chapters VALUES ('ponds-v1', 1, 'Gone', 'Gone.')", FINISHED],
  ['drops what forbids it, and edits in place', `DROP TRIGGER finished_chapters_stay; ${IN_PLACE}`, `${dropped}it changed the schema: `],
])('an agent that %s is refused, and none of its changes remain', async (_, sql, reason) => {
  const { view, before } = await attacked('w1:strategic', { attempts: 9, sql });
  expect([view.status, view.currentStep]).toEqual(['escalated', 'strategic-planning']);
  expect(view.steps.map(({ error }) => error ?? '').find((error) => !error.includes(reason))).toBeUndefined();
  expect(books()).toEqual(tablesOf(before));
});

test('a command that only measures cannot write: its change is discarded', async () => {
  const { view } = await attacked('review:chapters', {
    attempts: 9,
    sql: "UPDATE chapters SET text = 'Short.' WHERE version_id = 'ponds-v2'",
  });
  expect([view.status, view.currentStep]).toEqual(['escalated', 'chapter-review']);
  expect(view.error).toContain('it may only read it, but changed table "chapters"');
  expect(editing.books.chapters('ponds-v2')[0]?.text).toContain('A pond is still');
});

test('an agent that edits the file itself is detected and reported, and the backup of the run restores what it deleted', async () => {
  const { view, before, id } = await attacked('w1:strategic', { attempts: 1, sql: 'DELETE FROM chapters WHERE number = 3', file: 'books' });
  expect(view.steps[0]?.evidence).toMatchObject({
    changedMeanwhile: { book: { notByPawl: true, tables: [{ table: 'chapters', removed: 1 }] } },
  });
  const file = booksIn(editing.directory);
  const backup = listBackups(file).find(({ runId }) => runId === id);
  expect(differences(file, backup?.path ?? '').map(({ table }) => table)).toContain('chapters');
  await restoreBackup(file, backup?.path ?? '');
  expect(books()).toEqual(tablesOf(before));
});
