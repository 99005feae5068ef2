// Owns git worktrees: a separate checkout for a run, on its own branch, in addition to the one that people work in. Git runs
// without hooks, so that creating one runs no code from the repository.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type GitAnswer, git, isOutsideGit } from './git.ts';

/** Returns the top of the checkout that contains a folder, if it has at least one commit. */
export async function checkoutOf(folder: string): Promise<string | undefined> {
  if (isOutsideGit(folder)) return undefined;
  const found = await git(folder, ['rev-parse', '--show-toplevel', '--verify', '--quiet', 'HEAD^{commit}']);
  // The last line is the commit.
  return found.ok ? found.stdout.trim().replace(/\n[^\n]*$/, '') : undefined;
}

/** The checked-out branch of a folder and its commit. `branch` is undefined for a detached head. */
interface CheckoutHead {
  readonly branch: string | undefined;
  readonly sha: string;
}

/** Returns the checked-out branch and commit of a folder; undefined if it is not a git checkout with a commit. */
export async function checkedOut(folder: string): Promise<CheckoutHead | undefined> {
  if (isOutsideGit(folder)) return undefined;
  const head = await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (!head.ok) return undefined;
  const branch = await git(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return { branch: branch.ok ? branch.stdout.trim() : undefined, sha: head.stdout.trim() };
}

/** A worktree to create. */
interface WorktreeRequest {
  /** The checkout it belongs to. */
  readonly checkout: string;
  readonly folder: string;
  readonly branch: string;
  /** An existing commit to start at. Default: the checked-out one. */
  readonly from?: string;
}

/** The commit of a worktree, or why it could not be created. */
type AddedWorktree = { readonly at: string } | { readonly problem: string };

/**
 * Creates a worktree, on a new branch unless it exists. An existing worktree is returned; a removed one is restored
 * with its commits.
 */
export async function addWorktree({ checkout, folder, branch, from = 'HEAD' }: WorktreeRequest): Promise<AddedWorktree> {
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    await git(checkout, ['worktree', 'prune']);
    const exists = (await commitAt(checkout, `refs/heads/${branch}`)) !== undefined;
    const start = (await commitAt(checkout, keptRef(branch))) ?? from;
    const added = await gitWorktreeAdd(checkout, exists ? [folder, branch] : ['-b', branch, folder, start]);
    if (!added.ok) return { problem: added.message };
  }
  const at = await commitAt(folder, 'HEAD');
  return at === undefined ? { problem: `${folder} exists but has no commit` } : { at };
}

const ADD_TRIES = 5;
const INCOMPLETE_WORKTREE = /failed to read .*worktrees|could not create directory of .*worktrees|commondir|gitdir/i;

/**
 * Runs `git worktree add`. Git reads the metadata of all worktrees first, and fails while another process creates or
 * removes one; then the call is repeated.
 */
export async function gitWorktreeAdd(checkout: string, args: readonly string[]): Promise<GitAnswer> {
  for (let tries = 1; ; tries += 1) {
    const added = await git(checkout, ['worktree', 'add', '--quiet', ...args]);
    if (added.ok || tries === ADD_TRIES || !INCOMPLETE_WORKTREE.test(added.message)) return added;
    await setTimeout(20 * tries);
  }
}

/** The ref that keeps the last commit of a worktree after its branch was removed. It is not listed as a branch. */
function keptRef(branch: string): string {
  return `refs/pawl/${branch}`;
}

async function commitAt(folder: string, name: string): Promise<string | undefined> {
  const found = await git(folder, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
  return found.ok ? found.stdout.trim() : undefined;
}

/** A worktree to remove. */
interface Removal {
  readonly folder: string;
  readonly branch: string;
  /** Whether the branch is still needed; called only if its commits are on another branch. */
  readonly isNeeded: () => Promise<boolean>;
}

/**
 * Removes a worktree if nothing is lost: one with uncommitted changes is kept. Its branch is removed too if all its
 * commits are on another one and nothing needs it.
 */
export async function removeWorktree({ folder, branch, isNeeded }: Removal): Promise<'removed' | 'kept'> {
  if (!existsSync(folder)) return 'removed';
  const common = await git(folder, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (!common.ok) return 'kept';
  const repository = dirname(common.stdout.trim());
  const last = await commitAt(folder, 'HEAD');
  // Without --force git refuses to remove one with uncommitted changes or files.
  if (!(await git(repository, ['worktree', 'remove', folder])).ok) return 'kept';
  if (last === undefined) return 'removed';
  await git(repository, ['update-ref', keptRef(branch), last]);
  const own = `refs/heads/${branch}`;
  const holders = await git(repository, ['for-each-ref', '--format=%(refname)', `--contains=${last}`, 'refs/heads', 'refs/remotes']);
  const isElsewhere = holders.ok && holders.stdout.split('\n').some((ref) => ref !== '' && ref !== own);
  if (isElsewhere && !(await isNeeded())) await git(repository, ['update-ref', '-d', own, last]);
  return 'removed';
}

/** The work in a worktree or on a branch that exists nowhere else. */
export interface UnsavedWork {
  /** The number of files with uncommitted changes. */
  readonly files: number;
  /** The number of commits that no other local or remote branch has. */
  readonly commits: number;
}

/** Counts the work that removing a worktree and its branch would lose; `folder` is undefined for a branch without a worktree. */
export async function unsavedWork({
  checkout,
  folder,
  branch,
}: {
  readonly checkout: string;
  readonly folder: string | undefined;
  readonly branch: string;
}): Promise<UnsavedWork> {
  const changed = folder === undefined ? undefined : await git(folder, ['status', '--porcelain']);
  const tip = folder === undefined ? `refs/heads/${branch}` : 'HEAD';
  const others = ['--not', `--exclude=${branch}`, '--branches', '--remotes'];
  const count = await git(folder ?? checkout, ['rev-list', '--count', tip, ...others]);
  const lines = changed?.ok === true ? changed.stdout.split('\n').filter((line) => line !== '').length : 0;
  // If git fails, there may be unsaved work.
  return { files: changed?.ok === false ? 1 : lines, commits: count.ok ? Number(count.stdout.trim()) : 1 };
}

/** Removes a worktree with its content, and its branch. Only a ref of Pawl still refers to its last commit. */
export async function discardWorktree(
  checkout: string,
  { folder, branch }: { readonly folder: string | undefined; readonly branch: string },
): Promise<boolean> {
  const last = await commitAt(checkout, `refs/heads/${branch}`);
  if (folder !== undefined && existsSync(folder) && !(await git(checkout, ['worktree', 'remove', '--force', folder])).ok) return false;
  if (last === undefined) return true;
  await git(checkout, ['update-ref', keptRef(branch), last]);
  return (await git(checkout, ['update-ref', '-d', `refs/heads/${branch}`, last])).ok;
}
