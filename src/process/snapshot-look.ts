// Owns one look at all files of a workspace for a snapshot: which of them have to be read, and the tree that they make.
// The index of the last look is kept with the times of the files, so only what changed since is read again.

import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { access, constants, copyFile, lstat, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import { digestText } from '../base/digest.ts';
import { isStoreFile, isStorePath } from '../base/store-files.ts';
import { type GitAnswer, git } from './git.ts';
import { type Checkout, checkoutAround, joinPaths, leaveOutSparse, outputOf, splitPaths, TreeError } from './git-tree.ts';

/** The files of a workspace at one moment. */
export interface Snapshot {
  /** The id of the tree. */
  readonly tree: string;
  /** Folders without anything in them, which a tree of git cannot hold. */
  readonly folders: readonly string[];
  /** Files that are not in it, or not as they are now, with the reason. */
  readonly unread: readonly { readonly path: string; readonly why: string }[];
  /** Repositories inside of the workspace, submodules too, whose files are not in it. */
  readonly nested: readonly string[];
}

/** Where snapshots are taken and kept. Plain data, so that it can be stored with a run. */
export interface SnapshotPlace {
  /** The top of the checkout; without a repository, the workspace. */
  readonly top: string;
  /** The workspace, relative to the top. */
  readonly below: string;
  /** The git directory and the objects of the repository; absent without one. */
  readonly repository?: { readonly common: string; readonly objects: string };
  readonly format: string;
  /** Patterns in .gitignore syntax that are left out unless tracked. */
  readonly leftOut: readonly string[];
  /** Patterns of the workspace that are in it even if git ignores them; without a repository, all that is in it. */
  readonly include: readonly string[];
}

const FILE_MAX = 256 << 20;
const TOTAL_MAX = 2 * 1024 ** 3;
const AT_ONCE = 64;
const FOLDERS_MAX = 2000;
const PATHSPECS_MAX = 200;

/** What the kept index belongs to. Another head or other rules begin with the head again. */
interface IndexFacts {
  readonly basis: string;
  /** Empty where the index is not the one that this was written for. */
  readonly tree: string;
  readonly excludes: readonly string[];
  /** The submodules in it: finding them takes as long as the rest of a look at many files. */
  readonly submodules: readonly string[];
  readonly stamp: string;
}

/** What a look needs. */
export interface LookMeans {
  readonly place: SnapshotPlace;
  /** The folder with the kept index. */
  readonly home: string;
  /** The copy of the index that this look works on. */
  readonly index: string;
  /** Calls git on our own git directory with that copy. */
  readonly call: (args: readonly string[], stdin?: string) => Promise<GitAnswer>;
}

interface Listing {
  readonly changed: readonly string[];
  /** Files and folders that the index does not know. Folders end with a slash. */
  readonly others: readonly string[];
}

/** One look at all files of a workspace. */
export class SnapshotLook {
  private readonly means: LookMeans;
  private readonly unread: { readonly path: string; readonly why: string }[] = [];

  constructor(means: LookMeans) {
    this.means = means;
  }

  /** Reads what changed since the last look, and returns the snapshot. */
  async take(): Promise<Snapshot> {
    const kept = await this.copyIndex();
    // Most often nothing but files changed since the last look, so the listing begins with what was true then.
    const [checkout, ofUser, early] = await Promise.all([
      this.isInGit ? checkoutAround(this.means.place.top) : undefined,
      this.isInGit ? ignoredByUser(this.means.place.top) : '',
      kept === undefined ? undefined : this.list(kept.excludes),
    ]);
    if (this.isInGit && checkout === undefined) throw new TreeError(`${this.means.place.top} is no longer a git checkout`);
    const excludes = this.excludes(checkout, ofUser);
    const times = [checkout?.excludes ?? '', checkout?.sparse ?? '', ofUser].map(
      (file) => statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0,
    );
    const basis = digestText(JSON.stringify(['submodules', checkout?.head ?? '', this.means.place, excludes, times]));
    const isUsable = kept?.basis === basis && early !== undefined && !this.ignoresMore(early);
    if (!isUsable) await this.begin(checkout);
    const { read, missing, folders, nested, hasReplaced } = await this.found(isUsable ? early : await this.list(excludes), excludes);
    const isSame = isUsable && read.length === 0 && missing.length === 0 && !hasReplaced && kept.tree !== '';
    const tree = isSame ? kept.tree : await this.write(read, missing);
    const begun = isUsable ? kept.submodules : await this.submodules();
    const submodules = [...new Set([...begun, ...read.filter((path) => isSubmodule(this.means.place.top, path))])];
    if (!isSame) await this.keepIndex({ basis, tree, excludes, submodules });
    const checkedOut = submodules.filter((path) => isSubmodule(this.means.place.top, path)).map((path) => `${path}/`);
    return { tree, folders, unread: this.unread, nested: [...new Set([...nested, ...checkedOut])].sort() };
  }

  private async submodules(): Promise<readonly string[]> {
    if (!this.isInGit) return [];
    const entries = splitPaths(await this.run(['ls-files', '-z', '--stage']));
    return entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  }

  /** What has to be read. Where a file became a folder, git lists what is in it only after the file is forgotten. */
  private async found(listing: Listing, excludes: readonly string[]) {
    const { files, within, nested } = await this.sort(listing, excludes);
    const { read, replaced, missing } = await this.readable(files);
    if (replaced.length > 0) {
      await this.forget(replaced);
      const again = await this.sort(await this.list(excludes), excludes);
      const more = await this.readable(again.files);
      const folders = await this.emptyFolders([...again.within, ...replaced], more.missing);
      return { ...more, folders, nested: again.nested, hasReplaced: true };
    }
    return { read, missing, folders: await this.emptyFolders(within, missing), nested, hasReplaced: false };
  }

  private async forget(paths: readonly string[]): Promise<void> {
    await this.run(['update-index', '-z', '--force-remove', '--stdin'], joinPaths(paths));
  }

  /** Files that are ignored from now on are in the kept index: it has to begin with the head again. */
  private ignoresMore({ changed, others }: Listing): boolean {
    return this.isInGit && [...changed, ...others].some((path) => posix.basename(path) === '.gitignore');
  }

  private get isInGit(): boolean {
    return this.means.place.repository !== undefined;
  }

  private async run(args: readonly string[], stdin?: string): Promise<string> {
    return outputOf(await this.means.call(args, stdin));
  }

  /** Returns what the kept index belongs to; undefined where there is none. */
  private async copyIndex(): Promise<IndexFacts | undefined> {
    const kept = join(this.means.home, 'index');
    try {
      const facts = JSON.parse(await readFile(`${kept}.json`, 'utf8')) as IndexFacts;
      const found = await stat(kept, { bigint: true });
      await copyFile(kept, this.means.index);
      // An index that is older than it was makes git read more files again, never fewer.
      const time = Number(found.mtimeMs) / 1000;
      await utimes(this.means.index, time, time);
      return { ...facts, tree: facts.stamp === stampOf(found) ? facts.tree : '' };
    } catch {
      await rm(this.means.index, { force: true });
      return undefined;
    }
  }

  private async keepIndex(known: Omit<IndexFacts, 'stamp'>): Promise<void> {
    const kept = join(this.means.home, 'index');
    const facts: IndexFacts = { ...known, stamp: stampOf(await stat(this.means.index, { bigint: true })) };
    await writeFile(`${this.means.index}.json`, JSON.stringify(facts));
    await rename(this.means.index, kept);
    await rename(`${this.means.index}.json`, `${kept}.json`);
  }

  private async begin(checkout: Checkout | undefined): Promise<void> {
    if (checkout?.head === undefined) return void (await this.run(['read-tree', '--empty']));
    const merge = existsSync(this.means.index) ? ['-m'] : [];
    // With an index, the times of files that are the same are kept.
    const read = await this.means.call(['read-tree', ...merge, checkout.head]);
    if (!read.ok) {
      await rm(this.means.index, { force: true });
      await this.run(['read-tree', checkout.head]);
    }
    await leaveOutSparse(checkout, this.means.call);
  }

  /** What git would ignore in the checkout besides its .gitignore files. */
  private excludes(checkout: Checkout | undefined, ofUser: string): readonly string[] {
    if (checkout === undefined) return [];
    const files = [checkout.excludes, ofUser].filter((file) => file !== '' && existsSync(file));
    return [
      '--exclude-standard',
      ...files.map((file) => `--exclude-from=${file}`),
      ...this.means.place.leftOut.map((pattern) => `--exclude=${pattern}`),
    ];
  }

  private async list(excludes: readonly string[]): Promise<Listing> {
    const [changed, others, named] = await Promise.all([
      this.run(['diff-files', '--name-only', '-z', '--ignore-submodules=dirty']),
      this.isInGit ? this.run(['ls-files', '-z', '-o', '--directory', ...excludes]) : '',
      this.named(),
    ]);
    return { changed: splitPaths(changed), others: [...new Set([...splitPaths(others), ...named])] };
  }

  private async named(): Promise<readonly string[]> {
    const { include, below } = this.means.place;
    if (include.length === 0) return [];
    const specs = include.map((pattern) => `:(top,glob)${posix.join(below, pattern)}`);
    return splitPaths(await this.run(['ls-files', '-z', '-o', '--', ...specs]));
  }

  /** Tells what has to be read from folders without files and from repositories of their own. */
  private async sort({ changed, others }: Listing, excludes: readonly string[]) {
    const nested: string[] = [];
    const within: string[] = [];
    for (const path of others.filter((one) => one.endsWith('/')))
      (existsSync(join(this.means.place.top, path, '.git')) ? nested : within).push(path);
    const inside = within.length === 0 ? [] : await this.inside(within, excludes);
    nested.push(...inside.filter((path) => path.endsWith('/')));
    const files = [...changed, ...others, ...inside].filter((path) => !path.endsWith('/'));
    return { files: [...new Set(files)], within: within.map((path) => path.slice(0, -1)), nested: [...new Set(nested)].sort() };
  }

  private async inside(folders: readonly string[], excludes: readonly string[]): Promise<readonly string[]> {
    const specs = folders.length > PATHSPECS_MAX ? [] : folders.map((path) => `:(top,literal)${path}`);
    return splitPaths(await this.run(['ls-files', '-z', '-o', ...excludes, '--', ...specs]));
  }

  /** Finds the empty folders among these and below them, and among those that deleted files were in. */
  private async emptyFolders(within: readonly string[], missing: readonly string[]): Promise<readonly string[]> {
    const { top } = this.means.place;
    const found = new Set<string>();
    const open = [...within];
    for (let path = open.pop(); path !== undefined && found.size < FOLDERS_MAX; path = open.pop()) {
      const entries = await readdir(join(top, path), { withFileTypes: true }).catch(() => undefined);
      if (entries?.length === 0) found.add(path);
      if (entries === undefined || entries.some(({ name }) => name === '.git')) continue;
      for (const entry of entries) if (entry.isDirectory()) open.push(posix.join(path, entry.name));
    }
    for (const file of missing) {
      let path = posix.dirname(file);
      while (path !== '.' && !existsSync(join(top, path))) path = posix.dirname(path);
      const isFolder = path !== '.' && lstatSync(join(top, path), { throwIfNoEntry: false })?.isDirectory() === true;
      if (isFolder && (await readdir(join(top, path)).catch(() => ['?'])).length === 0) found.add(path);
    }
    return [...found].sort();
  }

  /** Reads the files into the index and returns its tree. */
  private async write(read: readonly string[], gone: readonly string[]): Promise<string> {
    // A path that is reached through a link no longer exists.
    if (gone.length > 0) await this.forget(gone);
    const update = ['update-index', '-z', '--add', '--remove', '--replace', '--ignore-skip-worktree-entries', '--stdin'];
    if (read.length > 0) await this.run(update, joinPaths(read));
    return (await this.run(['write-tree'])).trim();
  }

  /** Tells what git can read from what it cannot. Files of an open database are no work of a step. */
  private async readable(files: readonly string[]) {
    const { top } = this.means.place;
    this.unread.length = 0;
    const found: { readonly [Kind in 'read' | 'replaced' | 'missing']: string[] } = { read: [], replaced: [], missing: [] };
    const links = new Map<string, boolean>();
    let total = 0;
    for (let start = 0; start < files.length; start += AT_ONCE) {
      const some = files.slice(start, start + AT_ONCE);
      const all = await Promise.all(some.map((path) => lstat(join(top, path)).catch(() => undefined)));
      for (const [position, path] of some.entries()) {
        const facts = isBeyondLink(top, posix.dirname(path), links) ? undefined : all[position];
        const file = join(top, path);
        if (facts === undefined ? isStorePath(file) : isStoreFile(file, facts)) continue;
        const why = path.includes('\uFFFD') ? 'its name is not UTF-8' : facts && (await this.whyUnread(path, facts));
        if (why !== undefined) this.unread.push({ path, why });
        else if (facts === undefined) found.missing.push(path);
        else if (facts.isFile() || facts.isSymbolicLink() || isSubmodule(top, path)) found.read.push(path);
        else found.replaced.push(path);
        if (why === undefined && facts?.isFile() === true) total += facts.size;
      }
    }
    if (total <= TOTAL_MAX) return found;
    const size = `${(total / 1024 ** 3).toFixed(1)} GiB`;
    throw new SnapshotRefused(`${size} of files would have to be read for a snapshot of ${top}; add them to .gitignore`);
  }

  private async whyUnread(path: string, facts: Stats): Promise<string | undefined> {
    const file = join(this.means.place.top, path);
    if (!facts.isFile()) return undefined;
    if (facts.size > FILE_MAX) return `it is larger than ${FILE_MAX >> 20} MiB`;
    return await access(file, constants.R_OK).then(
      () => undefined,
      () => 'it cannot be read',
    );
  }
}

/** Thrown if a snapshot would be too large to be taken at every step. */
class SnapshotRefused extends Error {}

const ofUsers = new Map<string, Promise<string>>();

/** The file of the user with patterns to ignore, whether it exists or not; asked once per checkout. */
function ignoredByUser(top: string): Promise<string> {
  const known = ofUsers.get(top) ?? readIgnoredByUser(top);
  ofUsers.set(top, known);
  return known;
}

async function readIgnoredByUser(top: string): Promise<string> {
  const set = await git(top, ['config', '--type=path', '--get', 'core.excludesFile']);
  return set.ok ? set.stdout.trim() : join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'git', 'ignore');
}

/** Whether a folder is a link or below one. */
function isBeyondLink(top: string, folder: string, known: Map<string, boolean>): boolean {
  if (folder === '.') return false;
  const before = known.get(folder);
  if (before !== undefined) return before;
  const is = isBeyondLink(top, posix.dirname(folder), known) || isLink(join(top, folder));
  known.set(folder, is);
  return is;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // A file is where one of its folders was.
    return false;
  }
}

function isSubmodule(top: string, path: string): boolean {
  return existsSync(join(top, path, '.git'));
}

function stampOf({ ino, size, mtimeNs }: { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint }): string {
  return `${ino}:${size}:${mtimeNs}`;
}
