// Owns the digests of the files in a workspace that match a pattern. Only files count: a link is not followed, so nothing
// outside is ever read. `.git`, `node_modules` and the engine's own folders are left out, since no step's work is there.

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { isStoreFile } from '../../base/store-files.ts';
import { fixedFolders } from '../../definition/pattern.ts';
import { Stopped } from '../abort.ts';
import { matches } from '../glob.ts';

/** Path, relative to the workspace and with slashes → SHA-256 of the content, in hex. */
export type FileDigests = ReadonlyMap<string, string>;

/** How much is looked at; a pattern that wants more is refused, since every attempt would pay for it. */
export interface DigestBounds {
  readonly entriesMax: number;
  readonly filesMax: number;
  readonly bytesMax: number;
}

/** What is looked for, and where. */
export interface DigestQuery {
  readonly cwd: string;
  readonly pattern: string;
  readonly signal: AbortSignal;
  readonly bounds?: DigestBounds;
}

const BOUNDS: DigestBounds = { entriesMax: 500_000, filesMax: 50_000, bytesMax: 512 << 20 };
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', '.pawl', '.squadron']);

/** The digests of all files that match, by path. Throws LIMIT_REACHED beyond the bounds. */
export async function digestMatching(query: DigestQuery): Promise<FileDigests> {
  const { bounds = BOUNDS, signal } = query;
  const root = await realpath(query.cwd);
  const pattern = posix.normalize(query.pattern);
  const found = new Map<string, string>();
  let bytes = 0;
  for await (const path of matchingPaths({ root, pattern, query, entriesMax: bounds.entriesMax })) {
    if (found.size >= bounds.filesMax) throw tooMuch(query, `more than ${bounds.filesMax} files`);
    const file = await digestFile(join(root, path), { left: bounds.bytesMax - bytes, signal });
    if (file === 'too large') throw tooMuch(query, `more than ${bounds.bytesMax} bytes`);
    if (file === undefined) continue;
    bytes += file.bytes;
    found.set(path, file.sha256);
  }
  return found;
}

function tooMuch({ pattern }: DigestQuery, what: string): EngineError {
  return new EngineError('LIMIT_REACHED', `the pattern "${pattern}" of an output covers ${what}; write a narrower one`);
}

interface Walk {
  readonly root: string;
  readonly pattern: string;
  readonly query: DigestQuery;
  readonly entriesMax: number;
}

async function* matchingPaths({ root, pattern, query, entriesMax }: Walk): AsyncGenerator<string> {
  const start = await fixedFolder(root, pattern);
  const folders = start === undefined ? [] : [start];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (query.signal.aborted) throw new Stopped();
    for (const entry of await entriesOf(join(root, folder))) {
      entries += 1;
      if (entries > entriesMax) throw tooMuch(query, `folders with more than ${entriesMax} entries`);
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) folders.push(path);
      else if (entry.isFile() && matches(path, pattern)) yield path;
    }
  }
}

// The walk begins at the last folder that the pattern spells out; a link on the way there leads nowhere.
async function fixedFolder(root: string, pattern: string): Promise<string | undefined> {
  let folder = '';
  for (const part of fixedFolders(pattern)) {
    folder = posix.join(folder, part);
    const facts = await unlessGone(lstat(join(root, folder)));
    if (LEFT_OUT.has(part) || facts?.isDirectory() !== true) return undefined;
  }
  return folder;
}

async function entriesOf(folder: string) {
  return (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? [];
}

interface Allowance {
  readonly left: number;
  readonly signal: AbortSignal;
}

async function digestFile(path: string, { left, signal }: Allowance): Promise<{ bytes: number; sha256: string } | 'too large' | undefined> {
  const handle = await openFile(path);
  if (handle === undefined) return undefined;
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      if (signal.aborted) throw new Stopped();
      bytes += (chunk as Buffer).length;
      if (bytes > left) return 'too large';
      hash.update(chunk as Buffer);
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/** Opens a file that is no link; undefined when it is gone by now, or belongs to a database that is open. */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  const facts = await unlessGone(lstat(path));
  if (facts === undefined || isStoreFile(path, facts)) return undefined;
  return await unlessGone(open(path, constants.O_RDONLY | constants.O_NOFOLLOW));
}

/** What looking at a place found; undefined when nothing is there, or only a link. */
export async function unlessGone<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
