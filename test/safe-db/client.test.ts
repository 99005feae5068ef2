// The client of a protected database: reads, writes, confirmed deletes, transactions, the row limit.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SafeDatabaseClient, type SafeDatabaseOptions } from '../../src/safe-db/index.ts';
import { tempFolder } from '../temp-folder.ts';
import { createBook, dump, write } from './book.ts';

function open(options: SafeDatabaseOptions = {}): SafeDatabaseClient {
  return openFile(createBook(), options);
}

function openFile(file: string, options: SafeDatabaseOptions = {}): SafeDatabaseClient {
  const db = new SafeDatabaseClient(file, options);
  onTestFinished(() => db.close());
  return db;
}

describe('ordinary statements', () => {
  test('statements that read and write work as with any client', () => {
    const db = open();
    expect(db.run('INSERT INTO books (isbn, title) VALUES (?, ?)', ['d', 'Delta'])).toEqual({ changes: 1, lastInsertRowid: 4 });
    expect(db.run('UPDATE books SET title = $title WHERE id = $id', { title: 'New', id: 4 }).changes).toBe(1);
    expect(db.get('SELECT isbn, title FROM books WHERE id = ?', [4])).toEqual({ isbn: 'd', title: 'New' });
    expect(db.query('INSERT INTO lines (text) VALUES (?), (?) RETURNING length', ['ab', 'abc'])).toEqual([{ length: 2 }, { length: 3 }]);
    expect(db.query("SELECT text FROM found WHERE found MATCH 'needle'")).toEqual([{ text: 'needle' }]);
    expect(db.query('PRAGMA table_info(settings)')).toHaveLength(2);
    expect(db.query('WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n')).toHaveLength(3);
  });

  test('an upsert that updates is allowed', () => {
    const db = open();
    db.run("INSERT INTO books VALUES (1, 'a', 'Omega') ON CONFLICT (id) DO UPDATE SET title = excluded.title");
    expect(db.get('SELECT title FROM books WHERE id = 1')).toEqual({ title: 'Omega' });
  });

  test('a trigger that updates its own table works', () => {
    const db = open();
    db.run("UPDATE stamped SET text = 'z' WHERE id = 1");
    expect(db.get('SELECT stamp FROM stamped WHERE id = 1')).toEqual({ stamp: 1 });
  });

  test('a rejected statement undoes the earlier ones of its text', () => {
    const db = open();
    expect(() => db.exec("INSERT INTO lines (text) VALUES ('new'); /* then */ DELETE FROM lines;")).toThrow('confirmation token');
    db.exec("INSERT INTO lines (text) VALUES ('l3'); -- last\n;; INSERT INTO lines (text) VALUES ('l4'); /* end */");
    expect(db.query('SELECT text FROM lines')).toEqual(['l1', 'l1', 'l2', 'l3', 'l4'].map((text) => ({ text })));
  });

  test('a text with two statements is rejected where one is expected', () => {
    const db = open();
    expect(() => db.query('SELECT 1; SELECT 2')).toThrow('more than one statement');
    expect(db.query('SELECT 1 AS one; -- the end')).toEqual([{ one: 1 }]);
  });

  test('a table that another program creates later is protected too', () => {
    const db = open();
    db.query('SELECT 1');
    write(db.file, "CREATE TABLE later (id INTEGER PRIMARY KEY, text); INSERT INTO later VALUES (1, 'keep')");
    expect(() => db.run("REPLACE INTO later VALUES (1, 'lost')")).toThrow('REPLACE blocked: it deletes the rows of table "later"');
    db.run("INSERT INTO later VALUES (2, 'more')");
    expect(dump(db.file).later).toHaveLength(2);
  });

  test('an allowed statement is analyzed again after the schema changed', () => {
    const db = open();
    const sql = "INSERT INTO lines (text) VALUES ('l9')";
    db.run(sql);
    write(db.file, 'CREATE TRIGGER lines_wipe AFTER INSERT ON lines BEGIN DELETE FROM books; END');
    expect(() => db.run(sql)).toThrow('trigger "lines_wipe" deletes from table "books"');
    expect(dump(db.file).books).toHaveLength(3);
  });

  test.each(['odd "name" \'of\' a\ntable', 'Größe', 'pawl_guard_0', 'select'])('a table called %j is protected too', (name) => {
    const db = open();
    const table = `"${name.replaceAll('"', '""')}"`;
    write(db.file, `CREATE TABLE ${table} (id INTEGER PRIMARY KEY); INSERT INTO ${table} VALUES (1)`);
    expect(() => db.run(`REPLACE INTO ${table} VALUES (1)`)).toThrow('REPLACE blocked');
    expect(() => db.run(`DELETE FROM ${table}`)).toThrow('confirmation token');
    expect(db.delete(name, { id: 1 }, db.getDeleteConfirmation(name, { id: 1 }))).toBe(1);
  });

  test('a trigger with the name of one of our guards cannot delete', () => {
    const db = open();
    for (let number = 0; number < 20; number += 1)
      write(db.file, `CREATE TRIGGER pawl_guard_${number} AFTER INSERT ON lines BEGIN DELETE FROM books; END`);
    expect(() => db.run("INSERT INTO lines (text) VALUES ('x')")).toThrow('DELETE requires confirmation token');
    expect(dump(db.file).books).toHaveLength(3);
  });

  test('names of tables are not case-sensitive', () => {
    const db = open();
    write(db.file, 'CREATE TABLE pawl_migrations (number INTEGER PRIMARY KEY, checksum)');
    expect(() => db.run('UPDATE PAWL_Migrations SET checksum = 1')).toThrow('"pawl_migrations" blocked');
    expect(() => db.run('REPLACE INTO BOOKS (id) VALUES (1)')).toThrow('REPLACE blocked');
  });

  test('an error of SQLite is passed on unchanged', () => {
    expect(() => open().run("INSERT INTO books (isbn) VALUES ('a')")).toThrow('UNIQUE constraint failed: books.isbn');
    expect(() => open().query('SELEC 1')).toThrow('syntax error');
  });

  test('the error for a missing file, or one that is not a database, names it', () => {
    const file = join(tempFolder(), 'missing.db');
    expect(() => new SafeDatabaseClient(file)).toThrow(`database ${file} does not exist`);
    expect(() => new SafeDatabaseClient(import.meta.filename)).toThrow(`cannot open database ${import.meta.filename}`);
  });
});

describe('the row limit', () => {
  test('SD4: an update beyond the row limit is undone', () => {
    const db = open({ rowLimit: 2 });
    const before = dump(db.file);
    expect(() => db.run("UPDATE books SET title = ''")).toThrow('UPDATE changed 3 rows');
    expect(dump(db.file)).toEqual(before);
    expect(db.run("UPDATE books SET title = '' WHERE id < 3").changes).toBe(2);
  });

  test('SD4: rows that triggers and cascades change count against the row limit', () => {
    const db = open({ rowLimit: 2 });
    const before = dump(db.file);
    expect(() => db.run('INSERT INTO counted VALUES (1)')).toThrow('UPDATE changed 3 rows');
    expect(() => db.run('UPDATE books SET id = 10 WHERE id = 1')).toThrow('UPDATE changed 3 rows');
    expect(() => db.run("UPDATE stamped SET text = ''")).toThrow('UPDATE changed 4 rows');
    expect(() => db.run("UPDATE titles SET title = ''")).toThrow('UPDATE changed 3 rows');
    expect(dump(db.file)).toEqual(before);
  });

  test('the row limit does not apply to inserts', () => {
    const db = open({ rowLimit: 2 });
    expect(db.run("INSERT INTO lines (text) VALUES ('a'), ('b'), ('c')").changes).toBe(3);
  });

  test('inside a transaction only the statement beyond the row limit is undone', async () => {
    const db = open({ rowLimit: 2 });
    await db.transaction(() => {
      db.run("INSERT INTO lines (text) VALUES ('kept')");
      expect(() => db.run("UPDATE books SET title = ''")).toThrow('more than its row limit of 2');
    });
    expect(db.get("SELECT count(*) AS n FROM lines WHERE text = 'kept'")).toEqual({ n: 1 });
    expect(db.get("SELECT count(*) AS n FROM books WHERE title = ''")).toEqual({ n: 0 });
  });
});

describe('delete', () => {
  test('methods that would destroy tables or the file always throw', () => {
    const db = open();
    expect(() => db.dropTable('books')).toThrow('DROP TABLE blocked. Use migrations system.');
    expect(() => db.deleteDatabase()).toThrow('Database deletion blocked.');
    expect(() => db.truncateTable('books')).toThrow('TRUNCATE blocked. Use explicit DELETE with confirmation.');
    expect(() => db.delete('books', { id: 1 })).toThrow('DELETE requires confirmation token from db.getDeleteConfirmation()');
  });

  test('a confirmation counts the rows that would be deleted, including cascades, and deletes nothing', () => {
    const db = open();
    const before = dump(db.file);
    expect(db.getDeleteConfirmation('books', { id: 1 })).toMatchObject({ table: 'books', rows: { books: 1, chapters: 2 }, total: 3 });
    expect(dump(db.file)).toEqual(before);
  });

  test('a confirmed delete removes exactly these rows, once', () => {
    const db = open();
    const confirmation = db.getDeleteConfirmation('books', { id: { in: [1, 3] } });
    expect(db.delete('books', { id: { in: [1, 3] } }, confirmation.token)).toBe(4);
    expect(db.query('SELECT id FROM books')).toEqual([{ id: 2 }]);
    expect(db.query('SELECT book FROM chapters')).toEqual([{ book: 2 }]);
    expect(() => db.delete('books', { id: { in: [1, 3] } }, confirmation)).toThrow('unknown or was already used');
  });

  test.each([
    ['another condition', 'books', { id: 2 }],
    ['another type of value', 'books', { id: '1' }],
    ['another table', 'chapters', { id: 1 }],
  ])('a token is not valid for %s, and cannot be used again', (_, table, where) => {
    const db = open();
    const { token } = db.getDeleteConfirmation('books', { id: 1 });
    expect(() => db.delete(table, where, token)).toThrow('for another DELETE');
    expect(() => db.delete('books', { id: 1 }, token)).toThrow('unknown or was already used');
  });

  test.each([
    ['a changed row', "UPDATE books SET title = 'edited' WHERE id = 1"],
    ['an inserted row', "INSERT INTO chapters (book, text) VALUES (1, 'new')"],
    ['a deleted row', 'DELETE FROM chapters WHERE id = 1'],
  ])('%s since the confirmation prevents the delete', (_, change) => {
    const db = open();
    const { token } = db.getDeleteConfirmation('books', { id: 1 });
    write(db.file, change);
    const before = dump(db.file);
    expect(() => db.delete('books', { id: 1 }, token)).toThrow('changed since they were confirmed');
    expect(dump(db.file)).toEqual(before);
  });

  test('a confirmation token expires', () => {
    let now = 1_000_000;
    const db = open({ now: () => now, confirmationMs: 60_000 });
    const { token, expiresAt } = db.getDeleteConfirmation('books', { id: 1 });
    expect(expiresAt).toBe(new Date(1_060_000).toISOString());
    now += 60_000;
    expect(() => db.delete('books', { id: 1 }, token)).toThrow('expired');
  });

  test('tables without a primary key and without rowids work', () => {
    const db = open();
    const { token, rows } = db.getDeleteConfirmation('lines', { text: 'l1' });
    expect([rows, db.delete('lines', { text: 'l1' }, token)]).toEqual([{ lines: 2 }, 2]);
    expect(db.delete('settings', { name: 'theme' }, db.getDeleteConfirmation('settings', { name: 'theme' }))).toBe(1);
  });

  test('every comparison of a condition matches its rows', () => {
    const db = open();
    const found = (where: Parameters<typeof db.delete>[1]): number => db.getDeleteConfirmation('books', where).rows.books ?? 0;
    const clauses = [
      { id: { gt: 1 } },
      { id: { gte: 1 } },
      { id: { lt: 2 } },
      { id: { lte: 2 } },
      { id: { not: 1 } },
      { title: { like: '%a' } },
    ];
    expect(clauses.map(found)).toEqual([2, 3, 1, 2, 2, 3]);
    expect([found({ title: null }), found({ id: 1, isbn: 'b' }), found({ id: { in: [] } })]).toEqual([0, 0, 0]);
  });

  test('a delete requires a condition, which is never interpreted as SQL', () => {
    const db = open();
    expect(() => db.getDeleteConfirmation('books', {})).toThrow('DELETE without a condition blocked');
    expect(() => db.getDeleteConfirmation('books', { '1=1 OR id': 1 })).toThrow('no such column');
    expect(() => db.getDeleteConfirmation('titles', { id: 1 })).toThrow('"titles" is not a table');
    expect(() => db.getDeleteConfirmation('books', { id: { above: 1 } as never })).toThrow('must be a value or one of not, like');
  });

  test('a delete whose trigger replaces rows of another table is rejected', () => {
    const db = open();
    write(db.file, "CREATE TRIGGER lines_noted AFTER DELETE ON lines BEGIN REPLACE INTO history (what) VALUES ('outbox'); END");
    expect(() => db.getDeleteConfirmation('lines', { text: 'l1' })).toThrow('REPLACE blocked: it deletes the rows of table "history"');
  });
});

describe('transaction', () => {
  test('a transaction is committed, or rolled back if it throws', async () => {
    const db = open();
    const before = dump(db.file);
    const failing = db.transaction(async () => {
      db.run("INSERT INTO lines (text) VALUES ('a')");
      await Promise.resolve();
      db.run("UPDATE books SET title = 'x' WHERE id = 1");
      throw new Error('postcondition');
    });
    await expect(failing).rejects.toThrow('postcondition');
    expect(dump(db.file)).toEqual(before);
    expect(await db.transaction((tx) => tx.run("INSERT INTO lines (text) VALUES ('b')").changes)).toBe(1);
    expect(dump(db.file).lines).toHaveLength(4);
  });

  test('a nested transaction is rolled back alone', async () => {
    const db = open();
    await db.transaction(async () => {
      db.run("INSERT INTO lines (text) VALUES ('outer')");
      const inner = db.transaction(() => {
        db.run("INSERT INTO lines (text) VALUES ('inner')");
        throw new Error('no');
      });
      await expect(inner).rejects.toThrow('no');
    });
    expect(db.query('SELECT text FROM lines').slice(3)).toEqual([{ text: 'outer' }]);
  });

  test('two concurrent transactions run one after the other, and other writes are rejected meanwhile', async () => {
    const db = open();
    const order: string[] = [];
    const one = (name: string) =>
      db.transaction(async () => {
        order.push(`${name} begins`);
        await new Promise(setImmediate);
        order.push(`${name} ends`);
      });
    const both = [one('first'), one('second')];
    await Promise.resolve();
    await Promise.resolve();
    expect(() => db.run("INSERT INTO lines (text) VALUES ('between')")).toThrow('another transaction of this client is open');
    await Promise.all(both);
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });

  test('a call after the end of its transaction is rejected', async () => {
    const db = open();
    let late = Promise.resolve<unknown>(undefined);
    await db.transaction(() => {
      late = new Promise(setImmediate).then(() => db.run("INSERT INTO lines (text) VALUES ('late')"));
    });
    await expect(late).rejects.toThrow('this transaction has ended');
  });

  test.each(['INSERT OR ROLLBACK INTO books (isbn) VALUES (?)', 'INSERT INTO stop (isbn) VALUES (?)'])(
    'after SQLite rolled it back, its other statements are rejected: %s',
    async (sql) => {
      const db = open();
      write(db.file, "CREATE TABLE stop (isbn); CREATE TRIGGER stopped BEFORE INSERT ON stop BEGIN SELECT RAISE(ROLLBACK, 'no'); END");
      const before = dump(db.file);
      const ended = db.transaction(() => {
        db.run("INSERT INTO lines (text) VALUES ('first')");
        expect(() => db.run(sql, ['a'])).toThrow();
        expect(() => db.run("INSERT INTO lines (text) VALUES ('second')")).toThrow('was rolled back by SQLite');
        expect(() => db.query('SELECT * FROM lines')).toThrow('was rolled back by SQLite');
      });
      await expect(ended).rejects.toThrow('was rolled back by SQLite');
      expect(dump(db.file)).toEqual(before);
      expect(db.run("INSERT INTO lines (text) VALUES ('after')").changes).toBe(1);
    },
  );

  test('other connections do not see the writes of a transaction before it ends', async () => {
    const db = open();
    write(db.file, 'PRAGMA journal_mode = WAL');
    await db.transaction(() => {
      db.run("INSERT INTO lines (text) VALUES ('unseen')");
      const other = new DatabaseSync(db.file, { readOnly: true });
      expect(other.prepare("SELECT count(*) AS n FROM lines WHERE text = 'unseen'").get()).toEqual({ n: 0 });
      other.close();
    });
    expect(db.get("SELECT count(*) AS n FROM lines WHERE text = 'unseen'")).toEqual({ n: 1 });
  });
});
