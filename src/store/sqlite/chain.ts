// Owns the hashes that detect changed records.
//
// - A row's hash covers the row before it, its number, its time and the digest of its body. So a log whose bodies
//   were replaced by their digests still verifies, and a missing, swapped or changed row does not.
// - A chain begins with the run's id: rows of two runs cannot be exchanged.
// - The checksum of a run covers the head of its chain, its columns and its checkpoint, so that the cost of opening a run
//   does not depend on its history. It is not a signature: the chain proves the log, and the log folds to the checkpoint.

import { crc32 } from 'node:zlib';
import { digestText } from '../../base/digest.ts';

/** The hash before the first row of a chain, in hex. */
export function chainStart(run: string): string {
  return digestText(`run ${run}`);
}

/** The hash of a row of the log, in hex. */
export function rowHash(previous: string, row: { readonly seq: number; readonly at: number; readonly bodyDigest: string }): string {
  return digestText(`${previous}\n${row.seq}\n${row.at}\n${row.bodyDigest}`);
}

/** The checksum of a row that no chain covers: of its columns and its text, which may be long and is not copied. */
export function sumOf(columns: readonly unknown[], text: string): number {
  return crc32(text, crc32(`${columns.join('\n')}\n`));
}

/** A digest as a blob. */
export function toBlob(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex');
}

/** A blob as hex; empty for anything else. */
export function toHex(blob: unknown): string {
  return blob instanceof Uint8Array ? Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength).toString('hex') : '';
}
