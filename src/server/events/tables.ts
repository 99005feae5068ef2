// Owns the tables of schedules and their ticks, deliveries, and notices.

import type { PartTables } from '../server-database.ts';

/** The tables. */
export const EVENT_TABLES: PartTables = {
  part: 'events',
  migrations: [
    `CREATE TABLE schedules (
       workflow TEXT PRIMARY KEY, cron TEXT NOT NULL, timezone TEXT NOT NULL,
       handled INTEGER NOT NULL, paused_at INTEGER, paused_by TEXT) WITHOUT ROWID;
     CREATE TABLE ticks (
       workflow TEXT NOT NULL, at INTEGER NOT NULL, why TEXT NOT NULL, actor TEXT, run TEXT NOT NULL,
       status TEXT NOT NULL, message TEXT, PRIMARY KEY (workflow, at, why)) WITHOUT ROWID;
     CREATE INDEX ticks_open ON ticks (workflow) WHERE status = 'open';
     CREATE TABLE deliveries (
       number INTEGER PRIMARY KEY, route TEXT NOT NULL, delivery TEXT NOT NULL, received_at INTEGER NOT NULL,
       event TEXT, headers TEXT NOT NULL, body TEXT NOT NULL, key TEXT, due INTEGER, status TEXT NOT NULL,
       reason TEXT, run TEXT, acted_at INTEGER, tries INTEGER NOT NULL DEFAULT 0, UNIQUE (route, delivery));
     CREATE INDEX deliveries_open ON deliveries (due) WHERE status = 'received';
     CREATE INDEX deliveries_key ON deliveries (route, key, acted_at);
     CREATE TABLE notices (
       id TEXT PRIMARY KEY, target TEXT NOT NULL, run TEXT NOT NULL, event TEXT NOT NULL, notice TEXT NOT NULL,
       created_at INTEGER NOT NULL, due INTEGER NOT NULL, status TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
       sender TEXT, message TEXT, ended_at INTEGER) WITHOUT ROWID;
     CREATE INDEX notices_open ON notices (due) WHERE status IN ('open', 'sending');
     CREATE TABLE servers (owner TEXT PRIMARY KEY, url TEXT NOT NULL, since INTEGER NOT NULL) WITHOUT ROWID;
     CREATE TABLE open_runs (run TEXT PRIMARY KEY) WITHOUT ROWID;`,
    `ALTER TABLE deliveries ADD COLUMN digest TEXT;
     CREATE UNIQUE INDEX deliveries_digest ON deliveries (route, digest) WHERE digest IS NOT NULL;
     CREATE TABLE forge_cursors (forge TEXT PRIMARY KEY, cursor TEXT NOT NULL) WITHOUT ROWID;`,
    `CREATE TABLE past_digests (route TEXT NOT NULL, digest TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (route, digest)) WITHOUT ROWID;
     CREATE INDEX past_digests_at ON past_digests (at);`,
    `CREATE TABLE trigger_ages (workflow TEXT NOT NULL, age INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (workflow, age)) WITHOUT ROWID;`,
  ],
};
