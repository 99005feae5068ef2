import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LocalForgeStage, openLocalForgeStage } from '../../../test/forge/local-stage.ts';
import { createLocalGit, type LocalGit } from './git.ts';

let stage: LocalForgeStage;
let git: LocalGit;
beforeEach(async () => {
  stage = await openLocalForgeStage();
  git = createLocalGit(stage.repository, Date.now);
});
afterEach(() => stage.close());

const ask = async (name: string): Promise<string> => (await stage.git('rev-parse', name)).trim();

test('the head of a branch is found in every storage format of git', async () => {
  const first = await ask('refs/heads/main');
  expect(await git.headOf('main')).toBe(first);
  await stage.git('pack-refs', '--all');
  expect(await git.headOf('main')).toBe(first);
  const second = await stage.commit('main', { 'a.txt': 'a\n' });
  expect([second === first, await git.headOf('main')]).toEqual([false, second]);
  await stage.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  await stage.commit('part/one', { 'b.txt': 'b\n' });
  expect([await git.headOf('alias'), await git.headOf('part/one'), await git.headOf('part')]).toEqual([
    second,
    await ask('refs/heads/part/one'),
    undefined,
  ]);
  await stage.git('update-ref', '-d', 'refs/heads/part/one');
  expect([await git.headOf('part/one'), await git.headOf('../HEAD'), await git.headOf('main^{tree}')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('moved heads and tested merges are known without starting git', async () => {
  const main = await ask('refs/heads/main');
  const one = await stage.commit('one', { 'README.md': 'one\n' });
  const other = await stage.commit('other', { 'README.md': 'other\n' });
  const heads = async () => [await git.headOf('one'), await git.headOf(one)];
  const look = async () => [...(await heads()), await git.conflicts(main, one), await git.conflicts(one, other)];
  expect(await look()).toEqual([one, undefined, null, ['README.md']]);
  vi.stubEnv('PATH', '/nowhere');
  try {
    expect(await look()).toEqual([one, undefined, null, ['README.md']]);
    await expect(git.conflicts(main, other)).rejects.toThrow('could not be run');
  } finally {
    vi.unstubAllEnvs();
  }
});
