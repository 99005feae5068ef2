// Owns finding the runs that are about an issue or a pull request. A row says that a run is, or once was, about a number: rows
// are added in the commit that names it, and go with the run.

import { parseJson } from '../../base/json.ts';
import { NUMBER_KEYS, type NumberQuery, numbersIn, numbersOfOrigin, type RunNumber } from '../../definition/run-numbers.ts';
import type { Delta, RunOrigin } from '../store.ts';
import type { Connection } from './connection.ts';
import { sealTable } from './seals.ts';

const TABLE = `CREATE TABLE run_numbers (
  kind TEXT NOT NULL,
  number INTEGER NOT NULL,
  run INTEGER NOT NULL,
  PRIMARY KEY (kind, number, run)
) WITHOUT ROWID;
CREATE INDEX run_numbers_run ON run_numbers (run);`;

/** Creates the table and fills it from the runs that are there. Runs inside a migration. */
export function createRunNumbers(connection: Connection): void {
  connection.db.exec(TABLE);
  // A damaged text is found by whoever reads the run; it must not keep the file from being opened.
  for (const { key, origin } of connection.sql('SELECT key, origin FROM runs WHERE origin IS NOT NULL').all())
    insert(connection, Number(key), numbersOfOrigin((parseJson(String(origin)) ?? {}) as RunOrigin));
  const rows = connection
    .sql(
      `SELECT d.run, d.key, coalesce(d.text, c.text) AS text FROM data d LEFT JOIN contents c ON c.digest = d.digest
       WHERE d.key IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify(NUMBER_KEYS));
  for (const { run, key, text } of rows) insert(connection, Number(run), numbersIn(String(key), parseJson(String(text))));
  sealTable(connection, 'run_numbers');
}

/** Writes the numbers that a delta names. */
export function writeNumbers(connection: Connection, run: number, { create, data }: Pick<Delta, 'create' | 'data'>): void {
  if (create !== undefined) insert(connection, run, numbersOfOrigin(create.origin));
  for (const { key, text } of data)
    if ((NUMBER_KEYS as readonly string[]).includes(key)) insert(connection, run, numbersIn(key, parseJson(String(text))));
}

function insert(connection: Connection, run: number, numbers: readonly RunNumber[]): void {
  for (const { kind, number } of numbers)
    connection.sql('INSERT OR IGNORE INTO run_numbers (kind, number, run) VALUES (?, ?, ?)').run(kind, number, run);
}

/** The condition, in SQL, that a row of `runs` is about one of these. */
export function aboutCondition({ issues = [], prs = [], none }: NumberQuery): readonly [sql: string, ...values: string[]] {
  const of = (kind: string): string => `SELECT run FROM run_numbers WHERE kind = '${kind}' AND number IN (SELECT value FROM json_each(?))`;
  const some = `key IN (${of('issue')} UNION ALL ${of('pr')})`;
  const sql = none === true ? `(${some} OR NOT EXISTS (SELECT 1 FROM run_numbers n WHERE n.run = runs.key))` : some;
  return [sql, JSON.stringify(issues), JSON.stringify(prs)];
}
