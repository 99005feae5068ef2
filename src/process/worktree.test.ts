import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { git } from '../../test/git.ts';
import { addWorktree, checkoutOf, removeWorktree } from './worktree.ts';

let home: string;
let checkout: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-worktree-')));
  checkout = join(home, 'project');
  git(home, 'init', '--quiet', '--initial-branch=main', checkout);
  commit('one.txt', 'one');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function commit(name: string, text: string, cwd = checkout): void {
  writeFileSync(join(cwd, name), text);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', name);
}

const folder = (): string => join(home, 'state', 'run1');

test('a worktree is a checkout of its own, on its own branch; the project stays as it is', async () => {
  expect(await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1' })).toBeUndefined();
  commit('two.txt', 'two', folder());
  expect(git(folder(), 'branch', '--show-current')).toBe('pawl/run1');
  expect([existsSync(join(checkout, 'two.txt')), git(checkout, 'branch', '--show-current'), git(checkout, 'status', '--short')]).toEqual([
    false,
    'main',
    '',
  ]);
});

test('it begins from the first branch that exists', async () => {
  git(checkout, 'checkout', '--quiet', '-b', 'feature');
  commit('feature.txt', 'f');
  git(checkout, 'checkout', '--quiet', 'main');
  await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1', from: ['gone', 'feature', 'main'] });
  expect(readFileSync(join(folder(), 'feature.txt'), 'utf8')).toBe('f');
});

test('asked for again after a crash, it is the one that is there', async () => {
  await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1' });
  commit('two.txt', 'two', folder());
  expect(await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1' })).toBeUndefined();
  expect(existsSync(join(folder(), 'two.txt'))).toBe(true);
});

test('why one cannot be made is told', async () => {
  expect(await addWorktree({ checkout, folder: folder(), branch: 'main' })).toContain('main');
});

test('one that was removed is there again with what was committed in it', async () => {
  await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1' });
  commit('two.txt', 'two', folder());
  await removeWorktree(folder());
  expect(await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1' })).toBeUndefined();
  expect(readFileSync(join(folder(), 'two.txt'), 'utf8')).toBe('two');
});

test('a hook of the repository is not run', async () => {
  writeFileSync(join(checkout, '.git', 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${join(home, 'ran')}\n`, { mode: 0o755 });
  await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1' });
  expect(existsSync(join(home, 'ran'))).toBe(false);
});

test('removing keeps what nobody committed, and the branch with what was', async () => {
  await addWorktree({ checkout, folder: folder(), branch: 'pawl/run1' });
  writeFileSync(join(folder(), 'draft.txt'), 'draft');
  expect(await removeWorktree(folder())).toBe('kept');
  expect(existsSync(join(folder(), 'draft.txt'))).toBe(true);
  commit('draft.txt', 'draft', folder());
  expect(await removeWorktree(folder())).toBe('removed');
  expect(git(checkout, 'log', '--format=%s', '-1', 'pawl/run1')).toBe('draft.txt');
});

test('a folder without git, and a repository without a commit, are no checkout', async () => {
  expect(await checkoutOf(checkout)).toBe(checkout);
  const empty = join(home, 'empty');
  git(home, 'init', '--quiet', empty);
  expect([await checkoutOf(home), await checkoutOf(empty)]).toEqual([undefined, undefined]);
});
