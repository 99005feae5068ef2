// `pawl worktrees`: what runs left, and that no work is lost by cleaning.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { git } from '../git.ts';
import { runId, writeRuns } from './kept-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
let db: string;
beforeEach(async () => {
  rig = new CliRig();
  db = join(rig.folder, 'state', 'runs.db');
  mkdirSync(join(rig.folder, 'state'));
  git(rig.project, 'init', '--quiet', '--initial-branch=main');
  git(rig.project, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'begin');
  await writeRuns(db, ['completed', 'completed', 'waiting', 'completed']);
});
afterEach(() => rig.close());

const folderOf = (n: number): string => join(rig.folder, 'state', 'worktrees', runId(n));
const add = (n: number) => git(rig.project, 'worktree', 'add', '--quiet', '-b', `pawl/${runId(n)}`, folderOf(n), 'main');
interface Told {
  readonly worktrees: readonly { readonly run: string; readonly status: string; readonly unsaved: object; readonly bytes: number }[];
  readonly removed: readonly { readonly run: string }[];
}
const worktrees = (...words: string[]) => rig.json<Told>(['worktrees', '--db', db, ...words]);

test('worktrees of ended runs are removed, but none with unsaved work unless it is forced', async () => {
  for (const n of [1, 2, 3]) add(n);
  writeFileSync(join(folderOf(2), 'draft.txt'), 'not committed');
  git(rig.project, 'branch', `pawl/${runId(4)}`, 'main');
  const listed = await worktrees();
  expect(listed.worktrees.map(({ run, status, unsaved }) => [run, status, unsaved])).toEqual([
    [runId(1), 'completed', { files: 0, commits: 0 }],
    [runId(2), 'completed', { files: 1, commits: 0 }],
    [runId(3), 'waiting', { files: 0, commits: 0 }],
    [runId(4), 'completed', { files: 0, commits: 0 }],
  ]);
  expect(listed.worktrees[1]?.bytes).toBeGreaterThanOrEqual(13);
  const cleaned = await worktrees('--clean');
  expect(cleaned.removed.map(({ run }) => run)).toEqual([runId(1), runId(4)]);
  expect([1, 2, 3].map((n) => existsSync(folderOf(n)))).toEqual([false, true, true]);
  expect(git(rig.project, 'branch', '--list', `pawl/${runId(4)}`)).toBe('');
});

test('a branch with a commit that no other branch has is not removed', async () => {
  add(1);
  git(folderOf(1), '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'work');
  const { worktrees: kept, removed } = await worktrees('--clean');
  expect([kept.map(({ unsaved }) => unsaved), removed]).toEqual([[{ files: 0, commits: 1 }], []]);
  expect(existsSync(folderOf(1))).toBe(true);
});
