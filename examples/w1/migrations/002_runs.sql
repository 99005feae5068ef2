-- What the runs of the workflow record in addition to the books.
CREATE TABLE workflow_runs (
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
