// Owns the key that lies beside a database: random, made when it is first needed, readable by its owner alone.

import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const KEY_BYTES = 32;

/** Reads the key of a database, once; a database in memory has one as long as the process. */
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
  // Written whole before it has its name: of two processes that make one, both use the first.
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
