// Saves the work of open runs between jobs: the branch of each run, and the uncommitted files in its worktree. Files that
// git ignores are not saved.

import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { type GitCall, git } from '../../process/git.ts';
import { addWorktree } from '../../process/worktree.ts';

/** The work of one run. */
export interface SavedWork {
  readonly folder: string;
  readonly branch: string;
  readonly head: string;
  /** A commit with the files in the worktree, if they differ from the head. */
  readonly files?: string;
}

/** Saves the work in every worktree below a folder as commits, without changing the worktrees. */
export async function saveWork(checkout: string, folder: string): Promise<SavedWork[]> {
  const found: SavedWork[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const worktree = join(folder, name);
    const branch = await read(worktree, ['symbolic-ref', '--short', 'HEAD']);
    const head = await read(worktree, ['rev-parse', 'HEAD']);
    // A worktree that is being created or removed has neither.
    if (branch === undefined || head === undefined) continue;
    const files = await filesOf(checkout, worktree, head);
    found.push({ folder: worktree, branch, head, ...omitUndefined({ files }) });
  }
  return found;
}

async function filesOf(checkout: string, worktree: string, head: string): Promise<string | undefined> {
  const temporary = await mkdtemp(join(tmpdir(), 'pawl-index-'));
  const env = { GIT_INDEX_FILE: join(temporary, 'index') };
  try {
    await read(worktree, ['read-tree', head], { env });
    await read(worktree, ['add', '--all'], { env });
    const tree = await read(worktree, ['write-tree'], { env });
    if (tree === undefined || tree === (await read(checkout, ['rev-parse', `${head}^{tree}`]))) return undefined;
    return await read(checkout, ['commit-tree', tree, '-p', head, '-m', 'Work in progress'], { env });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Restores the branches and worktrees of open runs, whose commits are already in the repository. */
export async function restoreWork(checkout: string, work: readonly SavedWork[]): Promise<void> {
  await read(checkout, ['worktree', 'prune']);
  for (const { folder, branch, head, files } of work) {
    await read(checkout, ['update-ref', `refs/heads/${branch}`, head]);
    const made = await addWorktree({ checkout, folder, branch });
    if ('problem' in made) throw new EngineError('WORKSPACE_FAILED', `git could not restore the worktree ${folder}: ${made.problem}`);
    if (files === undefined) continue;
    await read(folder, ['read-tree', '-m', '-u', head, files]);
    // The uncommitted files are restored unstaged.
    await read(folder, ['read-tree', head]);
  }
}

async function read(folder: string, args: readonly string[], call: GitCall = {}): Promise<string | undefined> {
  const answer = await git(folder, args, call);
  return answer.ok ? answer.stdout.trim() : undefined;
}
