// Finds the entries of a workspace that match a pattern. Links inside the workspace are followed; one that leads out
// is reported and never read. No file is opened here.

import type { Dirent } from 'node:fs';
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isBelow } from '../../base/inside-folder.ts';
import { fixedFolders, isPlain } from '../../definition/pattern.ts';
import { AttemptStopped } from '../abort.ts';
import { matches } from './glob.ts';
import { ifExists } from './workspace-file.ts';

/** An entry that matches. `name` is its path in the workspace, with slashes. */
export type FoundEntry =
  /** `file` is the real path; `link` is the text of the link that leads there. */
  | { readonly kind: 'file'; readonly name: string; readonly file: string; readonly link?: string }
  /** A link that leads out of the workspace, or nowhere. */
  | { readonly kind: 'outside' | 'dangling'; readonly name: string; readonly link: string }
  /** A named pipe, a socket or a device. */
  | { readonly kind: 'special'; readonly name: string };

/** The pattern, and where to search. */
export interface WalkQuery {
  /** The real path of the folder that no link may leave. */
  readonly root: string;
  readonly pattern: string;
  /** The path of a folder of the pattern. Default: below the root. */
  readonly place?: (folder: string) => string;
  /** Names of folders that are skipped, unless the pattern names them. */
  readonly leftOut: ReadonlySet<string>;
  /** False if links are skipped. */
  readonly followsLinks?: boolean;
  /** Called for each entry; throws when there were too many. */
  readonly count: () => void;
  readonly signal: AbortSignal;
  /** A cache of starting folders for several walks. */
  readonly starts?: WalkStarts;
}

/** The starting folders of walks, by path. */
export type WalkStarts = Map<string, Promise<Target>>;

/** Finds the entries that match, in no particular order. */
export async function* walkWorkspace(query: WalkQuery): AsyncGenerator<FoundEntry> {
  const { root, pattern, leftOut, followsLinks = true, place = (folder) => join(root, folder) } = query;
  const fixed = fixedFolders(pattern);
  const isDeep = pattern.split('/').length > fixed.length + 1 || pattern.includes('**');
  const start = await startAt(query, place(fixed.join('/')));
  if (!followsLinks && start.kind === 'folder' && start.real !== place(fixed.join('/'))) return;
  if (start.kind === 'outside' && followsLinks) yield { kind: 'outside', name: fixed.join('/'), link: start.real };
  if (start.kind !== 'folder') return;
  const folders = [{ name: fixed.join('/'), real: start.real }];
  const followed = new Set<string>();
  const segments = pattern.split('/');
  // Without `**`, only folders whose names match the beginning of the pattern matter.
  const isOnTheWay = (name: string): boolean => {
    if (!isDeep || pattern.includes('**')) return isDeep;
    const depth = name.split('/').length;
    return depth < segments.length && matches(name, segments.slice(0, depth).join('/'));
  };
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (query.signal.aborted) throw new AttemptStopped();
    for (const entry of await entriesIn(folder.real, isPlain(pattern) ? segments.at(-1) : undefined)) {
      query.count();
      const name = posix.join(folder.name, entry.name);
      const path = join(folder.real, entry.name);
      if (entry.isDirectory()) {
        if (!leftOut.has(entry.name) && isOnTheWay(name)) folders.push({ name, real: path });
      } else if (entry.isSymbolicLink()) {
        if (!followsLinks) continue;
        const found = await followLink({ root, pattern, name, path });
        if (found === undefined) continue;
        if (found.kind !== 'folder') yield found;
        else if (!leftOut.has(entry.name) && isOnTheWay(name) && !isBelow(found.real, path) && !followed.has(found.real)) {
          followed.add(found.real);
          folders.push({ name, real: found.real });
        }
      } else if (matches(name, pattern)) yield entry.isFile() ? { kind: 'file', name, file: path } : { kind: 'special', name };
    }
  }
}

/** An entry of a folder. */
type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink' | 'isFile'>;

/** The entries of a folder; for a pattern without wildcards only the named one, because the folder may have thousands. */
async function entriesIn(folder: string, only: string | undefined): Promise<readonly Entry[]> {
  if (only === undefined) return (await ifExists(readdir(folder, { withFileTypes: true }))) ?? [];
  const facts = await ifExists(lstat(join(folder, only)));
  return facts === undefined ? [] : [Object.assign(facts, { name: only })];
}

interface Link {
  readonly root: string;
  readonly pattern: string;
  readonly name: string;
  readonly path: string;
}

async function followLink({ root, pattern, name, path }: Link): Promise<FoundEntry | { kind: 'folder'; real: string } | undefined> {
  const link = await ifExists(readlink(path));
  if (link === undefined) return undefined;
  const target = await resolveLink(root, path);
  if (target.kind === 'folder') return { kind: 'folder', real: target.real };
  // A link out of the workspace may lead to a folder that contains a match.
  const isMatch = matches(name, pattern) || (target.kind === 'outside' && matches(`${name}/x`, pattern));
  if (!isMatch) return undefined;
  if (target.kind === 'file') return { kind: 'file', name, file: target.real, link };
  return target.kind === 'special' ? { kind: 'special', name } : { kind: target.kind, name, link };
}

type Target = { readonly kind: 'file' | 'folder' | 'special' | 'outside'; readonly real: string } | { readonly kind: 'dangling' };

function startAt({ root, starts }: WalkQuery, path: string): Promise<Target> {
  const known = starts?.get(path) ?? resolveLink(root, path);
  starts?.set(path, known);
  return known;
}

async function resolveLink(root: string, path: string): Promise<Target> {
  const real = await ifExists(realpath(path));
  if (real === undefined) return { kind: 'dangling' };
  if (!isBelow(root, real)) return { kind: 'outside', real };
  const facts = await ifExists(stat(real));
  if (facts === undefined) return { kind: 'dangling' };
  return { kind: facts.isFile() ? 'file' : facts.isDirectory() ? 'folder' : 'special', real };
}
