// Owns worktrees of git: a checkout of its own for a run, on a branch of its own, beside the one that people work in.
// Git runs without hooks, so that nothing a repository brings is run by making one.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type GitAnswer, git } from './git.ts';

/** The top of the checkout that a folder lies in, where it has at least one commit to begin from. */
export async function checkoutOf(folder: string): Promise<string | undefined> {
  // Most folders without git are told without asking git.
  if (process.env.GIT_DIR === undefined && !hasGitAbove(resolve(folder))) return undefined;
  const top = await git(folder, ['rev-parse', '--show-toplevel']);
  const head = top.ok ? await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']) : top;
  return top.ok && head.ok ? top.stdout.trim() : undefined;
}

function hasGitAbove(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  const above = dirname(folder);
  return above !== folder && hasGitAbove(above);
}

/** A worktree to make. */
export interface WorktreeRequest {
  /** The checkout it belongs to. */
  readonly checkout: string;
  readonly folder: string;
  readonly branch: string;
  /** The commit to begin with, which the repository has; without one, what is checked out. */
  readonly from?: string;
}

/** The commit that a worktree is at, or why it could not be made. */
export type AddedWorktree = { readonly at: string } | { readonly trouble: string };

/**
 * Makes a worktree, on a new branch unless it exists. One that is there is the one that was asked for; one that was
 * removed is there again with what was committed in it.
 */
export async function addWorktree({ checkout, folder, branch, from = 'HEAD' }: WorktreeRequest): Promise<AddedWorktree> {
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    await git(checkout, ['worktree', 'prune']);
    const isThere = (await commitAt(checkout, `refs/heads/${branch}`)) !== undefined;
    const begin = (await commitAt(checkout, keptRef(branch))) ?? from;
    const made = await gitWorktreeAdd(checkout, isThere ? [folder, branch] : ['-b', branch, folder, begin]);
    if (!made.ok) return { trouble: made.message };
  }
  const at = await commitAt(folder, 'HEAD');
  return at === undefined ? { trouble: `${folder} is there and has no commit` } : { at };
}

const ADD_TRIES = 5;
const HALF_MADE = /failed to read .*worktrees|could not create directory of .*worktrees|commondir|gitdir/i;

/**
 * `git worktree add`. Git reads the notes of all worktrees first and fails when another process is just making or
 * removing one; then it is asked again.
 */
export async function gitWorktreeAdd(checkout: string, args: readonly string[]): Promise<GitAnswer> {
  for (let tries = 1; ; tries += 1) {
    const made = await git(checkout, ['worktree', 'add', '--quiet', ...args]);
    if (made.ok || tries === ADD_TRIES || !HALF_MADE.test(made.message)) return made;
    await setTimeout(20 * tries);
  }
}

/** Where the last commit of a worktree is kept once its branch is gone: no list of branches shows it. */
function keptRef(branch: string): string {
  return `refs/pawl/${branch}`;
}

async function commitAt(folder: string, name: string): Promise<string | undefined> {
  const found = await git(folder, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return found.ok ? found.stdout.trim() : undefined;
}

/** A worktree to remove. */
export interface Removal {
  readonly folder: string;
  readonly branch: string;
  /** Whether something outside still needs the branch; asked only when nothing else keeps it. */
  readonly isNeeded: () => Promise<boolean>;
}

/**
 * Removes a worktree in which nothing is lost: one with changes that nobody committed is kept. Its branch goes as well
 * when all its commits are on another one, and nothing needs it.
 */
export async function removeWorktree({ folder, branch, isNeeded }: Removal): Promise<'removed' | 'kept'> {
  if (!existsSync(folder)) return 'removed';
  const common = await git(folder, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (!common.ok) return 'kept';
  const repository = dirname(common.stdout.trim());
  const last = await commitAt(folder, 'HEAD');
  // Without --force git refuses one that has changes or files that nobody committed.
  if (!(await git(repository, ['worktree', 'remove', folder])).ok) return 'kept';
  if (last === undefined) return 'removed';
  await git(repository, ['update-ref', keptRef(branch), last]);
  const own = `refs/heads/${branch}`;
  const holders = await git(repository, ['for-each-ref', '--format=%(refname)', `--contains=${last}`, 'refs/heads', 'refs/remotes']);
  const isElsewhere = holders.ok && holders.stdout.split('\n').some((ref) => ref !== '' && ref !== own);
  if (isElsewhere && !(await isNeeded())) await git(repository, ['update-ref', '-d', own, last]);
  return 'removed';
}
