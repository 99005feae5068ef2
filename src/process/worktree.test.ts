import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { commitAll, createRepository, git } from '../../test/git.ts';
import { tempFolder } from '../../test/temp-folder.ts';
import { addWorktree, checkoutOf, gitWorktreeAdd, removeWorktree } from './worktree.ts';

let home: string;
let checkout: string;
beforeEach(() => {
  home = tempFolder();
  checkout = join(home, 'project');
  createRepository(checkout, { 'one.txt': 'one' });
});

function commit(name: string, text: string, cwd = checkout): void {
  writeFileSync(join(cwd, name), text);
  commitAll(cwd, name);
}

const folder = (): string => join(home, 'state', 'run1');
const add = (more: { readonly from?: string } = {}) => addWorktree({ checkout, folder: folder(), branch: 'pawl/run1', ...more });
const remove = (isNeeded = false) => removeWorktree({ folder: folder(), branch: 'pawl/run1', isNeeded: async () => isNeeded });

test('a worktree is a separate checkout on its own branch; the project does not change', async () => {
  expect(await add()).toHaveProperty('at');
  commit('two.txt', 'two', folder());
  expect(git(folder(), 'branch', '--show-current')).toBe('pawl/run1');
  expect([existsSync(join(checkout, 'two.txt')), git(checkout, 'branch', '--show-current'), git(checkout, 'status', '--short')]).toEqual([
    false,
    'main',
    '',
  ]);
});

test('a worktree starts at the given commit', async () => {
  git(checkout, 'checkout', '--quiet', '-b', 'feature');
  commit('feature.txt', 'f');
  const from = git(checkout, 'rev-parse', 'HEAD');
  git(checkout, 'checkout', '--quiet', 'main');
  expect(await add({ from })).toEqual({ at: from });
  expect(readFileSync(join(folder(), 'feature.txt'), 'utf8')).toBe('f');
  expect(await addWorktree({ checkout, folder: `${folder()}2`, branch: 'x', from: 'f'.repeat(40) })).toHaveProperty('problem');
});

test('adding a worktree again after a crash returns the existing one', async () => {
  await add();
  commit('two.txt', 'two', folder());
  expect(await add()).toHaveProperty('at');
  expect(existsSync(join(folder(), 'two.txt'))).toBe(true);
});

test('a failure to create a worktree has a reason', async () => {
  expect(await addWorktree({ checkout, folder: folder(), branch: 'main' })).toEqual({ problem: expect.stringContaining('main') });
});

test('a removed worktree is restored with its commits', async () => {
  await add();
  commit('two.txt', 'two', folder());
  await remove();
  expect(await add()).toHaveProperty('at');
  expect(readFileSync(join(folder(), 'two.txt'), 'utf8')).toBe('two');
});

test('a hook of the repository is not run', async () => {
  writeFileSync(join(checkout, '.git', 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${join(home, 'ran')}\n`, { mode: 0o755 });
  await add();
  expect(existsSync(join(home, 'ran'))).toBe(false);
});

test('removing a worktree keeps uncommitted changes, and the branch with the commits', async () => {
  await add();
  writeFileSync(join(folder(), 'draft.txt'), 'draft');
  expect(await remove()).toBe('kept');
  expect(existsSync(join(folder(), 'draft.txt'))).toBe(true);
  commit('draft.txt', 'draft', folder());
  expect(await remove()).toBe('removed');
  expect(git(checkout, 'log', '--format=%s', '-1', 'pawl/run1')).toBe('draft.txt');
});

test('a branch whose commits are all on another one is removed with its worktree, and both can be restored', async () => {
  await add();
  commit('two.txt', 'two', folder());
  git(checkout, 'merge', '--quiet', 'pawl/run1');
  expect(await remove()).toBe('removed');
  expect(git(checkout, 'branch', '--list', 'pawl/*')).toBe('');
  git(checkout, 'reset', '--quiet', '--hard', 'HEAD^');
  expect(await add()).toHaveProperty('at');
  expect([readFileSync(join(folder(), 'two.txt'), 'utf8'), git(folder(), 'branch', '--show-current')]).toEqual(['two', 'pawl/run1']);
});

test('a branch that is still needed is kept', async () => {
  await add();
  expect(await remove(true)).toBe('removed');
  expect(git(checkout, 'branch', '--list', 'pawl/*').trim()).toBe('pawl/run1');
});

test('a folder without git, and a repository without a commit, are not checkouts', async () => {
  expect(await checkoutOf(checkout)).toBe(checkout);
  const empty = join(home, 'empty');
  git(home, 'init', '--quiet', empty);
  expect([await checkoutOf(home), await checkoutOf(empty)]).toEqual([undefined, undefined]);
});

test('a worktree that another process is creating does not cause a failure', async () => {
  // The state between git's creating the file and writing to it.
  const half = join(checkout, '.git', 'worktrees', 'half');
  mkdirSync(half, { recursive: true });
  for (const [name, text] of [
    ['locked', 'initializing'],
    ['gitdir', join(home, 'half', '.git')],
    ['commondir', ''],
  ] as const) {
    writeFileSync(join(half, name), text);
  }
  setTimeout(() => writeFileSync(join(half, 'commondir'), '../..\n'), 100);
  expect(await gitWorktreeAdd(checkout, ['--detach', folder(), 'HEAD'])).toMatchObject({ ok: true });
});
