// Owns people with keys at the command line: created in a terminal, and signing in a pipe with the passphrase in a file.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CliRig, Ended } from './rig.ts';

const START = join(import.meta.dirname, 'start.js');

/** The passphrase of everybody here. */
export const PASSPHRASE = 'correct horse battery';

/** Creates a key at a terminal. */
export async function createIdentity(rig: CliRig, name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const terminal = rig.terminal(['identity', 'create', name], { env });
  await terminal.until('at least 12 characters');
  terminal.type(`${PASSPHRASE}\r`);
  await terminal.until('Repeat the passphrase');
  terminal.type(`${PASSPHRASE}\r`);
  const code = await terminal.ended;
  if (code !== 0) throw new Error(`no key was created: ${code} ${terminal.text()}`);
  return terminal.text();
}

/** Which file is open for the passphrase: Node itself closes low numbers for what it starts, so one of the others. */
export const PASSPHRASE_FD = 30;

/** Runs a command in a pipe with the passphrase in an open file. */
export async function runSigned(
  rig: CliRig,
  words: readonly string[],
  { passphrase = PASSPHRASE, env = {} }: { readonly passphrase?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const file = rig.write('../passphrase', `${passphrase}\n`);
  const call = [process.execPath, START, ...words, '--passphrase-fd', String(PASSPHRASE_FD)];
  const child = spawn('bash', ['-c', `exec "$@" ${PASSPHRASE_FD}< '${file}'`, 'bash', ...call], {
    cwd: rig.project,
    env: rig.env(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}
