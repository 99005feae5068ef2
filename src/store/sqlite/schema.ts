// Owns the tables. Inside, a run is an integer; times are milliseconds; hashes of the log are 32-byte blobs; texts that
// stay as they are for long are packed. `views.ts` shows all of it in names and spellings for people.
//
// A commit costs the pages it touches, twice when it waits for the disk. So a step writes one row: the events, the
// checkpoint after them and the attempts that ended with them, or a short spelling of all three (`plain-row.ts`). Its
// place is the run and a number within it in one integer: an integer key keeps rows in the leaves only, so that
// appending one touches one page, and needs no index. The row of the run changes when its status, its due time or its
// owner does; `seq` there is how far the log was then.
// `sum` is a CRC-32 of the row: it finds a flipped byte, it is no signature.

const NUMBER_BITS = 26;

/** The place of the n-th row of a run: in the order of runs, and within one in the order of their numbers. */
export function placeOf(run: number, n: number): number {
  return run * 2 ** NUMBER_BITS + n;
}

/** The last place that a row of a run can have. */
export function lastPlaceOf(run: number): number {
  return placeOf(run + 1, 0) - 1;
}

/** The condition, in SQL, that a row's place belongs to a run. */
export function ofRun(place: string, run: string): string {
  return `${place} BETWEEN (${run} << ${NUMBER_BITS}) AND ((${run} + 1) << ${NUMBER_BITS}) - 1`;
}

/** The table of version 4. */
export const OPENINGS = `
CREATE TABLE openings (
  run INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  live TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (run, seq)
) WITHOUT ROWID;
`;

/** The tables of version 1. */
export const TABLES = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE definitions (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  code TEXT NOT NULL,
  name TEXT NOT NULL,
  form TEXT NOT NULL,
  digest BLOB NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (hash, code)
);

CREATE TABLE runs (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  owner TEXT,
  status INTEGER NOT NULL,
  due INTEGER,
  created INTEGER NOT NULL,
  definition INTEGER NOT NULL REFERENCES definitions (id),
  params TEXT,
  params_bytes INTEGER,
  parent TEXT,
  origin TEXT
);
CREATE INDEX runs_due ON runs (due) WHERE due IS NOT NULL AND owner IS NULL AND status < 3;
CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_parent ON runs (parent) WHERE parent IS NOT NULL;

CREATE TABLE events (
  place INTEGER PRIMARY KEY,
  run INTEGER AS (place >> ${NUMBER_BITS}) VIRTUAL,
  seq INTEGER AS (place & ((1 << ${NUMBER_BITS}) - 1)) VIRTUAL,
  at INTEGER NOT NULL,
  hash BLOB NOT NULL,
  status INTEGER NOT NULL,
  due INTEGER,
  members INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  seal INTEGER NOT NULL,
  ended TEXT,
  checkpoint TEXT NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE checks (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  type TEXT NOT NULL,
  config TEXT NOT NULL,
  passed INTEGER,
  result TEXT NOT NULL,
  error TEXT,
  at INTEGER NOT NULL
);
CREATE INDEX checks_attempt ON checks (run, attempt);

CREATE TABLE members (
  run INTEGER NOT NULL,
  path TEXT NOT NULL,
  text TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (run, path)
) WITHOUT ROWID;

CREATE TABLE contents (
  digest TEXT PRIMARY KEY,
  text TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE data (
  run INTEGER NOT NULL,
  key TEXT NOT NULL,
  digest TEXT,
  sum INTEGER NOT NULL,
  text TEXT,
  PRIMARY KEY (run, key)
) WITHOUT ROWID;

CREATE TABLE mail (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  dedupe TEXT NOT NULL,
  consumed INTEGER,
  sum INTEGER,
  body TEXT,
  UNIQUE (run, dedupe)
);
CREATE INDEX mail_unread ON mail (run) WHERE consumed IS NULL;

CREATE TABLE slots (
  key TEXT NOT NULL,
  run INTEGER NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY (key, run, path)
) WITHOUT ROWID;
CREATE INDEX slots_holder ON slots (run, path);

CREATE TABLE slot_waiters (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  run INTEGER NOT NULL,
  path TEXT NOT NULL,
  room INTEGER NOT NULL,
  UNIQUE (run, path, key)
);
CREATE INDEX slot_waiters_key ON slot_waiters (key);

CREATE TABLE database_backups (
  id TEXT PRIMARY KEY,
  created_at TEXT NOT NULL,
  path TEXT NOT NULL,
  workflow_run_id TEXT,
  size_bytes INTEGER
);
`;
