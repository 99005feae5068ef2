// Owns the tables for what Pawl posts at the forge: the comment and the checks of each run, and the received commands.

import type { PartTables } from '../server-database.ts';

/** The tables. */
export const SURFACE_TABLES: PartTables = {
  part: 'surface',
  migrations: [
    `CREATE TABLE run_comments (
       run TEXT PRIMARY KEY, mark TEXT NOT NULL, issue INTEGER, pr INTEGER, issue_comment TEXT, pr_comment TEXT,
       body TEXT, version INTEGER NOT NULL, posted_at INTEGER NOT NULL, shown TEXT NOT NULL, checks TEXT NOT NULL,
       asked TEXT NOT NULL, problem TEXT) WITHOUT ROWID;
     CREATE TABLE surface_start (forge TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
     CREATE INDEX run_comments_issue ON run_comments (issue);
     CREATE INDEX run_comments_pr ON run_comments (pr);
     CREATE TABLE forge_commands (
       comment TEXT PRIMARY KEY, number INTEGER NOT NULL, login TEXT NOT NULL, command TEXT NOT NULL, at INTEGER NOT NULL,
       run TEXT, approval TEXT, digest TEXT, head TEXT, outcome TEXT NOT NULL, reason TEXT, reply TEXT) WITHOUT ROWID;
     CREATE INDEX forge_commands_place ON forge_commands (number, login);`,
  ],
};
