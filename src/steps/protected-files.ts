// Owns the digests of protected files: those of a workspace that match one of several patterns, with what the usual walk
// leaves out (`.git`, the folders of the engine) where a pattern spells it out. Only files count: a link is not followed.
//
// The settings of git are compared without what every push writes there, or no agent could push: which remote branch a
// branch belongs to.

import { createHash } from 'node:crypto';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { EngineError } from '../base/error.ts';
import { fixedFolders } from '../definition/pattern.ts';
import { Stopped } from './abort.ts';
import { matches } from './glob.ts';
import { openFile, unlessGone } from './outputs/workspace-digest.ts';

/** Which files are looked at. */
export interface ProtectedQuery {
  readonly cwd: string;
  readonly patterns: readonly string[];
  /** Where the engine keeps its own database: what begins so is its own, wherever it lies. */
  readonly own?: string;
  readonly signal: AbortSignal;
}

const ENTRIES_MAX = 200_000;
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const GIT = '.git';
const GIT_CONFIG = '.git/config';

/** The digests of all files that match, by path with slashes; what is in the folder of git is named `.git/…`. */
export async function digestProtected(query: ProtectedQuery): Promise<ReadonlyMap<string, string>> {
  const root = await realpath(query.cwd);
  const found = new Map<string, string>();
  const walk: Walk = { root, query, git: undefined, entries: 0 };
  for (const pattern of query.patterns.map((one) => posix.normalize(one))) {
    for await (const { name, file } of filesOf(walk, pattern)) {
      if (found.has(name) || (query.own !== undefined && file.startsWith(query.own))) continue;
      const digest = await digestOf(name, file);
      if (digest !== undefined) found.set(name, digest);
    }
  }
  return found;
}

interface Walk {
  readonly root: string;
  readonly query: ProtectedQuery;
  /** The folder of git, once it was looked for; null where there is none. */
  git: string | null | undefined;
  entries: number;
}

interface Found {
  readonly name: string;
  readonly file: string;
}

async function* filesOf(walk: Walk, pattern: string): AsyncGenerator<Found> {
  const fixed = fixedFolders(pattern);
  const isDeep = pattern.split('/').length > fixed.length + 1 || pattern.includes('**');
  const folders = [fixed.join('/')];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (walk.query.signal.aborted) throw new Stopped();
    const place = await placeOf(walk, folder);
    if (place === undefined || !(await isFolder(place))) continue;
    for (const entry of (await unlessGone(readdir(place, { withFileTypes: true }))) ?? []) {
      count(walk, pattern);
      const name = posix.join(folder, entry.name);
      if (entry.isDirectory() && isDeep && !LEFT_OUT.has(entry.name)) folders.push(name);
      else if (entry.isFile() && matches(name, pattern)) yield { name, file: join(place, entry.name) };
    }
  }
}

function count(walk: Walk, pattern: string): void {
  walk.entries += 1;
  if (walk.entries <= ENTRIES_MAX) return;
  const message = `the protected paths cover folders with more than ${ENTRIES_MAX} entries, up to "${pattern}"; write narrower patterns`;
  throw new EngineError('LIMIT_REACHED', message);
}

/** Where a folder of the workspace is; that of git may lie elsewhere, for a worktree and for a part of a repository. */
async function placeOf(walk: Walk, folder: string): Promise<string | undefined> {
  if (folder !== GIT && !folder.startsWith(`${GIT}/`)) return join(walk.root, folder);
  walk.git ??= (await gitFolder(walk.root)) ?? null;
  return walk.git === null ? undefined : join(walk.git, folder.slice(GIT.length));
}

/** The folder of git that a place belongs to, the shared one for a worktree; undefined outside of every repository. */
export async function gitFolder(from: string): Promise<string | undefined> {
  const place = join(from, GIT);
  const facts = await unlessGone(lstat(place));
  if (facts === undefined) return dirname(from) === from ? undefined : gitFolder(dirname(from));
  if (facts.isDirectory()) return place;
  const named = /^gitdir: (.+)$/m.exec((await textOf(place)) ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(from, named.trim());
  const shared = await textOf(join(own, 'commondir'));
  return shared === undefined ? own : resolve(own, shared.trim());
}

async function textOf(file: string): Promise<string | undefined> {
  const handle = await openFile(file);
  try {
    return await handle?.readFile('utf8');
  } finally {
    await handle?.close();
  }
}

async function isFolder(place: string): Promise<boolean> {
  return (await unlessGone(lstat(place)))?.isDirectory() === true;
}

async function digestOf(name: string, file: string): Promise<string | undefined> {
  const handle = await openFile(file);
  if (handle === undefined) return undefined;
  try {
    const hash = createHash('sha256');
    if (name === GIT_CONFIG) hash.update(withoutTracking(await handle.readFile('utf8')));
    else for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

const BRANCH_SECTION = /^\[branch "[^"\]]*"\]$/;
const TRACKING = /^\s*(?:remote|merge|rebase|pushremote)\s*=\s*[\w./-]+$/i;

/** The settings without the lines that say what a branch follows. Only lines of exactly that form are left out. */
function withoutTracking(settings: string): string {
  let isInBranch = false;
  const kept = settings.split('\n').filter((line) => {
    if (line.trimStart().startsWith('[')) isInBranch = BRANCH_SECTION.test(line);
    return !(isInBranch && (BRANCH_SECTION.test(line) || TRACKING.test(line)));
  });
  return kept.join('\n').trimEnd();
}
