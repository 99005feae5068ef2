// Owns what the local forge asks of git: heads, differences, and merges that touch no checkout. Git runs without hooks,
// without the user's configuration and under a fixed identity, so that the same repository gives the same answers.
//
// H1. Names reach git only as `refs/heads/<name>` or as full hashes: none is taken for an option or an expression.
// H2. A merge is built from objects, or in a clone of its own, and becomes visible when a branch is moved (`advance`).
//     A branch is moved only from where it was when the merge was built.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git as ask } from '../process/git.ts';
import type { ChangedFile, MergeMethod } from './forge.ts';

/** Git could not be asked, or answered with something that is no answer. */
export class GitTrouble extends Error {}

/** What a merge joins. */
export interface MergePlan {
  readonly method: MergeMethod;
  readonly base: string;
  readonly head: string;
  readonly message: string;
}

/** A commit that has both sides, the files in which they contradict each other, or nothing to merge. */
export type MergeOutcome =
  | { readonly kind: 'merged'; readonly sha: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'nothing' };

/** The git side of a local forge. */
export interface LocalGit {
  /** The commit at the head of a branch. */
  headOf(branch: string): Promise<string | undefined>;
  /** A full hash if the repository has that commit. */
  commitOf(sha: string): Promise<string | undefined>;
  currentBranch(): Promise<string | undefined>;
  changedFiles(base: string, head: string): Promise<ChangedFile[]>;
  /** Whether one commit is part of the other's history. */
  contains(whole: string, part: string): Promise<boolean>;
  /** Null where both sides can be joined, else the files that conflict. */
  conflicts(base: string, head: string): Promise<readonly string[] | null>;
  build(plan: MergePlan): Promise<MergeOutcome>;
  /** Moves a branch; false when it is no longer where it was. */
  advance(branch: string, move: { readonly from: string; readonly to: string }): Promise<boolean>;
  /** Deletes a branch if it is still at this commit. */
  remove(branch: string, at: string): Promise<void>;
  /** Where a branch is checked out, if it is. */
  checkoutOf(branch: string): Promise<string | undefined>;
}

interface GitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface GitCall {
  /** Exit codes that are answers; others are trouble. */
  readonly codes?: readonly number[];
  readonly stdin?: string;
}

type Git = (args: readonly string[], call?: GitCall) => Promise<GitRun>;

/** A way to ask git in one directory; `now` dates the commits it makes. */
export function createGit(cwd: string, now: () => number): Git {
  return async (args, { codes = [0], stdin } = {}) => {
    const answer = await ask(cwd, args, { env: environment(now()), ...(stdin === undefined ? {} : { stdin }) });
    const code = answer.ok ? 0 : answer.code;
    if (code !== undefined && codes.includes(code)) return { code, stdout: answer.stdout, stderr: answer.ok ? '' : answer.message };
    throw new GitTrouble(`git ${args[0]} in ${cwd} gave no answer: ${answer.ok ? 'it ended with 0' : answer.message}`);
  };
}

function environment(now: number): Record<string, string> {
  const date = `${Math.floor(now / 1000)} +0000`;
  return {
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
    LC_ALL: 'C',
  };
}

/** The git side of the forge of one repository. */
export function createLocalGit(repository: string, now: () => number): LocalGit {
  const git = createGit(repository, now);
  const revision = async (name: string): Promise<string | undefined> => {
    const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { codes: [0, 1] });
    return code === 0 ? stdout.trim() : undefined;
  };
  return {
    headOf: async (branch) => (isBranchName(branch) ? revision(`refs/heads/${branch}`) : undefined),
    commitOf: async (sha) => (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) ? revision(sha) : undefined),
    currentBranch: async () => {
      const { code, stdout } = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { codes: [0, 1] });
      return code === 0 ? stdout.trim() : undefined;
    },
    changedFiles: async (base, head) =>
      parseChanges((await git(['diff', '--name-status', '--no-renames', '-z', `${base}...${head}`])).stdout),
    contains: (whole, part) => contains(git, whole, part),
    conflicts: async (base, head) => {
      const joined = await joinTrees(git, base, head);
      return 'files' in joined ? joined.files : null;
    },
    build: (plan) => build({ git, repository, now }, plan),
    advance: async (branch, { from, to }) => (await git(['update-ref', `refs/heads/${branch}`, to, from], { codes: [0, 128] })).code === 0,
    remove: async (branch, at) => void (await git(['update-ref', '-d', `refs/heads/${branch}`, at], { codes: [0, 1, 128] })),
    checkoutOf: async (branch) => parseCheckouts((await git(['worktree', 'list', '--porcelain', '-z'])).stdout).get(`refs/heads/${branch}`),
  };
}

// What `git check-ref-format` refuses and more: names with a meaning to `rev-parse` never get that far.
function isBranchName(name: string): boolean {
  return name !== '' && !/[\s~^:?*[\\\u007f]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/.test(name) && !name.includes('\0');
}

function parseChanges(text: string): ChangedFile[] {
  const parts = text.split('\0');
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const letter = parts[index];
    files.push({ path: parts[index + 1] as string, status: letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'modified' });
  }
  return files;
}

function parseCheckouts(text: string): Map<string, string> {
  const places = new Map<string, string>();
  let place = '';
  for (const line of text.split('\0')) {
    if (line.startsWith('worktree ')) place = line.slice('worktree '.length);
    if (line.startsWith('branch ')) places.set(line.slice('branch '.length), place);
  }
  return places;
}

async function contains(git: Git, whole: string, part: string): Promise<boolean> {
  return (await git(['merge-base', '--is-ancestor', part, whole], { codes: [0, 1] })).code === 0;
}

async function joinTrees(git: Git, base: string, head: string): Promise<{ readonly tree: string } | { readonly files: readonly string[] }> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', base, head];
  const { code, stdout, stderr } = await git(args, { codes: [0, 1, 128] });
  const [tree = '', ...files] = stdout.split('\0').filter((part) => part !== '');
  if (code === 0) return { tree };
  if (code === 1) return { files: [...new Set(files)] };
  if (stderr.includes('unrelated histories')) return { files: [] };
  throw new GitTrouble(`git merge-tree ended with ${code}: ${stderr.trim()}`);
}

interface Workshop {
  readonly git: Git;
  readonly repository: string;
  readonly now: () => number;
}

async function build(workshop: Workshop, plan: MergePlan): Promise<MergeOutcome> {
  const { git } = workshop;
  const { method, base, head, message } = plan;
  if (await contains(git, base, head)) return { kind: 'nothing' };
  if (method === 'rebase') return await rebase(workshop, base, head);
  const joined = await joinTrees(git, base, head);
  if ('files' in joined) return { kind: 'conflict', files: joined.files };
  const before = (await git(['rev-parse', '--verify', `${base}^{tree}`])).stdout.trim();
  if (method === 'squash' && before === joined.tree) return { kind: 'nothing' };
  const parents = method === 'merge' ? [base, head] : [base];
  const args = ['commit-tree', joined.tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return { kind: 'merged', sha: (await git(args, { stdin: message })).stdout.trim() };
}

// Commits are replayed in a clone that shares the objects, so neither the repository's checkouts nor its list of
// worktrees know of it, and a crash leaves only a temporary folder behind.
async function rebase({ git, repository, now }: Workshop, base: string, head: string): Promise<MergeOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-rebase-'));
  try {
    await git(['clone', '--quiet', '--shared', '--no-checkout', repository, folder]);
    const there = createGit(folder, now);
    await there(['checkout', '--quiet', '--detach', head]);
    const { code } = await there(['rebase', '--quiet', base], { codes: [0, 1] });
    if (code === 1) {
      const { stdout } = await there(['diff', '--name-only', '--diff-filter=U', '-z']);
      return { kind: 'conflict', files: stdout.split('\0').filter((file) => file !== '') };
    }
    const sha = (await there(['rev-parse', '--verify', 'HEAD'])).stdout.trim();
    if (sha === base) return { kind: 'nothing' };
    await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', folder, 'HEAD']);
    return { kind: 'merged', sha };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
