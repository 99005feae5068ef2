// Owns SQLite for the peers that write to it through better-sqlite3 or themselves: the driver, the pragmas and the
// checkpoint interval of the floor, so that differences between drivers are not measured. better-sqlite3 itself would have to be
// compiled when it is installed.

import { DatabaseSync } from 'node:sqlite';

// The same value as in ../floor.ts, which is not imported, because stripping its types would be part of a cold start.
const WAL_AUTOCHECKPOINT = 1000;

/** A database in which a commit is on disk when it returns. */
export function openFull(file) {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${WAL_AUTOCHECKPOINT}`);
  return db;
}

/** The part of better-sqlite3 that LangGraph's saver calls. */
export function asBetterSqlite(db) {
  return {
    exec: (sql) => db.exec(sql),
    pragma: (text) => db.prepare(`PRAGMA ${text}`).all(),
    prepare: (sql) => {
      const statement = db.prepare(sql);
      return {
        get: (...values) => statement.get(...values.map(bindable)),
        all: (...values) => statement.all(...values.map(bindable)),
        run: (...values) => statement.run(...values.map(bindable)),
      };
    },
    transaction: (work) => (argument) => {
      db.exec('BEGIN');
      try {
        work(argument);
        db.exec('COMMIT');
      } catch (error) {
        db.exec('ROLLBACK');
        throw error;
      }
    },
    close: () => db.close(),
  };
}

/** better-sqlite3 writes undefined as NULL, which this driver refuses. */
function bindable(value) {
  return value === undefined ? null : value;
}
