// Attacks on cached statements: whatever changed since the analysis, every rule still holds.

import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SafeDatabaseClient, type SafeDatabaseOptions } from '../../src/safe-db/index.ts';
import { type Instruction, rowsAtMost } from '../../src/safe-db/row-bound.ts';
import { createBook, dump, SCHEMA, write } from './book.ts';
import { LOSING_STATEMENTS } from './losing-statements.ts';

function open(options: SafeDatabaseOptions = {}, file = createBook()): SafeDatabaseClient {
  const db = new SafeDatabaseClient(file, options);
  onTestFinished(() => db.close());
  return db;
}

/** Runs a statement until it is cached and has run from the cache. */
function warm(db: SafeDatabaseClient, sql: string, parameters: readonly (string | number)[] = []): void {
  for (let n = 0; n < 3; n += 1) db.run(sql, parameters);
}

const RENAME = 'UPDATE books SET title = ? WHERE id = ?';
const WIPE = 'BEGIN DELETE FROM chapters; END';

describe('a schema change after a statement was cached', () => {
  test.each([
    ['a trigger that deletes', RENAME, `CREATE TRIGGER wipe AFTER UPDATE ON books ${WIPE}`, 'trigger "wipe" deletes'],
    [
      'a trigger that replaces',
      RENAME,
      "CREATE TRIGGER wipe AFTER UPDATE ON books BEGIN REPLACE INTO history (what) VALUES ('outbox'); END",
      'REPLACE blocked: it deletes the rows of table "history"',
    ],
    [
      'a trigger that exceeds the limit',
      RENAME,
      "CREATE TRIGGER wipe AFTER UPDATE ON books BEGIN UPDATE chapters SET text = ''; END",
      'UPDATE changed 4 rows',
    ],
    [
      'a table that became a view whose trigger deletes',
      RENAME,
      `DROP VIEW titles; DROP TABLE chapters; ALTER TABLE books RENAME TO old; CREATE VIEW books AS SELECT * FROM old;
       CREATE TRIGGER wipe INSTEAD OF UPDATE ON books BEGIN DELETE FROM old; END`,
      'trigger "wipe" deletes',
    ],
    [
      'a view whose trigger was replaced',
      'UPDATE titles SET title = ? WHERE id = ?',
      'DROP TRIGGER titles_update; CREATE TRIGGER wipe INSTEAD OF UPDATE ON titles BEGIN DELETE FROM books; END',
      'trigger "wipe" deletes',
    ],
    [
      'a key that is no longer unique',
      'UPDATE settings SET value = ? WHERE name = ?',
      `DROP TABLE settings; CREATE TABLE settings (name, value);
       INSERT INTO settings VALUES (1, 'a'), (1, 'b'), (1, 'c'), (1, 'd')`,
      'UPDATE changed 4 rows',
    ],
    [
      'a constraint that replaces',
      RENAME,
      `PRAGMA foreign_keys = OFF; DROP VIEW titles; ALTER TABLE books RENAME TO old;
       CREATE TABLE books (id INTEGER PRIMARY KEY, title UNIQUE ON CONFLICT REPLACE); INSERT INTO books SELECT id, title FROM old`,
      'REPLACE blocked: it deletes the rows of table "books"',
    ],
    [
      'a foreign key that cascades',
      'UPDATE inbox SET id = id + ? - ? WHERE id = 7',
      `CREATE TABLE parts (inbox INTEGER REFERENCES inbox (id) ON UPDATE CASCADE); INSERT INTO inbox (id) VALUES (7);
       INSERT INTO parts VALUES (7), (7), (7)`,
      'UPDATE changed 4 rows',
    ],
  ])('%s', async (_, sql, ...[change, refusal]) => {
    for (const isInside of [false, true]) {
      const db = open({ rowLimit: 3 });
      warm(db, sql, ['1', 1]);
      write(db.file, change);
      const before = dump(db.file);
      if (isInside) await expect(db.transaction(() => db.run(sql, ['2', 1]))).rejects.toThrow(refusal);
      else expect(() => db.run(sql, ['2', 1])).toThrow(refusal);
      expect(dump(db.file)).toEqual(before);
    }
  });

  test('a schema change by a connection that has the file attached under another name is noticed', () => {
    const db = open();
    warm(db, RENAME, ['x', 1]);
    const other = new DatabaseSync(':memory:');
    other.prepare('ATTACH ? AS victim').run(db.file);
    other.exec(`CREATE TRIGGER victim.wipe AFTER UPDATE ON books ${WIPE}`);
    other.close();
    expect(() => db.run(RENAME, ['y', 1])).toThrow('trigger "wipe" deletes');
    expect(dump(db.file).chapters).toHaveLength(3);
  });

  test('a table with a new column is written as before', () => {
    const db = open();
    warm(db, RENAME, ['x', 1]);
    write(db.file, 'ALTER TABLE books ADD COLUMN more');
    expect(db.run(RENAME, ['y', 1]).changes).toBe(1);
    expect(db.run(RENAME, ['z', 1]).changes).toBe(1);
    expect(db.get('SELECT title, more FROM books WHERE id = 1')).toEqual({ title: 'z', more: null });
  });

  test('a table that was dropped and created again is protected, and its rows are counted once', () => {
    const db = open();
    warm(db, RENAME, ['x', 1]);
    write(db.file, 'DROP TABLE lines');
    expect(db.run(RENAME, ['y', 1]).changes).toBe(1);
    write(db.file, 'DROP TABLE stamped');
    expect(db.run(RENAME, ['z', 1]).changes).toBe(1);
    write(db.file, "CREATE TABLE lines (id INTEGER PRIMARY KEY, text); INSERT INTO lines (text) VALUES ('l1')");
    expect(() => db.run("REPLACE INTO lines VALUES (1, 'l2')")).toThrow('REPLACE blocked: it deletes the rows of table "lines"');
    expect(db.getDeleteConfirmation('lines', { text: 'l1' }).rows).toEqual({ lines: 1 });
  });

  test('a cached read uses the current view', () => {
    const db = open();
    for (let n = 0; n < 3; n += 1) db.query('SELECT * FROM titles');
    for (let n = 0; n < 3; n += 1) expect(db.query('PRAGMA table_info(titles)')).toHaveLength(2);
    write(db.file, 'DROP VIEW titles; CREATE VIEW titles AS SELECT isbn FROM books');
    for (let n = 0; n < 3; n += 1) expect(db.query('PRAGMA table_info(titles)')).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) expect(db.query('SELECT * FROM titles')).toEqual([{ isbn: 'a' }, { isbn: 'b' }, { isbn: 'c' }]);
    write(db.file, 'DROP VIEW titles');
    expect(db.query('PRAGMA table_info(titles)')).toHaveLength(0);
  });

  test('a table is protected after a transaction rolled our triggers back', async () => {
    const db = open();
    const failing = db.transaction(() => {
      warm(db, RENAME, ['x', 1]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(() => db.run("REPLACE INTO books VALUES (1, 'a', 'new')")).toThrow('REPLACE blocked');
    warm(db, RENAME, ['y', 1]);
    expect(db.get('SELECT title FROM books WHERE id = 1')).toEqual({ title: 'y' });
  });
});

describe('SD11: a statement is cached only as it was analyzed', () => {
  test('a rejected statement is rejected every time', () => {
    const db = open();
    const before = dump(db.file);
    for (const { form, sql } of [...LOSING_STATEMENTS, ...LOSING_STATEMENTS]) expect(() => db.run(sql), form).toThrow();
    expect(dump(db.file)).toEqual(before);
  });

  test('a token is valid once, even if the same delete ran before', () => {
    const db = open();
    const where = { text: 'l1' };
    const { token } = db.getDeleteConfirmation('lines', where);
    expect(db.delete('lines', where, token)).toBe(2);
    db.run("INSERT INTO lines (text) VALUES ('l1')");
    expect(() => db.delete('lines', where, token)).toThrow('unknown or was already used');
    expect(() => db.run('DELETE FROM main."lines" WHERE "text" IS ?', ['l1'])).toThrow('confirmation token');
    expect(db.get("SELECT count(*) AS n FROM lines WHERE text = 'l1'")).toEqual({ n: 1 });
  });

  test('each client has its own limit, which later changes of its options do not affect', () => {
    const file = createBook();
    const options = { rowLimit: 2 };
    const strict = open(options, file);
    const free = open({}, file);
    const sql = 'UPDATE books SET title = ? WHERE id >= ?';
    warm(free, sql, ['x', 1]);
    warm(strict, sql, ['y', 2]);
    options.rowLimit = 1000;
    expect(() => strict.run(sql, ['z', 1])).toThrow('UPDATE changed 3 rows');
    expect(free.query('SELECT DISTINCT title FROM books')).toEqual([{ title: 'x' }, { title: 'y' }]);
  });

  test.each(['', ' RETURNING text'])('the row limit holds for every method%s', async (returning) => {
    const db = open({ rowLimit: 2 });
    const sql = `UPDATE lines SET text = text || ? WHERE rowid >= ?${returning}`;
    for (const method of ['run', 'get', 'query'] as const) {
      for (let n = 0; n < 3; n += 1) db[method](sql, ['', 2]);
      expect(() => db[method](sql, ['!', 1])).toThrow('UPDATE changed 3 rows');
      await db.transaction(() => expect(() => db[method](sql, ['!', 1])).toThrow('UPDATE changed 3 rows'));
    }
    expect(db.query('SELECT text FROM lines')).toEqual([{ text: 'l1' }, { text: 'l1' }, { text: 'l2' }]);
  });

  test.each([
    ['triggers on the same table', 'UPDATE stamped SET text = ? WHERE id >= ?', ['x', 2], ['x', 1], 4],
    ['a foreign key', 'UPDATE books SET id = id + ? WHERE id >= ?', [10, 3], [10, 1], 6],
    ['a foreign key of the same table', 'UPDATE nodes SET id = id + ? WHERE id = ?', [10, 9], [10, 1], 4],
    ['a view', 'UPDATE titles SET title = ? WHERE id >= ?', ['x', 2], ['x', 1], 3],
    [
      'an upsert of several rows',
      'INSERT INTO history (id) SELECT id FROM books WHERE id > ? + ? ON CONFLICT (id) DO UPDATE SET what = id',
      [1, 0],
      [0, 0],
      3,
    ],
    ['an insert whose trigger updates', 'INSERT INTO inbox (id, text) SELECT id + ?, ? FROM books', [1, 'x'], [9, 'all'], 6],
  ])('rows that are changed by %s count', async (_, sql, ...[few, many, changed]) => {
    const file = createBook();
    write(
      file,
      `CREATE TABLE nodes (id INTEGER PRIMARY KEY, up INTEGER REFERENCES nodes (id) ON UPDATE CASCADE);
       INSERT INTO nodes VALUES (1, NULL), (2, 1), (3, 1), (4, 1), (9, NULL);
       DROP TRIGGER inbox_cleared; CREATE TRIGGER inbox_all AFTER INSERT ON inbox WHEN NEW.text = 'all' BEGIN UPDATE settings SET value = 'all'; END`,
    );
    const db = open({ rowLimit: 100 }, file);
    const strict = open({ rowLimit: changed - 1 }, file);
    for (let n = 0; n < 3; n += 1) await strict.transaction(() => strict.run(sql, few)).catch(() => undefined);
    const before = dump(file);
    expect(() => strict.run(sql, many)).toThrow(`changed ${changed} rows`);
    await strict.transaction(() => expect(() => strict.run(sql, many)).toThrow(`changed ${changed} rows`));
    expect(dump(file)).toEqual(before);
    db.run(sql, many);
    expect(dump(file)).not.toEqual(before);
  });

  test('an EXPLAIN after a large insert is not counted as an update', () => {
    const db = open({ rowLimit: 2 });
    const sql = "EXPLAIN UPDATE books SET title = ''";
    for (let n = 0; n < 3; n += 1) {
      db.run("INSERT INTO lines (text) VALUES ('a'), ('b'), ('c')");
      expect(() => db.run(sql)).not.toThrow();
    }
  });

  test('a pattern as a parameter, which SQLite recompiles at each call, works and is limited', () => {
    const db = open({ rowLimit: 2 });
    const sql = 'UPDATE books SET title = title WHERE isbn LIKE ? AND id > 0';
    for (let n = 0; n < 5; n += 1) expect(db.run(sql, ['a']).changes).toBe(1);
    expect(() => db.run(sql, ['%'])).toThrow('UPDATE changed 3 rows');
    expect(db.run(sql, ['b']).changes).toBe(1);
  });

  test('more statements than the cache holds work', async () => {
    const db = open();
    await db.transaction(() => {
      for (let n = 0; n < 450; n += 1) db.run(`UPDATE books SET title = '${n}' WHERE id = 1`);
    });
    expect(db.get('SELECT title FROM books WHERE id = 1')).toEqual({ title: '449' });
  });

  test('a cached statement does not write after SQLite rolled the transaction back', async () => {
    const db = open();
    const failing = 'INSERT OR ROLLBACK INTO books (isbn) VALUES (?)';
    for (const isbn of ['x', 'y', 'z']) {
      db.run(failing, [isbn]);
      db.run(RENAME, ['x', 1]);
    }
    const before = dump(db.file);
    const ended = db.transaction(() => {
      warm(db, RENAME, ['y', 1]);
      expect(() => db.run(failing, ['a'])).toThrow('UNIQUE');
      expect(() => db.run(RENAME, ['z', 1])).toThrow('was rolled back by SQLite');
    });
    await expect(ended).rejects.toThrow('was rolled back by SQLite');
    expect(dump(db.file)).toEqual(before);
  });
});

describe('how many rows a statement can change', () => {
  const db = new DatabaseSync(':memory:');
  db.exec(`PRAGMA foreign_keys = ON; ${SCHEMA}
    CREATE TABLE once (id INTEGER PRIMARY KEY, text, stamp);
    CREATE TRIGGER once_stamp AFTER UPDATE OF text ON once BEGIN UPDATE once SET stamp = 1 WHERE id = NEW.id; END;
    CREATE TABLE many (id INTEGER PRIMARY KEY, text);
    CREATE TRIGGER many_all AFTER UPDATE ON many BEGIN UPDATE books SET title = ''; END`);
  const boundOf = (sql: string): number => rowsAtMost(db.prepare(`EXPLAIN ${sql}`).all() as unknown as Instruction[]);

  test.each([
    'UPDATE books SET title = ? WHERE id = ?',
    'UPDATE books SET title = upper(title) || ? WHERE isbn = ? AND title <> ?',
    "UPDATE settings SET value = ? WHERE name = 'theme'",
    'UPDATE books SET title = (SELECT max(text) FROM chapters) WHERE id = ?',
    'INSERT INTO books (id, isbn) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET title = excluded.title',
    "UPDATE once SET text = 'x' WHERE id = 1",
  ])('the number of rows that a statement can change is bounded for %s', (sql) => {
    expect(boundOf(sql)).toBeLessThan(20);
  });

  test.each([
    "UPDATE books SET title = ''",
    "UPDATE books SET title = '' WHERE title = ?",
    "UPDATE books SET title = '' WHERE id IN (1, 2)",
    "UPDATE books SET title = '' WHERE id = 1 OR isbn = 'b'",
    "UPDATE books SET title = '' WHERE id BETWEEN 1 AND 2",
    'UPDATE books SET title = text FROM chapters WHERE book = books.id AND books.id = 1',
    'UPDATE books SET id = ? WHERE id = ?',
    "UPDATE stamped SET text = '' WHERE id = 1",
    "UPDATE titles SET title = '' WHERE id = 1",
    'INSERT INTO counted VALUES (1)',
    'INSERT INTO books (id) VALUES (1), (2) ON CONFLICT (id) DO UPDATE SET title = excluded.title',
    'INSERT INTO books (id) SELECT id FROM books WHERE true ON CONFLICT (id) DO UPDATE SET title = excluded.title',
    "UPDATE many SET text = 'x' WHERE id = 1",
  ])('SD10: the number of rows that a statement can change has no bound for %s', (sql) => {
    expect(boundOf(sql)).toBe(Infinity);
  });

  test('SD10: a program with an unknown instruction has no bound', () => {
    const known = db.prepare('EXPLAIN UPDATE books SET title = ? WHERE id = ?').all() as unknown as Instruction[];
    expect(rowsAtMost(known)).toBeLessThan(20);
    for (const place of known.keys()) {
      const opcode = place === 0 ? 'Start' : 'Repeat';
      expect(rowsAtMost(known.map((instruction, n) => (n === place ? { ...instruction, opcode } : instruction)))).toBe(Infinity);
    }
    expect(rowsAtMost([])).toBe(Infinity);
  });
});
