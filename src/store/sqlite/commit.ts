// Owns the one writer of run state: a delta becomes rows, or changes nothing.
//
// M1. The row that is appended tests the epoch and the position before anything else is written: it is not appended for
//     an owner that lost the run, nor where its place is taken.
// M2. What the owner of a run needs to append to its log is remembered while it owns it, never longer.

import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { isFinal } from '../../kernel/run-state.ts';
import type { CommitResult, Delta, RunCreation, StoredAttempt } from '../store.ts';
import { copyChecks, encodeAttempts, readPast, writeChecks } from './attempts.ts';
import type { Bell } from './bell.ts';
import { chainStart, toBlob } from './chain.ts';
import { countMembers, encodeCheckpoint, type Frame, statusCode } from './checkpoint.ts';
import type { Connection } from './connection.ts';
import { writeData, writeValues } from './contents.ts';
import { unknownRun } from './failure.ts';
import { appendEntry, type Entry, nextHash, packEvents, readHash } from './log.ts';
import { consumeMail, hasMail, insertMail, keyOf } from './mail.ts';
import { NO_OPENINGS, type Openings, readMembers, writeMembers } from './members.ts';
import { packJson } from './packing.ts';
import { PLAIN, spellPlain } from './plain-row.ts';
import { readRunRow } from './run-row.ts';
import { changeSlots, findFull, leaveAll, nextInQueue, queueForSlot } from './slots.ts';
import type { After } from './transactions.ts';

/** What is fixed about a run once it is created, with the end of its log. */
export interface OwnedRun {
  readonly key: number;
  readonly seq: number;
  readonly head: string;
  readonly attempts: number;
  /** What the row of the run says. */
  readonly status: number;
  readonly due: number | null;
  readonly openings: Openings;
  /** Attempts that a fork takes over with its first row. */
  readonly past: readonly StoredAttempt[];
  readonly fixed: Pick<Frame, 'origin' | 'hash' | 'code' | 'name' | 'form'>;
}

/** What a commit works with. */
export interface CommitContext {
  readonly connection: Connection;
  readonly bell: Bell;
  /** Runs this store object owns, by id. */
  readonly owned: Map<string, OwnedRun>;
}

const STALE: CommitResult = { result: 'stale' };
const NO_PAST: readonly StoredAttempt[] = [];

/** Applies a delta inside a transaction. */
export function commitDelta(context: CommitContext, delta: Delta, after: After): CommitResult {
  const { connection } = context;
  const found = delta.create === undefined ? findOwned(context, delta) : createOwned(connection, delta, delta.create);
  if (found === undefined) return STALE;
  const run = delta.codeHash === undefined ? found : { ...found, fixed: { ...found.fixed, code: delta.codeHash } };
  const full = delta.slots.take.length === 0 ? undefined : findFull(connection, { run: run.key, ...delta.slots });
  if (full !== undefined) return queueUp(context, delta, { run: run.key, ...full });
  const entry = entryOf(delta, run);
  const { frame } = entry;
  if (delta.create !== undefined) insertRun(connection, delta, { run, frame });
  if (!appendEntry(connection, { run: run.key, epoch: delta.epoch }, entry)) return STALE;
  if (delta.create === undefined) moveRun(connection, { run, frame });
  const openings = writeRows(connection, run, delta);
  if (delta.codeHash !== undefined) changeCode(connection, run);
  ringOthers(context, run.key, { delta, after });
  const released = delta.release === true && giveUp(connection, run.key, frame.seq);
  const owned: OwnedRun = {
    ...run,
    seq: frame.seq,
    head: entry.hash,
    attempts: frame.attempts,
    past: NO_PAST,
    status: frame.status,
    due: frame.due,
    openings,
  };
  after(() => remember(context, delta, { released, run: owned }));
  return { result: 'committed', released };
}

/** Whether all that a delta writes is its row of the log. */
export function writesOneRow({ owned }: CommitContext, delta: Delta): boolean {
  const run = owned.get(delta.run);
  const { values, data, members, consumed, post, slots, attempts } = delta;
  const rows = values.length + data.length + members.put.length + members.drop.length + consumed.length + post.length;
  return (
    rows + slots.take.length + slots.free.length === 0 &&
    delta.create === undefined &&
    delta.codeHash === undefined &&
    delta.release !== true &&
    !isFinal(delta.status) &&
    attempts.every(({ checks }) => checks.length === 0) &&
    run?.status === statusCode(delta.status) &&
    run.due === (delta.due ?? null)
  );
}

interface Move {
  readonly run: OwnedRun;
  readonly frame: Frame;
}

function findOwned({ connection, owned }: CommitContext, delta: Delta): OwnedRun | undefined {
  const known = owned.get(delta.run);
  if (known?.seq === delta.seq) return known;
  const row = readRunRow(connection, delta.run);
  if (row === undefined) throw unknownRun(delta.run, connection.name);
  if (row.epoch !== delta.epoch || row.frame.seq !== delta.seq) return undefined;
  return {
    key: row.key,
    seq: delta.seq,
    head: readHash(connection, { key: row.key, id: delta.run }, delta.seq),
    attempts: row.frame.attempts,
    past: NO_PAST,
    status: row.frame.status,
    due: row.frame.due,
    openings: readMembers(connection, row).openings,
    fixed: row.frame,
  };
}

function createOwned(connection: Connection, delta: Delta, creation: RunCreation): OwnedRun {
  if (keyOf(connection, delta.run) !== undefined) {
    throw new EngineError(
      'RUN_EXISTS',
      `run "${delta.run}" exists already in ${connection.name}; resume it, or start one under another id`,
      { details: { runId: delta.run } },
    );
  }
  const origin = JSON.stringify(creation.origin);
  const { definition, codeHash: code } = creation;
  const fixed = { origin: origin === '{}' ? null : origin, hash: delta.state.def, code, name: definition.name, form: definition.form };
  const key = ((connection.sql('SELECT max(key) AS last FROM runs').get()?.last as number | null) ?? 0) + 1;
  const past = creation.fork === undefined ? NO_PAST : pastOf(connection, creation.fork);
  return {
    key,
    seq: 0,
    head: chainStart(delta.run),
    attempts: past.length,
    past,
    status: statusCode(delta.status),
    due: delta.due ?? null,
    openings: NO_OPENINGS,
    fixed,
  };
}

function frameOf(delta: Delta, run: OwnedRun): Frame {
  const { state } = delta;
  return {
    id: delta.run,
    seq: delta.seq + 1,
    status: statusCode(delta.status),
    due: delta.due ?? null,
    created: state.createdAt,
    at: delta.at,
    members: countMembers(state),
    attempts: run.attempts + delta.attempts.length,
    params: state.params,
    parent: state.parent?.run ?? null,
    origin: run.fixed.origin,
    hash: run.fixed.hash,
    code: run.fixed.code,
    name: run.fixed.name,
    form: run.fixed.form,
  };
}

/** Changes the row of a run where lists and indexes look at it; a plain step changes nothing there. */
function moveRun(connection: Connection, { run, frame }: Move): void {
  if (run.status === frame.status && run.due === frame.due) return;
  connection.sql('UPDATE runs SET seq = ?, status = ?, due = ? WHERE key = ?').run(frame.seq, frame.status, frame.due, run.key);
}

function insertRun(connection: Connection, delta: Delta, { run, frame }: Move): void {
  const creation = delta.create as RunCreation;
  const { params } = delta.state;
  connection
    .sql(
      `INSERT INTO runs (key, id, epoch, seq, owner, status, due, created, definition, params, params_bytes, parent, origin)
       VALUES (${'?, '.repeat(12)}?)`,
    )
    .run(
      run.key,
      frame.id,
      delta.epoch,
      frame.seq,
      creation.owner,
      frame.status,
      frame.due,
      frame.created,
      definitionId(connection, frame, creation),
      params?.digest ?? null,
      params?.bytes ?? null,
      frame.parent,
      frame.origin,
    );
  if (creation.fork !== undefined) copyChecks(connection, run.past, { from: keyOfFork(connection, creation.fork), to: run.key });
}

/** The row that a delta appends. Packing takes time, which pays where the row is all that happens for long. */
function entryOf(delta: Delta, run: OwnedRun): Entry {
  const frame = frameOf(delta, run);
  const text = JSON.stringify(delta.events);
  const hash = nextHash(run.head, frame, text);
  const isFirst = delta.create !== undefined;
  const isLast = delta.release === true;
  const plain = isFirst || isLast ? undefined : spellPlain(delta, frame, text);
  if (plain !== undefined) return { hash, frame, ended: null, checkpoint: PLAIN, body: plain };
  const checkpoint = encodeCheckpoint(delta.state, frame);
  return {
    hash,
    frame,
    ended: encodeAttempts([...run.past, ...delta.attempts]),
    checkpoint: isLast ? packJson(checkpoint) : checkpoint,
    body: isFirst || isLast ? packEvents(text) : text,
  };
}

function definitionId(connection: Connection, frame: Frame, { definition }: RunCreation): number {
  const found = connection.sql('SELECT id FROM definitions WHERE hash = ? AND code = ?').get(frame.hash, frame.code);
  if (found !== undefined) return found.id as number;
  const text = JSON.stringify(definition);
  const { lastInsertRowid } = connection
    .sql('INSERT INTO definitions (hash, code, name, form, digest, text) VALUES (?, ?, ?, ?, ?, ?)')
    .run(frame.hash, frame.code, frame.name, frame.form, toBlob(digestText(text)), text);
  return Number(lastInsertRowid);
}

// The run keeps the data it is frozen to; only the digest of its functions is another one.
function changeCode(connection: Connection, { key, fixed: { hash, code } }: OwnedRun): void {
  connection
    .sql(
      `INSERT INTO definitions (hash, code, name, form, digest, text)
       SELECT hash, ?, name, form, digest, text FROM definitions WHERE id = (SELECT definition FROM runs WHERE key = ?)
       ON CONFLICT DO NOTHING`,
    )
    .run(code, key);
  connection
    .sql('UPDATE runs SET definition = (SELECT id FROM definitions WHERE hash = ? AND code = ?) WHERE key = ?')
    .run(hash, code, key);
}

type Fork = NonNullable<RunCreation['fork']>;

function pastOf(connection: Connection, fork: Fork): readonly StoredAttempt[] {
  const row = readRunRow(connection, fork.run);
  if (row === undefined) throw unknownRun(fork.run, connection.name);
  return readPast(connection, row, fork.seq);
}

function keyOfFork(connection: Connection, fork: Fork): number {
  const from = keyOf(connection, fork.run);
  if (from === undefined) throw unknownRun(fork.run, connection.name);
  return from;
}

/** Writes what lies beside the row of the log; gives which members are as they opened. */
function writeRows(connection: Connection, owned: OwnedRun, delta: Delta): Openings {
  const { key: run, attempts: count } = owned;
  writeValues(connection, delta.values);
  writeChecks(connection, delta.attempts, { run, count });
  writeData(connection, run, delta.data);
  consumeMail(connection, run, { ids: delta.consumed, seq: delta.seq + 1 });
  return writeMembers(connection, owned, delta);
}

// Mail to a run that is not there any more has no reader; a run must still be able to end.
function ringOthers({ connection, bell }: CommitContext, run: number, { delta, after }: { delta: Delta; after: After }): void {
  const rung = new Set<string>();
  for (const mail of delta.post) {
    const target = keyOf(connection, mail.run);
    if (target !== undefined && insertMail(connection, target, mail) === 'posted') rung.add(mail.run);
  }
  const { take, free } = delta.slots;
  const left = take.length + free.length === 0 ? [] : changeSlots(connection, { run, take, free });
  const all = isFinal(delta.status) ? [...left, ...leaveAll(connection, run)] : left;
  for (const key of new Set(all)) for (const next of nextInQueue(connection, key)) rung.add(next);
  if (rung.size > 0) after(() => rung.forEach(bell.ring));
}

function giveUp(connection: Connection, run: number, seq: number): boolean {
  if (hasMail(connection, run, 0)) return false;
  connection.sql('UPDATE runs SET owner = NULL, seq = ? WHERE key = ?').run(seq, run);
  return true;
}

function queueUp(
  { connection }: CommitContext,
  delta: Delta,
  full: { run: number; path: string; key: string; limit: number },
): CommitResult {
  const current = connection.sql('SELECT 1 FROM runs WHERE key = ? AND epoch = ? AND owner IS NOT NULL').get(full.run, delta.epoch);
  if (current === undefined) return STALE;
  queueForSlot(connection, full);
  return { result: 'full', path: full.path, key: full.key };
}

function remember({ owned, bell }: CommitContext, delta: Delta, end: { readonly released: boolean; readonly run: OwnedRun }): void {
  if (end.released) owned.delete(delta.run);
  else owned.set(delta.run, end.run);
  if (delta.consumed.length > 0 || delta.slots.take.length > 0) bell.silence(delta.run);
  if (end.released) bell.released();
}
