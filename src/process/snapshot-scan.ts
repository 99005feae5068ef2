// Scans all files of a workspace for a snapshot: which of them must be read, and the resulting tree. The index of
// the last scan is kept with the times of the files, so only files that changed since are read.

import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { access, constants, copyFile, lstat, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import { digestText } from '../base/digest.ts';
import { isStoreFile, isStorePath } from '../base/store-files.ts';
import { type GitAnswer, git } from './git.ts';
import { type Checkout, checkoutAround, joinPaths, leaveOutSparse, outputOf, splitPaths, TreeError, updateIndex } from './git-tree.ts';

/** The files of a workspace at one moment. */
export interface Snapshot {
  /** The id of the tree. */
  readonly tree: string;
  /** Empty folders, which a tree of git cannot contain. */
  readonly folders: readonly string[];
  /** Files that are missing in it or not current, with the reason. */
  readonly unread: readonly { readonly path: string; readonly why: string }[];
  /** Repositories and submodules inside the workspace, whose files are not in it. */
  readonly nested: readonly string[];
}

/** Where snapshots are taken and kept. Plain data, so that it can be stored with a run. */
export interface SnapshotLocation {
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

/** The facts stored with the index. With another head or other rules, the next scan begins with the head again. */
interface IndexFacts {
  readonly basis: string;
  readonly tree: string;
  readonly excludes: readonly string[];
  /** The submodules in it: finding them takes as long as the rest of a scan of many files. */
  readonly submodules: readonly string[];
  readonly stamp: string;
}

/** A copied index; the tree is undefined if the index was changed since its facts were stored. */
interface KeptIndex extends Omit<IndexFacts, 'tree'> {
  readonly tree: string | undefined;
}

/** The inputs of a scan. */
export interface ScanContext {
  readonly place: SnapshotLocation;
  /** The folder with the index of the last scan. */
  readonly home: string;
  /** The copy of the index that this scan changes. */
  readonly index: string;
  /** Calls git on our own git directory with that copy. */
  readonly call: (args: readonly string[], stdin?: string) => Promise<GitAnswer>;
}

interface Listing {
  readonly changed: readonly string[];
  /** Files and folders that are not in the index. Folders end with a slash. */
  readonly others: readonly string[];
}

/** One scan of all files of a workspace. */
export class SnapshotScan {
  private readonly context: ScanContext;
  private readonly unread: { readonly path: string; readonly why: string }[] = [];

  constructor(context: ScanContext) {
    this.context = context;
  }

  /** Reads the files that changed since the last scan, and returns the snapshot. */
  async take(): Promise<Snapshot> {
    const kept = await this.copyIndex();
    // Usually the head and the rules are the same as in the last scan, so the listing starts with the rules of that time.
    const [checkout, ofUser, early] = await Promise.all([
      this.isInGit ? checkoutAround(this.context.place.top) : undefined,
      this.isInGit ? userIgnoreFile(this.context.place.top) : undefined,
      kept === undefined ? undefined : this.list(kept.excludes),
    ]);
    if (this.isInGit && checkout === undefined) throw new TreeError(`${this.context.place.top} is no longer a git checkout`);
    const excludes = this.excludes(checkout, ofUser);
    const times = [checkout?.excludes, checkout?.sparse, ofUser].map((file) =>
      file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0),
    );
    const basis = digestText(JSON.stringify(['submodules', checkout?.head, this.context.place, excludes, times]));
    const isUsable = kept?.basis === basis && early !== undefined && !this.ignoresMore(early);
    if (!isUsable) await this.begin(checkout);
    const { read, missing, folders, nested, hasReplaced } = await this.found(isUsable ? early : await this.list(excludes), excludes);
    const same = isUsable && read.length === 0 && missing.length === 0 && !hasReplaced ? kept.tree : undefined;
    const tree = same ?? (await this.write(read, missing));
    const begun = isUsable ? kept.submodules : await this.submodules();
    const submodules = [...new Set([...begun, ...read.filter((path) => isSubmodule(this.context.place.top, path))])];
    if (same === undefined) await this.keepIndex({ basis, tree, excludes, submodules });
    const checkedOut = submodules.filter((path) => isSubmodule(this.context.place.top, path)).map((path) => `${path}/`);
    return { tree, folders, unread: this.unread, nested: [...new Set([...nested, ...checkedOut])].sort() };
  }

  private async submodules(): Promise<readonly string[]> {
    if (!this.isInGit) return [];
    const entries = splitPaths(await this.run(['ls-files', '-z', '--stage']));
    return entries.filter((entry) => entry.startsWith('160000 ')).map((entry) => entry.slice(entry.indexOf('\t') + 1));
  }

  /** Finds the files to read. If a file became a folder, git lists its content only after the file is removed from the index. */
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

  /** Whether the kept index may have files that are ignored now, so that the scan must begin with the head again. */
  private ignoresMore({ changed, others }: Listing): boolean {
    return this.isInGit && [...changed, ...others].some((path) => posix.basename(path) === '.gitignore');
  }

  private get isInGit(): boolean {
    return this.context.place.repository !== undefined;
  }

  private async run(args: readonly string[], stdin?: string): Promise<string> {
    return outputOf(await this.context.call(args, stdin));
  }

  /** Copies the kept index and returns its facts; undefined if there is none. */
  private async copyIndex(): Promise<KeptIndex | undefined> {
    const kept = join(this.context.home, 'index');
    try {
      const facts = JSON.parse(await readFile(`${kept}.json`, 'utf8')) as IndexFacts;
      const found = await stat(kept, { bigint: true });
      await copyFile(kept, this.context.index);
      // With an older time of the index, git reads more files again, never fewer.
      const time = Number(found.mtimeMs) / 1000;
      await utimes(this.context.index, time, time);
      return { ...facts, tree: facts.stamp === stampOf(found) ? facts.tree : undefined };
    } catch {
      await rm(this.context.index, { force: true });
      return undefined;
    }
  }

  private async keepIndex(known: Omit<IndexFacts, 'stamp'>): Promise<void> {
    const kept = join(this.context.home, 'index');
    const facts: IndexFacts = { ...known, stamp: stampOf(await stat(this.context.index, { bigint: true })) };
    await writeFile(`${this.context.index}.json`, JSON.stringify(facts));
    await rename(this.context.index, kept);
    await rename(`${this.context.index}.json`, `${kept}.json`);
  }

  private async begin(checkout: Checkout | undefined): Promise<void> {
    if (checkout?.head === undefined) return void (await this.run(['read-tree', '--empty']));
    const merge = existsSync(this.context.index) ? ['-m'] : [];
    // With an existing index, the times of unchanged files are kept.
    const read = await this.context.call(['read-tree', ...merge, checkout.head]);
    if (!read.ok) {
      await rm(this.context.index, { force: true });
      await this.run(['read-tree', checkout.head]);
    }
    await leaveOutSparse(checkout, this.context.call);
  }

  /** The options for files that git ignores in the checkout. */
  private excludes(checkout: Checkout | undefined, ofUser: string | undefined): readonly string[] {
    if (checkout === undefined) return [];
    const files = [checkout.excludes, ofUser].filter((file) => file !== undefined && existsSync(file));
    return [
      '--exclude-standard',
      ...files.map((file) => `--exclude-from=${file}`),
      ...this.context.place.leftOut.map((pattern) => `--exclude=${pattern}`),
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
    const { include, below } = this.context.place;
    if (include.length === 0) return [];
    const specs = include.map((pattern) => `:(top,glob)${posix.join(below, pattern)}`);
    return splitPaths(await this.run(['ls-files', '-z', '-o', '--', ...specs]));
  }

  /** Separates files from folders without tracked files and from nested repositories. */
  private async sort({ changed, others }: Listing, excludes: readonly string[]) {
    const nested: string[] = [];
    const within: string[] = [];
    for (const path of others.filter((one) => one.endsWith('/')))
      (existsSync(join(this.context.place.top, path, '.git')) ? nested : within).push(path);
    const inside = within.length === 0 ? [] : await this.inside(within, excludes);
    nested.push(...inside.filter((path) => path.endsWith('/')));
    const files = [...changed, ...others, ...inside].filter((path) => !path.endsWith('/'));
    return { files: [...new Set(files)], within: within.map((path) => path.slice(0, -1)), nested: [...new Set(nested)].sort() };
  }

  private async inside(folders: readonly string[], excludes: readonly string[]): Promise<readonly string[]> {
    const specs = folders.length > PATHSPECS_MAX ? [] : folders.map((path) => `:(top,literal)${path}`);
    return splitPaths(await this.run(['ls-files', '-z', '-o', ...excludes, '--', ...specs]));
  }

  /** Finds empty folders among these and below them, and among the folders of deleted files. */
  private async emptyFolders(within: readonly string[], missing: readonly string[]): Promise<readonly string[]> {
    const { top } = this.context.place;
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
    // A path below a link no longer exists.
    if (gone.length > 0) await this.forget(gone);
    if (read.length > 0) await updateIndex(this.context.call, read);
    return (await this.run(['write-tree'])).trim();
  }

  /** Separates files that git can read from others. Files of an open database are skipped: they are not work of a step. */
  private async readable(files: readonly string[]) {
    const { top } = this.context.place;
    this.unread.length = 0;
    const found: { readonly [Kind in 'read' | 'replaced' | 'missing']: string[] } = { read: [], replaced: [], missing: [] };
    const links = new Map<string, boolean>();
    let total = 0;
    for (let start = 0; start < files.length; start += AT_ONCE) {
      const some = files.slice(start, start + AT_ONCE);
      const all = await Promise.all(some.map((path) => lstat(join(top, path)).catch(() => undefined)));
      for (const [position, path] of some.entries()) {
        const facts = isBelowLink(top, posix.dirname(path), links) ? undefined : all[position];
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
    const file = join(this.context.place.top, path);
    if (!facts.isFile()) return undefined;
    if (facts.size > FILE_MAX) return `it is larger than ${FILE_MAX >> 20} MiB`;
    return await access(file, constants.R_OK).then(
      () => undefined,
      () => 'it cannot be read',
    );
  }
}

/** Thrown if a snapshot is too large to be taken at every step. */
class SnapshotRefused extends Error {}

const userIgnoreFiles = new Map<string, Promise<string | undefined>>();

/** The user's file with patterns to ignore, which may not exist, if there is to be one; read once per checkout. */
function userIgnoreFile(top: string): Promise<string | undefined> {
  const known = userIgnoreFiles.get(top) ?? readUserIgnoreFile(top);
  userIgnoreFiles.set(top, known);
  return known;
}

async function readUserIgnoreFile(top: string): Promise<string | undefined> {
  const set = await git(top, ['config', '--type=path', '--get', 'core.excludesFile']);
  return set.ok ? set.stdout.trim() || undefined : join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'git', 'ignore');
}

/** Whether a folder is a link or below one. */
function isBelowLink(top: string, folder: string, known: Map<string, boolean>): boolean {
  if (folder === '.') return false;
  const before = known.get(folder);
  if (before !== undefined) return before;
  const is = isBelowLink(top, posix.dirname(folder), known) || isLink(join(top, folder));
  known.set(folder, is);
  return is;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // A file is in the place of one of its folders.
    return false;
  }
}

function isSubmodule(top: string, path: string): boolean {
  return existsSync(join(top, path, '.git'));
}

function stampOf({ ino, size, mtimeNs }: { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint }): string {
  return `${ino}:${size}:${mtimeNs}`;
}
