// Finds differences between a checkout's git tree and its files on disk. Checks read the files, but the tree is
// merged; if a run made the two differ, a gate would check files that can never be merged.
//
// Only changes since the commit that the run began with count, because earlier commits are not the run's.

import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { isBelow } from '../../base/inside-folder.ts';
import { entriesBetween, type TreeEntry } from '../../process/git-tree.ts';
import { ifExists } from '../workspace/workspace-file.ts';

/** A tree and its files on disk. */
export interface TreeOnDisk {
  readonly top: string;
  /** The commit that the run began with; undefined where there is none. */
  readonly base: string | undefined;
  readonly tree: string;
  /** The files that make up the tree. */
  readonly paths: readonly string[];
  /** Whether the workflow lets a step change a file. */
  readonly mayChange: (path: string) => boolean;
}

/** Returns why files on disk differ from what would be merged, a sentence each. */
export async function hiddenContent({ top, base, tree, paths, mayChange }: TreeOnDisk): Promise<string[]> {
  if (base === undefined) return [];
  const found: string[] = [];
  const known = new FileSet(paths);
  for (const entry of await entriesBetween(top, base, tree)) {
    const why = await reasonFor(entry, { top, known, mayChange });
    if (why !== undefined) found.push(why);
  }
  return found;
}

interface TreeFiles extends Pick<TreeOnDisk, 'top' | 'mayChange'> {
  readonly known: FileSet;
}

async function reasonFor({ path, kind }: TreeEntry, { top, known, mayChange }: TreeFiles): Promise<string | undefined> {
  if (posix.basename(path) === '.gitattributes' && !mayChange(path))
    return `${path} was changed, and it can make git store content that differs from the files`;
  if (kind === 'link') return await linkProblem(top, path, known);
  // On a case-insensitive disk, a renamed file is also found under its old name.
  const isThere = kind === 'gone' && !known.hasInAnyCase(path) && (await ifExists(lstat(join(top, path))))?.isFile() === true;
  return isThere ? `${path} still exists, but git was set to ignore it` : undefined;
}

/** Returns why a link is a problem: it leads to content that is not part of the tree. */
async function linkProblem(top: string, path: string, known: FileSet): Promise<string | undefined> {
  const place = join(top, path);
  const link = await ifExists(readlink(place));
  if (link === undefined) return undefined;
  const real = await ifExists(realpath(place));
  // A dangling link is resolved by its text.
  const target = real ?? resolve((await ifExists(realpath(dirname(place)))) ?? dirname(place), link);
  const root = await realpath(top);
  const name = relative(root, target);
  const isOutside = !isBelow(root, target);
  if (!isOutside && (real === undefined || known.has(name.split(sep).join('/')))) return undefined;
  return `${path} leads to ${isOutside ? target : name}, which is not part of the tree`;
}

/** Files, and the folders that they are in. */
class FileSet {
  private readonly names = new Set<string>(['']);

  constructor(paths: readonly string[]) {
    for (const path of paths) this.add(path);
  }

  private add(path: string): void {
    for (let name = path; name !== '.' && !this.names.has(name); name = posix.dirname(name)) this.names.add(name);
  }

  has(path: string): boolean {
    return this.names.has(path);
  }

  hasInAnyCase(path: string): boolean {
    const plain = path.toLowerCase();
    return [...this.names].some((name) => name.toLowerCase() === plain);
  }
}
