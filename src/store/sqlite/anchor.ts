// Owns the anchor: a small file next to the database that names the last acknowledged transaction. SQLite reads
// its write-ahead log up to the first bad checksum and silently ignores the rest, so after a kill one flipped bit there
// would undo acknowledged steps. A database without the transaction that its anchor names has lost its end.
//
// - Losing the end of the log loses the last transaction, so naming that one is enough.
// - It is written after the commit is on disk and not synced itself. After a kill it is exact, because the system keeps
//   what was written; after a power cut it may be older than the database, never newer. So there are no false alarms.
// - With `synchronous=NORMAL` a power cut may lose commits, as requested; no anchor is written then.
// - An anchor that cannot be read, or belongs to another database, is ignored.

import { closeSync, constants, copyFileSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { EngineError } from '../../base/error.ts';
import { createPrivateFile } from '../../base/sqlite.ts';
import type { Connection } from './connection.ts';
import { transactionsIn } from './seals.ts';

/** The position of a run: the number of its last record. */
interface RunPosition {
  readonly id: string;
  readonly seq: number;
}

/**
 * The content of an anchor: the record that the last transaction wrote, if it was a commit of a run, and how many other
 * transactions there were. That number may be older, if other processes write too, but not older than the run.
 */
interface AnchorRecord {
  readonly store: string;
  /** When it was written. */
  readonly at: number;
  readonly transactions: number;
  readonly run?: RunPosition | undefined;
}

/** The anchor of an open store. */
export interface Anchor {
  /** Notes a commit of a run that reached the disk; for a new run, how many other transactions came before it. */
  noteCommit(run: RunPosition, transactions: number | undefined): void;
  /** Notes another transaction that reached the disk, by its number. */
  noteTransaction(transactions: number): void;
  /** Writes the transaction that was noted last. */
  save(): void;
  close(): void;
}

function anchorOf(file: string): string {
  return `${file}.anchor`;
}

/** Opens the anchor for writing, on its first use. */
export function openAnchor({ path }: Connection, store: string): Anchor {
  let run: RunPosition | undefined;
  let transactions = 0;
  let isNoted = false;
  let descriptor: number | undefined;
  return {
    noteCommit: (record, before = transactions) => {
      run = record;
      transactions = Math.max(transactions, before);
      isNoted = true;
    },
    noteTransaction: (count) => {
      run = undefined;
      transactions = count;
      isNoted = true;
    },
    save: () => {
      if (!isNoted || path === undefined) return;
      isNoted = false;
      try {
        descriptor ??= openAnchorFile(anchorOf(path));
        writeSync(descriptor, encode(store, transactions, run), 0);
      } catch {
        // An older anchor proves less, and the commit is on disk: failing now would report it as lost.
      }
    },
    close: () => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function openAnchorFile(path: string): number {
  createPrivateFile(path);
  return openSync(path, 'r+');
}

/** One line, which may overwrite a longer one and leave its rest behind. Plain text is fast: it is written at every step. */
function encode(store: string, transactions: number, run: RunPosition | undefined): string {
  const text = run === undefined ? `${store} ${transactions}` : `${store} ${transactions} ${run.seq} ${run.id}`;
  return `${crc32(text).toString(16)} ${text}\n`;
}

const LINE = /^(?<sum>[0-9a-f]+) (?<text>(?<store>\S+) (?<transactions>\d+)(?: (?<seq>\d+) (?<id>.+))?)\n/;

/** Reads the anchor of a database. It must be read before the database, which may change meanwhile. */
export function readAnchor(file: string | undefined): AnchorRecord | undefined {
  if (file === undefined) return undefined;
  try {
    const { sum = '', text = '', store = '', transactions, seq, id } = LINE.exec(readFileSync(anchorOf(file), 'utf8'))?.groups ?? {};
    if (Number.parseInt(sum, 16) !== crc32(text)) return undefined;
    const run = id === undefined ? undefined : { id, seq: Number(seq) };
    return { store, at: statSync(anchorOf(file)).mtimeMs, transactions: Number(transactions), run };
  } catch {
    return undefined;
  }
}

/** The error for a database without the transaction of its anchor; its write-ahead log is copied before SQLite removes it. */
export function findLoss(connection: Connection, anchored: AnchorRecord | undefined, store: string): EngineError | undefined {
  if (anchored === undefined || anchored.store !== store || connection.path === undefined) return undefined;
  const { transactions, run, at } = anchored;
  const found = transactionsIn(connection);
  const seq = run === undefined ? undefined : (connection.sql('SELECT seq FROM runs WHERE id = ?').get(run.id)?.seq as number | undefined);
  // A run that does not exist was removed by a later transaction, or is lost.
  const isRunThere = run === undefined || (seq === undefined ? found > transactions : seq >= run.seq);
  if (found >= transactions && isRunThere) return undefined;
  const log = keepLog(connection.path);
  const missing = run === undefined || isRunThere ? 'its last changes' : `records ${(seq ?? 0) + 1} to ${run.seq} of run ${run.id}`;
  return new EngineError(
    'STORE_DAMAGED',
    `the database ${connection.path} has lost its end: ${missing} and perhaps more were written until ${new Date(at).toISOString()} and are missing now, so its write-ahead log was damaged, removed or replaced, or the file is an older copy; nothing is executed on it; "pawl doctor --repair" saves what can be saved, "pawl restore FILE" restores a backup, and "pawl db adopt" at a terminal continues with what is left`,
    {
      details: {
        file: connection.path,
        ...(run === undefined ? {} : { runId: run.id, seq: seq ?? 0, expected: run.seq }),
        ...(log === undefined ? {} : { log }),
      },
    },
  );
}

/** Copies the write-ahead log of a database that lost its end, because SQLite removes it; returns the path of the copy. */
export function keepLog(file: string): string | undefined {
  const kept = `${file}.lost-wal`;
  try {
    if (!existsSync(kept)) copyFileSync(`${file}-wal`, kept, constants.COPYFILE_EXCL);
    return kept;
  } catch {
    return undefined;
  }
}

/** Throws STORE_GONE if a database that was written to no longer exists. */
export function assertNotRemoved(file: string): void {
  const anchored = existsSync(file) ? undefined : readAnchor(file);
  if (anchored === undefined) return;
  throw new EngineError(
    'STORE_GONE',
    `the database ${file} was removed or moved: ${anchorOf(file)} still exists and names the last change, made at ${new Date(anchored.at).toISOString()}; put the file back, or restore a backup with "pawl restore FILE"; to begin with an empty database, remove ${anchorOf(file)}`,
    { details: { file } },
  );
}
