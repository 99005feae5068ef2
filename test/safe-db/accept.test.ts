import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Acceptance, type AcceptOptions, acceptCopy } from '../../src/safe-db/accept.ts';
import { acceptedSince, findAcceptedStep } from '../../src/safe-db/accepted-steps.ts';
import { createCopy } from '../../src/safe-db/copy.ts';
import { tempFolder } from '../temp-folder.ts';
import { createBook, dump, write } from './book.ts';

const STEP = { run: 'r', started: 1, path: 'edit#1', attempt: 1 };
const OPTIONS: AcceptOptions = { step: STEP, at: '2026-01-01T00:00:00.000Z', result: () => '"done"' };

async function changedCopy(sql: string, file = createBook()) {
  const copy = await createCopy(file, { folder: join(tempFolder(), 'copy') });
  write(copy.copy, sql);
  return { file, copy, accept: (more: Partial<AcceptOptions> = {}): Promise<Acceptance> => acceptCopy(copy, { ...OPTIONS, ...more }) };
}

// One statement of each kind that can change rows, for every kind of table in the test database.
const CHANGES: readonly string[] = [
  "INSERT INTO books (isbn, title) VALUES ('n' || abs(random()), 'New')",
  "UPDATE books SET title = title || '!' WHERE id <= 2",
  'UPDATE books SET title = lower(title)',
  'DELETE FROM books WHERE id = 3',
  'UPDATE books SET id = 40 WHERE id = 2',
  "UPDATE books SET isbn = CASE id WHEN 1 THEN 'z1' ELSE 'z' || id END",
  "INSERT INTO chapters (book, text) VALUES (1, 'more')",
  'DELETE FROM chapters WHERE id = 2',
  "UPDATE settings SET value = 'light'",
  "INSERT OR REPLACE INTO settings VALUES ('font', 'serif'), ('theme', 'grey')",
  'DELETE FROM settings',
  "INSERT INTO marks VALUES ('p1', 'replaced')",
  "INSERT INTO marks VALUES ('p2', 'second')",
  "INSERT INTO lines (text) VALUES ('l2'), ('l3')",
  'DELETE FROM lines WHERE rowid = 2',
  "UPDATE lines SET text = 'longer' WHERE rowid = 1",
  "INSERT INTO inbox (text) VALUES ('clear')",
  "INSERT INTO outbox (text) VALUES ('x')",
  "UPDATE stamped SET text = 'z'",
  'INSERT INTO counted DEFAULT VALUES',
  "UPDATE history SET what = x'00ff'",
  'UPDATE totals SET n = 1.5 WHERE id = 1',
];

test('SD13: accepting a copy applies exactly the changes that a program made in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...CHANGES), { minLength: 1, maxLength: 8 }), fc.boolean(), async (statements, vacuums) => {
      const { file, copy, accept } = await changedCopy(`PRAGMA foreign_keys = ON; ${statements.join(';')}${vacuums ? '; VACUUM' : ''}`);
      const wanted = dump(copy.copy);
      const before = dump(file);
      const { kind } = await accept();
      expect(kind).toBe(isDeepStrictEqual(wanted, before) ? 'unchanged' : 'accepted');
      expect(dump(file)).toEqual(wanted);
    }),
    { numRuns: 20 },
  );
});

test('SD12: of two programs that change a database at the same time, neither loses its writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CHANGES), fc.constantFrom(...CHANGES), async (one, other) => {
      const both = [
        { sql: one, step: STEP },
        { sql: other, step: { ...STEP, path: 'other#1' } },
      ];
      const inOrder = async (works: typeof both) => {
        const file = createBook();
        const copies = await Promise.all(works.map(({ sql }) => changedCopy(sql, file)));
        await copies[0]?.accept(works[0]);
        const before = dump(file);
        const found = await copies[1]?.accept(works[1]);
        if (found?.kind === 'conflict') expect(dump(file)).toEqual(before);
        return { kind: found?.kind, rows: dump(file) };
      };
      const [there, back] = [await inOrder(both), await inOrder(both.toReversed())];
      expect(there.kind === 'conflict').toBe(back.kind === 'conflict');
      // If both are accepted, their order does not matter, except for the order of rows without a key.
      if (there.kind !== 'conflict' && !/random|lines|marks/.test(one + other)) expect(there.rows).toEqual(back.rows);
    }),
    { numRuns: 20 },
  );
});

test('SD12: a row that another program changed is a conflict that names it, and nothing is written', async () => {
  const { file, accept } = await changedCopy(
    "UPDATE books SET title = 'Mine' WHERE id = 1; UPDATE stamped SET text = 'mine'; INSERT INTO books VALUES (9, 'i', 'New')",
  );
  write(
    file,
    "UPDATE books SET title = 'Theirs' WHERE id = 1; DELETE FROM stamped WHERE id = 2; INSERT INTO books VALUES (9, 't', 'Theirs')",
  );
  const before = dump(file);
  const found = await accept();
  expect(found).toMatchObject({
    kind: 'conflict',
    rows: [
      { table: 'books', key: { id: '1' }, change: 'update', found: 'changed' },
      { table: 'books', key: { id: '9' }, change: 'insert', found: 'exists' },
      { table: 'stamped', key: { id: '2' }, change: 'update', found: 'gone' },
    ],
  });
  expect(found).toMatchObject({ why: expect.stringContaining('table "books", id = 1: was changed') });
  expect(dump(file)).toEqual(before);
});

test('SD12: an equal change of another program is a conflict: one of two increments would be lost', async () => {
  const { file, accept } = await changedCopy('UPDATE totals SET n = n + 1 WHERE id = 1');
  write(file, 'UPDATE totals SET n = n + 1 WHERE id = 1');
  expect(await accept()).toMatchObject({ kind: 'conflict', rows: [{ table: 'totals', key: { id: '1' }, found: 'changed' }] });
});

test.each([
  {
    what: 'a duplicate unique value',
    mine: "INSERT INTO books VALUES (8, 'x', 'Mine')",
    theirs: "INSERT INTO books VALUES (9, 'x', 'Theirs')",
    why: 'UNIQUE constraint failed: books.isbn',
  },
  {
    what: 'a reference to a deleted row',
    mine: "INSERT INTO chapters (book, text) VALUES (3, 'mine')",
    theirs: 'DELETE FROM books WHERE id = 3',
    why: 'it leaves dangling foreign keys: table "chapters" rowid 4 to table "books"',
  },
  {
    what: 'a migrated schema',
    mine: "UPDATE books SET title = 'Mine'",
    theirs: 'ALTER TABLE books ADD COLUMN more',
    why: 'the schema changed since the step began: table "books" was redefined',
  },
])('$what is a conflict, and nothing is written', async ({ mine, theirs, why }) => {
  const { file, accept } = await changedCopy(mine);
  write(file, theirs);
  const before = dump(file);
  expect(await accept()).toMatchObject({ kind: 'conflict', why: expect.stringContaining(why) });
  expect(dump(file)).toEqual(before);
});

test.each([
  ['a dropped table', 'DROP TABLE lines', 'it changed the schema: table "lines" was dropped'],
  ['a new column', 'ALTER TABLE lines ADD COLUMN more', 'table "lines" was redefined'],
  ['a new trigger', 'CREATE TRIGGER t AFTER INSERT ON books BEGIN SELECT 1; END', 'trigger "t" was created'],
  ['a dropped index', 'CREATE INDEX i ON lines (text)', 'index "i" was created'],
  ['a virtual table', "INSERT INTO found VALUES ('more')", 'in which a virtual table keeps its data'],
])('%s in a copy is rejected and named', async (_, sql, why) => {
  const { file, accept } = await changedCopy(sql);
  const before = dump(file);
  expect(await accept()).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) });
  expect(dump(file)).toEqual(before);
});

test('more deleted or updated rows than allowed are rejected with their number', async () => {
  const { accept } = await changedCopy('DELETE FROM chapters; DELETE FROM settings');
  expect(await accept({ deletesMax: 3 })).toMatchObject({
    kind: 'refused',
    why: 'it deleted 4 rows (3 of table "chapters", 1 of table "settings"), but may delete only 3; raise `deletes` if that is intended',
  });
  expect(await accept({ deletesMax: 4 })).toMatchObject({ kind: 'accepted' });
  const { accept: update } = await changedCopy("UPDATE books SET title = 'x'");
  expect(await update({ updatesMax: 2 })).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('updated 3 rows of table "books", more than its row limit of 2'),
  });
});

test('a changed table whose rows cannot be identified is rejected and named', async () => {
  const file = createBook();
  write(file, 'CREATE TABLE odd (rowid TEXT, oid TEXT, _rowid_ TEXT)');
  expect(await (await changedCopy('UPDATE books SET title = 1', file)).accept()).toMatchObject({ kind: 'accepted' });
  const { accept } = await changedCopy("INSERT INTO odd VALUES ('a', 'b', 'c')", file);
  await expect(accept()).rejects.toMatchObject({ code: 'DATA_PROTECTED', message: expect.stringContaining('table "odd" was changed') });
});

test('rows whose primary key is NULL are identified by their rowid', async () => {
  const file = createBook();
  write(file, "CREATE TABLE loose (name TEXT PRIMARY KEY, n); INSERT INTO loose VALUES (NULL, 1), (NULL, 2), ('a', 3)");
  const { copy, accept } = await changedCopy(
    'UPDATE loose SET n = 20 WHERE n = 2; INSERT INTO loose VALUES (NULL, 4); DELETE FROM loose WHERE n = 3',
    file,
  );
  expect(await accept()).toMatchObject({ kind: 'accepted', tables: [{ table: 'loose', inserted: 1, updated: 1, deleted: 1 }] });
  expect(dump(file)).toEqual(dump(copy.copy));
});

test('SD14: the record of a step is written in the transaction of its rows', async () => {
  const { file, copy, accept } = await changedCopy("UPDATE books SET title = 'x' WHERE id = 1");
  expect(findAcceptedStep(file, { ...STEP, since: 1 })).toBeUndefined();
  expect(await accept({ isStopped: () => true })).toEqual({ kind: 'stopped' });
  expect(findAcceptedStep(file, { ...STEP, since: 1 })).toBeUndefined();
  await accept({ result: (tables) => JSON.stringify(tables) });
  expect(findAcceptedStep(file, { ...STEP, since: 1 })).toMatchObject({
    attempt: 1,
    result: '[{"table":"books","inserted":0,"updated":1,"deleted":0}]',
  });
  expect(findAcceptedStep(file, { ...STEP, since: 2 })).toBeUndefined();
  expect(acceptedSince(file, copy.base)).toMatchObject([STEP]);
  await expect(accept()).resolves.toMatchObject({ kind: 'conflict' });
});

test('SD14: a second copy for the same attempt of a step is not accepted', async () => {
  const first = await changedCopy("UPDATE books SET title = 'x' WHERE id = 1");
  const second = await changedCopy("UPDATE books SET title = 'y' WHERE id = 2", first.file);
  await first.accept();
  const before = dump(first.file);
  await expect(second.accept()).rejects.toMatchObject({ code: 'DATABASE_FAILED' });
  expect(dump(first.file)).toEqual(before);
});

test('accepting a copy waits for the lock without blocking this process', async () => {
  const { file, accept } = await changedCopy("UPDATE books SET title = 'x' WHERE id = 1");
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const accepting = accept();
  // The timer fires although the lock is held: nothing waits synchronously.
  await new Promise((resolve) => setTimeout(resolve, 1));
  other.exec('COMMIT');
  other.close();
  expect(await accepting).toMatchObject({ kind: 'accepted' });
});

test('SD13: rows of a table with triggers are rejected if the schema of the copy was changed and changed back', async () => {
  const file = createBook();
  const sql = "CREATE TRIGGER books_kept BEFORE DELETE ON books BEGIN SELECT RAISE(ABORT, 'kept'); END";
  write(file, sql);
  const before = dump(file);
  const silent = await changedCopy(`DROP TRIGGER books_kept; DELETE FROM books WHERE id = 3; ${sql}`, file);
  expect(await silent.accept()).toMatchObject({ kind: 'refused', why: expect.stringContaining('table "books", which has triggers') });
  const other = await changedCopy(`DROP TRIGGER books_kept; ${sql.replace('ABORT', 'FAIL')}`, file);
  expect(await other.accept()).toMatchObject({ kind: 'refused', why: expect.stringContaining('trigger "books_kept" was redefined') });
  expect(dump(file)).toEqual(before);
  // Rows of a table without triggers are accepted.
  const harmless = await changedCopy("CREATE TABLE work (id); DROP TABLE work; UPDATE settings SET value = 'light'", file);
  expect(await harmless.accept()).toMatchObject({ kind: 'accepted' });
});

test('a constraint that the step itself violated is not reported as a conflict', async () => {
  const file = createBook();
  write(file, 'CREATE TABLE rated (id INTEGER PRIMARY KEY, stars INTEGER NOT NULL CHECK (stars < 6)); INSERT INTO rated VALUES (1, 1)');
  const before = dump(file);
  const dangling = await changedCopy('PRAGMA foreign_keys = OFF; DELETE FROM books WHERE id = 1', file);
  expect(await dangling.accept()).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('it left dangling foreign keys: table "chapters"'),
  });
  const unchecked = await changedCopy('PRAGMA ignore_check_constraints = ON; UPDATE rated SET stars = 9', file);
  expect(await unchecked.accept()).toMatchObject({ kind: 'refused', why: expect.stringContaining('CHECK constraint failed') });
  expect(dump(file)).toEqual(before);
});
