// Every statement of SQLite's grammar that can lose rows, tables or the protection itself, and every way to hide one.
// `docs/guides/protected-data.md` has the same table.

/** A statement that is rejected. */
export interface LosingStatement {
  /** Its name in the guide. */
  readonly form: string;
  readonly sql: string;
  /** The start of the message. */
  readonly answer: string;
}

const MIGRATE = (what: string): string => `${what} blocked. Use migrations system.`;
const TOKEN = 'DELETE requires confirmation token from db.getDeleteConfirmation()';
const REPLACED = (table: string): string => `REPLACE blocked: it deletes the rows of table "${table}" that conflict`;
const TRANSACTION = (word: string): string => `${word} blocked. Use db.transaction().`;
const PRAGMA = (name: string): string => `PRAGMA ${name} blocked. Only pragmas that read are allowed.`;

/** The table. */
export const LOSING_STATEMENTS: readonly LosingStatement[] = [
  { form: 'DELETE without WHERE', sql: 'DELETE FROM books', answer: TOKEN },
  { form: 'DELETE with WHERE', sql: 'DELETE FROM lines WHERE text = ?', answer: TOKEN },
  { form: 'DELETE RETURNING', sql: 'DELETE FROM books WHERE id = 1 RETURNING id', answer: TOKEN },
  { form: 'WITH … DELETE', sql: 'WITH old AS (SELECT 1 AS id) DELETE FROM books WHERE id IN (SELECT id FROM old)', answer: TOKEN },
  { form: 'DELETE behind a comment', sql: '/* SELECT */ -- harmless\nDELETE FROM books', answer: TOKEN },
  { form: 'DELETE as a second statement', sql: 'SELECT 1; DELETE FROM books', answer: TOKEN },
  { form: 'DELETE from a view with INSTEAD OF', sql: 'DELETE FROM titles', answer: TOKEN },
  { form: 'INSERT whose trigger deletes', sql: "INSERT INTO inbox (text) VALUES ('clear')", answer: `${TOKEN}; trigger "inbox_cleared"` },
  { form: 'EXPLAIN DELETE', sql: 'EXPLAIN DELETE FROM books', answer: TOKEN },
  { form: 'REPLACE', sql: "REPLACE INTO books VALUES (1, 'a', 'new')", answer: REPLACED('books') },
  { form: 'INSERT OR REPLACE', sql: "INSERT OR REPLACE INTO books (isbn, title) VALUES ('a', 'new')", answer: REPLACED('books') },
  { form: 'INSERT OR REPLACE, WITHOUT ROWID', sql: "INSERT OR REPLACE INTO settings VALUES ('theme', 'x')", answer: REPLACED('settings') },
  { form: 'WITH … REPLACE', sql: "WITH a(x) AS (VALUES ('a')) REPLACE INTO books (isbn) SELECT x FROM a", answer: REPLACED('books') },
  { form: 'UPDATE OR REPLACE', sql: "UPDATE OR REPLACE books SET isbn = 'b' WHERE id = 1", answer: REPLACED('books') },
  {
    form: 'UPSERT with OR REPLACE',
    sql: "INSERT OR REPLACE INTO books VALUES (9, 'a', 'n') ON CONFLICT (id) DO UPDATE SET title = 'n'",
    answer: REPLACED('books'),
  },
  { form: 'ON CONFLICT REPLACE in the schema', sql: "INSERT INTO marks VALUES ('p1', 'lost')", answer: REPLACED('marks') },
  { form: 'INSERT whose trigger replaces', sql: "INSERT INTO outbox (text) VALUES ('x')", answer: REPLACED('history') },
  { form: 'DROP TABLE', sql: 'DROP TABLE books', answer: MIGRATE('DROP TABLE') },
  { form: 'DROP TABLE of a virtual table', sql: 'DROP TABLE found', answer: MIGRATE('DROP TABLE') },
  { form: 'DROP VIEW', sql: 'DROP VIEW titles', answer: MIGRATE('DROP VIEW') },
  { form: 'DROP TRIGGER', sql: 'DROP TRIGGER titles_delete', answer: MIGRATE('DROP TRIGGER') },
  { form: 'DROP TRIGGER of the protection', sql: 'DROP TRIGGER temp.pawl_guard_0', answer: MIGRATE('DROP TRIGGER') },
  { form: 'DROP … IF EXISTS', sql: 'DROP TABLE IF EXISTS missing', answer: 'statement blocked' },
  { form: 'ALTER TABLE DROP COLUMN', sql: 'ALTER TABLE books DROP COLUMN title', answer: MIGRATE('ALTER TABLE') },
  { form: 'ALTER TABLE RENAME', sql: 'ALTER TABLE books RENAME TO gone', answer: MIGRATE('ALTER TABLE') },
  { form: 'ALTER TABLE ADD COLUMN', sql: 'ALTER TABLE books ADD COLUMN more', answer: MIGRATE('ALTER TABLE') },
  { form: 'CREATE TABLE', sql: 'CREATE TABLE more (id)', answer: MIGRATE('CREATE TABLE') },
  { form: 'CREATE TABLE AS', sql: 'CREATE TABLE more AS SELECT * FROM books', answer: MIGRATE('CREATE TABLE') },
  { form: 'CREATE TEMP TABLE that hides one', sql: 'CREATE TEMP TABLE books (id)', answer: MIGRATE('CREATE TABLE') },
  { form: 'CREATE VIRTUAL TABLE', sql: 'CREATE VIRTUAL TABLE more USING fts5(x)', answer: MIGRATE('CREATE VIRTUAL TABLE') },
  { form: 'CREATE INDEX', sql: 'CREATE UNIQUE INDEX more ON lines (text)', answer: MIGRATE('CREATE INDEX') },
  { form: 'CREATE VIEW', sql: 'CREATE VIEW more AS SELECT 1', answer: MIGRATE('CREATE VIEW') },
  {
    form: 'CREATE TRIGGER',
    sql: 'CREATE TRIGGER more AFTER INSERT ON inbox BEGIN DELETE FROM books; END',
    answer: MIGRATE('CREATE TRIGGER'),
  },
  {
    form: 'CREATE TEMP TRIGGER',
    sql: 'CREATE TEMP TRIGGER more AFTER INSERT ON inbox BEGIN DELETE FROM books; END',
    answer: MIGRATE('CREATE TRIGGER'),
  },
  {
    form: 'INSERT into a virtual table',
    sql: "INSERT INTO found (found) VALUES ('delete-all')",
    answer: 'INSERT in virtual table "found" blocked',
  },
  {
    form: 'UPDATE of a table behind a virtual one',
    sql: 'UPDATE found_data SET block = NULL',
    answer: 'table found_data may not be modified',
  },
  {
    form: 'DELETE FROM sqlite_schema',
    sql: "DELETE FROM sqlite_schema WHERE name = 'books'",
    answer: 'table sqlite_master may not be modified',
  },
  { form: 'UPDATE sqlite_sequence', sql: 'UPDATE sqlite_sequence SET seq = 0', answer: 'UPDATE in table "sqlite_sequence" blocked' },
  { form: 'PRAGMA writable_schema', sql: 'PRAGMA writable_schema = ON', answer: PRAGMA('writable_schema') },
  { form: 'PRAGMA foreign_keys', sql: 'PRAGMA foreign_keys = OFF', answer: PRAGMA('foreign_keys') },
  { form: 'PRAGMA recursive_triggers', sql: 'PRAGMA recursive_triggers = ON', answer: PRAGMA('recursive_triggers') },
  { form: 'PRAGMA journal_mode', sql: 'PRAGMA journal_mode = OFF', answer: PRAGMA('journal_mode') },
  { form: 'PRAGMA user_version', sql: 'PRAGMA user_version = 9', answer: PRAGMA('user_version') },
  { form: 'PRAGMA ignore_check_constraints', sql: 'PRAGMA ignore_check_constraints = 1', answer: PRAGMA('ignore_check_constraints') },
  { form: 'ATTACH', sql: "ATTACH 'other.db' AS other", answer: 'ATTACH blocked.' },
  { form: 'DETACH', sql: 'DETACH main', answer: 'DETACH blocked.' },
  { form: 'VACUUM', sql: 'VACUUM', answer: 'statement blocked' },
  { form: 'VACUUM INTO', sql: "VACUUM INTO 'other.db'", answer: 'statement blocked' },
  { form: 'REINDEX', sql: 'REINDEX', answer: MIGRATE('REINDEX') },
  { form: 'ANALYZE', sql: 'ANALYZE', answer: MIGRATE('CREATE TABLE') },
  { form: 'BEGIN', sql: 'BEGIN', answer: TRANSACTION('BEGIN') },
  { form: 'COMMIT', sql: 'COMMIT', answer: TRANSACTION('COMMIT') },
  { form: 'ROLLBACK', sql: 'ROLLBACK', answer: TRANSACTION('ROLLBACK') },
  { form: 'SAVEPOINT', sql: 'SAVEPOINT a', answer: TRANSACTION('BEGIN') },
  { form: 'load_extension()', sql: "SELECT load_extension('x')", answer: 'function load_extension blocked' },
  { form: 'Records of Pawl', sql: "UPDATE pawl_migrations SET checksum = ''", answer: 'UPDATE in table "pawl_migrations" blocked' },
];
