// Owns the tree of a checkout of git as it is now, as one id: every file that is tracked or could be, with its content.
// It is read through an index of its own, so that neither the index nor the branch of the checkout is touched, and so
// that nothing an agent told the index to overlook (`assume-unchanged`) is overlooked here.
//
// What git ignores is no part of it, and neither is what the caller leaves out as long as nobody tracks it.

import { existsSync, type Stats } from 'node:fs';
import { copyFile, lstat, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStoreFile } from '../base/store-files.ts';
import { type GitAnswer, git } from './git.ts';

/** Git could not say what the tree is. */
export class TreeTrouble extends Error {}

/** The files that make up the tree of a checkout, without their content. */
export interface TreeListing {
  /** Relative to the top of the checkout; some may be gone. */
  readonly paths: readonly string[];
  /** Repositories inside of this one that it does not know: their content is in no tree of it. */
  readonly nested: readonly string[];
}

/** A path that differs between two trees. */
export interface TreeChange {
  readonly path: string;
  readonly what: 'changed' | 'deleted' | 'added';
}

// Whatever the settings of the repository say, the time of the last change of a file is looked at.
const STRICTLY = [
  '-c',
  'core.trustctime=true',
  '-c',
  'core.checkStat=default',
  '-c',
  'core.ignoreStat=false',
  '-c',
  'core.untrackedCache=false',
];

const AT_ONCE = 64;

/** What is no part of a tree unless it is tracked, in the syntax of .gitignore, given the top of the checkout. */
export type LeftOut = (top: string) => readonly string[];

/** Looks at the tree of one checkout, several times if need be: later looks read only what moved. */
export class TreeReader {
  /** The top of the checkout. */
  readonly top: string;
  /** What was checked out when the looking began; absent in a repository without a commit. */
  readonly head: string | undefined;
  private readonly home: string;
  private readonly leftOut: readonly string[];

  private constructor({ top, head }: Checkout, home: string, leftOut: readonly string[]) {
    this.top = top;
    this.head = head;
    this.home = home;
    this.leftOut = leftOut;
  }

  /** Begins to look at the checkout that a folder lies in; undefined where git keeps none. */
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

  /** Which files there are, but for those of a database that is open here: they move all the time, and are no work. */
  async list(): Promise<TreeListing> {
    const excludes = this.leftOut.map((pattern) => `--exclude=${pattern}`);
    const listed = said(await this.git(['ls-files', '-z', '-c', '-o', '--exclude-standard', ...excludes]));
    const all = [...new Set(listed.split('\0').filter((path) => path !== ''))];
    const files = all.filter((path) => !path.endsWith('/'));
    const own = await this.whichAre(files, (path, facts) => isStoreFile(path, facts));
    return { paths: files.filter((path) => !own.has(path)), nested: all.filter((path) => path.endsWith('/')) };
  }

  /** The id of the tree, with the content of these files as it is now. */
  async read({ paths }: TreeListing): Promise<string> {
    const replaced = await this.whichAre(paths, (_, facts) => !facts.isFile() && !facts.isSymbolicLink());
    // What became a folder or a pipe is not there any more as the file that it was.
    if (replaced.size > 0) said(await this.git(['update-index', '-z', '--force-remove', '--stdin'], lines([...replaced])));
    const update = ['update-index', '-z', '--add', '--remove', '--replace', '--ignore-skip-worktree-entries', '--stdin'];
    said(await this.git(update, lines(paths.filter((path) => !replaced.has(path)))));
    return said(await this.git(['write-tree'])).trim();
  }

  private async whichAre(paths: readonly string[], isSo: (path: string, facts: Stats) => boolean): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (let start = 0; start < paths.length; start += AT_ONCE) {
      const some = paths.slice(start, start + AT_ONCE).map(async (path) => {
        const file = join(this.top, path);
        const facts = await lstat(file).catch(() => undefined);
        if (facts !== undefined && isSo(file, facts)) found.add(path);
      });
      await Promise.all(some);
    }
    return found;
  }

  /** Forgets what was read. */
  async close(): Promise<void> {
    await rm(this.home, { recursive: true, force: true });
  }

  // A checkout that leaves files out on purpose says so in its index only.
  private async begin({ head, index, sparse }: Checkout): Promise<void> {
    if (existsSync(sparse) && existsSync(index) && (await isSparse(this.top))) return await copyFile(index, join(this.home, 'index'));
    said(await this.git(['read-tree', head ?? '--empty']));
  }

  private git(args: readonly string[], stdin?: string): Promise<GitAnswer> {
    const env = { GIT_INDEX_FILE: join(this.home, 'index') };
    return git(this.top, [...STRICTLY, ...args], { env, ...(stdin === undefined ? {} : { stdin }) });
  }
}

interface Checkout {
  readonly top: string;
  readonly head: string | undefined;
  readonly index: string;
  readonly sparse: string;
}

const AROUND = ['--path-format=absolute', '--show-toplevel', '--git-path', 'index', '--git-path', 'info/sparse-checkout'];

async function checkoutAround(folder: string): Promise<Checkout | undefined> {
  const answer = await git(folder, ['rev-parse', ...AROUND, '--verify', '--quiet', 'HEAD^{commit}']);
  // Without a commit git fails after it has said the rest.
  const [top, index = '', sparse = '', head] = answer.stdout.split('\n');
  return top === undefined || top === '' ? undefined : { top, index, sparse, head: answer.ok ? head : undefined };
}

async function isSparse(top: string): Promise<boolean> {
  const setting = await git(top, ['config', '--type=bool', '--get', 'core.sparseCheckout']);
  return setting.ok && setting.stdout.trim() === 'true';
}

/** What differs between two trees that git has. */
export async function changesOfTrees(folder: string, before: string, after: string): Promise<TreeChange[]> {
  if (before === after) return [];
  const parts = said(await git(folder, ['diff-tree', '-r', '-z', '--no-renames', '--name-status', before, after])).split('\0');
  const changes: TreeChange[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const letter = parts[index];
    changes.push({ path: parts[index + 1] as string, what: letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'changed' });
  }
  return changes;
}

/** A file that is another one in a tree than it was, by what it is now. */
export interface TreeEntry {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'gone';
}

/** What became of the files that differ between a commit and a tree. */
export async function entriesBetween(folder: string, before: string, after: string): Promise<TreeEntry[]> {
  const parts = said(await git(folder, ['diff-tree', '-r', '-z', '--no-renames', before, after])).split('\0');
  const entries: TreeEntry[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const mode = (parts[index] as string).split(' ')[1];
    entries.push({ path: parts[index + 1] as string, kind: mode === '120000' ? 'link' : mode === '000000' ? 'gone' : 'file' });
  }
  return entries;
}

/** The tree of a commit; undefined when this clone does not have it. */
export async function treeOfCommit(folder: string, commit: string): Promise<string | undefined> {
  const found = await git(folder, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`]);
  return found.ok ? found.stdout.trim() : undefined;
}

/** Commits a tree to what is checked out, unless it is there already. A merge under way is concluded. Gives the head. */
export async function commitTree(folder: string, tree: string, message: string): Promise<string> {
  const [head, present] = said(await git(folder, ['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}'])).split('\n');
  if (head !== undefined && present === tree) return head;
  const merged = await git(folder, ['rev-parse', '--verify', '--quiet', 'MERGE_HEAD^{commit}']);
  const parents = [head, merged.ok ? merged.stdout.trim() : undefined].flatMap((one) => (one === undefined ? [] : ['-p', one]));
  const commit = said(await git(folder, ['commit-tree', tree, ...parents, '-m', message])).trim();
  // Nobody may have moved the branch meanwhile, or what was judged is not what is there; but the same tree may be there now.
  const moved = await git(folder, ['update-ref', '-m', message, 'HEAD', commit, head ?? '']);
  if (!moved.ok) {
    const [other, now] = said(await git(folder, ['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}'])).split('\n');
    if (other !== undefined && now === tree) return other;
    said(moved);
  }
  said(await git(folder, ['reset', '--quiet']));
  return commit;
}

/** Brings a checkout in which nothing is uncommitted to a later commit of the same line; otherwise nothing happens. */
export async function fastForward(folder: string, commit: string): Promise<void> {
  const status = await git(folder, ['status', '--porcelain', '--untracked-files=no']);
  if (status.ok && status.stdout === '') await git(folder, ['merge', '--ff-only', '--quiet', commit]);
}

function lines(paths: readonly string[]): string {
  return paths.map((path) => `${path}\0`).join('');
}

function said(answer: GitAnswer): string {
  if (answer.ok) return answer.stdout;
  throw new TreeTrouble(answer.message);
}
