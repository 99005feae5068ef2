// Owns chance for names. It reads the system's own source where that is a file: `node:crypto` reads the same one, and
// takes longer to load than a short process takes for everything else.

import { closeSync, openSync, readSync } from 'node:fs';
import { nodeCrypto } from './node-crypto.ts';

/** So many random bytes, good enough for names that nobody may meet twice. */
export function randomBytes(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  try {
    const source = openSync('/dev/urandom', 'r');
    try {
      if (readSync(source, bytes) === count) return bytes;
    } finally {
      closeSync(source);
    }
  } catch {
    // A system without it, or a process that may not read it.
  }
  return nodeCrypto().randomBytes(count);
}

/** A new UUID of version 4. */
export function randomUuid(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
