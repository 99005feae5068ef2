// Owns the shape of the book database: numbered migrations, applied once each, in order, and never changed afterwards.

import type { DatabaseSync } from 'node:sqlite';

const MIGRATIONS: readonly string[] = [
  `CREATE TABLE books (id TEXT PRIMARY KEY, title TEXT NOT NULL, analysis_path TEXT);
   CREATE TABLE versions (
     id TEXT PRIMARY KEY,
     book_id TEXT NOT NULL REFERENCES books (id),
     number INTEGER NOT NULL,
     status TEXT NOT NULL DEFAULT 'draft',
     UNIQUE (book_id, number)
   );
   CREATE TABLE chapters (
     version_id TEXT NOT NULL REFERENCES versions (id),
     number INTEGER NOT NULL,
     title TEXT NOT NULL,
     text TEXT NOT NULL,
     PRIMARY KEY (version_id, number)
   );`,
  `CREATE TABLE workflow_runs (
     id TEXT PRIMARY KEY,
     book_id TEXT NOT NULL,
     base_version_id TEXT,
     status TEXT NOT NULL,
     started_at TEXT NOT NULL
   );
   CREATE TABLE strategic_plans (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, areas TEXT NOT NULL, threshold REAL NOT NULL, request TEXT);
   CREATE TABLE reviews (
     id INTEGER PRIMARY KEY,
     run_id TEXT NOT NULL,
     version_id TEXT NOT NULL,
     reviewer TEXT NOT NULL,
     decision TEXT NOT NULL,
     notes TEXT NOT NULL
   );
   CREATE TABLE artifacts (run_id TEXT NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (run_id, kind));
   CREATE TABLE work_done (key TEXT PRIMARY KEY, result TEXT NOT NULL);`,
  `CREATE TABLE database_backups (
     id TEXT PRIMARY KEY,
     created_at TEXT NOT NULL,
     path TEXT NOT NULL,
     workflow_run_id TEXT,
     size_bytes INTEGER
   );`,
  // Which version a plan was made for, whoever made it: an agent may take days until the next version is there.
  `ALTER TABLE strategic_plans ADD COLUMN version_id TEXT;
   CREATE TRIGGER plan_is_for_the_latest_version AFTER INSERT ON strategic_plans BEGIN
     UPDATE strategic_plans SET version_id = (
       SELECT versions.id FROM versions JOIN workflow_runs USING (book_id)
       WHERE workflow_runs.id = NEW.run_id ORDER BY versions.number DESC LIMIT 1
     ) WHERE id = NEW.id;
   END;`,
];

/** Brings the database up to date; what was applied is kept in `schema_migrations`. */
export function migrate(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec('CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY)');
    const { last } = db.prepare('SELECT coalesce(max(number), 0) AS last FROM schema_migrations').get() as { last: number };
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < last) continue;
      db.exec(sql);
      db.prepare('INSERT INTO schema_migrations (number) VALUES (?)').run(index + 1);
    }
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}
