// Owns how git is asked about a checkout: without hooks and monitors, so that nothing a repository brings is run, under
// an identity of our own, and within bounds.

import { randomUUID } from 'node:crypto';
import { runCommand } from './command.ts';

const SETTINGS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'commit.gpgSign=false', '-c', 'gc.auto=0'];
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Pawl',
  GIT_AUTHOR_EMAIL: 'pawl@localhost',
  GIT_COMMITTER_NAME: 'Pawl',
  GIT_COMMITTER_EMAIL: 'pawl@localhost',
};
const TIMEOUT_MS = 120_000;
const OUTPUT_MAX = 256 << 20;

/** What git said: its output, or why not, with its exit code where it ran. */
export type GitAnswer =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly message: string; readonly code?: number; readonly stdout: string };

/** What only one call needs. */
export interface GitCall {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Asks git in a folder. */
export async function git(cwd: string, args: readonly string[], { stdin, env }: GitCall = {}): Promise<GitAnswer> {
  const result = await runCommand({
    argv: ['git', ...SETTINGS, ...args],
    cwd,
    env: { ...IDENTITY, ...env },
    mark: `git/${randomUUID()}`,
    timeoutMs: TIMEOUT_MS,
    outputMax: OUTPUT_MAX,
    ...(stdin === undefined ? {} : { stdin }),
  });
  if (result.kind === 'not-run') return { ok: false, message: result.message, stdout: '' };
  if (result.kind !== 'exited') return { ok: false, message: `git was ended: ${result.kind}`, stdout: '' };
  const { exitCode: code, stdout, stderr } = result;
  return code === 0 ? { ok: true, stdout } : { ok: false, message: stderr.trim() || `git ended with ${code}`, code, stdout };
}
