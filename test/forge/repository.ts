// Owns the git repository of a forge in tests: a bare one with one commit, commits on its branches, clones and forks.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGit } from '../../src/forge/local/git.ts';
import type { ForgeStage, StageClone } from '../../src/proof/forge-suite/stage.ts';

/** A repository for tests. */
export interface StageRepository extends Pick<ForgeStage, 'commit' | 'read' | 'clone'> {
  /** Runs git in the repository and gives what it prints. */
  git(...args: readonly string[]): Promise<string>;
  /** A clone with a branch that has one new file, named after it. */
  fork(branch: string): Promise<{ readonly folder: string; readonly head: string }>;
}

/** Creates the repository. Clones are folders beside it. */
export async function openStageRepository(repository: string, now: () => number): Promise<StageRepository> {
  // What "git init --bare" writes, without starting a program for every test.
  for (const folder of ['objects', 'refs', 'hooks']) await mkdir(join(repository, folder), { recursive: true });
  await writeFile(join(repository, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  await writeFile(join(repository, 'HEAD'), 'ref: refs/heads/main\n');
  const git = createGit(repository, now);
  const branches = new Set<string>();
  const commit = async (branch: string, files: Readonly<Record<string, string>>): Promise<string> => {
    const from = branches.has(branch) ? branch : branches.values().next().value;
    branches.add(branch);
    const { stdout } = await git(['fast-import', '--quiet'], { stdin: importOf({ branch, from, files, at: now() }) });
    return stdout.trim();
  };
  await commit('main', { 'README.md': '# Project\n' });
  let clones = 0;
  const clone = async (): Promise<StageClone> => {
    clones += 1;
    return await openClone({ repository, folder: `${repository}-clone-${clones}`, now });
  };
  return {
    ...{ commit, clone },
    git: async (...args) => (await git(args)).stdout,
    read: async (branch, path) => {
      const { code, stdout } = await git(['cat-file', 'blob', `refs/heads/${branch}:${path}`], { codes: [0, 128] });
      return code === 0 ? stdout : undefined;
    },
    fork: async (branch) => {
      const { folder, git: there, commit: commitThere } = await clone();
      await there('checkout', '--quiet', '-b', branch);
      return { folder, head: await commitThere({ [`${branch}.txt`]: `${branch}\n` }) };
    },
  };
}

interface CloneRequest {
  readonly repository: string;
  readonly folder: string;
  readonly now: () => number;
}

async function openClone({ repository, folder, now }: CloneRequest): Promise<StageClone> {
  await createGit(dirname(folder), now)(['clone', '--quiet', repository, folder]);
  const git = createGit(folder, now);
  return {
    folder,
    git: async (...args) => (await git(args)).stdout,
    commit: async (files) => {
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      await git(['add', '--all']);
      await git(['commit', '--quiet', '-m', `Change ${Object.keys(files).join(', ')}`]);
      return (await git(['rev-parse', 'HEAD'])).stdout.trim();
    },
  };
}

interface Import {
  readonly branch: string;
  readonly from: string | undefined;
  readonly files: Readonly<Record<string, string>>;
  readonly at: number;
}

// The stream of git fast-import: it makes a commit without any checkout, and prints its hash.
function importOf({ branch, from, files, at }: Import): string {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const changes = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
  const parent = from === undefined ? '' : `from refs/heads/${from}^0\n`;
  const committer = `committer Ann <ann@example.org> ${Math.floor(at / 1000)} +0000\n`;
  return `commit refs/heads/${branch}\nmark :1\n${committer}${data(`Change ${branch}`)}${parent}${changes.join('')}get-mark :1\n`;
}
