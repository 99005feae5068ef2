// Counts the transactions in a write-ahead log that was kept because its database lost its end. SQLite reads such a log up
// to the first bad checksum; this file also counts those after it. It never applies them: after a damaged page nothing
// proves that the next one is intact.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The content of a kept log. */
interface LostLog {
  readonly path: string;
  /** When it was kept. */
  readonly at: number;
  /** The transactions in it, each about one step. */
  readonly transactions: number;
  /** Those of them that SQLite cannot read, because they come after the damage. */
  readonly unreadable: number;
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;

/** Reads the kept log of a database; undefined if there is none. */
export function readLostLog(file: string): LostLog | undefined {
  const path = `${file}.lost-wal`;
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const { size, mtimeMs } = fstatSync(descriptor);
    return { path, at: mtimeMs, ...countTransactions(descriptor, size) };
  } finally {
    closeSync(descriptor);
  }
}

function countTransactions(descriptor: number, size: number): Pick<LostLog, 'transactions' | 'unreadable'> {
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(descriptor, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return { transactions: 0, unreadable: 0 };
  const pageBytes = header.readUInt32BE(8);
  const isBigEndian = header.readUInt32BE(0) === MAGIC + 1;
  // With a damaged header the length of a page is unknown, so nothing can be counted.
  if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX) return { transactions: 0, unreadable: 0 };
  let sum = checksum([0, 0], header.subarray(0, 24), isBigEndian);
  let isReadable = isSum(sum, header, 24);
  let readable = 0;
  let transactions = 0;
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + pageBytes);
  for (let at = HEADER_BYTES; at + frame.length <= size; at += frame.length) {
    readSync(descriptor, frame, 0, frame.length, at);
    sum = checksum(checksum(sum, frame.subarray(0, 8), isBigEndian), frame.subarray(FRAME_HEADER_BYTES), isBigEndian);
    // Frames with another salt are left from before the last checkpoint.
    if (!frame.subarray(8, 16).equals(header.subarray(16, 24))) break;
    isReadable &&= isSum(sum, frame, 16);
    const isCommit = frame.readUInt32BE(4) !== 0;
    if (isCommit) transactions += 1;
    if (isCommit && isReadable) readable += 1;
  }
  return { transactions, unreadable: transactions - readable };
}

type Sum = readonly [number, number];

/** The checksum of SQLite's log: two running sums over pairs of 32-bit words. */
function checksum([first, second]: Sum, bytes: Buffer, isBigEndian: boolean): Sum {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
    b = (b + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

function isSum([a, b]: Sum, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b;
}
