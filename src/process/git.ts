// Owns calls of git: without hooks and monitors, so that no code from a repository runs, with our own identity, within
// limits, and on the original objects: a repository can replace one commit by another (`git replace`), but a push sends the
// original.

import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { omitUndefined } from '../base/fields.ts';
import { runCommand } from './command.ts';

const SETTINGS = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'commit.gpgSign=false', 'gc.auto=0', 'maintenance.auto=false'];
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Pawl',
  GIT_AUTHOR_EMAIL: 'pawl@localhost',
  GIT_COMMITTER_NAME: 'Pawl',
  GIT_COMMITTER_EMAIL: 'pawl@localhost',
};
/**
 * The commands that start no other program if hooks and monitors are off: no filter, merge driver, transport or diff program.
 * After every other command the processes of the machine are searched for leftovers, which takes milliseconds.
 */
const ALONE: ReadonlySet<string> = new Set([
  ...['cat-file', 'commit-tree', 'config', 'diff-files', 'diff-tree', 'for-each-ref', 'ls-files', 'merge-base', 'read-tree'],
  ...['rev-list', 'rev-parse', 'symbolic-ref', 'update-ref', 'write-tree'],
]);
const TIMEOUT_MS = 120_000;
const OUTPUT_MAX = 256 << 20;

/** The result of a git call: its output, or the reason of the failure with the exit code if it ran. */
export type GitAnswer =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly message: string; readonly code?: number; readonly stdout: string };

/** Options for a single call. */
export interface GitCall {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The maximum output in bytes. More is an error. */
  readonly outputMax?: number;
}

/** Runs git in a folder. */
export async function git(cwd: string, args: readonly string[], { stdin, env, outputMax = OUTPUT_MAX }: GitCall = {}): Promise<GitAnswer> {
  const result = await runCommand({
    argv: ['git', ...SETTINGS.flatMap((setting) => ['-c', setting]), ...args],
    cwd,
    env: { ...IDENTITY, GIT_NO_REPLACE_OBJECTS: '1', ...env },
    mark: `git/${randomUUID()}`,
    timeoutMs: TIMEOUT_MS,
    outputMax,
    startsNothing: ALONE.has(commandIn(args)),
    ...omitUndefined({ stdin }),
  });
  if (result.kind === 'not-run') return { ok: false, message: `it could not be run: ${result.message}`, stdout: '' };
  if (result.kind !== 'exited') return { ok: false, message: `it did not end within ${TIMEOUT_MS / 1000} s`, stdout: '' };
  const { exitCode: code, stdout, stderr, stdoutBytes } = result;
  if (stdoutBytes > outputMax) return { ok: false, message: `it printed more than ${outputMax} bytes`, stdout: '' };
  return code === 0 ? { ok: true, stdout } : { ok: false, message: stderr.trim() || `it exited with code ${code}`, code, stdout };
}

/** The git command in the arguments: the first one that is not a setting. */
function commandIn(args: readonly string[]): string {
  return args[0] === '-c' ? commandIn(args.slice(2)) : (args[0] ?? '');
}

/** True if a folder is certainly in no repository, found without running git. */
export function isOutsideGit(folder: string): boolean {
  if (process.env.GIT_DIR !== undefined) return false;
  try {
    return !hasGitAbove(realpathSync(folder));
  } catch {
    // Git reports the problem with the folder.
    return false;
  }
}

function hasGitAbove(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const above = dirname(folder);
  return above !== folder && hasGitAbove(above);
}
