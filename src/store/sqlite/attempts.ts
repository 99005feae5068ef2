// Owns the history of ended attempts, which the log rows of the commits that ended them hold, and the checks of gates.

import { hasResult } from '../../definition/outcome.ts';
import type { Path } from '../../kernel/activation.ts';
import type { AttemptRow, CheckRow, StoredAttempt } from '../store.ts';
import { sumOf } from './chain.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import { decodeLogRow, stepsInLogRow } from './row-format.ts';
import type { RunRow } from './run-row.ts';
import { placeOf } from './schema.ts';

const CHECK_COLUMNS = 'type, config, passed, result, error, at';

const LOG_ROWS = 'SELECT seq, attempts, sum, body FROM events WHERE place > ? AND place <= ? ORDER BY place';

type LoggedRow = readonly [seq: number, attempts: number, sum: number, body: unknown];

/** The rows of a log up to a position. As arrays, which Node creates in two thirds of the time of objects. */
function logRows(
  connection: Connection,
  { key }: RunRow,
  { upTo, newestFirst }: { upTo: number; newestFirst?: true },
): Iterable<LoggedRow> {
  const statement = connection.sql(newestFirst ? `${LOG_ROWS} DESC` : LOG_ROWS);
  statement.setReturnArrays(true);
  return statement.iterate(placeOf(key, 0), placeOf(key, upTo)) as Iterable<unknown> as Iterable<LoggedRow>;
}

/** The attempts in one row of the log; none if no step in it is wanted. The checksum is enough: `check` verifies the chain. */
function attemptsIn({ id: run }: RunRow, found: LoggedRow, isWanted?: (step: string) => boolean): StoredAttempt[] {
  const [seq, count, sum, text] = found;
  const body = String(text);
  if (sumOf([count], body) !== sum) throw damagedRun(run, `record ${seq} of its log was changed after it was written`, { seq });
  if (isWanted !== undefined && !stepsInLogRow(body).some(isWanted)) return [];
  const { attempts } = parseStored(run, `record ${seq} of its log`, () => decodeLogRow(body));
  return attempts.map((attempt, index) => ({ id: count - attempts.length + 1 + index, seq, ...attempt }));
}

/** The ended attempts of a run, oldest first: all, those of one group, or those up to a position. */
export function readAttempts(
  connection: Connection,
  row: RunRow,
  only: { readonly group?: Path | undefined; readonly upTo?: number } = {},
): StoredAttempt[] {
  const rows = logRows(connection, row, { upTo: only.upTo ?? row.seq });
  const attempts = Array.from(rows, (found) => attemptsIn(row, found)).flat();
  return only.group === undefined ? attempts : attempts.filter((attempt) => attempt.group === only.group);
}

/** The latest attempt with a result of each of the given steps, or of every step, oldest first. */
export function readLatest(connection: Connection, row: RunRow, steps?: readonly string[]): StoredAttempt[] {
  const requested = steps === undefined ? undefined : new Set(steps);
  const latest = new Map<string, StoredAttempt>();
  const isWanted = (step: string): boolean => !latest.has(step) && (requested === undefined || requested.has(step));
  // Backwards: most decisions read recent steps, and once all are found the rest of the log is not read.
  for (const found of logRows(connection, row, { upTo: row.seq, newestFirst: true })) {
    if (requested !== undefined && latest.size === requested.size) break;
    for (const attempt of attemptsIn(row, found, isWanted).reverse())
      if (attempt.outcome !== undefined && hasResult(attempt.outcome) && isWanted(attempt.step)) latest.set(attempt.step, attempt);
  }
  return [...latest.values()].sort((a, b) => a.id - b.id);
}

/** Writes the checks of the attempts of one commit; `count` is the number of attempts that the run had before. */
export function writeChecks(
  connection: Connection,
  attempts: readonly AttemptRow[],
  place: { readonly run: number; readonly count: number },
): void {
  for (const [index, { checks }] of attempts.entries()) {
    for (const check of checks) writeCheck(connection, { run: place.run, id: place.count + index + 1 }, check);
  }
}

function writeCheck(connection: Connection, attempt: { readonly run: number; readonly id: number }, check: CheckRow): void {
  connection
    .sql(`INSERT INTO checks (run, attempt, ${CHECK_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
      attempt.run,
      attempt.id,
      check.type,
      JSON.stringify(check.config),
      check.passed === null ? null : Number(check.passed),
      JSON.stringify(check.result),
      check.error ?? null,
      check.at,
    );
}

/** Copies the checks of past attempts to a fork; they keep their order, so the n-th of them is the n-th of the fork. */
export function copyChecks(
  connection: Connection,
  past: readonly StoredAttempt[],
  runs: { readonly from: number; readonly to: number },
): void {
  for (const [index, { id }] of past.entries()) {
    connection
      .sql(
        `INSERT INTO checks (run, attempt, ${CHECK_COLUMNS}) SELECT ?, ?, ${CHECK_COLUMNS} FROM checks WHERE run = ? AND attempt = ? ORDER BY id`,
      )
      .run(runs.to, index + 1, runs.from, id);
  }
}
