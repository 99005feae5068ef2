// Owns the key file next to a database: random, created on first use, readable only by its owner.

import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { EngineError, messageOf, systemCodeOf } from '../base/error.ts';
import { readPlainFile } from '../base/plain-file.ts';

const KEY_BYTES = 32;

/** Returns a function that reads the key of a database once. The key of an in-memory database exists only in this process. */
export function keyReader(db: string | undefined): () => Uint8Array {
  let key: Uint8Array | undefined;
  return () => {
    key ??= db === undefined || db === ':memory:' ? randomBytes(KEY_BYTES) : readKey(`${db}.key`);
    return key;
  };
}

function readKey(file: string): Uint8Array {
  const known = existing(file);
  if (known !== undefined) return known;
  // Written under another name and then linked: if two processes create a key, both use the first one.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return existing(file) as Uint8Array;
}

/** The key in a file; undefined if there is no file. With a shorter key, tokens could be guessed. */
function existing(file: string): Uint8Array | undefined {
  let key: Uint8Array;
  try {
    key = readPlainFile(file);
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return undefined;
    throw new EngineError('CONFIG_INVALID', `cannot read the token key ${file}: ${messageOf(cause)}; ${ADVICE}`, { cause });
  }
  if (key.length === KEY_BYTES) return key;
  throw new EngineError('CONFIG_INVALID', `the token key ${file} has ${key.length} bytes instead of ${KEY_BYTES}; ${ADVICE}`);
}

const ADVICE = 'restore a backup of it, or remove it: open steps then get new tokens, which "pawl next" prints';
