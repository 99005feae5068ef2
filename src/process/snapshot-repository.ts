// Owns snapshots of a workspace as trees of git, byte for byte. They use a git directory of our own with our own index,
// settings and attributes, so the checkout's index, branch, stash, hooks, filters and the user's settings are neither used
// nor changed. Only objects are added to the repository, and one ref per run that protects them from `git gc`.
//
// - The index of the last snapshot is kept with the times of the files, so only files that changed since are read.
// - A workspace without a repository has its objects in our own directory, and only declared files are in them.
// - Not in a snapshot: files that git ignores unless included, the content of nested repositories and submodules, files that
//   cannot be read, and names that are not UTF-8. Snapshots list them (`unread`, `nested`).

import { existsSync } from 'node:fs';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { digestText } from '../base/digest.ts';
import { omitUndefined } from '../base/fields.ts';
import { type GitAnswer, type GitCall, git } from './git.ts';
import { checkoutAround, outputOf, STRICT_SETTINGS, TreeError } from './git-tree.ts';
import { type ScanContext, type Snapshot, type SnapshotLocation, SnapshotScan } from './snapshot-scan.ts';

/** A workspace to take snapshots of. */
export interface SnapshotSource {
  readonly folder: string;
  /** Patterns in .gitignore syntax that are left out unless tracked. */
  readonly leftOut: (top: string) => readonly string[];
  /** Patterns of files that are included even if git ignores them. */
  readonly include: readonly string[];
  /** Without a repository: the patterns of all files to include. */
  readonly declared: readonly string[];
}

/** The prefix of the names of files that a restore has set aside; see `restore-files.ts`. */
export const RESTORE_MARK = '.pawl-restore-';

const TRIES = 3;
/** With these git reads a file that exists although a sparse checkout leaves it out. */
const SPARSE = ['core.sparseCheckout=true', 'sparse.expectFilesOutsideOfPatterns=false'];
const SETTINGS = [...STRICT_SETTINGS, ...SPARSE, 'core.looseCompression=1', 'core.preloadIndex=true'].flatMap((setting) => ['-c', setting]);
const NO_FILTERS = '* -text -filter -ident -working-tree-encoding\n';

/** Finds where the snapshots of a workspace are taken; undefined if they would be empty. */
export async function findSnapshotLocation({ folder, leftOut, include, declared }: SnapshotSource): Promise<SnapshotLocation | undefined> {
  const checkout = await checkoutAround(folder);
  const real = await realpath(folder);
  if (checkout === undefined) {
    return declared.length === 0 ? undefined : { top: real, below: '', format: 'sha1', leftOut: [], include: withoutBraces(declared) };
  }
  const { top, common, objects, format } = checkout;
  const below = relative(top, real).split(sep).join('/');
  return {
    top,
    below,
    repository: { common, objects },
    format,
    leftOut: [...leftOut(top), `${RESTORE_MARK}*`],
    include: withoutBraces(include),
  };
}

/** Expands `{a,b}` in patterns: git does not support braces. */
function withoutBraces(patterns: readonly string[]): readonly string[] {
  return patterns.flatMap((pattern): readonly string[] => {
    const [whole, inside = ''] = /\{([^{}]*)\}/.exec(pattern) ?? [];
    return whole === undefined ? [pattern] : withoutBraces(inside.split(',').map((part) => pattern.replace(whole, () => part)));
  });
}

const turns = new Map<string, Promise<unknown>>();

/** Takes, compares and keeps the snapshots of one workspace. */
export class SnapshotRepository {
  readonly place: SnapshotLocation;
  private readonly home: string;
  /** The snapshot that has not begun yet. */
  private pending: Promise<Snapshot> | undefined;
  private keeping: Promise<unknown> = Promise.resolve();
  private readonly kept = new Map<string, { readonly last: string; readonly trees: Set<string> }>();

  /** `home` is the folder that holds our own git directories, one per workspace. */
  constructor(place: SnapshotLocation, home: string) {
    this.place = place;
    this.home = join(home, `tree-${digestText(place.top).slice(0, 16)}`);
  }

  /** Takes a snapshot. Snapshots of a workspace are taken one after another; callers share one that has not begun yet. */
  take(): Promise<Snapshot> {
    const { top } = this.place;
    if (this.pending !== undefined) return this.pending;
    const turn = (turns.get(top) ?? Promise.resolve()).then(() => {
      this.pending = undefined;
      return this.retryTake();
    });
    this.pending = turn;
    turns.set(
      top,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /** Calls git on our own git directory, with its own index unless another is given. */
  async git(args: readonly string[], { index, ...call }: GitCall & { readonly index?: string } = {}): Promise<GitAnswer> {
    await this.prepare();
    const { top, repository } = this.place;
    const env = {
      GIT_DIR: join(this.home, 'git'),
      GIT_WORK_TREE: top,
      GIT_INDEX_FILE: index ?? join(this.home, 'index'),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      ...omitUndefined({ GIT_OBJECT_DIRECTORY: repository?.objects }),
      ...call.env,
    };
    // The workspace may have been removed; our own folder exists.
    const cwd = existsSync(top) ? top : this.home;
    return git(cwd, [...SETTINGS, ...args], { ...call, env });
  }

  /** Protects a tree from `git gc` for as long as its run is kept. Calls run one after another: each commit has the last as parent. */
  keep(run: string, tree: string, title: string): Promise<void> {
    const turn = this.keeping.then(() => this.keepNext(run, tree, title));
    this.keeping = turn.catch(() => undefined);
    return turn;
  }

  private async keepNext(run: string, tree: string, title: string): Promise<void> {
    const known = this.kept.get(run);
    if (known?.trees.has(tree) === true) return;
    const ref = refOf(run);
    const found = known === undefined ? await this.refs(['rev-parse', '--verify', '--quiet', ref]) : undefined;
    const last = known?.last ?? (found?.ok === true ? found.stdout.trim() : undefined);
    const parent = last === undefined ? [] : ['-p', last];
    const commit = outputOf(await this.git(['commit-tree', tree, ...parent, '-m', title])).trim();
    outputOf(await this.refs(['update-ref', ref, commit]));
    this.kept.set(run, { last: commit, trees: new Set([...(known?.trees ?? []), tree]) });
  }

  /** Removes the protection of the trees of a run. */
  async forget(run: string): Promise<void> {
    await this.refs(['update-ref', '-d', refOf(run)]);
    if (this.place.repository === undefined) await this.git(['gc', '--quiet', '--prune=now']);
  }

  /** The temporary folder of one operation, on the disk of the state folder. */
  async temporary(name: string): Promise<string> {
    await this.prepare();
    const folder = join(this.home, `${name}-${process.pid}-${Math.random().toString(36).slice(2, 10)}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  private refs(args: readonly string[]): Promise<GitAnswer> {
    const { repository } = this.place;
    return repository === undefined ? this.git(args) : git(this.home, [`--git-dir=${repository.common}`, ...args]);
  }

  private async prepare(): Promise<void> {
    const own = join(this.home, 'git');
    if (existsSync(join(own, 'HEAD'))) return;
    for (const folder of ['objects', 'refs', 'info']) await mkdir(join(own, folder), { recursive: true, mode: 0o700 });
    const isPlain = this.place.format === 'sha1';
    const extension = isPlain ? '' : `[extensions]\n\tobjectFormat = ${this.place.format}\n`;
    await writeFile(join(own, 'config'), `[core]\n\trepositoryformatversion = ${isPlain ? 0 : 1}\n\tbare = false\n${extension}`);
    await writeFile(join(own, 'info', 'attributes'), NO_FILTERS);
    await writeFile(join(own, 'HEAD'), 'ref: refs/heads/none\n');
  }

  /** Git fails if a file changes while it is read; then the scan is repeated. */
  private async retryTake(): Promise<Snapshot> {
    for (let tries = 1; ; tries += 1) {
      const folder = await this.temporary('scan');
      try {
        const index = join(folder, 'index');
        const call: ScanContext['call'] = (args, stdin) => this.git(args, { index, ...omitUndefined({ stdin }) });
        return await new SnapshotScan({ place: this.place, home: this.home, index, call }).take();
      } catch (error) {
        if (tries === TRIES || !(error instanceof TreeError)) throw error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
  }
}

/** The ref that keeps the snapshots of a run. A dot at the end, or two, are not allowed in a ref. */
function refOf(run: string): string {
  return `refs/pawl/snapshots/${run.includes('..') || /\.(?:lock)?$/.test(run) ? `x-${digestText(run).slice(0, 32)}` : run}`;
}
