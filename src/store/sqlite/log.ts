// Owns the rows of the log: appending one, and reading them with the chain verified.

import { digestText } from '../../base/digest.ts';
import type { RunEvent } from '../../kernel/event.ts';
import type { EventRow } from '../store.ts';
import { chainStart, rowHash, toBlob, toHex } from './chain.ts';
import { type Frame, sealRun } from './checkpoint.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import { packJson, unpackJson } from './packing.ts';
import { plainEvents } from './plain-row.ts';
import type { RunRow } from './run-row.ts';
import { placeOf } from './schema.ts';

// Packing is for the short rows of runs that wait; a long one would take longer than it saves.
const PACK_CHARACTERS_MAX = 4096;

/** A row of the log that is ready to be written: the events, and the run as it is after them. */
export interface Entry {
  readonly hash: string;
  readonly frame: Frame;
  readonly ended: string | null;
  readonly checkpoint: string;
  readonly body: string;
}

/** The hash of the next row of a log whose last hash is `previous`, with events in the given spelling. */
export function nextHash(previous: string, frame: Frame, text: string): string {
  return rowHash(previous, { seq: frame.seq, at: frame.at, bodyDigest: digestText(text) });
}

/** Events as a row holds them that is all that happens for long. */
export function packEvents(text: string): string {
  return text.length <= PACK_CHARACTERS_MAX ? packJson(text) : text;
}

const APPEND = `INSERT INTO events (place, at, hash, status, due, members, attempts, seal, ended, checkpoint, body)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM runs WHERE key = ? AND epoch = ? AND owner IS NOT NULL)
  ON CONFLICT DO NOTHING`;

/** Appends a row to the log of a run; false for an owner that lost the run, or when somebody else has appended. */
export function appendEntry(
  connection: Connection,
  owner: { readonly run: number; readonly epoch: number },
  { hash, frame, ended, checkpoint, body }: Entry,
): boolean {
  const { changes } = connection
    .sql(APPEND)
    .run(
      placeOf(owner.run, frame.seq),
      frame.at,
      toBlob(hash),
      frame.status,
      frame.due,
      frame.members,
      frame.attempts,
      sealRun(hash, frame, checkpoint),
      ended,
      checkpoint,
      body,
      owner.run,
      owner.epoch,
    );
  return changes === 1;
}

/** The hash of a row, in hex; that of row 0 is what the chain begins with. */
export function readHash(connection: Connection, run: { readonly key: number; readonly id: string }, seq: number): string {
  if (seq === 0) return chainStart(run.id);
  const found = connection.sql('SELECT hash FROM events WHERE place = ?').get(placeOf(run.key, seq));
  if (found === undefined) throw damagedRun(run.id, `record ${seq} of its log is missing`, { seq });
  return toHex(found.hash);
}

/** The rows after a position, verified: a missing, swapped or changed one is RUN_DAMAGED with its number. */
export function readLog(connection: Connection, row: RunRow, range: { readonly after: number; readonly limit: number }): EventRow[] {
  const { id, seq: length } = row.frame;
  const last = Math.min(length, range.after + range.limit);
  if (range.after >= length) return [];
  let previous = readHash(connection, { key: row.key, id }, range.after);
  const read: EventRow[] = [];
  for (const found of connection
    .sql("SELECT seq, at, hash, checkpoint = '' AS plain, body FROM events WHERE place > ? AND place <= ? ORDER BY place")
    .iterate(placeOf(row.key, range.after), placeOf(row.key, last))) {
    const expected = range.after + read.length + 1;
    if (found.seq !== expected) throw damagedRun(id, `record ${expected} of its log is missing`, { seq: expected });
    const next = verifyRow(row, found, previous);
    previous = next.hash;
    read.push(next);
  }
  if (read.length < last - range.after) {
    const missing = range.after + read.length + 1;
    throw damagedRun(id, `record ${missing} of its log is missing`, { seq: missing });
  }
  return read;
}

function verifyRow(row: RunRow, found: Record<string, unknown>, previous: string): EventRow {
  const seq = found.seq as number;
  const at = found.at as number;
  const text = eventsText(row.frame.id, found);
  const hash = rowHash(previous, { seq, at, bodyDigest: digestText(text) });
  if (hash !== toHex(found.hash)) throw damagedRun(row.frame.id, `record ${seq} of its log is not the one that was written`, { seq });
  return { seq, at, hash, events: parseStored(row.frame.id, `record ${seq} of its log`, () => JSON.parse(text) as RunEvent[]) };
}

/** The events of a row as they are spelled out. */
export function eventsText(run: string, row: Record<string, unknown>): string {
  const body = String(row.body);
  if (row.plain !== 1) return unpackJson(body);
  const text = parseStored(run, `record ${row.seq} of its log`, () => plainEvents(body, row.at as number));
  if (text === undefined) throw damagedRun(run, `record ${row.seq} of its log is not the one that was written`, { seq: row.seq });
  return text;
}
