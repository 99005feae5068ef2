// Owns worktrees of git: a checkout of its own for a run, on a branch of its own, beside the one that people work in.
// Git runs without hooks, so that nothing a repository brings is run by making one.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { git } from './git.ts';

/** The top of the checkout that a folder lies in, where it has at least one commit to begin from. */
export async function checkoutOf(folder: string): Promise<string | undefined> {
  const top = await git(folder, ['rev-parse', '--show-toplevel']);
  const head = top.ok ? await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']) : top;
  return top.ok && head.ok ? top.stdout.trim() : undefined;
}

/** A worktree to make. */
export interface WorktreeRequest {
  /** The checkout it belongs to. */
  readonly checkout: string;
  readonly folder: string;
  readonly branch: string;
  /** Branches to begin from, the first that exists; without one, what is checked out. */
  readonly from?: readonly string[];
}

/** Makes a worktree, on a new branch unless it exists. One that is there is the one that was asked for. Gives why it could not. */
export async function addWorktree({ checkout, folder, branch, from = [] }: WorktreeRequest): Promise<string | undefined> {
  if (existsSync(folder)) return undefined;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  let base = 'HEAD';
  for (const name of from) {
    const found = await firstCommit(checkout, [`refs/heads/${name}`, `refs/remotes/origin/${name}`]);
    if (found === undefined) continue;
    base = found;
    break;
  }
  await git(checkout, ['worktree', 'prune']);
  const isThere = (await firstCommit(checkout, [`refs/heads/${branch}`])) !== undefined;
  const made = await git(checkout, ['worktree', 'add', '--quiet', ...(isThere ? [folder, branch] : ['-b', branch, folder, base])]);
  return made.ok ? undefined : made.message;
}

async function firstCommit(checkout: string, refs: readonly string[]): Promise<string | undefined> {
  for (const ref of refs) {
    const found = await git(checkout, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
    if (found.ok) return found.stdout.trim();
  }
  return undefined;
}

/** Removes a worktree in which nothing is lost: what was not committed is kept, and so is its branch. */
export async function removeWorktree(folder: string): Promise<'removed' | 'kept'> {
  if (!existsSync(folder)) return 'removed';
  const common = await git(folder, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (!common.ok) return 'kept';
  // Without --force git refuses one that has changes or files that nobody committed.
  return (await git(dirname(common.stdout.trim()), ['worktree', 'remove', folder])).ok ? 'removed' : 'kept';
}
