// The tree of a checkout, with real git: its files, the files that are left out, and its commit.

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { changesOfTrees, commitTree, TreeReader, updateIndex } from './git-tree.ts';

let cwd: string;
beforeEach(() => {
  cwd = tempFolder();
  git('init', '--quiet', '--initial-branch=main');
});

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();
function put(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}
function commit(): void {
  git('add', '.');
  git('commit', '--quiet', '-m', 'x');
}

async function readTree(leftOut: readonly string[] = [], from = cwd): Promise<string> {
  const reader = (await TreeReader.open(from, () => leftOut)) as TreeReader;
  try {
    return await reader.read(await reader.list());
  } finally {
    await reader.close();
  }
}
const names = (tree: string): string[] => git('ls-tree', '-r', '--name-only', tree).split('\n');

test('a tree contains tracked and untracked files, even without a commit and from a subfolder', async () => {
  put('a.txt', 'one');
  put('sub/b.txt', 'two');
  put('.gitignore', '*.log\n');
  put('x.log', 'ignored');
  put('cache/y', 'left out');
  expect(names(await readTree(['cache/'], join(cwd, 'sub')))).toEqual(['.gitignore', 'a.txt', 'sub/b.txt']);
  expect(git('status', '--short', '--untracked-files=all').split('\n')).toHaveLength(4);
});

test('a tree contains files with any name, and its changes list them', async () => {
  const awkward = [
    'two\nlines',
    `quotes"'`,
    'emoji 😀',
    'caf\u00e9',
    'cafe\u0301',
    'x'.repeat(255),
    'end.',
    '-rf',
    'back\\slash',
    ':(top)a',
  ];
  const before = await readTree();
  for (const name of awkward) put(name, name);
  const after = await readTree();
  const listed = git('ls-tree', '-r', '-z', '--name-only', after).split('\0').slice(0, -1);
  expect(listed.toSorted()).toEqual(awkward.toSorted());
  expect((await changesOfTrees(cwd, before, after)).map(({ path }) => path).toSorted()).toEqual(awkward.toSorted());
});

test('deleted, staged, replaced and assume-unchanged files have their state on disk', async () => {
  for (const name of ['gone', 'staged', 'becomes', 'empty', 'overlooked']) put(name, 'one');
  commit();
  rmSync(join(cwd, 'gone'));
  put('staged', 'two');
  git('add', 'staged');
  put('staged', 'three');
  rmSync(join(cwd, 'becomes'));
  put('becomes/inner', 'x');
  rmSync(join(cwd, 'empty'));
  mkdirSync(join(cwd, 'empty'));
  git('update-index', '--assume-unchanged', 'overlooked');
  put('overlooked', 'two');
  const index = git('ls-files', '--stage');
  const tree = await readTree();
  expect(names(tree)).toEqual(['becomes/inner', 'overlooked', 'staged']);
  expect([git('show', `${tree}:staged`), git('show', `${tree}:overlooked`)]).toEqual(['three', 'two']);
  expect(git('ls-files', '--stage')).toBe(index);
  expect(await changesOfTrees(cwd, git('rev-parse', 'HEAD^{tree}'), tree)).toEqual([
    { path: 'becomes', what: 'deleted' },
    { path: 'becomes/inner', what: 'added' },
    { path: 'empty', what: 'deleted' },
    { path: 'gone', what: 'deleted' },
    { path: 'overlooked', what: 'changed' },
    { path: 'staged', what: 'changed' },
  ]);
});

test('files that a sparse checkout omits are part of the tree', async () => {
  put('in/a', 'one');
  put('out/b', 'two');
  commit();
  git('sparse-checkout', 'set', 'in');
  put('in/a', 'changed');
  const tree = await readTree();
  expect(names(tree)).toEqual(['in/a', 'out/b']);
  expect(git('show', `${tree}:in/a`)).toBe('changed');
});

test('in a sparse checkout a file is read if it exists although it is excluded, or if git is told to ignore it', async () => {
  put('in/a', 'one');
  put('out/b', 'two');
  put('out/c', 'three');
  commit();
  git('sparse-checkout', 'set', 'in');
  git('config', 'sparse.expectFilesOutsideOfPatterns', 'true');
  put('out/b', 'written by a step');
  git('update-index', '--assume-unchanged', 'in/a');
  put('in/a', 'changed');
  const tree = await readTree();
  expect(names(tree)).toEqual(['in/a', 'out/b', 'out/c']);
  expect([git('show', `${tree}:in/a`), git('show', `${tree}:out/b`)]).toEqual(['changed', 'written by a step']);
});

test('a commit moves the branch without hooks, leaves nothing uncommitted, and is created once', async () => {
  put('a.txt', 'one');
  commit();
  writeFileSync(join(cwd, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  put('a.txt', 'two');
  const tree = await readTree();
  const head = await commitTree(cwd, tree, 'by the engine');
  expect([git('rev-parse', 'main'), git('rev-parse', 'main^{tree}'), git('status', '--short')]).toEqual([head, tree, '']);
  expect(await commitTree(cwd, tree, 'again')).toBe(head);
});

test('the commit concludes a merge in progress', async () => {
  put('a.txt', 'one');
  commit();
  git('checkout', '--quiet', '-b', 'other');
  put('a.txt', 'theirs');
  commit();
  git('checkout', '--quiet', 'main');
  put('a.txt', 'ours');
  commit();
  expect(() => git('merge', '--quiet', 'other')).toThrow();
  put('a.txt', 'both');
  await commitTree(cwd, await readTree(), 'merged');
  expect(git('log', '-1', '--format=%P').split(' ')).toHaveLength(2);
  expect(git('status', '--short')).toBe('');
  expect(git('show', 'main:a.txt')).toBe('both');
});

test('a file that changes while git reads it is read again, and what never succeeds is an error', async () => {
  const shortReads = (count: number) => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      return calls > count
        ? ({ ok: true, stdout: '' } as const)
        : ({ ok: false, message: 'short read while indexing a', stdout: '' } as const);
    };
    return { call, calls: () => calls };
  };
  const short = shortReads(2);
  await updateIndex(short.call, ['a']);
  expect(short.calls()).toBe(3);
  await expect(updateIndex(shortReads(100).call, ['a'])).rejects.toThrow('short read while indexing a');
});
