// Owns the file changes of a run, read from its snapshots: what each step changed, what changed between steps, and the
// total difference. It only reads; `undo.ts` restores files.
//
// - A run includes the runs it started: their steps are listed below the step that started them.
// - Changes made while several steps ran at the same time are attributed to each of them.

import { existsSync } from 'node:fs';
import { EngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { didYouMean } from '../../base/suggest.ts';
import { isWithin, partNamed, partsOf } from '../../definition/address.ts';
import { TreeError } from '../../process/git-tree.ts';
import type { Redactor } from '../../process/redact.ts';
import { diffText, type FileSummary, fileChanges, summaryOf, type TreePair } from '../../process/snapshot-changes.ts';
import type { SnapshotRepository } from '../../process/snapshot-repository.ts';
import { type SnapshotLine, SnapshotLog } from '../../steps/workspace/snapshot-log.ts';
import type { Store } from '../../store/store.ts';
import type { EngineCore } from '../engine.ts';
import { readRunIds } from '../run-tree.ts';

/** A run, its store, and the folder with the snapshots of that store (`snapshotsOf`). */
export interface FileSource {
  readonly store: Store;
  readonly snapshots: string;
  readonly run: string;
}

/** The snapshots of a run of an engine; throws if the engine keeps none. */
export function fileSourceOf({ store, parts }: Pick<EngineCore, 'store' | 'parts'>, run: string): FileSource {
  if (parts.snapshots === undefined)
    throw new EngineError(
      'SNAPSHOT_FAILED',
      'this engine keeps no snapshots, because its database is in memory; pass a file as `db`, such as "runs.db"',
      { details: { run, hasSnapshots: false } },
    );
  return { store, snapshots: parts.snapshots, run };
}

/** A snapshot line with its run. Paths in child runs begin with the step that started the child. */
export type HistoryLine = Exclude<SnapshotLine, { readonly is: 'place' }> & { readonly run: string };

/** The snapshots of a run and of the runs it started, oldest first. */
export interface FileHistory {
  readonly run: string;
  readonly repository: SnapshotRepository;
  readonly lines: readonly HistoryLine[];
}

/** What one attempt of a step changed. */
export interface StepFiles {
  readonly path: string;
  readonly step: string;
  readonly attempt: number;
  /** The outcome or error code; absent while the attempt runs, or after a crash. */
  readonly ended?: string;
  readonly files: readonly FileSummary[];
  /** Steps that ran at the same time; their changes are included here. */
  readonly beside: readonly string[];
  /** Set if the files were restored because the attempt failed. */
  readonly restored?: true;
}

/** What a run, or one of its steps, changed. */
export interface FileReport {
  readonly run: string;
  /** The path of the step, if the report is about one. */
  readonly step?: string;
  readonly before: string;
  readonly after: string;
  readonly files: readonly FileSummary[];
  readonly steps: readonly StepFiles[];
  /** Files that changed while no step was running: by people, other programs, or steps that take no snapshots. */
  readonly between: readonly string[];
  /** Files that the snapshots do not contain, and why. */
  readonly missing: readonly string[];
  /** The difference as text, with secrets masked. */
  readonly diff?: string;
}

/** What to report. */
export interface FileQuery<Place extends string = string> {
  /** A step, or the path of one visit, such as `build#2`. Default: the whole run. */
  readonly step?: Place | undefined;
  /** Includes the difference as text, masked with this redactor or with the engine's secrets. */
  readonly text?: { readonly redactor?: Redactor | undefined };
  /** `false` omits the changes per step and between steps, which take longer to compute. */
  readonly steps?: false | undefined;
}

/** Reads the snapshots of a run; throws if it has none. */
export async function readFileHistory({ store, snapshots, run }: FileSource): Promise<FileHistory> {
  const log = new SnapshotLog(snapshots);
  const prefixes = new Map([[run, '']]);
  const lines: HistoryLine[] = [];
  let repository: SnapshotRepository | undefined;
  for (const id of await readRunIds(store, run)) {
    const { parent } = (await store.load(id)).state;
    if (id !== run && parent !== undefined) prefixes.set(id, `${prefixes.get(parent.run) ?? ''}${parent.path}/`);
    const prefix = prefixes.get(id) ?? '';
    const own = log.repositoryOf(id);
    if (own !== undefined && repository !== undefined && own.place.top !== repository.place.top) continue;
    repository ??= own;
    for (const line of log.read(id)) {
      if (line.is === 'place') continue;
      lines.push('path' in line ? { ...line, run: id, path: `${prefix}${line.path}` } : { ...line, run: id });
    }
  }
  if (repository?.place.repository !== undefined && !existsSync(repository.place.repository.objects))
    throw new EngineError(
      'SNAPSHOT_FAILED',
      `the snapshots of run ${run} are in a repository that no longer exists: ${repository.place.repository.common}`,
    );
  if (repository === undefined || lines.length === 0)
    throw new EngineError(
      'SNAPSHOT_FAILED',
      `run ${run} has no snapshots: none of its steps that may write files ran in a git checkout, or wrote files that its workflow names`,
      { details: { run, hasSnapshots: false } },
    );
  return { run, repository, lines: lines.sort((a, b) => a.at - b.at) };
}

/** Calls a function that reads snapshots, and turns a git failure into an error for users. */
export async function readingSnapshots<T>(run: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    throw new EngineError('SNAPSHOT_FAILED', `the snapshots of run ${run} could not be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Reports what a run, or one of its steps, changed. */
export function readFileChanges(source: FileSource, query: FileQuery = {}): Promise<FileReport> {
  return readingSnapshots(source.run, () => readChanges(source, query));
}

async function readChanges(source: FileSource, { step, text, steps: withSteps }: FileQuery): Promise<FileReport> {
  const history = await readFileHistory(source);
  const { repository, lines } = history;
  const wanted = step === undefined ? undefined : new Set(pathsOfStep(history, step));
  const steps: StepFiles[] = [];
  for (const [position, line] of lines.entries()) {
    if (withSteps === false) break;
    if (line.is !== 'before' || (wanted !== undefined && !wanted.has(line.path))) continue;
    steps.push(await stepFiles(history, position));
  }
  const own = wanted === undefined ? lines : lines.filter((line) => 'path' in line && wanted.has(line.path));
  const pair: TreePair = { before: (own[0] as HistoryLine).snapshot.tree, after: (own.at(-1) as HistoryLine).snapshot.tree };
  const shown = text === undefined ? undefined : await diffText(repository, pair);
  const between = wanted === undefined && withSteps !== false ? await betweenSteps(history) : new Set<string>();
  return {
    run: history.run,
    ...omitUndefined({ step: wanted === undefined ? undefined : [...wanted].at(-1) }),
    ...pair,
    files: await summaryOf(repository, pair),
    steps,
    between: [...between].sort(),
    missing: missingIn(own),
    ...omitUndefined({ diff: shown === undefined ? undefined : (text?.redactor?.text(shown) ?? shown) }),
  };
}

async function stepFiles({ repository, lines }: FileHistory, position: number): Promise<StepFiles> {
  const begin = lines[position] as Extract<HistoryLine, { readonly is: 'before' }>;
  const { path, step, attempt } = begin;
  const isOwn = (line: HistoryLine): boolean => 'path' in line && line.path === path && line.attempt === attempt;
  const at = lines.findIndex((line, index) => index > position && line.is === 'after' && isOwn(line));
  const end = lines[at];
  const files = end === undefined ? [] : await summaryOf(repository, { before: begin.snapshot.tree, after: end.snapshot.tree });
  const meanwhile = lines.slice(position + 1, at === -1 ? undefined : at);
  const beside = meanwhile.flatMap((line) => ('path' in line && line.path !== path ? [line.path] : []));
  const isRestored = lines.some((line, index) => index > at && at !== -1 && line.is === 'restored' && isOwn(line));
  return {
    path,
    step,
    attempt,
    files,
    beside: [...new Set(beside)],
    ...(end?.is === 'after' ? { ended: end.ended } : {}),
    ...(isRestored ? { restored: true } : {}),
  };
}

/** The paths that a step or path covers: all visits of the step, and everything inside them. */
export function pathsOfStep({ run, lines }: FileHistory, step: string): readonly string[] {
  const paths = [...new Set(lines.flatMap((line) => (line.is === 'before' ? [line.path] : [])))];
  const within = paths.filter((path) => isWithin(path, step));
  if (within.length > 0) return within;
  const named = paths.filter((path) => partNamed(path, step) !== undefined);
  const asStep = named.filter((path) => partNamed(path, step)?.is === 'step');
  if (named.length > 0) return asStep.length > 0 ? asStep : named;
  const names = [...new Set(paths.flatMap((path) => partsOf(path).map(({ name }) => name)))];
  throw new EngineError(
    'STEP_UNKNOWN',
    `run ${run} has no snapshot of a step "${step}"${didYouMean(step, names)}; it has some of ${names.map((name) => `"${name}"`).join(', ')}`,
    { details: { run, step } },
  );
}

/** The change of the workspace from one snapshot to the next. */
export interface SnapshotInterval extends TreePair {
  /** Whether the run caused it: a step was running, or files were restored. */
  readonly isOfRun: boolean;
  /** The steps that were running. */
  readonly steps: readonly string[];
}

/** The changes between consecutive snapshots, in order, starting at a position. */
export function intervalsOf(
  lines: readonly HistoryLine[],
  from = 0,
): { readonly intervals: readonly SnapshotInterval[]; readonly isCutOff: boolean } {
  const open = new Map<string, string>();
  const intervals: SnapshotInterval[] = [];
  for (const [position, line] of lines.entries()) {
    const before = lines[position - 1]?.snapshot.tree;
    const isOfRun = open.size > 0 || line.is === 'restored' || line.is === 'undone';
    if (before !== undefined && position > from && before !== line.snapshot.tree)
      intervals.push({ before, after: line.snapshot.tree, isOfRun, steps: [...open.values()] });
    if (line.is === 'before') open.set(line.path, line.step);
    else if (line.is === 'after') open.delete(line.path);
  }
  return { intervals, isCutOff: open.size > 0 };
}

/** The files that changed in these intervals. */
export async function filesIn(repository: SnapshotRepository, intervals: readonly SnapshotInterval[]): Promise<Set<string>> {
  const all = await Promise.all(intervals.map((interval) => fileChanges(repository, interval)));
  return new Set(all.flat().map(({ path }) => path));
}

async function betweenSteps({ repository, lines }: FileHistory): Promise<Set<string>> {
  const { intervals } = intervalsOf(lines);
  return await filesIn(
    repository,
    intervals.filter(({ isOfRun }) => !isOfRun),
  );
}

/** The files that the snapshots do not contain, with the reasons. */
export function missingIn(lines: readonly HistoryLine[]): readonly string[] {
  const unread = new Map(lines.flatMap(({ snapshot }) => snapshot.unread.map(({ path, why }) => [path, why] as const)));
  const nested = new Set(lines.flatMap(({ snapshot }) => snapshot.nested));
  return [...[...unread].map(([path, why]) => `${path}: ${why}`), ...[...nested].map((path) => `${path}: a separate repository`)];
}
