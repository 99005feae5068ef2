// Owns the history of ended attempts and the checks of gates. The attempts that end with a delta lie in its row of the
// log, in a short spelling behind a checksum: a plain step writes one row and nothing else.

import { crc32 } from 'node:zlib';
import type { Path } from '../../kernel/run-state.ts';
import type { AttemptRow, CheckRow, StoredAttempt } from '../store.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import { plainAttempt, plainStep } from './plain-row.ts';
import type { RunRow } from './run-row.ts';
import { lastPlaceOf, placeOf } from './schema.ts';

// The codes are in the files: append only. The views know them too.
const STATUSES = ['completed', 'failed', 'skipped', 'cancelled'] as const;
/** How many characters the checksum before the list takes. */
export const SUM_CHARACTERS = 8;
const CHECK_COLUMNS = 'type, config, passed, result, error, at';

type Rare = Pick<AttemptRow, 'output' | 'error' | 'claim' | 'evidence' | 'actor' | 'group' | 'key' | 'index' | 'input'>;

/** An attempt as the list holds it: what nearly every one has by position, the rest by name; `seq` only in a fork. */
type Spelled = [
  path: string,
  step: string,
  kind: AttemptRow['kind'],
  attempt: number,
  maxAttempts: number,
  outcome: string | null,
  status: number,
  openedAt: number,
  startedAt: number | null,
  endedAt: number,
  rare?: Rare,
];

/** The attempts of one delta as its row holds them; null for none. */
export function encodeAttempts(attempts: readonly Omit<AttemptRow, 'checks'>[]): string | null {
  if (attempts.length === 0) return null;
  const text = JSON.stringify(attempts.map(spell));
  return crc32(text).toString(16).padStart(SUM_CHARACTERS, '0') + text;
}

function spell(row: Omit<AttemptRow, 'checks'>): Spelled {
  const { path, step, kind, attempt, maxAttempts, outcome, status, openedAt, startedAt, endedAt } = row;
  const plain: Spelled = [
    path,
    step,
    kind,
    attempt,
    maxAttempts,
    outcome ?? null,
    STATUSES.indexOf(status),
    openedAt,
    startedAt ?? null,
    endedAt,
  ];
  const { output, error, claim, evidence, actor, group, key, index, input } = row;
  const isPlain = !(output || error || claim || evidence) && actor === undefined && input === undefined;
  // JSON leaves out what is undefined, but looks at it: a fan-out has many of the second kind.
  if (!isPlain) plain.push({ output, error, claim, evidence, actor, group, key, index, input } as Rare);
  else if (group !== undefined) plain.push({ group, key, index } as Rare);
  return plain;
}

/** A row of the log that holds attempts. */
interface Holder {
  readonly seq: number;
  readonly at: number;
  /** How many attempts the run had after it. */
  readonly attempts: number;
  readonly ended: string | null;
  /** The body of a plain row, which holds one attempt. */
  readonly plain: string;
}

const HOLDERS = `SELECT seq, at, attempts, ended, iif(checkpoint = '', body, NULL) AS plain FROM events
  WHERE place BETWEEN ? AND ? AND (ended IS NOT NULL OR checkpoint = '') ORDER BY place`;

function decodeAttempts(row: RunRow, holder: Holder): StoredAttempt[] {
  const { seq, attempts, ended } = holder;
  if (ended === null) return [{ id: attempts, seq, ...decodePlain(row, holder) }];
  const text = ended.slice(SUM_CHARACTERS);
  if (crc32(text) !== Number.parseInt(ended.slice(0, SUM_CHARACTERS), 16)) {
    throw damagedRun(row.frame.id, `the attempts of record ${seq} are not what was written`, { seq });
  }
  const list = parseStored(row.frame.id, `the attempts of record ${seq}`, () => JSON.parse(text) as Spelled[]);
  const first = attempts - list.length + 1;
  return list.map((spelled, index) => unspell(spelled, { id: first + index, seq }));
}

function decodePlain(row: RunRow, { seq, at, plain }: Holder): Omit<AttemptRow, 'checks'> {
  const attempt = parseStored(row.frame.id, `record ${seq} of its log`, () => plainAttempt(plain, at));
  if (attempt === undefined) throw damagedRun(row.frame.id, `the attempt of record ${seq} is not what was written`, { seq });
  return attempt;
}

function unspell(spelled: Spelled, place: { readonly id: number; readonly seq: number }): StoredAttempt {
  const [path, step, kind, attempt, maxAttempts, outcome, status, openedAt, startedAt, endedAt, rare] = spelled;
  return {
    ...place,
    path,
    step,
    kind,
    attempt,
    maxAttempts,
    status: STATUSES[status] ?? 'failed',
    openedAt,
    endedAt,
    ...(outcome === null ? {} : { outcome }),
    ...(startedAt === null ? {} : { startedAt }),
    ...rare,
  };
}

/** Writes the checks of attempts that ended with one delta; `count` is how many attempts the run had before. */
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

/** What another run's history held at a position: the past of a fork, which becomes part of its first row. */
export function readPast(connection: Connection, row: RunRow, seq: number): StoredAttempt[] {
  return readAttempts(connection, row).filter((attempt) => attempt.seq <= seq);
}

/** Copies the checks of past attempts; they keep their order, so the n-th of them is the n-th of the fork. */
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

/** All ended attempts of a run, oldest first; of one group when it is named. */
export function readAttempts(connection: Connection, row: RunRow, group?: Path): StoredAttempt[] {
  const holders = connection.sql(HOLDERS).all(placeOf(row.key, 0), lastPlaceOf(row.key)) as unknown as Holder[];
  const attempts = holders.flatMap((holder) => decodeAttempts(row, holder));
  return group === undefined ? attempts : attempts.filter((attempt) => attempt.group === group);
}

/** The step of a list with one attempt, without reading the list: a long loop has many rows of a step that is known. */
function onlyStepOf({ ended, plain }: Holder): string | undefined {
  if (ended === null) return plainStep(plain);
  if (ended.includes('],[')) return undefined;
  const begin = ended.indexOf('","') + 3;
  return ended.slice(begin, ended.indexOf('"', begin));
}

/** The latest completed attempt of each of the given steps, or of every step, oldest first. */
export function readLatest(connection: Connection, row: RunRow, steps?: readonly string[]): StoredAttempt[] {
  const wanted = steps === undefined ? undefined : new Set(steps);
  const latest = new Map<string, StoredAttempt>();
  // Backwards: what a decision asks for is mostly recent, and then the rest need not be looked at.
  const holders = connection.sql(`${HOLDERS} DESC`).iterate(placeOf(row.key, 0), lastPlaceOf(row.key));
  for (const found of holders) {
    const holder = found as unknown as Holder;
    if (wanted !== undefined && latest.size === wanted.size) break;
    if (latest.has(onlyStepOf(holder) ?? '')) continue;
    for (const attempt of decodeAttempts(row, holder).reverse()) {
      const counts = attempt.status === 'completed' && (wanted === undefined || wanted.has(attempt.step));
      if (counts && !latest.has(attempt.step)) latest.set(attempt.step, attempt);
    }
  }
  return [...latest.values()].sort((a, b) => a.id - b.id);
}
