// Owns the branch that work is done on: which one is checked out in a folder, and commits of all that is there. Git runs
// without hooks and under an identity of our own.

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

/** The commit with all that a folder holds, but for what git ignores; the present one when nothing changed. */
export async function commitAll(folder: string, message: string): Promise<{ readonly sha: string } | { readonly trouble: string }> {
  const added = await git(folder, ['add', '--all', ':/']);
  if (!added.ok) return { trouble: added.message };
  const staged = await git(folder, ['diff', '--cached', '--quiet', 'HEAD']);
  if (!staged.ok && staged.code !== 1) return { trouble: staged.message };
  if (!staged.ok) {
    const made = await git(folder, ['commit', '--quiet', '--no-verify', '--file=-'], { stdin: `${message}\n` });
    if (!made.ok) return { trouble: made.message };
  }
  const head = await git(folder, ['rev-parse', '--verify', 'HEAD^{commit}']);
  return head.ok ? { sha: head.stdout.trim() } : { trouble: head.message };
}
