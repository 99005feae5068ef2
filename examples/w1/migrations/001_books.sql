-- Books, their versions, and the chapters of each version.
CREATE TABLE books (id TEXT PRIMARY KEY, title TEXT NOT NULL, analysis_path TEXT);
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
);
