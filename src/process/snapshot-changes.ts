// Compares two snapshots (files with their states, line counts, text), and restores files of a workspace to one of
// them.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { omitUndefined } from '../base/fields.ts';
import type { GitAnswer } from './git.ts';
import { type FileChange, type FileState, LIST_CHANGES, outputOf, parseChanges } from './git-tree.ts';
import {
  conflictsOf,
  type FileTarget,
  type RestoreContext,
  type RestoreResult,
  releaseFiles,
  restoreFiles,
  type UnrestoredFile,
} from './restore-files.ts';
import { RESTORE_MARK, type SnapshotRepository } from './snapshot-repository.ts';

/** A file that differs, as it is shown: renames are found, and lines are counted. */
export interface FileSummary {
  readonly path: string;
  readonly what: 'added' | 'changed' | 'deleted' | 'renamed';
  /** The earlier path of a renamed file. */
  readonly from?: string;
  /** The number of lines; absent for a binary file. */
  readonly lines?: { readonly added: number; readonly deleted: number };
}

const DIFF_BYTES_MAX = 16 << 20;

/** Two trees. */
export interface TreePair {
  readonly before: string;
  readonly after: string;
}

/** Returns the files that differ, each under its own path. */
export async function fileChanges(repository: SnapshotRepository, { before, after }: TreePair): Promise<readonly FileChange[]> {
  if (before === after) return [];
  return parseChanges(outputOf(await repository.git([...LIST_CHANGES, before, after])));
}

const CACHED_MAX = 40;
const CACHED_CHARS = 200_000;
const summaries = new Map<string, readonly FileSummary[]>();
const texts = new Map<string, string>();

/** Trees are identified by their content, so the difference between two of them can be cached. */
async function cached<T extends string | readonly unknown[]>(
  known: Map<string, T>,
  { repository, pair }: { readonly repository: SnapshotRepository; readonly pair: TreePair },
  read: () => Promise<T>,
): Promise<T> {
  const key = `${repository.place.top}\0${pair.before}\0${pair.after}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = await read();
  if (value.length > CACHED_CHARS) return value;
  const [oldest] = known.keys();
  if (known.size >= CACHED_MAX && oldest !== undefined) known.delete(oldest);
  known.set(key, value);
  return value;
}

/** Returns the files that differ, with renames and counted lines. */
export function summaryOf(repository: SnapshotRepository, pair: TreePair): Promise<readonly FileSummary[]> {
  return cached(summaries, { repository, pair }, () => readSummary(repository, pair));
}

async function readSummary(repository: SnapshotRepository, { before, after }: TreePair): Promise<readonly FileSummary[]> {
  if (before === after) return [];
  const list = (format: string): Promise<GitAnswer> =>
    repository.git(['diff-tree', '-r', '-z', '--find-renames', '--no-ext-diff', '--no-textconv', format, before, after]);
  const [named, counted] = await Promise.all([list('--name-status'), list('--numstat')]);
  const lines = countedLines(outputOf(counted).split('\0'));
  const parts = outputOf(named).split('\0');
  const files: FileSummary[] = [];
  for (let at = 0; at + 1 < parts.length; ) {
    const letter = (parts[at] as string).charAt(0);
    const isRename = letter === 'R';
    const path = parts[at + (isRename ? 2 : 1)] as string;
    const what = letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : isRename ? 'renamed' : 'changed';
    files.push({ path, what, ...omitUndefined({ from: isRename ? parts[at + 1] : undefined, lines: lines.get(path) }) });
    at += isRename ? 3 : 2;
  }
  return files;
}

/** Lines by path. A renamed file has an empty path first, then the old and the new one; binary files have dashes. */
function countedLines(parts: readonly string[]): Map<string, { readonly added: number; readonly deleted: number }> {
  const found = new Map<string, { readonly added: number; readonly deleted: number }>();
  for (let at = 0; at + 1 <= parts.length && parts[at] !== ''; at += 1) {
    const [added = '', deleted = '', name = ''] = (parts[at] as string).split('\t');
    const path = name === '' ? (parts[at + 2] as string) : name;
    if (name === '') at += 2;
    if (added !== '-') found.set(path, { added: Number(added), deleted: Number(deleted) });
  }
  return found;
}

/** Returns the difference as text. No code of the repository runs; binary files are only named. */
export async function diffText(repository: SnapshotRepository, pair: TreePair): Promise<string> {
  return cached(texts, { repository, pair }, () => readText(repository, pair));
}

async function readText(repository: SnapshotRepository, { before, after }: TreePair): Promise<string> {
  if (before === after) return '';
  const args = ['diff-tree', '-p', '-r', '--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', before, after];
  return outputOf(await repository.git(args, { outputMax: DIFF_BYTES_MAX }));
}

/** Returns the files that a restore would keep. */
export async function conflicts(repository: SnapshotRepository, targets: readonly FileTarget[]): Promise<readonly UnrestoredFile[]> {
  return await conflictsOf(targets, contextOf(repository));
}

/** Renames back the files that an interrupted restore has set aside. */
export async function recoverFiles(repository: SnapshotRepository, files: ReadonlyMap<string, FileState | undefined>): Promise<void> {
  await releaseFiles(files, contextOf(repository));
}

/** Restores files; see `restore-files.ts` for those that are kept. */
export async function putBack(repository: SnapshotRepository, targets: readonly FileTarget[]): Promise<RestoreResult> {
  const folder = await repository.temporary('stage');
  try {
    const states = [...new Map(targets.flatMap(({ to }) => (to === undefined ? [] : [[`${to.mode} ${to.id}`, to] as const]))).values()];
    const names = new Map(states.map(({ mode, id }, position) => [`${mode} ${id}`, `f${position}`]));
    const lines = states.filter(({ mode }) => mode !== '160000').map(({ mode, id }) => `${mode} ${id}\t${names.get(`${mode} ${id}`)}\0`);
    const index = join(folder, 'index');
    if (lines.length > 0) {
      outputOf(await repository.git(['update-index', '-z', '--index-info'], { index, stdin: lines.join('') }));
      outputOf(await repository.git(['checkout-index', '--all', '--force', `--prefix=${join(folder, 'files')}/`], { index }));
    }
    const staged = (to: FileState): string => join(folder, 'files', names.get(`${to.mode} ${to.id}`) as string);
    return await restoreFiles(targets, contextOf(repository, staged));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function contextOf({ place }: SnapshotRepository, staged: RestoreContext['staged'] = () => ''): RestoreContext {
  return { top: place.top, format: place.format, mark: RESTORE_MARK, staged };
}
