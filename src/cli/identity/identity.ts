// Owns the keys of this user, and which keys are enrolled: those in the state folder or, on a machine without enrolled keys,
// those in a file that the owner of a job provides.

import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { KeyList, parsePublicKeys } from '../../authority/enrolment.ts';
import { readKeyList, readLockedKeys } from '../../authority/key-files.ts';
import { fingerprintOf, type LockedKey, shownFingerprint } from '../../authority/keys.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { isWithin } from '../../base/inside-folder.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { type Project, stateHome } from '../project.ts';
import type { Shell } from '../shell.ts';
import { isOwnFile } from '../trust/trust-list.ts';

/** The variable with the path of a file of public keys, for machines without enrolled keys. */
const TRUSTED_KEYS = 'PAWL_TRUSTED_KEYS';

/** An enrolled key of this user. */
export interface Identity {
  readonly name: string;
  readonly fingerprint: string;
  readonly locked: LockedKey;
}

/** The enrolled keys for a project. */
export function keyListOf(shell: Shell, project: Project): KeyList {
  const list = readKeyList(stateHome(shell));
  const file = shell.env[TRUSTED_KEYS];
  if (file === undefined || file === '') return list;
  if (list.all.length > 0)
    throw new EngineError(
      'CONFIG_INVALID',
      `${TRUSTED_KEYS} is only for machines without enrolled keys, and this one has some ("pawl identity list"); unset it, or enrol the keys with "pawl identity enrol"`,
    );
  return KeyList.ofTrusted(parsePublicKeys(readTrustedKeys(shell, project, file), file));
}

/** The text of a file of trusted keys. The file must not be set or written from inside a run or the project. */
function readTrustedKeys(shell: Shell, project: Project, file: string): string {
  const deny = (why: string): EngineError => new EngineError('NOT_ALLOWED', `${TRUSTED_KEYS} is ${file}, ${why}`);
  if (shell.env.PAWL_RUN !== undefined) throw deny('but it is not allowed inside a run; unset it');
  if (!isAbsolute(file)) throw deny('which is not an absolute path; use an absolute path');
  try {
    const path = realpathSync(file);
    if (isWithin(realpathSync(project.root), path)) throw deny('which is inside the project; move it outside');
    const facts = statSync(path);
    if (process.platform !== 'win32' && (facts.mode & 0o022) !== 0) throw deny('which other users can write; run: chmod go-w FILE');
    if (!isOwnFile(facts, process.getuid?.())) throw deny('which belongs to another user; run: chown USER FILE');
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof EngineError) throw cause;
    throw deny(`which cannot be read: ${messageOf(cause)}`);
  }
}

/** Whether the caller signs: an option asks for it, or the project requires it. */
export function asksToSign({ args, right }: Pick<Shell, 'args' | 'right'>): boolean {
  return right?.by === 'signature' || args.option('passphrase-fd') !== undefined || args.option('as') !== undefined;
}

/** The identity of --as, or the only one of this user. */
export function identityFor(shell: Shell, args?: ParsedArgs): Identity {
  const state = stateHome(shell);
  const list = readKeyList(state);
  const own = readLockedKeys(state).flatMap((locked): Identity[] => {
    const fingerprint = fingerprintOf(locked);
    const enrolled = list.find(fingerprint);
    return enrolled === undefined || enrolled.revokedAt !== undefined ? [] : [{ name: enrolled.name, fingerprint, locked }];
  });
  const named = args?.option('as');
  const found = named === undefined ? own : own.filter(({ name }) => name === named);
  const names = own.map(({ name }) => name).join(', ');
  if (found.length === 1) return found[0] as Identity;
  if (found.length > 1) throw usageError(`you have several keys: ${names}; choose one with --as NAME`);
  throw new EngineError(
    'KEY_MISSING',
    own.length === 0
      ? `you have no enrolled key in ${join(state, 'identities')}; create one at a terminal with "pawl identity create NAME", and get it enrolled`
      : `you have no enrolled key of "${named}"; your keys are ${names}`,
  );
}

/** A person with their key, for messages: `ann (3fa9c07b21de4c11)`. */
export function identityText({ name, fingerprint }: { readonly name: string; readonly fingerprint: string }): string {
  return `${name} (${shownFingerprint(fingerprint)})`;
}
