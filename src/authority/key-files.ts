// Owns the key files in the state folder: `identities.json`, the list of enrolled keys, and `identities/NAME.key`, the
// encrypted private keys of this user. Each is replaced atomically and readable by its owner only.

import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError, messageOf } from '../base/error.ts';
import { createRunId } from '../base/id.ts';
import { type Entry, KeyList } from './enrolment.ts';
import { type LockedKey, parseLockedKey } from './keys.ts';

const LIST = 'identities.json';
const FOLDER = 'identities';
const ENDING = '.key';
/** How long to wait for another process that changes the list, and how often to check. */
const LOCK_MS_MAX = 5000;
const LOCK_LOOK_MS = 20;

/** The list of enrolled keys in a state folder; without a file it is empty. */
export function readKeyList(state: string): KeyList {
  const file = join(state, LIST);
  const text = textOf(file);
  if (text === undefined) return KeyList.none;
  let entries: unknown;
  try {
    entries = (JSON.parse(text) as { readonly entries?: unknown }).entries;
  } catch {
    // Invalid JSON gets the same error as a wrong shape.
  }
  if (!Array.isArray(entries)) throw new EngineError('CONFIG_INVALID', `${file} is not a list of enrolled keys; restore a backup of it`);
  return KeyList.of(entries as Entry[], file);
}

/** Changes the list under a lock. */
export function changeKeyList(state: string, change: (list: KeyList) => KeyList): KeyList {
  const file = join(state, LIST);
  return locked(file, () => {
    const list = change(readKeyList(state));
    replace(file, { version: 1, entries: list.entries });
    return list;
  });
}

/** The private keys of this user, by name. */
export function readLockedKeys(state: string): readonly LockedKey[] {
  const folder = join(state, FOLDER);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ENDING)) : [];
  return files.sort().map((name) => {
    const file = join(folder, name);
    const key = parseLockedKey(textOf(file) ?? '');
    if (key !== undefined && `${key.name}${ENDING}` === name) return key;
    throw new EngineError('CONFIG_INVALID', `${file} is not a key file of this version of Pawl; restore a backup of it, or remove it`);
  });
}

/** Writes a new private key; an existing one is never replaced. */
export function writeLockedKey(state: string, key: LockedKey): string {
  const file = join(state, FOLDER, `${key.name}${ENDING}`);
  const fresh = draftOf(file, key);
  try {
    linkSync(fresh, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new EngineError(
        'USAGE',
        `a key of "${key.name}" already exists: ${file}; choose another name, or remove the file if it is not needed`,
      );
    throw unwritable(file, cause);
  } finally {
    rmSync(fresh, { force: true });
  }
  return file;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new EngineError('CONFIG_INVALID', `cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
}

function replace(file: string, content: object): void {
  const fresh = draftOf(file, content);
  try {
    renameSync(fresh, file);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw unwritable(file, cause);
  }
}

/** Writes the content to a temporary file, readable by its owner only from the start. */
function draftOf(file: string, content: object): string {
  const fresh = `${file}.${createRunId()}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw unwritable(file, cause);
  }
  return fresh;
}

function unwritable(file: string, cause: unknown): EngineError {
  return new EngineError('STORE_UNAVAILABLE', `cannot write ${file}: ${messageOf(cause)}`, { cause });
}

/** Runs a function while holding a lock file. */
function locked<T>(file: string, work: () => T): T {
  const lock = `${file}.lock`;
  const until = Date.now() + LOCK_MS_MAX;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  while (!taken(lock)) {
    // A process that died with the lock would block all others; changing a list takes milliseconds.
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LOCK_MS_MAX) rmSync(lock, { force: true });
    else if (Date.now() > until)
      throw new EngineError('STORE_UNAVAILABLE', `another process is changing ${file}; if none is, remove ${lock}`);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_LOOK_MS);
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function taken(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw unwritable(lock, cause);
  }
}
