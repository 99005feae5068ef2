// Owns checkouts for parallel work: each starts with the current workspace, including uncommitted changes, and its
// changes are merged back unless they conflict with changes that others merged meanwhile. The workspace's branch and
// index are not touched: everything is done with git objects.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWorkQueue } from '../base/work-queue.ts';
import { git } from './git.ts';
import { outputOf, splitPaths } from './git-tree.ts';
import { removeFolder } from './remove-folder.ts';
import { gitWorktreeAdd } from './worktree.ts';

/** A checkout for parallel work. */
export interface SideCheckout {
  readonly workspace: string;
  readonly folder: string;
  /** A commit of the workspace at the time the checkout was created. */
  readonly base: string;
}

/** The result of merging back. `files` are those with conflicting changes. */
type MergeBackResult = { readonly kind: 'merged' } | { readonly kind: 'conflict'; readonly files: readonly string[] };

/** Creates a checkout of a workspace that is in git. */
export async function openSideCheckout(workspace: string): Promise<SideCheckout> {
  const base = await snapshotWorkspace(workspace);
  const home = await mkdtemp(join(tmpdir(), 'pawl-branch-'));
  const folder = join(home, 'work');
  outputOf(await gitWorktreeAdd(workspace, ['--detach', folder, base]));
  return { workspace, folder, base };
}

/** Removes a checkout with its content. */
export async function closeSideCheckout({ workspace, folder }: SideCheckout): Promise<void> {
  await git(workspace, ['worktree', 'remove', '--force', '--force', folder]);
  await removeFolder(join(folder, '..'));
  await git(workspace, ['worktree', 'prune']);
}

/** Returns a commit of the current content of a workspace, except ignored files. */
export function snapshotWorkspace(workspace: string): Promise<string> {
  return oneAtATime(workspace, () => snapshotOf(workspace, 'HEAD'));
}

/** Returns the files of a workspace that differ from a commit, except ignored ones, sorted. */
export async function filesChangedSince(workspace: string, commit: string): Promise<readonly string[]> {
  const now = await snapshotWorkspace(workspace);
  return splitPaths(outputOf(await git(workspace, ['diff', '--name-only', '--no-renames', '-z', commit, now]))).sort();
}

// Reading the whole workspace and writing to it are serialised, so that no checkout starts with half of a change.
const oneAtATime = createWorkQueue();

/** Merges the changes of a checkout into the workspace, one checkout at a time, so that each sees the previous ones. */
export function mergeBack(checkout: SideCheckout): Promise<MergeBackResult> {
  return oneAtATime(checkout.workspace, () => merge(checkout));
}

async function merge({ workspace, folder, base }: SideCheckout): Promise<MergeBackResult> {
  const [ours, theirs] = [await snapshotOf(workspace, base), await snapshotOf(folder, base)];
  const merged = await git(workspace, ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]);
  const [tree = '', ...files] = splitPaths(merged.stdout);
  if (!merged.ok && merged.code !== 1) outputOf(merged);
  if (!merged.ok) return { kind: 'conflict', files: [...new Set(files)].sort() };
  const patch = outputOf(await git(workspace, ['diff', '--binary', '--no-renames', '--no-color', '--no-ext-diff', ours, tree]));
  if (patch !== '') outputOf(await git(workspace, ['apply', '--binary', '--whitespace=nowarn', '-'], { stdin: patch }));
  return { kind: 'merged' };
}

/** Commits the current content of a folder, except ignored files, with the given parent. */
async function snapshotOf(folder: string, parent: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'pawl-index-'));
  const env = { GIT_INDEX_FILE: join(home, 'index') };
  try {
    outputOf(await git(folder, ['read-tree', 'HEAD'], { env }));
    outputOf(await git(folder, ['add', '--all', ':/'], { env }));
    const tree = outputOf(await git(folder, ['write-tree'], { env })).trim();
    return outputOf(await git(folder, ['commit-tree', tree, '-p', parent, '-m', 'workspace'])).trim();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
