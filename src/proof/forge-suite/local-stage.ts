// Owns a local forge for tests: a bare repository with one commit and a state file, in a temporary folder.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createGit } from '../../forge/local/git.ts';
import { type LocalForge, openLocalForge } from '../../forge/local/local-forge.ts';
import { type ForgeStage, type StageClone, valueIn } from './stage.ts';

/** A local forge that was opened for one test. */
export interface LocalForgeStage extends ForgeStage {
  readonly forge: LocalForge;
  reopen(): Promise<LocalForge>;
  /** The bare repository, the state file and the folder of both; all gone once the stage is closed. */
  readonly repository: string;
  readonly state: string;
  readonly folder: string;
  /** Runs git in the repository and gives what it prints. */
  git(...args: readonly string[]): Promise<string>;
}

/** Opens an empty local forge. */
export async function openLocalForgeStage(now: () => number = Date.now): Promise<LocalForgeStage> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-forge-'));
  const [repository, state] = [join(folder, 'project.git'), join(folder, 'forge.db')];
  await createGit(folder, now)(['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  const git = createGit(repository, now);
  const branches = new Set<string>();
  const commit = async (branch: string, files: Readonly<Record<string, string>>): Promise<string> => {
    const from = branches.has(branch) ? branch : branches.values().next().value;
    branches.add(branch);
    const { stdout } = await git(['fast-import', '--quiet'], { stdin: importOf({ branch, from, files, at: now() }) });
    return stdout.trim();
  };
  await commit('main', { 'README.md': '# Project\n' });
  const opened: LocalForge[] = [];
  const reopen = async (): Promise<LocalForge> => {
    const forge = await openLocalForge({ repository, state, now });
    opened.push(forge);
    return forge;
  };
  const forge = await reopen();
  let clones = 0;
  const clone = async (): Promise<StageClone> => {
    clones += 1;
    return await openClone({ repository, folder: join(folder, `clone-${clones}`), now });
  };
  return {
    ...{ forge, reopen, repository, state, folder, commit, clone },
    openFromFork: async (branch) => {
      const fork = await clone();
      await fork.git('checkout', '--quiet', '-b', branch);
      const head = await fork.commit({ [`${branch}.txt`]: `${branch}\n` });
      const request = { title: `Add ${branch}`, body: '', head: branch, base: 'main', repository: fork.folder };
      return { number: valueIn(await forge.control.openFromFork(request)).number, head };
    },
    git: async (...args) => (await git(args)).stdout,
    read: async (branch, path) => {
      const { code, stdout } = await git(['cat-file', 'blob', `refs/heads/${branch}:${path}`], { codes: [0, 128] });
      return code === 0 ? stdout : undefined;
    },
    review: async (pr, actor, said) => void valueIn(await forge.control.review(pr, { actor, state: said })),
    check: async (branch, check) => void valueIn(await forge.control.check(branch, check)),
    close: async () => {
      for (const one of opened) await one.close();
      await rm(folder, { recursive: true, force: true });
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
