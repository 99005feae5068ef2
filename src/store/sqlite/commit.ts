// Writes run state, as the only file that does: a delta becomes rows, or changes nothing.
//
// M1. The first write of a commit is the row of the run, and only if owner, epoch and position are as expected.
// M2. The row of a run is cached while this store owns the run: reading it takes as long as all writes of a step.

import { EngineError } from '../../base/error.ts';
import { isFinal } from '../../definition/run-status.ts';
import type { Path } from '../../kernel/activation.ts';
import type { CommitResult, Delta, RunCreation, StoredAttempt } from '../store.ts';
import type { Anchor } from './anchor.ts';
import { copyChecks, readAttempts, writeChecks } from './attempts.ts';
import type { Bell } from './bell.ts';
import { chainStart } from './chain.ts';
import type { Connection } from './connection.ts';
import { writeData, writeValues } from './contents.ts';
import { changeCode, writeDefinition } from './definitions.ts';
import { appendEntry, nextEntry } from './log.ts';
import { consumeMail, insertMail } from './mail.ts';
import { writeMembers } from './members.ts';
import { writeNumbers } from './numbers.ts';
import { countMembers, encodeState, withoutChecks, withoutPlace } from './row-format.ts';
import { findKey, insertRunRow, type RunRow, readRunRow, updateRunRow } from './run-row.ts';
import { transactionsIn } from './seals.ts';
import { changeSlots, findFull, leave, nextInQueue, queueForSlot } from './slots.ts';
import type { AfterCommit } from './transactions.ts';

/** The context of a commit. */
export interface CommitContext {
  readonly connection: Connection;
  readonly bell: Bell;
  readonly anchor: Anchor;
  /** The runs that this store owns, as it last wrote them (M2). */
  readonly owned: Map<string, RunRow>;
}

const STALE: CommitResult = { result: 'stale' };

/** Applies a delta inside a transaction. */
export function commitDelta(context: CommitContext, delta: Delta, afterCommit: AfterCommit): CommitResult {
  const { connection } = context;
  const before = delta.create === undefined ? findRun(context, delta) : newRunRow(connection, delta, delta.create);
  const run = before.key;
  const full = delta.slots.take.length === 0 ? undefined : findFull(connection, { run, ...delta.slots });
  if (full !== undefined) return queueUp(connection, delta, { run, ...full });
  const written = writeRun(connection, before, delta);
  if (written === undefined) return STALE;
  writeValues(connection, delta.values);
  writeData(connection, run, delta.data);
  writeNumbers(connection, run, delta);
  writeMembers(connection, run, delta);
  consumeMail(connection, run, { ids: delta.consumed, seq: delta.state.seq });
  const woken = [...postMail(connection, delta), ...moveSlots(connection, run, delta)];
  const released = delta.release === true && clearOwner(connection, run);
  const transactions = delta.create === undefined ? undefined : transactionsIn(connection);
  afterCommit(() => {
    context.anchor.noteCommit(written, transactions);
    if (released) context.owned.delete(delta.run);
    else context.owned.set(delta.run, written);
    for (const other of woken) context.bell.ring(other);
    if (delta.consumed.length > 0 || delta.slots.take.length > 0) context.bell.silence(delta.run);
    if (released) context.bell.released();
  });
  return { result: 'committed', released };
}

/** The row of the run that a delta continues (M2). Whether its owner may write is checked when it is written (M1). */
function findRun({ connection, owned }: CommitContext, { run, seq }: Delta): RunRow {
  const known = owned.get(run);
  return known?.seq === seq ? known : readRunRow(connection, run);
}

/** A run that does not exist yet: its log is empty, and its state is still to be written. */
function newRunRow(connection: Connection, { run: id, epoch, state, status }: Delta, creation: RunCreation): RunRow {
  if (findKey(connection, id) !== undefined) {
    throw new EngineError('RUN_EXISTS', `run "${id}" exists already in ${connection.name}; resume it, or start one under another id`, {
      details: { runId: id },
    });
  }
  const { createdAt: created, def: hash, params } = state;
  const { owner, codeHash: code } = creation;
  const { name, form } = creation.definition;
  const key = ((connection.sql('SELECT max(key) AS last FROM runs').get()?.last as number | null) ?? 0) + 1;
  const text = JSON.stringify(creation.origin);
  const start = { created, at: created, params, parent: state.parent?.run ?? null, origin: text === '{}' ? null : text };
  const frozen = { definition: writeDefinition(connection, hash, creation), hash, code, name, form };
  const emptyLog = { seq: 0, attempts: 0, head: chainStart(id) };
  return { key, id, epoch, owner, status, due: null, ...start, ...frozen, ...emptyLog, members: 0, sum: 0, state: '' };
}

/** Writes the row of the run and appends to its log; returns the row, or undefined when its owner has lost the run (M1). */
function writeRun(connection: Connection, before: RunRow, delta: Delta): RunRow | undefined {
  const { state, status, at, create, codeHash } = delta;
  const ended = delta.attempts.map(withoutChecks);
  const attempts = create?.fork === undefined ? ended : [...copyHistory(connection, before.key, create.fork).map(withoutPlace), ...ended];
  const entry = nextEntry(before, at, { events: delta.events, attempts });
  const { seq, head } = entry;
  const row = { ...before, seq, at, head, attempts: entry.attempts, status, due: delta.due ?? null, members: countMembers(state) };
  row.state = encodeState(state, row);
  if (create !== undefined) insertRunRow(connection, row);
  else if (!updateRunRow(connection, row, { epoch: delta.epoch, seq: delta.seq, status: before.status })) return undefined;
  appendEntry(connection, row.key, entry);
  writeChecks(connection, delta.attempts, { run: row.key, count: entry.attempts - delta.attempts.length });
  return codeHash === undefined ? row : { ...row, code: codeHash, definition: changeCode(connection, row, codeHash) };
}

/** The attempts that a fork takes over from another run; copies their checks. */
function copyHistory(connection: Connection, to: number, fork: NonNullable<RunCreation['fork']>): readonly StoredAttempt[] {
  const source = readRunRow(connection, fork.run);
  const past = readAttempts(connection, source, { upTo: fork.seq });
  copyChecks(connection, past, { from: source.key, to });
  return past;
}

/** Posts mail; returns the runs that received some. Mail to a removed run is dropped, so that the sender can still end. */
function postMail(connection: Connection, { post }: Delta): string[] {
  return post.flatMap((mail) => {
    const target = findKey(connection, mail.run);
    return target !== undefined && insertMail(connection, target, mail) === 'posted' ? [mail.run] : [];
  });
}

/** Takes and frees semaphores; returns the runs that have room now. */
function moveSlots(connection: Connection, run: number, { slots: { take, free }, status }: Delta): readonly string[] {
  const left = take.length + free.length === 0 ? [] : changeSlots(connection, { run, take, free });
  const keys = isFinal(status) ? [...left, ...leave(connection, run)] : left;
  return [...new Set(keys)].flatMap((key) => nextInQueue(connection, key));
}

/** Joins the queue of a full semaphore. */
function queueUp(
  connection: Connection,
  { epoch }: Delta,
  full: { readonly run: number; readonly path: Path; readonly key: string; readonly limit: number },
): CommitResult {
  const isOwned = connection.sql('SELECT 1 FROM runs WHERE key = ? AND epoch = ? AND owner IS NOT NULL').get(full.run, epoch);
  if (isOwned === undefined) return STALE;
  queueForSlot(connection, full);
  return { result: 'full', path: full.path, key: full.key };
}

/** Removes the owner of a run; false if there is unread mail. */
function clearOwner(connection: Connection, run: number): boolean {
  const { changes } = connection
    .sql('UPDATE runs SET owner = NULL WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM mail WHERE run = ?1 AND consumed IS NULL)')
    .run(run);
  return changes === 1;
}
