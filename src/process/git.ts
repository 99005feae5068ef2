// Owns how git is asked about a checkout: without hooks and monitors, so that nothing a repository brings is run, under
// an identity of our own, within bounds, and about the objects themselves: a repository can say that one commit stands for
// another (`git replace`), and a push sends the real one all the same.

import { randomUUID } from 'node:crypto';
import { runCommand } from './command.ts';

const SETTINGS = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'commit.gpgSign=false', 'gc.auto=0', 'maintenance.auto=false'];
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
  /** Bytes of output that are read; more is no answer. */
  readonly outputMax?: number;
}

/** Asks git in a folder. */
export async function git(cwd: string, args: readonly string[], { stdin, env, outputMax = OUTPUT_MAX }: GitCall = {}): Promise<GitAnswer> {
  const result = await runCommand({
    argv: ['git', ...SETTINGS.flatMap((setting) => ['-c', setting]), ...args],
    cwd,
    env: { ...IDENTITY, GIT_NO_REPLACE_OBJECTS: '1', ...env },
    mark: `git/${randomUUID()}`,
    timeoutMs: TIMEOUT_MS,
    outputMax,
    ...(stdin === undefined ? {} : { stdin }),
  });
  if (result.kind === 'not-run') return { ok: false, message: `it could not be run: ${result.message}`, stdout: '' };
  if (result.kind !== 'exited') return { ok: false, message: `it did not end within ${TIMEOUT_MS / 1000} s`, stdout: '' };
  const { exitCode: code, stdout, stderr, stdoutBytes } = result;
  if (stdoutBytes > outputMax) return { ok: false, message: `it printed more than the ${outputMax} bytes that are read`, stdout: '' };
  return code === 0 ? { ok: true, stdout } : { ok: false, message: stderr.trim() || `it ended with ${code}`, code, stdout };
}
