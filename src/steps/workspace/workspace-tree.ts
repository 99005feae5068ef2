// Owns the tree of the workspace: the subject of gates, reviews and approvals, as an id that can be compared.
//
// - In a git repository it contains every file that is not ignored, without the usual caches of test tools and the reports
//   that checks write.
// - If a run has its own worktree, the engine commits the tree to the run's branch before it is checked, so that exactly this
//   tree can be merged. The engine never commits in people's checkouts.
// - A file counts as changed if its content differs, or if it was written meanwhile and restored, which its change time
//   shows. New files do not void a gate, because checks write some. They are part of the tree from then on.
// - Without git, work cannot be distinguished from build products, so only files that the workflow names count: declared
//   outputs and protected paths.
//
// Not detected: ignored files, files that were added and removed again while checks ran, and anything outside the
// workspace.

import { lstat } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { digestText } from '../../base/digest.ts';
import { omitUndefined } from '../../base/fields.ts';
import { invariant } from '../../base/invariant.ts';
import { allChecks, type CheckModel, checksIn } from '../../definition/check.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import { isFileOutput, patternRefusal } from '../../definition/output-pattern.ts';
import { changesOfTrees, commitTree, TreeReader } from '../../process/git-tree.ts';
import { hiddenContent } from '../protection/hidden-content.ts';
import { digestProtected, gitFolder } from '../protection/protected-files.ts';
import { ownEntry } from '../services.ts';
import type { Job } from '../work.ts';
import { matches } from './glob.ts';
import { ifExists } from './workspace-file.ts';

/** The tree of a workspace. */
export interface WorkspaceTree {
  /** The git id of the tree; without git, a digest of the files that the workflow names. */
  readonly id: string;
  /** Its commit, if the engine committed it. */
  readonly head?: string;
}

/** The parts of a job that are needed to read its workspace. */
type TreeRequest = Pick<Job, 'runner' | 'request'>;

/** A file that changed. `rewritten`: it has the same content again. */
export interface FileChange {
  readonly path: string;
  readonly what: 'changed' | 'deleted' | 'added' | 'rewritten';
}

interface FileMarks {
  /** The change time and the identity of each file. */
  readonly marks: ReadonlyMap<string, string>;
  readonly nested: readonly string[];
}

interface GitTree extends FileMarks {
  readonly id: string;
  readonly digests?: undefined;
}

/** Without git: the digests of the named files, and an id if the workflow names any. */
interface NamedFiles extends FileMarks {
  readonly id: string | undefined;
  readonly digests: ReadonlyMap<string, string>;
}

type TreeState = GitTree | NamedFiles;

const AT_ONCE = 64;
/** Caches of test tools and package managers, which are excluded even if git does not ignore them. */
export const CACHES: readonly string[] = [
  'node_modules/',
  '__pycache__/',
  '*.pyc',
  '.pytest_cache/',
  '.mypy_cache/',
  '.ruff_cache/',
  '.hypothesis/',
  '.tox/',
  '.nox/',
  '.coverage',
  '.coverage.*',
  'htmlcov/',
  '.nyc_output/',
  '.eslintcache',
  '*.tsbuildinfo',
  '.gradle/',
  '.turbo/',
];

/** The paths that differ between two trees. Empty without git, or after a cleanup of its objects. */
export async function differingFiles(cwd: string, before: string, after: string): Promise<string[]> {
  const changes = await changesOfTrees(cwd, before, after).catch(() => []);
  return changes.map(({ path, what }) => `${path} (${what})`);
}

/**
 * Reads the current tree of the workspace, and commits it if the run has its own worktree. Undefined without git, if the
 * workflow names no files.
 */
export async function treeNow(job: TreeRequest): Promise<WorkspaceTree | undefined> {
  const watch = await TreeWatch.open(job);
  try {
    return await watch.settled();
  } finally {
    await watch.close();
  }
}

/** Whether a run has a worktree that the engine created for it. */
export async function isOwnWorktree({ request }: TreeRequest): Promise<boolean> {
  if (request.workspace === undefined || request.sideWork !== undefined) return false;
  // Only a worktree has a file `.git`. The main checkout of a repository belongs to people, whatever the engine was told.
  return (await ifExists(lstat(join(request.workspace, '.git'))))?.isFile() === true;
}

/** Compares the tree of a workspace before and after checks. */
export class TreeWatch {
  private readonly job: TreeRequest;
  private readonly git: TreeReader | undefined;
  /** Whether the run has a worktree that the engine created for it. */
  private readonly isOwn: boolean;
  private first: TreeState | undefined;

  private constructor(job: TreeRequest, git: TreeReader | undefined, isOwn: boolean) {
    this.job = job;
    this.git = git;
    this.isOwn = isOwn;
  }

  /** Opens the workspace of an attempt. */
  static async open(job: TreeRequest): Promise<TreeWatch> {
    const { cwd } = job.runner.services;
    const reader = (await gitFolder(cwd)) === undefined ? undefined : await TreeReader.open(cwd, (top) => leftOut(job, top));
    const isOwn = reader !== undefined && (await isOwnWorktree(job));
    return new TreeWatch(job, reader, isOwn);
  }

  /** Removes temporary data. */
  async close(): Promise<void> {
    await this.git?.close();
  }

  /** Reads the tree before the checks, and commits it if the worktree is the run's own. */
  async settled(): Promise<WorkspaceTree | undefined> {
    this.first = await this.read();
    return await this.committed(this.first);
  }

  /** The files that changed since `settled`, except the reports of these checks. */
  async moves(checks: readonly CheckModel[]): Promise<{ readonly moves: readonly FileChange[]; readonly tree?: WorkspaceTree }> {
    const before = this.first;
    invariant(before !== undefined, 'the tree is read before the checks');
    const after = await this.read();
    const changes = await this.changes(before, after);
    const named = new Set(changes.map(({ path }) => path));
    const rewritten = [...before.marks].flatMap(([path, mark]): FileChange[] => {
      return named.has(path) || after.marks.get(path) === mark ? [] : [{ path, what: 'rewritten' }];
    });
    const reports = reportsOf(this.job, allChecks(checks));
    const moves = [...changes.filter(({ what }) => what !== 'added'), ...rewritten].filter(({ path }) => {
      return !reports.some((pattern) => matches(this.fromWorkspace(path), pattern));
    });
    return { moves, ...omitUndefined({ tree: await this.committed(after) }) };
  }

  /** Repositories that were created inside the run's own worktree; their content can never be merged. */
  get hidden(): readonly string[] {
    return this.isOwn ? (this.first?.nested ?? []) : [];
  }

  /** Returns why files on disk differ from what would be merged, after `settled`; `allowed` are changes that a flow's steps may make. */
  async hiddenContent(allowed: readonly string[]): Promise<readonly string[]> {
    const { git, first } = this;
    if (git === undefined || first === undefined || first.digests !== undefined) return [];
    const { head, workflow } = this.job.request;
    const lifted = [...allowed, ...workflow.definition.steps.flatMap(mayChangeOf)];
    const mayChange = (path: string): boolean => lifted.some((pattern) => matches(this.fromWorkspace(path), pattern));
    const base = this.isOwn ? (head?.from ?? git.head) : git.head;
    return await hiddenContent({ top: git.top, base, tree: first.id, paths: [...first.marks.keys()], mayChange });
  }

  private fromWorkspace(path: string): string {
    return this.git === undefined ? path : posix.normalize(relative(this.job.runner.services.cwd, join(this.git.top, path)));
  }

  private async committed({ id }: TreeState): Promise<WorkspaceTree | undefined> {
    if (id === undefined) return undefined;
    if (this.git === undefined || !this.isOwn) return { id };
    const { runId, bound } = this.job.request;
    return { id, head: await commitTree(this.git.top, id, `pawl: run ${runId}, step ${bound.model.id}`) };
  }

  private async changes(before: TreeState, after: TreeState): Promise<FileChange[]> {
    if (this.git !== undefined && before.digests === undefined && after.digests === undefined)
      return await changesOfTrees(this.git.top, before.id, after.id);
    const [was, is] = [before.digests ?? new Map<string, string>(), after.digests ?? new Map<string, string>()];
    const gone = [...was].flatMap(([path, digest]): FileChange[] => {
      return is.get(path) === digest ? [] : [{ path, what: is.has(path) ? 'changed' : 'deleted' }];
    });
    return [...gone, ...[...is.keys()].filter((path) => !was.has(path)).map((path): FileChange => ({ path, what: 'added' }))];
  }

  // Before the checks the times are read before the content, and afterwards after it, so that no change is missed in between.
  private async read(): Promise<TreeState> {
    if (this.git === undefined) return await readNamedFiles(this.job);
    const listing = await this.git.list();
    const { nested } = listing;
    if (this.first === undefined) {
      const marks = await marksOf(this.git.top, listing.paths);
      return { id: await this.git.read(listing), marks, nested };
    }
    // Without a change since the first time, nothing has to be read again.
    if (isSame(this.first.marks, await marksOf(this.git.top, listing.paths))) return this.first;
    const id = await this.git.read(listing);
    return { id, nested, marks: await marksOf(this.git.top, listing.paths) };
  }
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([path, mark]) => other.get(path) === mark);
}

async function marksOf(top: string, paths: Iterable<string>): Promise<Map<string, string>> {
  const all = [...paths];
  const marks = new Map<string, string>();
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const some = all.slice(start, start + AT_ONCE);
    const facts = await Promise.all(some.map((path) => ifExists(lstat(join(top, path), { bigint: true }))));
    for (const [index, path] of some.entries()) {
      const found = facts[index];
      if (found !== undefined) marks.set(path, `${found.dev}:${found.ino}:${found.ctimeNs}`);
    }
  }
  return marks;
}

async function readNamedFiles(job: TreeRequest): Promise<NamedFiles> {
  const { cwd } = job.runner.services;
  const patterns = namedPatterns(job).filter((pattern) => patternRefusal(pattern) === undefined);
  const guards = patterns.map((pattern) => ({ pattern }));
  const reports = reportsOf(job, job.request.workflow.definition.steps.flatMap(checksOf));
  const found = await digestProtected({ cwd, guards, signal: job.request.signal });
  const digests = new Map([...found].filter(([path]) => !reports.some((pattern) => matches(path, pattern))));
  const marks = await marksOf(cwd, digests.keys());
  const lines = [...digests].map(([path, digest]) => `${path}\0${digest}\n`).sort();
  const id = patterns.length === 0 ? undefined : digestText(lines.join(''));
  return { id, digests, marks, nested: [] };
}

function reportsOf({ runner }: TreeRequest, checks: readonly CheckModel[]): string[] {
  return checks.flatMap((check) => ownEntry(runner.checks, check.check)?.reports?.(check) ?? []).map((path) => posix.normalize(path));
}

/** The patterns of excluded files: caches, reports of the workflow's gates, and the engine's own files. */
export function leftOut(job: TreeRequest, top: string): string[] {
  const { cwd, pidDir } = job.runner.services;
  const checks = job.request.workflow.definition.steps.flatMap(checksOf);
  const below = relative(top, cwd);
  const reports = reportsOf(job, checks).map((pattern) => `/${posix.join(below, pattern)}`);
  const own = pidDir === undefined ? '' : relative(top, pidDir.replace(/\.pids$/, ''));
  if (own === '' || own.startsWith('..')) return [...CACHES, ...reports];
  const stored = ['worktrees/', 'forge.db*', 'run-*.log'].map((name) => `/${posix.join(dirname(own), name)}`);
  return [...CACHES, ...reports, `/${own}*`, ...stored];
}

function mayChangeOf(step: StepModel): string[] {
  return [...(step.mayChange ?? []), ...membersOf(step).flatMap(mayChangeOf)];
}

function checksOf(step: StepModel): CheckModel[] {
  return [...allChecks(checksIn(step)), ...membersOf(step).flatMap(checksOf)];
}

function namedPatterns({ runner, request }: TreeRequest): string[] {
  const { definition } = request.workflow;
  return [...(runner.services.protected ?? []), ...(definition.protected ?? []), ...definition.steps.flatMap(patternsOf)];
}

function patternsOf(step: StepModel): string[] {
  const { outputs = [], protected: named = [] } = step;
  return [...outputs.filter(isFileOutput).map(({ pattern }) => pattern), ...named, ...membersOf(step).flatMap(patternsOf)];
}
