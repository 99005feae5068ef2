// Owns the anchor: a small file beside the database that names the last transaction that was acknowledged. SQLite reads
// its write-ahead log up to the first bad checksum and silently ignores the rest, so after a kill one flipped bit there
// would undo acknowledged steps. A database that lacks what its anchor names has lost its end.
//
// - Losing the end of the log loses the last transaction, so naming that one is enough.
// - It is written after the commit is on disk and not synced itself. After a kill it is exact, because the system keeps
//   what was written; after a power cut it may be older than the database, never newer. So it raises no false alarm.
// - With `synchronous=NORMAL` a power cut may lose commits, which is what was asked for; no anchor is written then.
// - An anchor that cannot be read, or belongs to another database, is ignored: it holds nothing but this proof.

import { closeSync, constants, copyFileSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { EngineError } from '../../base/error.ts';
import { type Connection, createPrivateFile } from './connection.ts';
import { transactionsIn } from './seals.ts';

/** What identifies a transaction: how many that were not commits came before, and the run and record it wrote, if any. */
export interface Transaction {
  readonly transactions: number;
  readonly run?: { readonly key: number; readonly id: string; readonly seq: number };
}

interface Anchored extends Transaction {
  readonly store: string;
  readonly at: number;
}

/** The anchor of an open store. */
export interface Anchor {
  /** Remembers a transaction that reached the disk. */
  note(transaction: Transaction): void;
  /** Writes the last one that was noted. */
  save(): void;
  close(): void;
}

/** The path of the anchor of a database. */
function anchorOf(file: string): string {
  return `${file}.anchor`;
}

/** Opens the anchor for writing, on its first use. */
export function openAnchor({ path }: Connection, { store, now }: { readonly store: string; readonly now: () => number }): Anchor {
  let noted: Transaction | undefined;
  let descriptor: number | undefined;
  return {
    note: (transaction) => {
      noted = transaction;
    },
    save: () => {
      if (noted === undefined || path === undefined) return;
      try {
        descriptor ??= openAnchorFile(anchorOf(path));
        writeSync(descriptor, encode({ store, at: now(), ...noted }), 0);
      } catch {
        // An older anchor proves less, and the commit is on disk: failing now would report it as lost.
      }
      noted = undefined;
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

/** One line; what is left of a longer one before it comes after its end. */
function encode(anchored: Anchored): string {
  const text = JSON.stringify(anchored);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

/** What the anchor of a database says. To be read before the database, which may go on meanwhile. */
export function readAnchor(file: string | undefined): Anchored | undefined {
  if (file === undefined) return undefined;
  try {
    const [, sum, text = ''] = /^([0-9a-f]{8}) (\{.*\})\n/.exec(readFileSync(anchorOf(file), 'utf8')) ?? [];
    return Number.parseInt(sum ?? '', 16) === crc32(text) ? (JSON.parse(text) as Anchored) : undefined;
  } catch {
    return undefined;
  }
}

/** The error for a database that lacks what its anchor names; its write-ahead log is kept before SQLite removes it. */
export function findLoss(connection: Connection, anchored: Anchored | undefined, store: string): EngineError | undefined {
  if (anchored === undefined || anchored.store !== store || connection.path === undefined) return undefined;
  const { transactions, run, at } = anchored;
  const found = transactionsIn(connection);
  const seq = run === undefined ? 0 : ((connection.sql('SELECT seq FROM runs WHERE key = ?').get(run.key)?.seq as number | undefined) ?? 0);
  if (found > transactions || (found === transactions && (run === undefined || seq >= run.seq))) return undefined;
  const log = keepLog(connection.path);
  const missing = run === undefined || seq >= run.seq ? 'its last changes' : `records ${seq + 1} to ${run.seq} of run ${run.id}`;
  return new EngineError(
    'STORE_DAMAGED',
    `the database ${connection.path} has lost its end: ${missing} and perhaps more were written until ${new Date(at).toISOString()} and are missing now, so its write-ahead log was damaged, removed or replaced, or the file is an older copy; nothing is executed on it; "pawl doctor --repair" saves what can be saved, "pawl restore FILE" restores a backup, and "pawl db adopt" at a terminal continues with what is left`,
    {
      details: {
        file: connection.path,
        ...(run === undefined ? {} : { runId: run.id, seq, expected: run.seq }),
        ...(log === undefined ? {} : { log }),
      },
    },
  );
}

/** Keeps the write-ahead log of a database that lost its end, because SQLite removes it; returns where. */
export function keepLog(file: string): string | undefined {
  const kept = `${file}.lost-wal`;
  try {
    if (!existsSync(kept)) copyFileSync(`${file}-wal`, kept, constants.COPYFILE_EXCL);
    return kept;
  } catch {
    return undefined;
  }
}

/** Throws when a database that was written to is not there any more. */
export function assertNotRemoved(file: string): void {
  const anchored = existsSync(file) ? undefined : readAnchor(file);
  if (anchored === undefined) return;
  throw new EngineError(
    'STORE_GONE',
    `the database ${file} was removed or moved: ${anchorOf(file)} is still there and names what was last written, at ${new Date(anchored.at).toISOString()}; put the file back, or restore a backup with "pawl restore FILE"; to begin with an empty database, remove ${anchorOf(file)}`,
    { details: { file } },
  );
}
