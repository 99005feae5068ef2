// Owns the tables of access in the server's database. What is revoked is deleted; the audit keeps a record of it. Secrets are
// stored as hashes.

import { text } from '../../base/sql-row.ts';
import type { PartTables, ServerDatabase } from '../server-database.ts';

/** The tables. */
export const ACCESS_TABLES: PartTables = {
  part: 'access',
  migrations: [
    `CREATE TABLE people (
      name TEXT PRIMARY KEY,
      folded TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      manages INTEGER NOT NULL,
      invited_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      revoked_at INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      person TEXT NOT NULL REFERENCES people (name),
      via TEXT NOT NULL,
      address TEXT NOT NULL,
      agent TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      seen_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE tokens (
      id TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      person TEXT NOT NULL REFERENCES people (name),
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      seen_at INTEGER,
      expires_at INTEGER NOT NULL,
      UNIQUE (person, name)
    ) WITHOUT ROWID;
    CREATE TABLE links (
      id TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      person TEXT NOT NULL REFERENCES people (name),
      about TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      used_at INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE passkeys (
      id TEXT PRIMARY KEY,
      person TEXT NOT NULL REFERENCES people (name),
      title TEXT NOT NULL,
      cose TEXT NOT NULL,
      key TEXT NOT NULL,
      counter INTEGER NOT NULL,
      transports TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      seen_at INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE challenges (
      challenge TEXT PRIMARY KEY,
      kind TEXT NOT NULL,
      person TEXT,
      about TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE audit (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      person TEXT,
      via TEXT NOT NULL,
      action TEXT NOT NULL,
      about TEXT NOT NULL,
      address TEXT NOT NULL,
      outcome TEXT NOT NULL
    );
    CREATE INDEX audit_person ON audit (person, id);
    CREATE TABLE server_address (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      base_url TEXT NOT NULL,
      at INTEGER NOT NULL
    );`,
    `ALTER TABLE sessions ADD COLUMN page TEXT;`,
    `ALTER TABLE audit ADD COLUMN run TEXT;
    ALTER TABLE audit ADD COLUMN step TEXT;
    ALTER TABLE audit ADD COLUMN choice TEXT;`,
  ],
};

/** Where access is stored, and the time. */
export interface AccessStore {
  readonly database: ServerDatabase;
  readonly now: () => number;
}

/** Records the server's address, so that links can be created while it is not running, and by other processes. */
export function recordBaseUrl({ database, now }: AccessStore, baseUrl: string): void {
  database.insert('server_address', { id: 1, baseUrl, at: now() }, 'replace');
}

/** The last address of the server; undefined if it never ran. */
export function readBaseUrl({ database }: AccessStore): string | undefined {
  const row = database.get('SELECT base_url FROM server_address WHERE id = 1');
  return row === undefined ? undefined : text(row.base_url, 'base_url');
}
