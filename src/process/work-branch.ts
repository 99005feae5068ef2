// Owns the work branch: which branch is checked out in a folder.

import { git } from './git.ts';

/** The checked-out branch of a folder and its commit. `branch` is undefined for a detached head. */
export interface CheckoutHead {
  readonly branch: string | undefined;
  readonly sha: string;
}

/** Returns what is checked out in a folder, or undefined if it is not a git checkout with a commit. */
export async function checkedOut(folder: string): Promise<CheckoutHead | undefined> {
  const head = await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (!head.ok) return undefined;
  const branch = await git(folder, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
  return { branch: branch.ok ? branch.stdout.trim() : undefined, sha: head.stdout.trim() };
}
