// Restores files of a workspace from a snapshot while other programs may write there.
//
// - A file is replaced or removed only if it is unchanged since the last snapshot; others stay and are reported.
// - It is set aside (renamed) before it is checked, so that a write just before is detected. A file that appears meanwhile
//   is never overwritten.
// - Nothing is written through a link, and nothing outside of the top.
// - It can be killed at any time and started again: each file is unchanged, set aside under a name of ours, or restored.
//
// Content, symbolic links and the executable bit are restored; times, owners and other permissions are not in a snapshot.

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdir, readdir, readFile, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { digestText } from '../base/digest.ts';
import { messageOf, systemCodeOf } from '../base/error.ts';
import { type FileState, LINK_MODE } from './git-tree.ts';

/** A file to restore. */
export interface FileTarget {
  readonly path: string;
  /** Its state in the last snapshot; undefined if it did not exist. */
  readonly from: FileState | undefined;
  /** Its state after the restore; undefined if it must not exist. */
  readonly to: FileState | undefined;
}

/** A file that was not restored, and why. */
export interface UnrestoredFile {
  readonly path: string;
  readonly why: string;
}

/** Where files are restored, and where their content is. */
export interface RestoreContext {
  readonly top: string;
  /** The algorithm of the ids: sha1 or sha256. */
  readonly format: string;
  /** The prefix of the names of files that are set aside. */
  readonly mark: string;
  /** Returns the file with the content of a target. */
  readonly staged: (to: FileState) => string;
}

/** The restored files, and those that were kept. */
export interface RestoreResult {
  readonly done: readonly string[];
  readonly kept: readonly UnrestoredFile[];
}

const SUBMODULE = '160000';
const CHANGED = 'it was changed since the last snapshot';

/** Returns the files that a restore would keep, without changing anything. */
export async function conflictsOf(targets: readonly FileTarget[], context: RestoreContext): Promise<readonly UnrestoredFile[]> {
  const restore = new Restore(targets, context);
  const kept: UnrestoredFile[] = [];
  for (const target of targets) {
    const why = await restore.obstacleTo(target);
    if (why !== undefined) kept.push({ path: target.path, why });
  }
  return kept;
}

/** Restores files, except those that others changed. */
export async function restoreFiles(targets: readonly FileTarget[], context: RestoreContext): Promise<RestoreResult> {
  return await new Restore(targets, context).all();
}

/** Renames back files that an interrupted restore set aside and has not replaced; removes replaced ones that a snapshot holds. */
export async function releaseFiles(files: ReadonlyMap<string, FileState | undefined>, context: RestoreContext): Promise<void> {
  const restore = new Restore([], context);
  for (const [path, known] of files) await restore.release(path, known);
}

/** Creates and removes empty folders; also removes parent folders that become empty. */
export async function restoreFolders(
  top: string,
  { make, remove }: { readonly make: readonly string[]; readonly remove: readonly string[] },
): Promise<void> {
  for (const path of remove) if (await hasPlainParents(top, path)) await removeUpwards(top, path);
  for (const path of make) if (await hasPlainParents(top, path)) await mkdir(join(top, path), { recursive: true }).catch(() => undefined);
}

/** Removes a folder and those above it, as long as they are empty. */
async function removeUpwards(top: string, folder: string): Promise<void> {
  for (let path = folder; path !== '.'; path = posix.dirname(path)) {
    const isGone = await rmdir(join(top, path)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** A file that was renamed, and is checked again at the end. */
interface SetAsideFile {
  readonly target: FileTarget;
  readonly name: string;
}

class Restore {
  private readonly targets: readonly FileTarget[];
  private readonly context: RestoreContext;
  private readonly setAsideFiles: SetAsideFile[] = [];
  private readonly kept: UnrestoredFile[] = [];
  private readonly done: string[] = [];

  constructor(targets: readonly FileTarget[], context: RestoreContext) {
    this.targets = targets;
    this.context = context;
  }

  async all(): Promise<RestoreResult> {
    const byDepth = [...this.targets].sort((one, other) => (one.path < other.path ? 1 : -1));
    for (const target of byDepth.filter(({ to }) => to === undefined)) await this.put(target);
    for (const target of this.targets.filter(({ to }) => to !== undefined)) await this.put(target);
    for (const file of this.setAsideFiles) await this.discard(file);
    const kept = new Set(this.kept.map(({ path }) => path));
    return { done: this.done.filter((path) => !kept.has(path)), kept: this.kept };
  }

  /** Renames a file back that was set aside, unless it was replaced; removes it if it was replaced and a snapshot holds it. */
  async release(path: string, known: FileState | undefined): Promise<void> {
    if (!(await hasPlainParents(this.context.top, path))) return;
    const name = join(this.context.top, this.asideName(path));
    const [now, aside] = [await this.stateAt(path), await this.stateAt(this.asideName(path))];
    await rm(this.draftName(path), { force: true });
    if (aside === undefined) return;
    if (now !== undefined && isSame(aside, known)) await rm(name);
    else await putBack(name, join(this.context.top, path));
  }

  /** Why a file cannot be restored now; undefined if it can. */
  async obstacleTo({ path, from, to }: FileTarget): Promise<string | undefined> {
    if (from?.mode === SUBMODULE || to?.mode === SUBMODULE) return 'it is a submodule; check out its commit yourself';
    if (path.includes('\uFFFD')) return 'its name is not UTF-8';
    const now = await this.stateAt(path);
    if (now === 'folder') return to === undefined || (await this.isOurs(path)) ? undefined : 'a folder with other files is in its place';
    if (now === 'special') return CHANGED;
    if (isSame(now, to) || isSame(now, from)) return undefined;
    const aside = await this.stateAt(this.asideName(path));
    if (now === undefined && isSame(aside, from)) return undefined;
    // A link or a file in the place of its folder may be another target, which is removed first.
    return now === undefined && from === undefined ? undefined : CHANGED;
  }

  private async put(target: FileTarget): Promise<void> {
    const { path, to } = target;
    try {
      await rm(this.draftName(path), { force: true });
      const why = await this.obstacleTo(target);
      const [now, aside] = [await this.stateAt(path), await this.stateAt(this.asideName(path))];
      // A file that an earlier restore set aside is checked and removed with the rest.
      if (aside !== undefined) this.setAsideFiles.push({ target, name: this.asideName(path) });
      if (why !== undefined) return this.keep(path, why);
      if (now === 'folder' ? to === undefined : isSame(now, to)) return this.finish(path);
      if (now === 'folder') await removeEmpty(join(this.context.top, path));
      else if (now !== undefined && !(await this.setAside(target))) return;
      if (to !== undefined && !(await this.place(path, to))) return;
      this.finish(path);
      if (to === undefined) await this.removeFolders(posix.dirname(path));
    } catch (error) {
      this.keep(path, messageOf(error));
    }
  }

  /** Sets a file aside, and checks whether it may be replaced. */
  private async setAside(target: FileTarget): Promise<boolean> {
    const { path, from } = target;
    const [file, aside] = [join(this.context.top, path), join(this.context.top, this.asideName(path))];
    await rename(file, aside);
    const found = await this.stateAt(this.asideName(path));
    if (isSame(found, from)) {
      this.setAsideFiles.push({ target, name: this.asideName(path) });
      return true;
    }
    this.keep(path, CHANGED);
    await putBack(aside, file);
    return false;
  }

  /** Writes a file under another name and links it to its place, which fails if another program wrote one meanwhile. */
  private async place(path: string, to: FileState): Promise<boolean> {
    const file = join(this.context.top, path);
    if (!(await this.makeFolders(path))) {
      this.keep(path, 'a link or a file is in the place of its folder');
      return false;
    }
    const source = this.context.staged(to);
    const fresh = this.draftName(path);
    try {
      if (to.mode === LINK_MODE) {
        await symlink(await readlink(source, { encoding: 'buffer' }), file);
        return true;
      }
      await copyFile(source, fresh);
      const mode = await this.modeBefore(path);
      await chmod(fresh, to.mode === '100755' ? mode | ((mode & 0o444) >> 2) : mode);
      await linkInto(fresh, file);
      return true;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      this.keep(path, 'another program wrote it while the files were being restored');
      return false;
    } finally {
      await rm(fresh, { force: true });
    }
  }

  /** The permissions of the file that is replaced, without the executable bit; those of a new file otherwise. */
  private async modeBefore(path: string): Promise<number> {
    const before = await lstat(join(this.context.top, this.asideName(path))).catch(() => undefined);
    return before?.isFile() === true ? before.mode & 0o666 : 0o666 & ~process.umask();
  }

  /** Removes a file that was set aside, or renames it back if another program wrote to it meanwhile. */
  private async discard({ target, name }: SetAsideFile): Promise<void> {
    const [aside, file] = [join(this.context.top, name), join(this.context.top, target.path)];
    const found = await this.stateAt(name);
    if (found === undefined) return;
    if (isSame(found, target.from)) return await unlink(aside);
    this.keep(target.path, CHANGED);
    const now = await this.stateAt(target.path);
    const isOurs = now === undefined || isSame(now, target.to);
    await rename(aside, isOurs ? file : `${file}.theirs-${process.pid}`);
  }

  private async stateAt(path: string): Promise<PathState> {
    const file = join(this.context.top, path);
    if (!(await hasPlainParents(this.context.top, path))) return undefined;
    const facts = await lstat(file).catch(() => undefined);
    if (facts === undefined) return undefined;
    if (facts.isDirectory()) return 'folder';
    if (!facts.isFile() && !facts.isSymbolicLink()) return 'special';
    const content = facts.isFile() ? await readFile(file) : await readlink(file, { encoding: 'buffer' });
    return { mode: modeOf(facts), id: blobId(content, this.context.format) };
  }

  /** Whether all files in a folder are to be removed, so that a file can take its place. */
  private async isOurs(path: string): Promise<boolean> {
    const removed = new Set(this.targets.filter(({ to }) => to === undefined).map((target) => target.path));
    const open = [path];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop())
      for (const entry of await readdir(join(this.context.top, folder), { withFileTypes: true })) {
        const inside = posix.join(folder, entry.name);
        if (entry.isDirectory()) open.push(inside);
        else if (!removed.has(inside) && !entry.name.startsWith(this.context.mark)) return false;
      }
    return true;
  }

  /** Creates the folders above a file; false if a link or a file is in their place. */
  private async makeFolders(path: string): Promise<boolean> {
    if (!(await hasPlainParents(this.context.top, path))) return false;
    await mkdir(dirname(join(this.context.top, path)), { recursive: true });
    return true;
  }

  /** Removes the folders that a removed file leaves empty, up to the top. */
  private async removeFolders(folder: string): Promise<void> {
    for (let path = folder; path !== '.'; path = posix.dirname(path)) {
      const rest = await readdir(join(this.context.top, path)).catch(() => undefined);
      if (rest === undefined || rest.some((name) => !name.startsWith(this.context.mark))) return;
      for (const name of rest) await this.discardNow(posix.join(path, name));
      if (rest.length === 0 || (await readdir(join(this.context.top, path))).length === 0) await rmdir(join(this.context.top, path));
      else return;
    }
  }

  private async discardNow(name: string): Promise<void> {
    const file = this.setAsideFiles.find((aside) => aside.name === name);
    if (file !== undefined) await this.discard(file);
  }

  private asideName(path: string): string {
    return posix.join(posix.dirname(path), `${this.context.mark}${digestText(basename(path)).slice(0, 16)}`);
  }

  private draftName(path: string): string {
    return `${join(this.context.top, this.asideName(path))}-new`;
  }

  private keep(path: string, why: string): void {
    if (!this.kept.some((file) => file.path === path)) this.kept.push({ path, why });
  }

  private finish(path: string): void {
    this.done.push(path);
  }
}

/** Git's id for a content. */
function blobId(content: Buffer, format: string): string {
  return createHash(format).update(`blob ${content.length}\0`).update(content).digest('hex');
}

/** The state of a path; undefined if nothing exists there. `special`: a pipe, a socket or a device. */
type PathState = FileState | 'folder' | 'special' | undefined;

function isSame(found: PathState, state: FileState | undefined): boolean {
  return typeof found !== 'string' && found?.id === state?.id && found?.mode === state?.mode;
}

function modeOf(facts: Stats): string {
  if (facts.isSymbolicLink()) return LINK_MODE;
  return (facts.mode & 0o100) === 0 ? '100644' : '100755';
}

/** Whether no folder above a path is a link or a file. */
async function hasPlainParents(top: string, path: string): Promise<boolean> {
  const parts = posix.dirname(path).split('/');
  if (path.startsWith('/') || path.split('/').includes('..')) return false;
  for (let count = 1; count <= parts.length; count += 1) {
    const facts = await lstat(join(top, ...parts.slice(0, count))).catch(() => undefined);
    if (facts === undefined) return true;
    if (!facts.isDirectory()) return false;
  }
  return true;
}

/** Links a file to a path that must not exist; if the file system has no links, renames it after a check. */
async function linkInto(fresh: string, file: string): Promise<void> {
  try {
    await link(fresh, file);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST' || (await lstat(file).catch(() => undefined)) !== undefined)
      throw Object.assign(new Error(file), { code: 'EEXIST' });
    await rename(fresh, file);
  }
}

/** Renames a file back that must not be replaced. If another one exists by now, both stay. */
async function putBack(aside: string, file: string): Promise<void> {
  const facts = await lstat(aside);
  if (facts.isDirectory() || facts.isSymbolicLink()) {
    if ((await lstat(file).catch(() => undefined)) === undefined) await rename(aside, file);
    return;
  }
  try {
    await linkInto(aside, file);
    await rm(aside, { force: true });
  } catch {
    await rename(aside, `${file}.theirs-${process.pid}`);
  }
}

async function removeEmpty(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) await removeEmpty(join(folder, entry.name));
  await rmdir(folder);
}
