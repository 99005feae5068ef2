// Owns the rows of the log: appending one, and reading them with the chain verified.

import { digestText } from '../../base/digest.ts';
import type { EventRow } from '../store.ts';
import { chainStart, rowHash, sumOf, toHex } from './chain.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import { decodeLogRow, encodeLogRow, type LogRow } from './row-format.ts';
import type { RunRow } from './run-row.ts';
import { placeOf } from './schema.ts';

/** A row of the log that is ready to be written. */
interface LogEntry {
  readonly seq: number;
  readonly at: number;
  /** Its hash, in hex. */
  readonly head: string;
  /** How many attempts of the run have ended by now. */
  readonly attempts: number;
  readonly body: string;
}

/** The next row of a log. */
export function nextEntry(end: Pick<RunRow, 'seq' | 'head' | 'attempts'>, at: number, added: LogRow): LogEntry {
  const seq = end.seq + 1;
  const body = encodeLogRow(added);
  const head = rowHash(end.head, { seq, at, bodyDigest: digestText(body) });
  return { seq, at, head, attempts: end.attempts + added.attempts.length, body };
}

/** Appends a row to the log of a run. */
export function appendEntry(connection: Connection, run: number, { seq, at, head, attempts, body }: LogEntry): void {
  connection
    .sql('INSERT INTO events (place, at, hash, attempts, sum, body) VALUES (?, ?, unhex(?), ?, ?, ?)')
    .run(placeOf(run, seq), at, head, attempts, sumOf([attempts], body), body);
}

/** The rows after a position, verified: a missing, swapped or changed one is RUN_DAMAGED with its number. */
export function readLog(connection: Connection, row: RunRow, range: { readonly after: number; readonly limit: number }): EventRow[] {
  const last = Math.min(row.seq, range.after + range.limit);
  if (range.after >= last) return [];
  let previous = readHash(connection, row, range.after);
  const read: EventRow[] = [];
  for (const found of connection
    .sql('SELECT seq, at, hash, body FROM events WHERE place > ? AND place <= ? ORDER BY place')
    .iterate(placeOf(row.key, range.after), placeOf(row.key, last))) {
    if (found.seq !== range.after + read.length + 1) break;
    const next = verifyRow(row, found, previous);
    previous = next.hash;
    read.push(next);
  }
  if (read.length < last - range.after) throw missingRecord(row, range.after + read.length + 1);
  return read;
}

function readHash(connection: Connection, row: RunRow, seq: number): string {
  if (seq === 0) return chainStart(row.id);
  const found = connection.sql('SELECT hash FROM events WHERE place = ?').get(placeOf(row.key, seq));
  if (found === undefined) throw missingRecord(row, seq);
  return toHex(found.hash);
}

function missingRecord({ id }: RunRow, seq: number): Error {
  return damagedRun(id, `record ${seq} of its log is missing`, { seq });
}

function verifyRow({ id }: RunRow, found: Record<string, unknown>, previous: string): EventRow {
  const seq = found.seq as number;
  const at = found.at as number;
  const body = String(found.body);
  const hash = rowHash(previous, { seq, at, bodyDigest: digestText(body) });
  if (hash !== toHex(found.hash)) throw damagedRun(id, `record ${seq} of its log was changed after it was written`, { seq });
  return { seq, at, hash, events: parseStored(id, `record ${seq} of its log`, () => decodeLogRow(body).events) };
}
