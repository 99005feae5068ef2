// Owns the current tree of a git checkout as one id: the content of every tracked and untracked file. It uses its own
// index, so that the checkout's index and branch are not touched, and so that files an agent marked as
// `assume-unchanged` are still read.
//
// Ignored files are not part of it, nor are untracked files that the caller leaves out.

import { existsSync, lstatSync, type Stats } from 'node:fs';
import { lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { omitUndefined } from '../base/fields.ts';
import { isStoreFile } from '../base/store-files.ts';
import { type GitAnswer, git, isOutsideGit } from './git.ts';

/** Thrown if git could not determine the tree. */
export class TreeError extends Error {}

/** The files of a checkout's tree, without their content. */
interface TreeListing {
  /** Relative to the top of the checkout. Some may have been deleted. */
  readonly paths: readonly string[];
  /** Untracked nested repositories, whose content is not in the tree. */
  readonly nested: readonly string[];
}

/** A path that differs between two trees. */
interface TreeChange {
  readonly path: string;
  readonly what: 'changed' | 'deleted' | 'added';
}

/** With these settings git checks the modification time of a file, whatever the settings of the repository. */
export const STRICT_SETTINGS = ['core.trustctime=true', 'core.checkStat=default', 'core.ignoreStat=false', 'core.untrackedCache=false'];
const STRICTLY = STRICT_SETTINGS.flatMap((setting) => ['-c', setting]);
/** The mode of a symbolic link. */
export const LINK_MODE = '120000';

const AT_ONCE = 64;

/** Returns the patterns, in .gitignore syntax, of files that are in a tree only if tracked, given the top of the checkout. */
type LeftOut = (top: string) => readonly string[];

/** Reads the tree of one checkout. Later reads only read changed files. */
export class TreeReader {
  /** The top of the checkout. */
  readonly top: string;
  /** The commit that was checked out at the start; undefined in a repository without a commit. */
  readonly head: string | undefined;
  private readonly home: string;
  private readonly leftOut: readonly string[];

  private constructor({ top, head }: Checkout, home: string, leftOut: readonly string[]) {
    this.top = top;
    this.head = head;
    this.home = home;
    this.leftOut = leftOut;
  }

  /** Opens the checkout that contains a folder. Returns undefined if there is none. */
  static async open(folder: string, leftOut: LeftOut = () => []): Promise<TreeReader | undefined> {
    const checkout = await checkoutAround(folder);
    if (checkout === undefined) return undefined;
    const reader = new TreeReader(checkout, await mkdtemp(join(tmpdir(), 'pawl-tree-')), leftOut(checkout.top));
    try {
      await reader.begin(checkout);
      return reader;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  /** Lists the files, except those of an open database: they change all the time and are not work. */
  async list(): Promise<TreeListing> {
    const excludes = this.leftOut.map((pattern) => `--exclude=${pattern}`);
    const listed = outputOf(await this.git(['ls-files', '-z', '-c', '-o', '--exclude-standard', ...excludes]));
    const all = [...new Set(splitPaths(listed))];
    const files = all.filter((path) => !path.endsWith('/'));
    const own = await this.matching(files, (path, facts) => isStoreFile(path, facts));
    return { paths: files.filter((path) => !own.has(path)), nested: all.filter((path) => path.endsWith('/')) };
  }

  /** Returns the id of the tree, with the current content of these files. */
  async read({ paths }: TreeListing): Promise<string> {
    const replaced = await this.matching(paths, (_, facts) => !facts.isFile() && !facts.isSymbolicLink());
    // A path that became a folder or a pipe no longer exists as a file.
    if (replaced.size > 0) outputOf(await this.git(['update-index', '-z', '--force-remove', '--stdin'], joinPaths([...replaced])));
    await updateIndex(
      (args, stdin) => this.git(args, stdin),
      paths.filter((path) => !replaced.has(path)),
    );
    return outputOf(await this.git(['write-tree'])).trim();
  }

  private async matching(paths: readonly string[], isMatch: (path: string, facts: Stats) => boolean): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let start = 0; start < paths.length; start += AT_ONCE) {
      const some = paths.slice(start, start + AT_ONCE).map(async (path) => {
        const file = join(this.top, path);
        const facts = await lstat(file).catch(() => undefined);
        if (facts !== undefined && isMatch(file, facts)) found.add(path);
      });
      await Promise.all(some);
    }
    return found;
  }

  /** Removes the temporary index. */
  async close(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }

  private async begin(checkout: Checkout): Promise<void> {
    outputOf(await this.git(['read-tree', checkout.head ?? '--empty']));
    await leaveOutSparse(checkout, (args, stdin) => this.git(args, stdin));
  }

  private git(args: readonly string[], stdin?: string): Promise<GitAnswer> {
    const env = { GIT_INDEX_FILE: join(this.home, 'index') };
    return git(this.top, [...STRICTLY, ...args], { env, ...omitUndefined({ stdin }) });
  }
}

const UPDATE = ['update-index', '-z', '--add', '--remove', '--replace', '--ignore-skip-worktree-entries', '--stdin'];
const TRIES = 5;

/** Reads the present content of files into an index. Git fails when a file becomes shorter while it reads it, so it tries again. */
export async function updateIndex(
  call: (args: readonly string[], stdin: string) => Promise<GitAnswer>,
  paths: readonly string[],
): Promise<void> {
  let answer = await call(UPDATE, joinPaths(paths));
  for (let tries = 1; !answer.ok && tries < TRIES; tries += 1) answer = await call(UPDATE, joinPaths(paths));
  outputOf(answer);
}

/** A checkout of git: its folder, the paths of git's files for it, and the checked-out commit. */
export interface Checkout {
  readonly top: string;
  /** The commit; undefined in a repository without one. */
  readonly head: string | undefined;
  readonly index: string;
  readonly sparse: string;
  /** The git directory that all checkouts of the repository share. */
  readonly common: string;
  readonly objects: string;
  /** The file with patterns that this clone ignores. */
  readonly excludes: string;
  readonly format: string;
}

const PATHS = ['index', 'info/sparse-checkout', 'objects', 'info/exclude'].flatMap((path) => ['--git-path', path]);
const AROUND = ['--path-format=absolute', '--show-toplevel', ...PATHS, '--git-common-dir', '--show-object-format'];

/** Returns the checkout that contains a folder; undefined if there is none. */
export async function checkoutAround(folder: string): Promise<Checkout | undefined> {
  if (isOutsideGit(folder)) return undefined;
  const answer = await git(folder, ['rev-parse', ...AROUND, '--verify', '--quiet', 'HEAD^{commit}']);
  // Without a commit git fails after it printed the other values.
  const [top, index = '', sparse = '', objects = '', excludes = '', common = '', format = '', head] = answer.stdout.split('\n');
  if (top === undefined || top === '') return undefined;
  return { top, index, sparse, objects, excludes, common, format, head: answer.ok ? head : undefined };
}

/**
 * Marks the files that a sparse checkout leaves out in an index of our own, so that they do not count as deleted. Only the
 * index of the checkout lists them, and nothing else is copied from it: its entries can claim that a changed file is
 * unchanged. A file that exists is always read.
 */
export async function leaveOutSparse(
  { top, index, sparse }: Checkout,
  call: (args: readonly string[], stdin?: string) => Promise<GitAnswer>,
): Promise<void> {
  if (!existsSync(sparse) || !existsSync(index) || !(await isSparse(top))) return;
  const entries = outputOf(await git(top, ['-c', 'sparse.expectFilesOutsideOfPatterns=true', 'ls-files', '-z', '-t'])).split('\0');
  const known = new Set(outputOf(await call(['ls-files', '-z'])).split('\0'));
  const absent = entries
    .filter((entry) => entry.startsWith('S '))
    .map((entry) => entry.slice(2))
    .filter((path) => known.has(path) && isAbsent(join(top, path)));
  if (absent.length > 0) outputOf(await call(['update-index', '-z', '--skip-worktree', '--stdin'], joinPaths(absent)));
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // A file is in the place of one of its folders.
    return true;
  }
}

/** Whether a checkout leaves out files that are tracked. */
async function isSparse(top: string): Promise<boolean> {
  const setting = await git(top, ['config', '--type=bool', '--get', 'core.sparseCheckout']);
  return setting.ok && setting.stdout.trim() === 'true';
}

/** Git's mode and id of a file. */
export interface FileState {
  readonly mode: string;
  readonly id: string;
}

/** A file that differs between two trees; a state is undefined if the tree does not have the file. */
export interface FileChange {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

/** The command whose output `parseChanges` parses; two trees or commits follow. */
export const LIST_CHANGES: readonly string[] = ['diff-tree', '-r', '-z', '--no-renames', '--raw', '--no-abbrev'];

/** Parses the files that differ between two trees, each under its own path. */
export function parseChanges(output: string): FileChange[] {
  const parts = output.split('\0');
  const state = (mode: string, id: string): FileState | undefined => (/^0+$/.test(mode) ? undefined : { mode, id });
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [was = '', is = '', wasId = '', isId = ''] = (parts[at] as string).slice(1).split(' ');
    changes.push({ path: parts[at + 1] as string, before: state(was, wasId), after: state(is, isId) });
  }
  return changes;
}

/** Returns the differences between two trees. */
export async function changesOfTrees(folder: string, before: string, after: string): Promise<TreeChange[]> {
  if (before === after) return [];
  const changes = parseChanges(outputOf(await git(folder, [...LIST_CHANGES, before, after])));
  return changes.map(({ path, before: was, after: is }) => ({
    path,
    what: was === undefined ? 'added' : is === undefined ? 'deleted' : 'changed',
  }));
}

const DIFF_BYTES_MAX = 8 << 20;

/** Returns the differences between two trees or commits as text, of some paths if any are given. No code of the repository runs. */
export async function diffOfTrees(
  folder: string,
  { before, after, paths = [] }: { readonly before: string; readonly after: string; readonly paths?: readonly string[] },
): Promise<string> {
  const args = ['diff-tree', '-p', '-r', '--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', before, after];
  const answer = await git(folder, [...args, '--', ...paths.map((path) => `:(top,literal)${path}`)], { outputMax: DIFF_BYTES_MAX });
  return outputOf(answer);
}

/** The current kind of a file that differs. */
export interface TreeEntry {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'gone';
}

/** Returns the current state of the files that differ between a commit and a tree. */
export async function entriesBetween(folder: string, before: string, after: string): Promise<TreeEntry[]> {
  const changes = parseChanges(outputOf(await git(folder, [...LIST_CHANGES, before, after])));
  return changes.map(({ path, after: is }) => ({ path, kind: is === undefined ? 'gone' : is.mode === LINK_MODE ? 'link' : 'file' }));
}

/** Returns the tree of a commit, or undefined if this clone does not have it. */
export async function treeOfCommit(folder: string, commit: string): Promise<string | undefined> {
  const found = await git(folder, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`]);
  return found.ok ? found.stdout.trim() : undefined;
}

/** Commits a tree to the current branch, unless it is already there, and concludes a merge in progress. Returns the head. */
export async function commitTree(folder: string, tree: string, message: string): Promise<string> {
  const [head, present] = outputOf(await git(folder, ['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}'])).split('\n');
  if (head !== undefined && present === tree) return head;
  const merged = await git(folder, ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD^{commit}']);
  const parents = [head, merged.ok ? merged.stdout.trim() : undefined].flatMap((parent) => (parent === undefined ? [] : ['-p', parent]));
  const commit = outputOf(await git(folder, ['commit-tree', tree, ...parents, '-m', message])).trim();
  // If the branch has moved meanwhile, its tree is not the checked one, unless it was committed by someone else.
  const moved = await git(folder, ['update-ref', '-m', message, 'HEAD', commit, head ?? '']);
  if (!moved.ok) {
    const [other, now] = outputOf(await git(folder, ['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}'])).split('\n');
    if (other !== undefined && now === tree) return other;
    outputOf(moved);
  }
  outputOf(await git(folder, ['reset', '--quiet']));
  return commit;
}

/** Fast-forwards a checkout without uncommitted changes to a later commit; otherwise does nothing. */
export async function fastForward(folder: string, commit: string): Promise<void> {
  const status = await git(folder, ['status', '--porcelain', '--untracked-files=no']);
  if (status.ok && status.stdout === '') await git(folder, ['merge', '--ff-only', '--quiet', commit]);
}

/** Paths as git reads them from its input with -z. */
export function joinPaths(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}

/** Paths as git prints them with -z. */
export function splitPaths(output: string): string[] {
  return output.split('\0').filter((path) => path !== '');
}

/** Returns the output of git; throws if it failed. */
export function outputOf(answer: GitAnswer): string {
  if (answer.ok) return answer.stdout;
  throw new TreeError(answer.message);
}
