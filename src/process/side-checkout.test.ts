import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRepository, git } from '../../test/git.ts';
import { tempFolder } from '../../test/temp-folder.ts';
import { closeSideCheckout, mergeBack, openSideCheckout, type SideCheckout } from './side-checkout.ts';

let home: string;
let opened: SideCheckout[];
beforeEach(() => {
  home = tempFolder();
  opened = [];
  createRepository(home, { 'lines.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n', '.gitignore': 'ignored\n' });
});
afterEach(async () => {
  for (const checkout of opened) await closeSideCheckout(checkout);
});

const put = (folder: string, name: string, text: string | Buffer): void => writeFileSync(join(folder, name), text);
const read = (name: string): string => readFileSync(join(home, name), 'utf8');

async function open(): Promise<SideCheckout> {
  const checkout = await openSideCheckout(home);
  opened.push(checkout);
  return checkout;
}

test('a checkout starts with the current workspace, including uncommitted changes', async () => {
  put(home, 'lines.txt', 'changed\n');
  put(home, 'new.txt', 'new');
  put(home, 'ignored', 'x');
  const { folder } = await open();
  expect([
    readFileSync(join(folder, 'lines.txt'), 'utf8'),
    existsSync(join(folder, 'new.txt')),
    existsSync(join(folder, 'ignored')),
  ]).toEqual(['changed\n', true, false]);
});

test('changes of two checkouts in different places are both merged, and branch and index do not change', async () => {
  git(home, 'add', '.');
  const index = git(home, 'ls-files', '--stage');
  const [a, b] = [await open(), await open()];
  put(a.folder, 'lines.txt', 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n');
  put(a.folder, 'a.txt', 'a');
  put(b.folder, 'lines.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
  put(b.folder, 'b.bin', Buffer.from([0, 255, 10, 13]));
  expect(await Promise.all([mergeBack(a), mergeBack(b)])).toEqual([{ kind: 'merged' }, { kind: 'merged' }]);
  expect([read('lines.txt'), read('a.txt'), existsSync(join(home, 'b.bin'))]).toEqual([
    'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n',
    'a',
    true,
  ]);
  expect([git(home, 'ls-files', '--stage'), git(home, 'branch', '--show-current'), git(home, 'log', '--format=%s')]).toEqual([
    index,
    'main',
    'first',
  ]);
});

test('conflicting changes name the files, and none of the changes of the second checkout are merged', async () => {
  const [a, b] = [await open(), await open()];
  put(a.folder, 'lines.txt', 'from a\n');
  put(b.folder, 'lines.txt', 'from b\n');
  put(b.folder, 'b.txt', 'b');
  expect(await mergeBack(a)).toEqual({ kind: 'merged' });
  expect(await mergeBack(b)).toEqual({ kind: 'conflict', files: ['lines.txt'] });
  expect([read('lines.txt'), existsSync(join(home, 'b.txt'))]).toEqual(['from a\n', false]);
});

test('deletions and commits in a checkout are merged too', async () => {
  const checkout = await open();
  rmSync(join(checkout.folder, 'lines.txt'));
  put(checkout.folder, 'kept.txt', 'kept');
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, 'add', '--all'], { cwd: checkout.folder });
  execFileSync('git', [...who, 'commit', '--quiet', '-m', 'there'], { cwd: checkout.folder });
  await mergeBack(checkout);
  expect([existsSync(join(home, 'lines.txt')), read('kept.txt')]).toEqual([false, 'kept']);
});

test('merging without changes does nothing', async () => {
  expect(await mergeBack(await open())).toEqual({ kind: 'merged' });
  expect(git(home, 'status', '--short')).toBe('');
});

test('a closed checkout leaves nothing behind', async () => {
  const checkout = await openSideCheckout(home);
  put(checkout.folder, 'x.txt', 'x');
  await closeSideCheckout(checkout);
  expect([existsSync(checkout.folder), git(home, 'worktree', 'list').split('\n').length]).toEqual([false, 1]);
});

test('checkouts that are created, merged and removed concurrently do not disturb each other', async () => {
  const work = async (name: string): Promise<void> => {
    for (let round = 0; round < 6; round += 1) {
      const checkout = await openSideCheckout(home);
      put(checkout.folder, `${name}${round}.txt`, name);
      expect(await mergeBack(checkout)).toEqual({ kind: 'merged' });
      await closeSideCheckout(checkout);
    }
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(work));
  expect(readdirSync(home).filter((name) => /^[abcd]\d/.test(name))).toHaveLength(24);
});
