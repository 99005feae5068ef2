// Owns where the keys of this user are and whose keys count here: the state folder, or, on a machine that has no enrolled
// key, a file that the owner of a job provides.

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { KeyList, parsePublicKeys } from '../../authority/enrolment.ts';
import { readKeyList, readLockedKeys } from '../../authority/key-files.ts';
import { fingerprintOf, type LockedKey, shownFingerprint } from '../../authority/keys.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import type { Given } from '../command.ts';
import { type Project, stateHome } from '../project.ts';
import type { Shell } from '../shell.ts';
import { isInside, isOwnFile } from '../trust/trust.ts';

/** The variable that names a file of public keys, for machines that have no enrolled key. */
const TRUSTED_KEYS = 'PAWL_TRUSTED_KEYS';

/** A key of this user that counts, under the name that it is enrolled with. */
export interface Identity {
  readonly name: string;
  readonly fingerprint: string;
  readonly locked: LockedKey;
}

/** The keys that count for a project. */
export function keyListOf(shell: Shell, project: Project): KeyList {
  const list = readKeyList(stateHome(shell));
  const file = shell.env[TRUSTED_KEYS];
  if (file === undefined || file === '') return list;
  if (list.all.length > 0)
    throw new EngineError(
      'CONFIG_INVALID',
      `${TRUSTED_KEYS} is for machines without an enrolled key, and this one has some ("pawl identity list"); unset it, or enrol the keys with "pawl identity enrol"`,
    );
  return KeyList.ofTrusted(parsePublicKeys(trustedText(shell, project, file), file));
}

/** The text of a file of trusted keys. Nothing that a run, or whoever can write to the project, made is one. */
function trustedText(shell: Shell, project: Project, file: string): string {
  const refuse = (why: string): EngineError => new EngineError('NOT_ALLOWED', `${TRUSTED_KEYS} names ${file}, ${why}`);
  if (shell.env.PAWL_RUN !== undefined) throw refuse('but inside of a run nobody says whom to trust; unset it');
  if (!isAbsolute(file)) throw refuse('which is not an absolute path; write it in full');
  try {
    const path = realpathSync(file);
    if (isInside(realpathSync(project.root), path)) throw refuse('which lies in the project it would vouch for; keep it outside');
    const facts = statSync(path);
    if (process.platform !== 'win32' && (facts.mode & 0o022) !== 0)
      throw refuse('which others may write; take that right away with: chmod go-w FILE');
    if (!isOwnFile(facts, process.getuid?.()))
      throw refuse('which belongs to another user; make it yours, or that of root, with: chown USER FILE');
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw refuse(`which cannot be read: ${messageOf(cause)}`);
  }
}

/** Whether whoever calls signs: the command line says so, or the project takes nothing else. */
export function asksToSign({ given, right }: Pick<Shell, 'given' | 'right'>): boolean {
  return right?.by === 'signature' || given.option('passphrase-fd') !== undefined || given.option('as') !== undefined;
}

/** The identity of whoever signs: the one that --as names, or the only one there is. */
export function identityFor(shell: Shell, given?: Given): Identity {
  const state = stateHome(shell);
  const list = readKeyList(state);
  const mine = readLockedKeys(state).flatMap((locked): Identity[] => {
    const fingerprint = fingerprintOf(locked);
    const enrolled = list.find(fingerprint);
    return enrolled === undefined || enrolled.revokedAt !== undefined ? [] : [{ name: enrolled.name, fingerprint, locked }];
  });
  const named = given?.option('as');
  const found = named === undefined ? mine : mine.filter(({ name }) => name === named);
  const names = mine.map(({ name }) => name).join(', ');
  if (found.length === 1) return found[0] as Identity;
  if (found.length > 1) throw new EngineError('USAGE', `there are several identities here: ${names}; say who signs with --as NAME`);
  throw new EngineError(
    'KEY_MISSING',
    mine.length === 0
      ? `you have no enrolled key in ${join(state, 'identities')}; create one at a terminal with "pawl identity create NAME", and have it enrolled`
      : `there is no enrolled key of "${named}" here; there is ${names}`,
  );
}

/** A person and their key, as messages tell it: `ann (3fa9c07b21de4c11)`. */
export function shownIdentity({ name, fingerprint }: { readonly name: string; readonly fingerprint: string }): string {
  return `${name} (${shownFingerprint(fingerprint)})`;
}
