// Owns reading a run: its row, the definition it is frozen to, its members, and the proof that they are as written.

import { digestText } from '../../base/digest.ts';
import { deepFreeze } from '../../base/json.ts';
import type { Definition } from '../../definition/model.ts';
import type { RunState, RunStatus } from '../../kernel/run-state.ts';
import type { RunOrigin } from '../store.ts';
import { chainStart, rowHash, toHex } from './chain.ts';
import { decodeCheckpoint, type Frame, impliedState, sealRun, statusOf } from './checkpoint.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored } from './failure.ts';
import { eventsText } from './log.ts';
import { type Openings, readMembers } from './members.ts';
import { PLAIN, plainState } from './plain-row.ts';
import { lastPlaceOf, ofRun, placeOf } from './schema.ts';

const DEFINITIONS_MAX = 64;

const SELECT_RUN = `SELECT r.key, r.id, r.epoch, r.seq AS least, r.owner, r.status, r.due, r.created, r.definition,
  r.params, r.params_bytes, r.parent, r.origin, e.seq, e.at, e.members, e.attempts, e.seal, e.checkpoint,
  e.status AS head_status, e.due AS head_due, d.hash, d.code, d.name, d.form
  FROM runs r LEFT JOIN definitions d ON d.id = r.definition
  LEFT JOIN events e ON e.place = (SELECT max(place) FROM events WHERE ${ofRun('place', 'r.key')})`;

/** A run as its row says it, not verified yet. */
export interface RunRow {
  readonly key: number;
  readonly epoch: number;
  readonly owner: string | undefined;
  readonly definition: number;
  readonly frame: Frame;
  readonly seal: unknown;
  readonly checkpoint: string;
  /** How far the log was when the row of the run was last written, and what the last row of the log says of it. */
  readonly least: number;
  readonly head: { readonly status: unknown; readonly due: unknown };
}

/** A run that was read and verified. */
export interface LoadedRun {
  readonly row: RunRow;
  /** The hash of the last row of its log, in hex. */
  readonly head: string;
  readonly state: RunState;
  readonly openings: Openings;
  readonly status: RunStatus;
  readonly origin: RunOrigin;
}

/** The row of a run by its id. */
export function readRunRow(connection: Connection, id: string): RunRow | undefined {
  return toRunRow(connection.sql(`${SELECT_RUN} WHERE r.id = ?`).get(id));
}

/** The row of a run by its key. */
export function readRunRowByKey(connection: Connection, key: number): RunRow | undefined {
  return toRunRow(connection.sql(`${SELECT_RUN} WHERE r.key = ?`).get(key));
}

function toRunRow(found: Record<string, unknown> | undefined): RunRow | undefined {
  if (found === undefined) return undefined;
  const { key, epoch, owner, definition, seal, checkpoint, least, head_status, head_due, params, params_bytes: bytes, ...columns } = found;
  const frame = { ...columns, params: params === null ? undefined : { digest: String(params), bytes } } as unknown as Frame;
  const head = { status: head_status, due: head_due };
  return { key, epoch, owner: owner ?? undefined, definition, frame, seal, checkpoint, least, head } as RunRow;
}

/** The checkpoint of a row, proved against its seal and the last row of its log; damage is RUN_DAMAGED. */
export function verifyRun(connection: Connection, row: RunRow): LoadedRun {
  const { frame } = row;
  const status = statusOf(frame.status);
  if (status === undefined || frame.hash === null) throw damagedRun(frame.id, 'its row names a status or a definition that does not exist');
  checkLength(row);
  const { hash: head, text } = readHead(connection, row);
  const agrees = row.head.status === frame.status && row.head.due === frame.due;
  if (!agrees || row.seal !== sealRun(head, frame, row.checkpoint)) {
    throw damagedRun(frame.id, `its checkpoint at record ${frame.seq} is not the one that was written`, { seq: frame.seq });
  }
  const { members, openings } = readMembers(connection, row);
  const state = parseStored(frame.id, 'its checkpoint', () =>
    row.checkpoint === PLAIN ? { ...impliedState(frame), ...plainState(text) } : decodeCheckpoint(row.checkpoint, frame, members),
  );
  const origin = parseStored(frame.id, 'its origin', () => (frame.origin === null ? {} : (JSON.parse(frame.origin) as RunOrigin)));
  return { row, head, state, openings, status, origin };
}

/** A log that ends before the row of the run says it did has lost its last rows. */
function checkLength({ frame, least, owner }: RunRow): void {
  const missing = frame.seq === null || frame.seq < least ? least : owner === undefined && frame.seq > least ? frame.seq : undefined;
  if (missing === undefined) return;
  const what = frame.seq === null || frame.seq < least ? 'is missing' : 'was never given up by its owner';
  throw damagedRun(frame.id, `record ${missing} of its log ${what}`, { seq: missing });
}

/** The last row of the log, proved: its hash, and its events as they are spelled out. */
function readHead(connection: Connection, row: RunRow): { readonly hash: string; readonly text: string } {
  const { id, seq } = row.frame;
  const rows = connection
    .sql("SELECT seq, at, hash, checkpoint = '' AS plain, body FROM events WHERE place BETWEEN ? AND ? ORDER BY place")
    .all(placeOf(row.key, seq - 1), lastPlaceOf(row.key));
  const last = rows.at(-1);
  if (last?.seq !== seq) throw damagedRun(id, `record ${seq} of its log is missing`, { seq });
  const before = seq === 1 ? chainStart(id) : rows.length === 2 ? toHex(rows[0]?.hash) : undefined;
  if (before === undefined) throw damagedRun(id, `record ${seq - 1} of its log is missing`, { seq: seq - 1 });
  const text = eventsText(id, last);
  const hash = rowHash(before, { seq, at: last.at as number, bodyDigest: digestText(text) });
  if (hash !== toHex(last.hash)) throw damagedRun(id, `record ${seq} of its log is not the one that was written`, { seq });
  return { hash, text };
}

/** Reads definitions, each once. */
export function openDefinitions(connection: Connection): (row: RunRow) => Definition {
  const known = new Map<number, Definition>();
  return (row) => {
    const cached = known.get(row.definition);
    if (cached !== undefined) return cached;
    const found = connection.sql('SELECT digest, text FROM definitions WHERE id = ?').get(row.definition);
    const text = String(found?.text);
    if (digestText(text) !== toHex(found?.digest))
      throw damagedRun(row.frame.id, 'the definition it is frozen to is not the one that was written');
    const definition = deepFreeze(parseStored(row.frame.id, 'its definition', () => JSON.parse(text) as Definition));
    if (known.size >= DEFINITIONS_MAX) known.delete(known.keys().next().value as number);
    known.set(row.definition, definition);
    return definition;
  };
}
