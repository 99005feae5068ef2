// Owns the digests of protected files: the files of a workspace that match a pattern, including those in `.git` and the
// engine's folders if a pattern names them.
//
// Links are followed inside the workspace; for one that leads out, only its target is recorded. For some files only the
// part that decides what a gate runs counts (`file-part.ts`). Git's settings are compared without the upstream of
// branches, because every push writes it.

import { createHash, hash } from 'node:crypto';
import { type FileHandle, lstat, realpath } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { digestText } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { AttemptStopped } from '../abort.ts';
import { ifExists, openFile, readWorkspaceFile } from '../workspace/workspace-file.ts';
import { type FoundEntry, type WalkStarts, walkWorkspace } from '../workspace/workspace-walk.ts';
import { type FilePart, partOf } from './file-part.ts';
import { hidesPythonModule } from './import-shadows.ts';

/** A pattern of protected files. */
export interface Guard {
  readonly pattern: string;
  /** The part of the content that counts. Default: all of it. */
  readonly part?: FilePart;
  /** True if a new file counts as a change. */
  readonly isClosed?: boolean;
}

/** Which files to read. */
export interface ProtectedQuery {
  readonly cwd: string;
  readonly guards: readonly Guard[];
  /** The engine's database: files whose path begins with it belong to the engine. */
  readonly database?: string;
  readonly signal: AbortSignal;
}

/**
 * The protected files before an activation, with their digests by path. There is one record per step, for its latest
 * visit, so that changes by people and other steps between two visits do not count.
 */
export interface ProtectedFiles {
  readonly path: string;
  readonly files: Readonly<Record<string, string>>;
  readonly guards: readonly Guard[];
}

const ENTRIES_MAX = 200_000;
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);
const GIT = '.git';
const GIT_CONFIG = '.git/config';
const READ_AT_ONCE_MAX = 1 << 20;
const OUTSIDE = 'leads out to ';
const SPECIAL = 'special file';
/** The digest of a file if only its existence counts. */
export const PRESENT = 'is there';

/** The digests of all files that match, by path with slashes; files in the folder of git are named `.git/…`. */
export async function digestProtected(query: ProtectedQuery): Promise<ReadonlyMap<string, string>> {
  const root = await realpath(query.cwd);
  const git = await gitFolder(root);
  // A run's own worktree is next to the database; its files are the work, not the engine's.
  const own = query.database === undefined || isOfStore(root, query.database) ? undefined : query.database;
  const found = new Map<string, string>();
  /** The files whose whole content counts. */
  const whole = new Set<string>();
  for (const { guard, entries } of await findGuarded(query, { root, git })) {
    if (guard.part === 'name' && (await ifExists(lstat(join(root, guard.pattern)))) !== undefined) found.set(guard.pattern, PRESENT);
    for (const entry of entries) {
      if (query.signal.aborted) throw new AttemptStopped();
      const isOwn = entry.kind === 'file' && own !== undefined && isOfStore(entry.file, own);
      if (isOwn || whole.has(entry.name)) continue;
      const digest = await digestOf(entry, guard.part);
      if (digest === undefined) continue;
      if (guard.part === undefined) whole.add(entry.name);
      // Several guards may each protect a part of one file.
      const isFirst = guard.part === undefined || !found.has(entry.name);
      found.set(entry.name, isFirst ? digest : digestText(`${found.get(entry.name)} ${digest}`));
    }
  }
  return found;
}

interface GuardedEntries {
  readonly guard: Guard;
  readonly entries: readonly FoundEntry[];
}

/** Finds the files of all guards in parallel: most do not exist, and each lookup takes time. */
function findGuarded({ guards, signal }: ProtectedQuery, place: Omit<PatternRoots, 'pattern'>): Promise<readonly GuardedEntries[]> {
  let count = 0;
  const [inRoot, inGit]: readonly [WalkStarts, WalkStarts] = [new Map(), new Map()];
  return Promise.all(
    guards.map(async (guard) => {
      const pattern = posix.normalize(guard.pattern);
      const found = guard.part === 'name' ? undefined : placeOf({ ...place, pattern });
      if (found === undefined) return { guard, entries: [] };
      const counted = (): void => {
        count += 1;
        if (count > ENTRIES_MAX) throw tooMany(pattern);
      };
      const starts = found.place === undefined ? inRoot : inGit;
      const entries: FoundEntry[] = [];
      for await (const entry of walkWorkspace({ ...found, pattern, leftOut: LEFT_OUT, count: counted, signal, starts }))
        entries.push(entry);
      return { guard, entries };
    }),
  );
}

// Next to its database the engine keeps worktrees, logs of detached runs and the local forge.
function isOfStore(file: string, own: string): boolean {
  const folder = dirname(own);
  return (
    file.startsWith(own) ||
    (file.startsWith(`${folder}/`) && /^(?:worktrees\/|run-[^/]*\.log$|forge\.db)/.test(file.slice(folder.length + 1)))
  );
}

/** Whether the digest is of an unreadable file: a link out of the workspace, a pipe, a device. */
export function isUnreadable(digest: string): boolean {
  return digest === SPECIAL || digest.startsWith(OUTSIDE);
}

function tooMany(pattern: string): EngineError {
  const message = `the protected paths cover folders with more than ${ENTRIES_MAX} entries, up to "${pattern}"; write narrower patterns`;
  return new EngineError('LIMIT_REACHED', message);
}

interface PatternRoots {
  readonly root: string;
  readonly git: string | undefined;
  readonly pattern: string;
}

/** Where the walk for a pattern begins; for a worktree or a subfolder, git's folder is elsewhere. */
function placeOf({ root, git, pattern }: PatternRoots): { root: string; place?: (folder: string) => string } | undefined {
  if (!pattern.startsWith(`${GIT}/`)) return { root };
  return git === undefined ? undefined : { root: git, place: (folder) => join(git, folder.slice(GIT.length)) };
}

/** The git folder of a path, the shared one for a worktree; undefined outside a repository. */
export async function gitFolder(from: string): Promise<string | undefined> {
  const place = join(from, GIT);
  const facts = await ifExists(lstat(place));
  if (facts === undefined) return dirname(from) === from ? undefined : gitFolder(dirname(from));
  if (facts.isDirectory()) return await realpath(place);
  const named = /^gitdir: (.+)$/m.exec((await readWorkspaceFile(place))?.toString() ?? '')?.[1];
  if (named === undefined) return undefined;
  const own = resolve(from, named.trim());
  const shared = await readWorkspaceFile(join(own, 'commondir'));
  return await ifExists(realpath(shared === undefined ? own : resolve(own, shared.toString().trim())));
}

async function digestOf(entry: FoundEntry, part: FilePart | undefined): Promise<string | undefined> {
  if (part === 'python-module') return hidesPythonModule(entry.name) ? PRESENT : undefined;
  if (entry.kind === 'special') return SPECIAL;
  if (entry.kind !== 'file') return `${entry.kind === 'outside' ? OUTSIDE : 'leads nowhere: '}${entry.link}`;
  if (part === 'link' && entry.link !== undefined) return `link ${entry.link}`;
  const digest = await contentDigest(entry.name, entry.file, part);
  return digest === undefined || entry.link === undefined ? digest : `link ${entry.link} ${digest}`;
}

async function contentDigest(name: string, file: string, part: FilePart | undefined): Promise<string | undefined> {
  if (name === GIT_CONFIG || (part !== undefined && part !== 'link')) {
    const text = (await readWorkspaceFile(file))?.toString();
    const counts = text === undefined ? undefined : name === GIT_CONFIG ? withoutTracking(text) : partOf(text, part as FilePart);
    return counts === undefined ? undefined : digestText(counts);
  }
  await using handle = await openFile(file);
  if (handle === undefined) return undefined;
  const { mode, size } = await handle.stat();
  // Most files are small, and reading a small file whole is faster than a stream.
  const digest = size <= READ_AT_ONCE_MAX ? hash('sha256', await handle.readFile()) : await streamDigest(handle);
  // Runners such as run-parts skip files that are not executable.
  return `${digest}${(mode & 0o111) !== 0 ? ' executable' : ''}`;
}

async function streamDigest(handle: FileHandle): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false })) digest.update(chunk as Buffer);
  return digest.digest('hex');
}

const BRANCH_SECTION = /^\[branch "[^"\]]*"\]$/;
const TRACKING = /^\s*(?:remote|merge|rebase|pushremote)\s*=\s*[\w./-]+$/i;

/** The settings without the lines about the upstream of a branch. Only lines of exactly that form are removed. */
function withoutTracking(settings: string): string {
  let isInBranch = false;
  const kept = settings.split('\n').filter((line) => {
    if (line.trimStart().startsWith('[')) isInBranch = BRANCH_SECTION.test(line);
    return !(isInBranch && (BRANCH_SECTION.test(line) || TRACKING.test(line)));
  });
  return kept.join('\n').trimEnd();
}
