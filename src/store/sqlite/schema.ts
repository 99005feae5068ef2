// Owns the tables of the file. A run has an integer key; times are milliseconds; hashes of the log are 32-byte blobs.
// `views.ts` has the names and formats for people.
//
// The key of a log row is the run and the row's number in one integer. So rows are stored in the order of runs and numbers,
// pages fill up, and no index is needed; `docs/internals/store.md` has the measurement.
// `sum` is a CRC-32 of the row: it detects a flipped byte; it is not a signature.

const NUMBER_BITS = 26;

/** The place of the n-th row of a run: in the order of runs, and within one in the order of their numbers. */
export function placeOf(run: number, n: number): number {
  return run * 2 ** NUMBER_BITS + n;
}

/** The last place that a row of a run can have. */
export function lastPlaceOf(run: number): number {
  return placeOf(run + 1, 0) - 1;
}

/** The place, in SQL, of the n-th row of a run. */
export function placeSql(run: string, n: string): string {
  return `(${run} << ${NUMBER_BITS}) + ${n}`;
}

/** The condition, in SQL, that a run is not final. Only a query with exactly this text uses the index of open runs. */
export const OPEN_SQL = `status NOT IN ('completed', 'overridden', 'rejected', 'cancelled')`;

/** The condition, in SQL, that a checkpoint has assumptions. Quotes inside values are escaped, so only the field matches. */
export const ASSUMES_SQL = `instr(state, '"assumptions":') > 0`;

/** All tables. */
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
  owner TEXT,
  seq INTEGER NOT NULL,
  status TEXT NOT NULL,
  due INTEGER,
  created INTEGER NOT NULL,
  definition INTEGER NOT NULL REFERENCES definitions (id),
  params TEXT,
  params_bytes INTEGER,
  parent TEXT,
  origin TEXT,
  members INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  state TEXT NOT NULL
);
CREATE INDEX runs_due ON runs (due) WHERE due IS NOT NULL AND owner IS NULL;
CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_parent ON runs (parent) WHERE parent IS NOT NULL;

CREATE TABLE events (
  place INTEGER PRIMARY KEY,
  run INTEGER AS (place >> ${NUMBER_BITS}) VIRTUAL,
  seq INTEGER AS (place & ((1 << ${NUMBER_BITS}) - 1)) VIRTUAL,
  at INTEGER NOT NULL,
  hash BLOB NOT NULL,
  attempts INTEGER NOT NULL,
  sum INTEGER NOT NULL,
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

CREATE TABLE agent_usage (
  id INTEGER PRIMARY KEY,
  run INTEGER,
  path TEXT NOT NULL,
  step TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  role TEXT NOT NULL,
  account TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ms INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  turns INTEGER,
  cost_usd REAL
);
CREATE INDEX agent_usage_run ON agent_usage (run);
CREATE INDEX agent_usage_time ON agent_usage (started_at);

CREATE TABLE closed_accounts (
  account TEXT PRIMARY KEY,
  until INTEGER NOT NULL,
  why TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE run_numbers (
  kind TEXT NOT NULL,
  number INTEGER NOT NULL,
  run INTEGER NOT NULL,
  PRIMARY KEY (kind, number, run)
) WITHOUT ROWID;
CREATE INDEX run_numbers_run ON run_numbers (run);

-- Find open runs, and those with assumptions, without reading the others.
CREATE INDEX runs_open ON runs (key) WHERE ${OPEN_SQL};
CREATE INDEX runs_assuming ON runs (key) WHERE ${ASSUMES_SQL};
`;
