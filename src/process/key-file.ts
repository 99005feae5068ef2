// Owns the key beside a database: random, created on first use, readable only by its owner.

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const KEY_BYTES = 32;

/** Returns a function that reads the key of a database once. An in-memory database gets a key for the life of the process. */
export function keyReader(db: string | undefined): () => Uint8Array {
  let key: Uint8Array | undefined;
  return () => {
    key ??= db === undefined || db === ':memory:' ? randomBytes(KEY_BYTES) : readKey(`${db}.key`);
    return key;
  };
}

function readKey(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  // Written completely before it gets its name: if two processes create one, both use the first.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file);
}
