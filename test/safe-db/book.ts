// A database for tests, with tables, triggers and views for every way in which SQLite can lose rows.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OWN_TABLES } from '../../src/safe-db/names.ts';
import { tempFolder } from '../temp-folder.ts';

/** Its tables, views and triggers. */
export const SCHEMA = `
CREATE TABLE books (id INTEGER PRIMARY KEY, isbn TEXT UNIQUE, title TEXT);
CREATE TABLE chapters (id INTEGER PRIMARY KEY AUTOINCREMENT, book INTEGER REFERENCES books (id) ON DELETE CASCADE ON UPDATE CASCADE, text TEXT);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE marks (place TEXT UNIQUE ON CONFLICT REPLACE, note TEXT);
CREATE TABLE lines (text TEXT, length INTEGER GENERATED ALWAYS AS (length(text)) STORED);
CREATE TABLE inbox (id INTEGER PRIMARY KEY, text TEXT);
CREATE TABLE history (id INTEGER PRIMARY KEY, what TEXT UNIQUE);
CREATE TRIGGER inbox_cleared AFTER INSERT ON inbox WHEN NEW.text = 'clear' BEGIN DELETE FROM lines; END;
CREATE TABLE outbox (id INTEGER PRIMARY KEY, text TEXT);
CREATE TRIGGER outbox_noted AFTER INSERT ON outbox BEGIN INSERT OR REPLACE INTO history (what) VALUES ('outbox'); END;
CREATE TABLE stamped (id INTEGER PRIMARY KEY, text TEXT, stamp INTEGER DEFAULT 0);
CREATE TRIGGER stamped_stamp AFTER UPDATE ON stamped BEGIN UPDATE stamped SET stamp = stamp + 1 WHERE id = NEW.id; END;
CREATE TABLE totals (id INTEGER PRIMARY KEY, n INTEGER);
CREATE TABLE counted (id INTEGER PRIMARY KEY);
CREATE TRIGGER counted_total AFTER INSERT ON counted BEGIN UPDATE totals SET n = n + 1; END;
CREATE VIEW titles AS SELECT id, title FROM books;
CREATE TRIGGER titles_delete INSTEAD OF DELETE ON titles BEGIN DELETE FROM books WHERE id = OLD.id; END;
CREATE TRIGGER titles_update INSTEAD OF UPDATE ON titles BEGIN UPDATE books SET title = NEW.title WHERE id = OLD.id; END;
CREATE VIRTUAL TABLE found USING fts5(text);
`;
const ROWS = `
INSERT INTO books VALUES (1, 'a', 'Alpha'), (2, 'b', 'Beta'), (3, 'c', 'Gamma');
INSERT INTO chapters (book, text) VALUES (1, 'one'), (1, 'two'), (2, 'three');
INSERT INTO settings VALUES ('theme', 'dark');
INSERT INTO marks VALUES ('p1', 'keep');
INSERT INTO lines (text) VALUES ('l1'), ('l1'), ('l2');
INSERT INTO history (what) VALUES ('outbox');
INSERT INTO stamped (text) VALUES ('x'), ('y');
INSERT INTO totals VALUES (1, 0), (2, 0);
INSERT INTO found VALUES ('needle');
`;

/** A new database with rows in every table; returns its file. */
export function createBook(folder: string = tempFolder()): string {
  const file = join(folder, 'project.db');
  write(file, `BEGIN; ${SCHEMA} ${ROWS} COMMIT`);
  return file;
}

/** Runs SQL on a file without protection, as any other program can. */
export function write(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

/** The schema and all rows of a database, without Pawl's own tables. */
export function dump(file: string): Record<string, unknown> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const schema = db
      .prepare('SELECT name, type, sql, tbl_name FROM sqlite_schema ORDER BY name')
      .all()
      .filter((row) => !OWN_TABLES.includes(String(row.tbl_name)));
    const tables = schema.filter(({ type, name }) => type === 'table' && !String(name).startsWith('sqlite_autoindex'));
    const rows = tables.map(({ name }) => [
      String(name),
      db
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => ({ ...row })),
    ]);
    return { schema: schema.map((row) => ({ ...row })), ...Object.fromEntries(rows) };
  } finally {
    db.close();
  }
}
