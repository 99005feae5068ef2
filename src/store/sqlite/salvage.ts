// Reads a file with unreadable pages: finds the runs without reading their table in order, and returns all of their
// records and values that can be verified.

import { DatabaseSync } from 'node:sqlite';
import { digestText } from '../../base/digest.ts';
import { messageOf } from '../../base/error.ts';
import { chainStart, rowHash, toHex } from './chain.ts';
import { isBusy, isSqliteFailure } from './failure.ts';
import { placeOf } from './schema.ts';

/** A run that may exist: its key, and its id if the index of ids has it. */
export interface RunKey {
  readonly key: number;
  readonly id: string | undefined;
}

/** True if pages of the file cannot be read, so that reading around them can help. */
function isUnreadable(thrown: unknown): boolean {
  return isSqliteFailure(thrown) && !isBusy(thrown);
}

/** Reads, or returns undefined if pages cannot be read. */
export function whereReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
}

/** Every run that may exist, newest first. If the index of ids cannot be read, every key up to the last one may. */
export function findRunKeys(db: DatabaseSync): RunKey[] {
  const number = (sql: string): number => Number(whereReadable(() => db.prepare(sql).get()?.n) ?? 0);
  const last = Math.max(number('SELECT max(key) AS n FROM runs'), number('SELECT max(run) AS n FROM events'));
  const index = whereReadable(() => db.prepare('SELECT key, id FROM runs INDEXED BY sqlite_autoindex_runs_1').all());
  const ids = new Map(index?.map(({ key, id }) => [key as number, String(id)]));
  const keys = index === undefined ? Array.from({ length: last }, (_, n) => n + 1) : [...ids.keys()];
  return keys.sort((a, b) => b - a).map((key) => ({ key, id: ids.get(key) }));
}

/** The part of a run that could be saved. */
interface SavedRun {
  readonly run: string;
  /** False when records or values are missing; `why` says which. */
  readonly isWhole: boolean;
  readonly why: string | null;
  readonly status: string | null;
  readonly workflow: string | null;
  /** The verified records before the first missing or changed one. */
  readonly records: readonly { readonly seq: number; readonly at: number; readonly hash: string; readonly body: unknown }[];
  /** The values that the records refer to, by digest, as far as they can be read and verified. */
  readonly values: Readonly<Record<string, unknown>>;
}

const REF = /"digest":"([0-9a-f]{64})","bytes":/g;

/** Reads everything that can be verified, run by run; changes nothing. */
export function* salvage(file: string): Generator<SavedRun> {
  using db = new DatabaseSync(file, { readOnly: true });
  for (const run of findRunKeys(db)) {
    const saved = saveRun(db, run);
    if (saved !== undefined) yield saved;
  }
}

function saveRun(db: DatabaseSync, { key, id: indexed }: RunKey): SavedRun | undefined {
  const read = db.prepare(
    'SELECT r.id, r.seq, r.status, d.name FROM runs r LEFT JOIN definitions d ON d.id = r.definition WHERE r.key = ?',
  );
  const row = whereReadable(() => read.get(key));
  const id = row === undefined ? indexed : String(row.id);
  if (id === undefined) return undefined;
  const { records, stopped } = readRecords(db, key, id);
  const { values, missing } = readValues(db, records);
  const incomplete =
    row === undefined ? 'its row cannot be read' : records.length < Number(row.seq) ? `${row.seq} records were written` : undefined;
  const isWhole = incomplete === undefined && missing === 0;
  const reasons = [incomplete, stopped, missing === 0 ? undefined : `${missing} values are missing`];
  return {
    run: id,
    isWhole,
    why: isWhole ? null : reasons.filter((reason) => reason !== undefined).join('; '),
    status: row === undefined ? null : String(row.status),
    workflow: row === undefined || row.name === null ? null : String(row.name),
    records: records.map(({ body, ...record }) => ({ ...record, body: JSON.parse(body) as unknown })),
    values,
  };
}

interface ProvedRecord {
  readonly seq: number;
  readonly at: number;
  readonly hash: string;
  readonly body: string;
}

function readRecords(db: DatabaseSync, key: number, id: string): { readonly records: readonly ProvedRecord[]; readonly stopped: string } {
  const records: ProvedRecord[] = [];
  let previous = chainStart(id);
  for (let seq = 1; ; seq += 1) {
    try {
      const found = db.prepare('SELECT at, hash, body FROM events WHERE place = ?').get(placeOf(key, seq));
      if (found === undefined) return { records, stopped: `record ${seq} is missing` };
      const at = found.at as number;
      const body = String(found.body);
      const hash = rowHash(previous, { seq, at, bodyDigest: digestText(body) });
      if (hash !== toHex(found.hash)) return { records, stopped: `record ${seq} was changed` };
      records.push({ seq, at, hash, body });
      previous = hash;
    } catch (error) {
      return { records, stopped: `record ${seq} cannot be read: ${messageOf(error)}` };
    }
  }
}

function readValues(
  db: DatabaseSync,
  records: readonly ProvedRecord[],
): { readonly values: Readonly<Record<string, unknown>>; readonly missing: number } {
  const digests = new Set(records.flatMap(({ body }) => [...body.matchAll(REF)].map(([, digest = '']) => digest)));
  const values: Record<string, unknown> = {};
  let missing = 0;
  for (const digest of digests) {
    const text = whereReadable(() => db.prepare('SELECT text FROM contents WHERE digest = ?').get(digest)?.text);
    if (typeof text === 'string' && digestText(text) === digest) values[digest] = JSON.parse(text) as unknown;
    else missing += 1;
  }
  return { values, missing };
}
