// `pawl worktrees`: lists the worktrees and branches that runs left behind, and removes those of runs that have ended.
//
// - A run that can still continue keeps its worktree.
// - Work that exists nowhere else (uncommitted files, commits on no other branch) is removed only with --force. So is a branch
//   without a worktree whose run is not in this database, because it may be in another one.

import { existsSync, readdirSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agoText } from '../../control/time-text.ts';
import { isFinal } from '../../definition/run-status.ts';
import { git } from '../../process/git.ts';
import { checkoutOf, discardWorktree, removeWorktree, type UnsavedWork, unsavedWork } from '../../process/worktree.ts';
import type { RunSummary, Store } from '../../store/store.ts';
import { type CommandRun, usageError } from '../command.ts';
import { sizeText } from '../copies.ts';
import { findSetup, openExisting, openStore, type Setup } from '../session.ts';
import type { Shell } from '../shell.ts';

/** A worktree, or a branch without one, that a run left behind. */
interface LeftWorktree {
  readonly run: string;
  /** `gone`: the run was deleted. */
  readonly status: RunSummary['status'] | 'gone';
  readonly branch: string;
  /** Undefined for a branch without a worktree. */
  readonly folder: string | undefined;
  readonly updatedAt: number | undefined;
  readonly bytes: number;
  readonly unsaved: UnsavedWork;
}

const BRANCHES = 'refs/heads/pawl/';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const checkout = await checkoutOf(setup.project.root);
  const isClean = args.has('clean');
  await using store = isClean && existsSync(setup.file) ? await openStore(setup) : await openExisting(setup);
  const all = checkout === undefined ? [] : await findAll(checkout, setup, store);
  if (!isClean) return report(shell, all, []);
  if (args.has('force') && !args.has('yes') && !shell.isInteractive)
    throw usageError('--force deletes work that exists nowhere else; use --yes to confirm it');
  const removed: LeftWorktree[] = [];
  for (const left of all) if (await clean(checkout as string, left, args.has('force'))) removed.push(left);
  return report(
    shell,
    all.filter((left) => !removed.includes(left)),
    removed,
  );
};

async function findAll(checkout: string, setup: Setup, store: Store | undefined): Promise<LeftWorktree[]> {
  const folder = join(dirname(setup.file), 'worktrees');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const refs = await git(checkout, ['for-each-ref', '--format=%(refname)', BRANCHES]);
  const branches = refs.ok ? refs.stdout.split('\n').flatMap((ref) => (ref === '' ? [] : [ref.slice(BRANCHES.length)])) : [];
  const found: LeftWorktree[] = [];
  for (const id of [...new Set([...names, ...branches])].sort()) {
    const known = (await store?.list({ id }))?.[0];
    const worktree = names.includes(id) ? join(folder, id) : undefined;
    const branch = `pawl/${id}`;
    found.push({
      ...{ run: id, status: known?.status ?? 'gone', branch, folder: worktree, updatedAt: known?.updatedAt },
      ...{ bytes: worktree === undefined ? 0 : await sizeOf(worktree), unsaved: await unsavedWork({ checkout, folder: worktree, branch }) },
    });
  }
  return found;
}

async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true }))
    bytes += (await lstat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}

/** Removes the worktree and branch of an ended run, unless something would be lost; returns whether it did. */
async function clean(checkout: string, { status, folder, branch, unsaved }: LeftWorktree, isForced: boolean): Promise<boolean> {
  if (status !== 'gone' && !isFinal(status)) return false;
  const isUnsaved = unsaved.files > 0 || unsaved.commits > 0;
  const isForeign = status === 'gone' && folder === undefined;
  if ((isUnsaved || isForeign) && !isForced) return false;
  if (isUnsaved || folder === undefined) return discardWorktree(checkout, { folder, branch });
  return (await removeWorktree({ folder, branch, isNeeded: async () => false })) === 'removed';
}

function report(shell: Shell, kept: readonly LeftWorktree[], removed: readonly LeftWorktree[]): number {
  const rowOf = ({ updatedAt, ...left }: LeftWorktree) => ({
    ...left,
    folder: left.folder ?? null,
    updatedAt: updatedAt === undefined ? null : new Date(updatedAt).toISOString(),
  });
  return shell.result({ worktrees: kept.map(rowOf), removed: removed.map(rowOf) }, () => [
    ...removed.map(({ branch }) => `${shell.symbol('done')} ${branch} removed`),
    ...(kept.length === 0 ? ['No run left a worktree or a branch.'] : listed(shell, kept)),
  ]);
}

function listed(shell: Shell, all: readonly LeftWorktree[]): string[] {
  const unsaved = ({ files, commits }: UnsavedWork): string =>
    [...(files > 0 ? [`${files} not committed`] : []), ...(commits > 0 ? [`${commits} not pushed`] : [])].join(', ') || 'nothing';
  return shell.table(all, {
    BRANCH: ({ branch }) => branch,
    RUN: ({ status }) => status,
    CHANGED: ({ updatedAt }) => (updatedAt === undefined ? '' : agoText(updatedAt)),
    SIZE: ({ folder, bytes }) => (folder === undefined ? 'no worktree' : sizeText(bytes)),
    UNSAVED: (left) => unsaved(left.unsaved),
  });
}
