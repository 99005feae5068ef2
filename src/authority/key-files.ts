// Owns the files of the state folder that hold keys: `identities.json`, the list of enrolled keys, and `identities/NAME.key`,
// the private keys of this user under their passphrases. Each is whole at any time and for its owner only.

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
/** How long somebody else may take to change the list, and how often it is looked at meanwhile. */
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
    // What is not JSON is told like what is not a list.
  }
  if (!Array.isArray(entries)) throw new EngineError('CONFIG_INVALID', `${file} is not a list of enrolled keys; put a backup of it back`);
  return KeyList.of(entries as Entry[], file);
}

/** Changes the list, with nobody else changing it meanwhile. */
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
    throw new EngineError('CONFIG_INVALID', `${file} is not a key of this version of Pawl; put a backup of it back, or remove it`);
  });
}

/** Keeps a new private key; one of that name is never replaced. */
export function writeLockedKey(state: string, key: LockedKey): string {
  const file = join(state, FOLDER, `${key.name}${ENDING}`);
  const fresh = draftOf(file, key);
  try {
    linkSync(fresh, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new EngineError(
        'USAGE',
        `there is a key of "${key.name}" already: ${file}; choose another name, or remove the file if nobody needs it`,
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
    throw new EngineError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(cause)}`, { cause });
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

/** Writes the content beside its place, readable by its user alone from the first moment. */
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
  return new EngineError('STORE_UNAVAILABLE', `${file} cannot be written: ${messageOf(cause)}`, { cause });
}

/** Does something while no other process does it: whoever made the lock file goes first. */
function locked<T>(file: string, work: () => T): T {
  const lock = `${file}.lock`;
  const until = Date.now() + LOCK_MS_MAX;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  while (!taken(lock)) {
    // A process that died with the lock would keep everybody out: changing a list takes milliseconds.
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LOCK_MS_MAX) rmSync(lock, { force: true });
    else if (Date.now() > until)
      throw new EngineError('STORE_UNAVAILABLE', `another process is changing ${file}; if there is none, remove ${lock}`);
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
