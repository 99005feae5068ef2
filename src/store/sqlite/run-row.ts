// Owns the row of a run: its columns, its checkpoint, and the verification of both.

import type { RunStatus } from '../../definition/run-status.ts';
import { isSettled } from '../../definition/run-status.ts';
import type { RunState } from '../../kernel/run-state.ts';
import type { RunOrigin } from '../store.ts';
import { sumOf, toHex } from './chain.ts';
import type { Connection } from './connection.ts';
import { damagedRun, parseStored, unknownRun } from './failure.ts';
import { readLog } from './log.ts';
import { readMembers } from './members.ts';
import { decodeState, type StateColumns } from './row-format.ts';
import { lastPlaceOf, placeOf, placeSql } from './schema.ts';

const SELECT_RUN = `SELECT r.*, e.at, e.attempts, e.hash AS head, d.hash, d.code, d.name, d.form
  FROM runs r LEFT JOIN definitions d ON d.id = r.definition LEFT JOIN events e ON e.place = ${placeSql('r.key', 'r.seq')}`;

/** The row of a run, joined with its definition and the last row of its log; not verified yet. */
export interface RunRow extends StateColumns {
  readonly key: number;
  readonly epoch: number;
  readonly owner: string | undefined;
  readonly due: number | null;
  readonly definition: number;
  readonly parent: string | null;
  readonly origin: string | null;
  readonly sum: number;
  readonly state: string;
  /** The digest of its functions. */
  readonly code: string;
  /** How many of its attempts have ended. */
  readonly attempts: number;
  /** The hash of the last row of its log, in hex. */
  readonly head: string;
}

/** A run that was read and verified. */
export interface LoadedRun {
  readonly row: RunRow;
  readonly state: RunState;
  readonly status: RunStatus;
  readonly origin: RunOrigin;
}

/** The key of a run inside the tables, if the run exists. */
export function findKey(connection: Connection, run: string): number | undefined {
  return connection.sql('SELECT key FROM runs WHERE id = ?').get(run)?.key as number | undefined;
}

/** The key of a run inside the tables; RUN_NOT_FOUND if there is none. */
export function readKey(connection: Connection, run: string): number {
  const key = findKey(connection, run);
  if (key === undefined) throw unknownRun(run, connection.name);
  return key;
}

/** The row of a run by its id; RUN_NOT_FOUND if there is none. */
export function readRunRow(connection: Connection, id: string): RunRow {
  const row = toRunRow(connection.sql(`${SELECT_RUN} WHERE r.id = ?`).get(id));
  if (row === undefined) throw unknownRun(id, connection.name);
  return row;
}

/** The row of a run by its key. */
export function readRunRowByKey(connection: Connection, key: number): RunRow | undefined {
  return toRunRow(connection.sql(`${SELECT_RUN} WHERE r.key = ?`).get(key));
}

function toRunRow(found: Record<string, unknown> | undefined): RunRow | undefined {
  if (found === undefined) return undefined;
  const { owner, params, params_bytes: bytes, head, ...columns } = found;
  const ref = params === null ? undefined : { digest: params, bytes };
  return { ...columns, owner: owner ?? undefined, params: ref, head: toHex(head) } as unknown as RunRow;
}

/** Writes the row of a new run. */
export function insertRunRow(connection: Connection, row: Omit<RunRow, 'sum'>): void {
  const { key, id, epoch, owner, seq, status, due, created, definition, params, parent, origin, members, state } = row;
  connection
    .sql(
      `INSERT INTO runs (key, id, epoch, owner, seq, status, due, created, definition, params, params_bytes, parent, origin, members, sum, state)
       VALUES (${'?, '.repeat(15)}?)`,
    )
    .run(
      ...[key, id, epoch, owner ?? null, seq, status, due, created, definition],
      ...[params?.digest ?? null, params?.bytes ?? null, parent, origin, members, sumOfRun(row), state],
    );
}

const CHANGES = `seq = ?, due = ?, members = ?, sum = ?, state = ? WHERE key = ? AND epoch = ? AND seq = ? AND owner IS NOT NULL`;
const UPDATE_RUN = `UPDATE runs SET ${CHANGES}`;
const UPDATE_STATUS = `UPDATE runs SET status = ?, ${CHANGES}`;

/** Writes the columns that a commit changes; false, and nothing changes, if the owner's epoch or position is stale. */
export function updateRunRow(
  connection: Connection,
  row: Omit<RunRow, 'sum'>,
  before: { readonly epoch: number; readonly seq: number; readonly status: string },
): boolean {
  const { key, seq, status, due, members, state } = row;
  const values = [seq, due, members, sumOfRun(row), state, key, before.epoch, before.seq];
  // SQLite writes the index of open runs whenever the status is set, even to the same value.
  const { changes } =
    status === before.status ? connection.sql(UPDATE_RUN).run(...values) : connection.sql(UPDATE_STATUS).run(status, ...values);
  return changes === 1;
}

/** The checksum of a run: it covers the end of its log, its columns and its checkpoint. Owner and epoch change without it. */
function sumOfRun(row: Omit<RunRow, 'sum'>): number {
  const { head, id, seq, status, due, created, at, members, attempts, params, parent, origin, hash, state } = row;
  return sumOf([head, id, seq, status, due, created, at, members, attempts, params?.digest ?? null, parent, origin, hash], state);
}

/** Every status that a run can have. */
export const STATUSES: Readonly<Record<RunStatus, true>> = {
  pending: true,
  running: true,
  waiting: true,
  completed: true,
  overridden: true,
  failed: true,
  escalated: true,
  rejected: true,
  cancelled: true,
};

/** The statuses of settled runs, in SQL. */
export const SETTLED_SQL = `(${Object.keys(STATUSES)
  .filter((status) => isSettled(status as RunStatus))
  .map((status) => `'${status}'`)
  .join(', ')})`;

/** The status that a column holds; undefined for one that does not exist. */
export function statusOf(column: unknown): RunStatus | undefined {
  return typeof column === 'string' && Object.hasOwn(STATUSES, column) ? (column as RunStatus) : undefined;
}

/** The checkpoint of a run, verified against its checksum and the last row of its log; damage is RUN_DAMAGED. */
export function verifyRun(connection: Connection, row: RunRow): LoadedRun {
  const { id, seq } = row;
  const status = statusOf(row.status);
  if (status === undefined || row.hash === null) throw damagedRun(id, 'its row names a status or a definition that does not exist');
  verifyEnd(connection, row);
  if (row.sum !== sumOfRun(row)) throw damagedRun(id, `its checkpoint at record ${seq} was changed after it was written`, { seq });
  const members = readMembers(connection, row);
  const state = parseStored(id, 'its checkpoint', () => decodeState(row.state, row, members));
  const origin = parseStored(id, 'its origin', () => (row.origin === null ? {} : (JSON.parse(row.origin) as RunOrigin)));
  return { row, state, status, origin };
}

/** Verifies the last row of the log, and that none comes after it. */
function verifyEnd(connection: Connection, row: RunRow): void {
  const { id, seq, key } = row;
  readLog(connection, row, { after: seq - 1, limit: 1 });
  const beyond = connection.sql('SELECT 1 FROM events WHERE place > ? AND place <= ?').get(placeOf(key, seq), lastPlaceOf(key));
  if (beyond !== undefined) throw damagedRun(id, `its log continues after record ${seq}, the last one that was committed`, { seq });
}
