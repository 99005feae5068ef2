// `pawl identity`: creates, enrols, lists and revokes the keys with which people sign decisions.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parsePublicKeys } from '../../authority/enrolment.ts';
import { changeKeyList, readKeyList, readLockedKeys, writeLockedKey } from '../../authority/key-files.ts';
import {
  assertPassphrase,
  fingerprintOf,
  generateKey,
  type PublicKey,
  parsePublicKey,
  publicKeyText,
  shownFingerprint,
} from '../../authority/keys.ts';
import { EngineError } from '../../base/error.ts';
import { agoText } from '../../control/time-text.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { identityText, keyListOf } from '../identity/identity.ts';
import { openPassphrases } from '../identity/passphrase.ts';
import { unlock } from '../identity/signing.ts';
import { findProject, stateHome } from '../project.ts';
import { demandRight } from '../right.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const action = args.word('ACTION');
  const words = args.allWords('WHAT');
  if (action === 'list') list(shell, args);
  else if (words.length === 0) throw usageError(`${WHAT[action]} is missing: pawl identity ${action} ${WHAT[action]}`);
  else if (action === 'enrol') await enrol(shell, args, words.join(' '));
  else {
    const [name = '', more] = words;
    if (more !== undefined) throw usageError(`unexpected argument "${more}"; "pawl identity ${action}" accepts one name`);
    if (action === 'create') await create(shell, args, name);
    else if (action === 'show') show(shell, name);
    else await revoke(shell, args, name);
  }
  return 0;
};

const WHAT: Readonly<Record<string, string>> = { create: 'NAME', show: 'NAME', revoke: 'NAME', enrol: 'FILE-OR-PUBLIC-KEY' };

/** Creates a key, at a terminal, because the first key enrols itself. */
async function create(shell: Shell, args: ParsedArgs, name: string): Promise<void> {
  // Only a person may create keys: an agent with its own key could sign for itself.
  await demandRight(shell, { demand: 'trust', on: 'pawl identity create', withoutToken: true, withoutSignature: true });
  const state = stateHome(shell);
  const key = generateKey(name);
  if (readLockedKeys(state).some((other) => other.name === name))
    throw usageError(`a key of "${name}" already exists in ${state}; choose another name`);
  const file = writeLockedKey(state, await key.lock(await newPassphrase(shell, args, name)));
  const isFirst = readKeyList(state).entries.length === 0;
  if (isFirst) changeKeyList(state, (keys) => (keys.entries.length === 0 ? keys.enrol(key, key, Date.now()) : keys));
  const isEnrolled = readKeyList(state).find(key.fingerprint) !== undefined;
  shell.result({ name, fingerprint: key.fingerprint, publicKey: publicKeyText(key), file, isEnrolled }, () => [
    `${shell.symbol('done')} ${identityText(key)}: the private key is in ${oneLine(file)}, encrypted with the passphrase.`,
    'The passphrase cannot be recovered. Keep it where no agent can read it.',
    ...(isEnrolled
      ? ['It is the first key here, so it is enrolled and can enrol others.']
      : ['It is not enrolled yet: someone with an enrolled key must run', `  pawl identity enrol ${name}`]),
  ]);
}

async function newPassphrase(shell: Shell, args: ParsedArgs, name: string): Promise<string> {
  using passphrases = openPassphrases(shell, args);
  const passphrase = await passphrases.read(`Passphrase for ${name}, at least 12 characters`);
  assertPassphrase(passphrase);
  if (passphrases.isTyped && (await passphrases.read('Repeat the passphrase')) !== passphrase)
    throw usageError('the two passphrases differ; no key was created');
  return passphrase;
}

async function enrol(shell: Shell, args: ParsedArgs, source: string): Promise<void> {
  const state = stateHome(shell);
  const keys = keysIn(shell, source);
  const list = readKeyList(state);
  if (list.active.length === 0)
    throw new EngineError(
      'KEY_MISSING',
      'no key is enrolled here yet; create the first one at a terminal with "pawl identity create NAME"',
    );
  for (const key of keys)
    shell.print(`${identityText({ name: key.name, fingerprint: fingerprintOf(key) })} will be accepted for decisions here.`);
  const by = await unlock(shell, args);
  const after = changeKeyList(state, (now) => keys.reduce((grown, key) => grown.enrol(key, by, Date.now()), now));
  const enrolled = keys.flatMap((key) => after.find(fingerprintOf(key)) ?? []);
  shell.result({ enrolled: enrolled.map(({ name, fingerprint }) => ({ name, fingerprint })), by: by.name }, () =>
    enrolled.map((key) => `${shell.symbol('done')} ${identityText(key)} is enrolled by ${by.name}.`),
  );
}

/** The keys to enrol: a public key as text, a file of public keys, or the name of a key of this user. */
function keysIn(shell: Shell, source: string): readonly PublicKey[] {
  const key = parsePublicKey(source) ?? readLockedKeys(stateHome(shell)).find(({ name }) => name === source);
  if (key !== undefined) return [{ name: key.name, key: key.key }];
  const file = resolve(shell.cwd, source);
  if (existsSync(file) && statSync(file).isFile()) {
    const keys = parsePublicKeys(readFileSync(file, 'utf8'), file);
    if (keys.length > 0) return keys;
  }
  throw usageError(
    `"${oneLine(source)}" is not a public key, a file of public keys or the name of one of your keys; "pawl identity show NAME" prints a public key`,
  );
}

function show(shell: Shell, name: string): void {
  const state = stateHome(shell);
  const list = readKeyList(state);
  const key = list.named(name) ?? readLockedKeys(state).find((own) => own.name === name);
  if (key === undefined) throw usageError(`no key of "${name}" exists here; "pawl identity list" shows all keys`);
  const fingerprint = fingerprintOf(key);
  shell.result({ name, fingerprint, publicKey: publicKeyText(key) }, () => [publicKeyText(key)]);
}

function list(shell: Shell, args: ParsedArgs): void {
  const state = stateHome(shell);
  const keys = keyListOf(shell, findProject(shell, args));
  const mine = readLockedKeys(state).map((key) => ({ name: key.name, fingerprint: fingerprintOf(key) }));
  const enrolled = keys.all.map(({ name, fingerprint, enrolledAt, enrolledBy, revokedAt }) => ({
    name,
    fingerprint,
    status: revokedAt === undefined ? ('enrolled' as const) : ('revoked' as const),
    enrolledAt: new Date(enrolledAt).toISOString(),
    enrolledBy: keys.find(enrolledBy)?.name ?? enrolledBy,
    revokedAt: revokedAt === undefined ? null : new Date(revokedAt).toISOString(),
    isMine: mine.some((own) => own.fingerprint === fingerprint),
  }));
  const waiting = mine
    .filter(({ fingerprint }) => keys.find(fingerprint) === undefined)
    .map((own) => ({ ...own, status: 'not enrolled' as const, enrolledAt: null, enrolledBy: null, revokedAt: null, isMine: true }));
  const rows = [...enrolled, ...waiting];
  shell.list({ identities: rows }, rows, {
    none: 'No keys. "pawl identity create NAME" creates the first one.',
    columns: {
      NAME: ({ name, isMine }) => `${name}${isMine ? ' (yours)' : ''}`,
      KEY: ({ fingerprint }) => shownFingerprint(fingerprint),
      STATUS: ({ status }) => status,
      ENROLLED: ({ enrolledAt, enrolledBy }) => (enrolledAt === null ? '' : `${agoText(Date.parse(enrolledAt))} by ${enrolledBy}`),
    },
  });
}

async function revoke(shell: Shell, args: ParsedArgs, name: string): Promise<void> {
  const state = stateHome(shell);
  // Fail before asking for a passphrase.
  if (readKeyList(state).named(name) === undefined)
    throw usageError(`no enrolled key belongs to "${name}"; "pawl identity list" shows the enrolled keys`);
  const by = await unlock(shell, args);
  changeKeyList(state, (list) => list.revoke(name, by, Date.now()));
  shell.result({ revoked: name, by: by.name }, () => [
    `${shell.symbol('done')} the key of ${oneLine(name)} is revoked. Its earlier signatures stay valid.`,
  ]);
}
