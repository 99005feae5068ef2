// Owns checkouts for work that goes on side by side: each begins with the workspace as it is, uncommitted changes
// included, and what was changed in it is brought back unless it contradicts what others have brought back meanwhile.
// Neither the branch nor the index of the workspace is touched: everything is done with objects of git.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitAnswer, git } from './git.ts';
import { gitWorktreeAdd } from './worktree.ts';

/** A checkout beside the workspace. */
export interface SideCheckout {
  readonly workspace: string;
  readonly folder: string;
  /** The commit with what the workspace held when the checkout was made. */
  readonly base: string;
}

/** How bringing back ended; `files` are those in which both sides changed the same. */
export type BroughtBack = { readonly kind: 'merged' } | { readonly kind: 'conflict'; readonly files: readonly string[] };

/** Git could not do it. */
class CheckoutTrouble extends Error {}

/** Makes a checkout beside a workspace that git keeps. */
export async function openSideCheckout(workspace: string): Promise<SideCheckout> {
  const base = await inTurn(workspace, () => snapshotOf(workspace, 'HEAD'));
  const home = await mkdtemp(join(tmpdir(), 'pawl-branch-'));
  const folder = join(home, 'work');
  said(await gitWorktreeAdd(workspace, ['--detach', folder, base]));
  return { workspace, folder, base };
}

/** Removes a checkout with all that is in it. */
export async function closeSideCheckout({ workspace, folder }: SideCheckout): Promise<void> {
  await git(workspace, ['worktree', 'remove', '--force', '--force', folder]);
  await rm(join(folder, '..'), { recursive: true, force: true });
  await git(workspace, ['worktree', 'prune']);
}

const busy = new Map<string, Promise<unknown>>();

/** Brings what was changed in a checkout back into the workspace; one after the other, so that each sees the last. */
export function bringBack(checkout: SideCheckout): Promise<BroughtBack> {
  return inTurn(checkout.workspace, () => merge(checkout));
}

/** Reading a workspace as a whole and writing to it take turns, so that nobody begins with half of a change. */
function inTurn<T>(workspace: string, act: () => Promise<T>): Promise<T> {
  const turn = (busy.get(workspace) ?? Promise.resolve()).then(act);
  busy.set(
    workspace,
    turn.catch(() => undefined),
  );
  return turn;
}

async function merge({ workspace, folder, base }: SideCheckout): Promise<BroughtBack> {
  const [ours, theirs] = [await snapshotOf(workspace, base), await snapshotOf(folder, base)];
  const merged = await git(workspace, ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]);
  const [tree = '', ...files] = merged.stdout.split('\0').filter((part) => part !== '');
  if (!merged.ok && merged.code !== 1) throw new CheckoutTrouble(merged.message);
  if (!merged.ok) return { kind: 'conflict', files: [...new Set(files)].sort() };
  const patch = said(await git(workspace, ['diff', '--binary', '--no-renames', '--no-color', '--no-ext-diff', ours, tree]));
  if (patch !== '') said(await git(workspace, ['apply', '--binary', '--whitespace=nowarn', '-'], { stdin: patch }));
  return { kind: 'merged' };
}

/** A commit with all that a folder holds now, but for what git ignores; its parent is the given commit. */
async function snapshotOf(folder: string, parent: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'pawl-index-'));
  const env = { GIT_INDEX_FILE: join(home, 'index') };
  try {
    said(await git(folder, ['read-tree', 'HEAD'], { env }));
    said(await git(folder, ['add', '--all', ':/'], { env }));
    const tree = said(await git(folder, ['write-tree'], { env })).trim();
    return said(await git(folder, ['commit-tree', tree, '-p', parent, '-m', 'workspace'])).trim();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function said(answer: GitAnswer): string {
  if (answer.ok) return answer.stdout;
  throw new CheckoutTrouble(answer.message);
}
