// Owns the branch that work is done on: which one is checked out in a folder.

import { git } from './git.ts';

/** What is checked out in a folder: a branch and its commit. `branch` is undefined where a commit is checked out by itself. */
export interface CheckedOut {
  readonly branch: string | undefined;
  readonly sha: string;
}

/** What is checked out in a folder; undefined where that is no git checkout with a commit. */
export async function checkedOut(folder: string): Promise<CheckedOut | undefined> {
  const head = await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (!head.ok) return undefined;
  const branch = await git(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return { branch: branch.ok ? branch.stdout.trim() : undefined, sha: head.stdout.trim() };
}
