// Owns the local forge's use of git: heads, differences, and merges that touch no checkout. Git runs without hooks,
// without the user's configuration and with a fixed identity, so that the same repository gives the same results.
//
// - Names are passed to git only as `refs/heads/<name>` or as full hashes, so git reads none as an option or an expression.
// - A merge is built from objects, or in a separate clone, and becomes visible when a branch is moved (`advance`). A
//   branch is moved only if it is still where it was when the merge was built.
// - If the branch is checked out somewhere, the files of that checkout are updated too, as with "git pull".
//   Uncommitted changes there are kept; if they conflict, the branch is not moved.

import { constants, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { git as runGit } from '../../process/git.ts';
import type { ChangedFile, MergeMethod } from '../forge.ts';
import { deny } from '../refusal.ts';

/** Git could not be run, or returned something unexpected. */
export class GitError extends Error {}

/** The parts of a merge. */
interface MergePlan {
  readonly method: MergeMethod;
  readonly base: string;
  readonly head: string;
  readonly message: string;
}

/** The merged commit, the conflicting files, or nothing to merge. */
type MergeOutcome =
  | { readonly kind: 'merged'; readonly sha: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'nothing' };

/** The git side of a local forge. */
export interface LocalGit {
  /** Returns the git directory that all checkouts of the repository share. */
  directory(): Promise<string>;
  /** Returns the commit at the head of a branch. */
  headOf(branch: string): Promise<string | undefined>;
  /** Returns the full hash if the repository has that commit. */
  commitOf(sha: string): Promise<string | undefined>;
  currentBranch(): Promise<string | undefined>;
  changedFiles(base: string, head: string): Promise<ChangedFile[]>;
  /** Whether one commit is part of the other's history. */
  contains(whole: string, part: string): Promise<boolean>;
  /** Returns null if both sides can be merged, else the conflicting files. */
  conflicts(base: string, head: string): Promise<readonly string[] | null>;
  build(plan: MergePlan): Promise<MergeOutcome>;
  /** Moves a branch, or creates one if `from` is undefined. */
  advance(branch: string, move: Move): Promise<MoveResult>;
  /** Deletes a branch if it is still at this commit. A worktree that has it checked out stays, with a detached head. */
  deleteBranch(branch: string, at: string): Promise<void>;
  /** Points a ref outside the branches to a commit. */
  setRef(ref: string, sha: string): Promise<void>;
  /** Returns the commit of a full ref name: `refs/pull/7/head`. */
  refOf(ref: string): Promise<string | undefined>;
  /** Copies a commit from one repository to another. Returns false if the first does not have it. */
  copy(sha: string, folders: { readonly from: string; readonly to: string }): Promise<boolean>;
  /** Returns the commit at the head of a branch of another repository. */
  headInRepository(repository: string, branch: string): Promise<string | undefined>;
}

/** The current and the wanted commit of a branch. */
interface Move {
  readonly from: string | undefined;
  readonly to: string;
}

/** `stale`: the branch is no longer at `from`. `blocked`: it is checked out, and changed files are in the way. */
type MoveResult = { readonly kind: 'moved' | 'stale' } | { readonly kind: 'blocked'; readonly folder: string; readonly message: string };

/** Ends the request: changes in its checkout block the move of a branch. */
export function refuseBlocked(subject: string, branch: string, { folder, message }: Extract<MoveResult, { kind: 'blocked' }>): never {
  return deny(
    `${subject}"${branch}" is checked out in ${folder}, and changes there are in the way: ${message}; commit or stash them, then try again`,
  );
}

interface GitRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface GitCall {
  /** Exit codes that are answers; others are errors. */
  readonly codes?: readonly number[];
  readonly stdin?: string;
}

type Git = (args: readonly string[], call?: GitCall) => Promise<GitRun>;

interface GitAccess {
  readonly git: Git;
  readonly repository: string;
  readonly now: () => number;
}

/** Returns a function that runs git in one directory. `now` dates the commits it creates. */
export function createGit(cwd: string, now: () => number): Git {
  return async (args, { codes = [0], stdin } = {}) => {
    const run = await runGit(cwd, args, { env: environment(now()), ...omitUndefined({ stdin }) });
    const code = run.ok ? 0 : run.code;
    if (code !== undefined && codes.includes(code)) return { code, stdout: run.stdout, stderr: run.ok ? '' : run.message };
    throw new GitError(
      `git ${args[0]} in ${cwd} ${run.ok ? `exited with code 0; expected ${codes.join(' or ')}` : `failed: ${run.message}`}`,
    );
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

/** Creates the git side of the forge of one repository. */
export function createLocalGit(repository: string, now: () => number): LocalGit {
  const git = createGit(repository, now);
  const tools = { git, repository, now };
  const revision = async (name: string): Promise<string | undefined> => {
    const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { codes: [0, 1] });
    return code === 0 ? stdout.trim() : undefined;
  };
  let shared: string | undefined;
  const directory = async (): Promise<string> => {
    shared ??= (await git(['rev-parse', '--path-format=absolute', '--git-common-dir'])).stdout.trim();
    return shared;
  };
  return {
    directory,
    headOf: async (branch) => {
      if (!isBranchName(branch)) return undefined;
      const ref = `refs/heads/${branch}`;
      const read = await readLooseRef(await directory(), ref);
      return read === undefined ? await revision(ref) : (read ?? undefined);
    },
    commitOf: async (sha) => (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha) ? revision(sha) : undefined),
    currentBranch: async () => {
      const { code, stdout } = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { codes: [0, 1] });
      return code === 0 ? stdout.trim() : undefined;
    },
    changedFiles: async (base, head) =>
      parseChanges((await git(['diff', '--name-status', '--find-renames', '-z', `${base}...${head}`])).stdout),
    contains: (whole, part) => contains(git, whole, part),
    conflicts: createConflicts(git),
    build: (plan) => build(tools, plan),
    advance: (branch, move) => advance(tools, branch, move),
    deleteBranch: (branch, at) => removeBranch(tools, branch, at),
    setRef: async (ref, sha) => void (await git(['update-ref', ref, sha])),
    refOf: async (ref) => (isBranchName(ref) && ref.startsWith('refs/') ? revision(ref) : undefined),
    copy: async (sha, { from, to }) => {
      const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', from, sha];
      return (await createGit(to, now)(args, { codes: [0, 1, 128] })).code === 0;
    },
    headInRepository: async (folder, branch) => {
      if (!isBranchName(branch)) return undefined;
      const { stdout } = await git(['ls-remote', '--quiet', folder, `refs/heads/${branch}`], { codes: [0, 128] });
      return /^[0-9a-f]{40,64}(?=\t)/.exec(stdout)?.[0];
    },
  };
}

/**
 * Reads a branch from its file, because starting git for every read is slow. Null if there is no such branch; undefined if
 * only git can tell: branches are packed or stored in another format, or this one is symbolic.
 */
async function readLooseRef(directory: string, ref: string): Promise<string | null | undefined> {
  try {
    // Opening must not wait, because the file could have been replaced by a pipe.
    const text = await readFile(join(directory, ref), { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NONBLOCK });
    return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(text)?.[1];
  } catch (error) {
    const isMissing = systemCodeOf(error) === 'ENOENT';
    // Git packs a branch before it deletes its file, so a branch with neither does not exist.
    const isKnown = isMissing && existsSync(join(directory, 'refs', 'heads', '.')) && !existsSync(join(directory, 'packed-refs'));
    return isKnown ? null : undefined;
  }
}

const CONFLICTS_MAX = 200;

/** Creates the check whether two commits can be merged. Commits never change, so results are cached. */
function createConflicts(git: Git): LocalGit['conflicts'] {
  const known = new Map<string, readonly string[] | null>();
  return async (base, head) => {
    const key = `${base} ${head}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const joined = await joinTrees(git, base, head);
    const files = 'files' in joined ? joined.files : null;
    if (known.size === CONFLICTS_MAX) known.clear();
    known.set(key, files);
    return files;
  };
}

async function advance({ git, now }: GitAccess, branch: string, { from, to }: Move): Promise<MoveResult> {
  const moveRef = async (): Promise<boolean> =>
    (await git(['update-ref', `refs/heads/${branch}`, to, from ?? ''], { codes: [0, 128] })).code === 0;
  const folder = from === undefined ? undefined : (await readCheckouts(git)).find((listed) => listed.branch === branch)?.folder;
  if (from === undefined || folder === undefined || !existsSync(folder)) return { kind: (await moveRef()) ? 'moved' : 'stale' };
  // The files are updated first: when this is repeated after a crash, they are already right.
  const inCheckout = createGit(folder, now);
  const readTree = (one: string, other: string): Promise<GitRun> =>
    inCheckout(['read-tree', '-m', '-u', one, other], { codes: [0, 1, 128] });
  await inCheckout(['update-index', '-q', '--refresh'], { codes: [0, 1, 128] });
  const read = await readTree(from, to);
  if (read.code !== 0) return read.stderr.includes('index.lock') ? { kind: 'stale' } : { kind: 'blocked', folder, message: read.stderr };
  if (await moveRef()) return { kind: 'moved' };
  await readTree(to, from);
  return { kind: 'stale' };
}

async function removeBranch({ git, now }: GitAccess, branch: string, at: string): Promise<void> {
  const checkout = (await readCheckouts(git)).find((listed) => listed.branch === branch);
  // The main checkout keeps its branch.
  if (checkout?.isMain === true) return;
  if (checkout !== undefined && existsSync(checkout.folder))
    await createGit(checkout.folder, now)(['update-ref', '--no-deref', 'HEAD', at]);
  await git(['update-ref', '-d', `refs/heads/${branch}`, at], { codes: [0, 1, 128] });
}

// Stricter than `git check-ref-format`: names with a meaning for `rev-parse` never reach git.
function isBranchName(name: string): boolean {
  return name !== '' && !/[\s~^:?*[\\\u007f]|\.\.|@\{|\/\/|^[-/.]|[/.]$|\.lock$/.test(name) && !name.includes('\0');
}

// A renamed file has two paths: `R100`, the old one, the new one.
function parseChanges(text: string): ChangedFile[] {
  const parts = text.split('\0');
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < parts.length; ) {
    const letter = parts[index]?.[0];
    const path = parts[index + 1] as string;
    if (letter === 'R') files.push({ path: parts[index + 2] as string, status: 'renamed', from: path });
    else files.push({ path, status: letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'modified' });
    index += letter === 'R' ? 3 : 2;
  }
  return files;
}

interface Checkout {
  readonly folder: string;
  readonly branch: string;
  /** False for a worktree. */
  readonly isMain: boolean;
}

async function readCheckouts(git: Git): Promise<Checkout[]> {
  const { stdout } = await git(['worktree', 'list', '--porcelain', '-z']);
  const found: Checkout[] = [];
  let folder = '';
  let count = 0;
  for (const line of stdout.split('\0')) {
    if (line.startsWith('worktree ')) {
      folder = line.slice('worktree '.length);
      count += 1;
    }
    const branch = /^branch refs\/heads\/(.*)$/s.exec(line)?.[1];
    if (branch !== undefined) found.push({ folder, branch, isMain: count === 1 });
  }
  return found;
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
  throw new GitError(`git merge-tree exited with code ${code}: ${stderr.trim()}`);
}

async function build(tools: GitAccess, plan: MergePlan): Promise<MergeOutcome> {
  const { git } = tools;
  const { method, base, head, message } = plan;
  if (await contains(git, base, head)) return { kind: 'nothing' };
  if (method === 'rebase') return await rebase(tools, base, head);
  const joined = await joinTrees(git, base, head);
  if ('files' in joined) return { kind: 'conflict', files: joined.files };
  const before = (await git(['rev-parse', '--verify', `${base}^{tree}`])).stdout.trim();
  if (method === 'squash' && before === joined.tree) return { kind: 'nothing' };
  const parents = method === 'merge' ? [base, head] : [base];
  const args = ['commit-tree', joined.tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'];
  return { kind: 'merged', sha: (await git(args, { stdin: message })).stdout.trim() };
}

// Commits are replayed in a clone that shares the objects, so that the checkouts of the repository are not affected, and a
// crash leaves only a temporary folder behind.
async function rebase({ git, repository, now }: GitAccess, base: string, head: string): Promise<MergeOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-rebase-'));
  try {
    await git(['clone', '--quiet', '--shared', '--no-checkout', repository, folder]);
    const inClone = createGit(folder, now);
    await inClone(['checkout', '--quiet', '--detach', head]);
    const { code } = await inClone(['rebase', '--quiet', base], { codes: [0, 1] });
    if (code === 1) {
      const { stdout } = await inClone(['diff', '--name-only', '--diff-filter=U', '-z']);
      return { kind: 'conflict', files: stdout.split('\0').filter((file) => file !== '') };
    }
    const sha = (await inClone(['rev-parse', '--verify', 'HEAD'])).stdout.trim();
    if (sha === base) return { kind: 'nothing' };
    await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', folder, 'HEAD']);
    return { kind: 'merged', sha };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
