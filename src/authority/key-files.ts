// Owns the key files in the state folder: `identities.json`, the list of enrolled keys, and `identities/NAME.key`, the
// encrypted private keys of this user. Each is replaced atomically and readable by its owner only.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../base/error.ts';
import { parseJsonObject } from '../base/json.ts';
import { type Entry, KeyList } from './enrolment.ts';
import { type LockedKey, parseLockedKey } from './keys.ts';
import { changeStateFile, readStateFile } from './state-file.ts';

const LIST = 'identities.json';
const FOLDER = 'identities';
const ENDING = '.key';

/** The list of enrolled keys in a state folder; without a file it is empty. */
export function readKeyList(state: string): KeyList {
  const file = join(state, LIST);
  const text = readStateFile({ file, what: 'the list of enrolled keys' });
  if (text === undefined) return KeyList.none;
  const entries: unknown = parseJsonObject(text)?.entries;
  if (!Array.isArray(entries)) throw new EngineError('CONFIG_INVALID', `${file} is not a list of enrolled keys; restore a backup of it`);
  return KeyList.of(entries as Entry[], file);
}

/** Changes the list under a lock. */
export function changeKeyList(state: string, change: (list: KeyList) => KeyList): KeyList {
  return changeStateFile({ file: join(state, LIST), what: 'the list of enrolled keys' }, () => {
    const list = change(readKeyList(state));
    return { text: jsonText({ version: 1, entries: list.entries }), result: list };
  });
}

/** The private keys of this user, by name. */
export function readLockedKeys(state: string): readonly LockedKey[] {
  const folder = join(state, FOLDER);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(ENDING)) : [];
  return files.sort().map((name) => {
    const file = join(folder, name);
    const key = parseLockedKey(readStateFile({ file, what: 'a private key' }) ?? '');
    if (key !== undefined && `${key.name}${ENDING}` === name) return key;
    throw new EngineError('CONFIG_INVALID', `${file} is not a key file of this version of Pawl; restore a backup of it, or remove it`);
  });
}

/** Writes a new private key; an existing one is never replaced. */
export function writeLockedKey(state: string, key: LockedKey): string {
  const file = join(state, FOLDER, `${key.name}${ENDING}`);
  return changeStateFile({ file, what: `the key of "${key.name}"` }, () => {
    if (!existsSync(file)) return { text: jsonText(key), result: file };
    throw new EngineError(
      'USAGE',
      `a key of "${key.name}" already exists: ${file}; choose another name, or remove the file if it is not needed`,
    );
  });
}

function jsonText(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
