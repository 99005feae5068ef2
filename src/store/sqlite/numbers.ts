// Finds the runs about an issue or a pull request. A row links a run to a number that it is, or once was, about; the
// commit that names the number adds it, and it is removed with the run.

import { parseJson } from '../../base/json.ts';
import { NUMBER_KEYS, type NumberQuery, numbersIn, numbersOfOrigin, type RunNumber } from '../../definition/forge/run-numbers.ts';
import type { Delta } from '../store.ts';
import type { Connection } from './connection.ts';

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

/** The condition, in SQL, that a row of `runs` is about one of these issues and pull requests. */
export function aboutCondition({ issues = [], prs = [], none }: NumberQuery): readonly [sql: string, ...values: string[]] {
  const of = (kind: string): string => `SELECT run FROM run_numbers WHERE kind = '${kind}' AND number IN (SELECT value FROM json_each(?))`;
  const some = `key IN (${of('issue')} UNION ALL ${of('pr')})`;
  const sql = none === true ? `(${some} OR NOT EXISTS (SELECT 1 FROM run_numbers n WHERE n.run = runs.key))` : some;
  return [sql, JSON.stringify(issues), JSON.stringify(prs)];
}
