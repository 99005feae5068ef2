// Owns the history of ended attempts and the checks of gates.

import { crc32 } from 'node:zlib';
import type { StepError } from '../../kernel/input.ts';
import type { Path, Ref } from '../../kernel/run-state.ts';
import type { AttemptRow, CheckRow, StoredAttempt } from '../store.ts';
import { toBlob, toHex } from './chain.ts';
import type { Connection } from './connection.ts';
import { damagedRun } from './failure.ts';
import { parseStored, type RunRow } from './run-row.ts';
import { lastPlaceOf, placeOf } from './schema.ts';

// The codes are in the files: append only.
const STATUSES = ['completed', 'failed', 'skipped', 'cancelled'] as const;

const COLUMNS = `path, step, kind, attempt, attempts_max, outcome, status, opened, started, ended, output, output_bytes,
  error, claim, claim_bytes, evidence, evidence_bytes, actor, of_group, key, position, input`;
const SELECT = `SELECT id, seq, sum, ${COLUMNS} FROM attempts`;
const INSERT = `INSERT INTO attempts (place, seq, sum, ${COLUMNS}) VALUES (${'?, '.repeat(24)}?)`;
const CHECK_COLUMNS = 'type, config, passed, result, error, at';

type Cell = string | number | null | Uint8Array;

/** Where attempts are written: the run, its new position, and how many attempts it has so far. */
export interface AttemptPlace {
  readonly run: number;
  readonly seq: number;
  readonly count: number;
}

/** Writes attempts that ended with one delta. */
export function writeAttempts(connection: Connection, attempts: readonly AttemptRow[], place: AttemptPlace): void {
  let id = place.count;
  for (const attempt of attempts) {
    id += 1;
    connection.sql(INSERT).run(placeOf(place.run, id), place.seq, sumOfAttempt(attempt), ...cellsOf(attempt));
    for (const check of attempt.checks) writeCheck(connection, { run: place.run, id }, check);
  }
}

function cellsOf(row: AttemptRow): Cell[] {
  return [
    row.path,
    row.step,
    row.kind,
    row.attempt,
    row.maxAttempts,
    row.outcome ?? null,
    STATUSES.indexOf(row.status),
    row.openedAt,
    row.startedAt ?? null,
    row.endedAt,
    ...cellsOfRef(row.output),
    row.error === undefined ? null : JSON.stringify(row.error),
    ...cellsOfRef(row.claim),
    ...cellsOfRef(row.evidence),
    row.actor ?? null,
    row.group ?? null,
    row.key ?? null,
    row.index ?? null,
    row.input ?? null,
  ];
}

function cellsOfRef(ref: Ref | undefined): [Cell, Cell] {
  return ref === undefined ? [null, null] : [toBlob(ref.digest), ref.bytes];
}

// Run, number and position are no part of it: a fork copies the row under its own.
function sumOfAttempt(row: Omit<AttemptRow, 'checks'>): number {
  const { path, kind, attempt, outcome, status, endedAt, output, error, claim, evidence, group, key, index, input } = row;
  const refs = `${output?.digest} ${claim?.digest} ${evidence?.digest}`;
  const place = `${group}\n${key}\n${index}\n${input}`;
  return crc32(`${path}\n${kind}\n${attempt}\n${outcome}\n${status}\n${endedAt}\n${refs}\n${error?.message}\n${place}`);
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

/** How many attempts a run had at a position. */
export function countAttempts(connection: Connection, run: number, seq: number): number {
  return connection
    .sql('SELECT count(*) AS n FROM attempts WHERE place BETWEEN ? AND ? AND seq <= ?')
    .get(placeOf(run, 0), lastPlaceOf(run), seq)?.n as number;
}

/** Copies what another run's history held at a position, with its checks: the past of a fork, at position 0. */
export function copyAttempts(connection: Connection, from: { readonly run: number; readonly seq: number }, to: number): void {
  const past = connection
    .sql('SELECT id FROM attempts WHERE place BETWEEN ? AND ? AND seq <= ? ORDER BY place')
    .all(placeOf(from.run, 0), lastPlaceOf(from.run), from.seq);
  for (const [index, { id }] of past.entries()) {
    connection
      .sql(`INSERT INTO attempts (place, seq, sum, ${COLUMNS}) SELECT ?, 0, sum, ${COLUMNS} FROM attempts WHERE place = ?`)
      .run(placeOf(to, index + 1), placeOf(from.run, id as number));
    connection
      .sql(
        `INSERT INTO checks (run, attempt, ${CHECK_COLUMNS}) SELECT ?, ?, ${CHECK_COLUMNS} FROM checks WHERE run = ? AND attempt = ? ORDER BY id`,
      )
      .run(to, index + 1, from.run, id as number);
  }
}

/** All ended attempts of a run, oldest first; of one group when it is named. */
export function readAttempts(connection: Connection, row: RunRow, group?: Path): StoredAttempt[] {
  const range = [placeOf(row.key, 0), lastPlaceOf(row.key)] as const;
  const rows =
    group === undefined
      ? connection.sql(`${SELECT} WHERE place BETWEEN ? AND ? ORDER BY place`).all(...range)
      : connection.sql(`${SELECT} WHERE place BETWEEN ? AND ? AND of_group = ? ORDER BY place`).all(...range, group);
  return rows.map((found) => toAttempt(row, found));
}

/** The latest completed attempt of each of the given steps, or of every step, oldest first. */
export function readLatest(connection: Connection, row: RunRow, steps?: readonly string[]): StoredAttempt[] {
  const places = steps === undefined ? lastPlaces(connection, row.key) : steps.map((step) => lastPlace(connection, row.key, step));
  const found = [...new Set(places)].sort((a, b) => a - b).map((place) => connection.sql(`${SELECT} WHERE place = ?`).get(place));
  return found.flatMap((attempt) => (attempt === undefined ? [] : [toAttempt(row, attempt)]));
}

function lastPlaces(connection: Connection, run: number): number[] {
  return connection
    .sql('SELECT max(place) AS place FROM attempts WHERE place BETWEEN ? AND ? AND status = 0 GROUP BY step')
    .all(placeOf(run, 0), lastPlaceOf(run))
    .map(({ place }) => place as number);
}

// Looks backwards: what a decision asks for is mostly recent.
function lastPlace(connection: Connection, run: number, step: string): number {
  const found = connection
    .sql('SELECT place FROM attempts WHERE place BETWEEN ? AND ? AND step = ? AND status = 0 ORDER BY place DESC LIMIT 1')
    .get(placeOf(run, 0), lastPlaceOf(run), step);
  return (found?.place as number | undefined) ?? -1;
}

function toAttempt(row: RunRow, found: Record<string, unknown>): StoredAttempt {
  const attempt = {
    id: found.id,
    seq: found.seq,
    path: found.path,
    step: found.step,
    kind: found.kind,
    attempt: found.attempt,
    maxAttempts: found.attempts_max,
    status: STATUSES[found.status as number],
    openedAt: found.opened,
    endedAt: found.ended,
    ...present({
      outcome: found.outcome,
      startedAt: found.started,
      output: refOf(found.output, found.output_bytes),
      error:
        found.error === null
          ? null
          : parseStored(row.frame.id, `the error of step ${found.step}`, () => JSON.parse(String(found.error)) as StepError),
      claim: refOf(found.claim, found.claim_bytes),
      evidence: refOf(found.evidence, found.evidence_bytes),
      actor: found.actor,
      group: found.of_group,
      key: found.key,
      index: found.position,
      input: found.input,
    }),
  } as unknown as StoredAttempt;
  if (sumOfAttempt(attempt) === found.sum) return attempt;
  throw damagedRun(row.frame.id, `attempt ${found.id} of step ${found.step} is not what was written`, { step: found.step });
}

function refOf(digest: unknown, bytes: unknown): Ref | null {
  return digest === null ? null : { digest: toHex(digest), bytes: bytes as number };
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const field in fields) if (fields[field] !== null) found[field] = fields[field];
  return found;
}
