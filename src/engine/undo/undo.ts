// Restores the workspace of a run to its state before one of its steps.
//
// - Only the run's own changes are undone. If a file also changed while no step was running, or since, the undo is
//   rejected, or the file is left alone if the caller says so.
// - The state before the undo is kept as a snapshot of the run, so that nothing is lost.
// - Repeating an interrupted undo finishes it: a file that is already restored is left alone.
// - The run itself does not change, and effects outside the workspace are not undone: the plan lists them.

import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { EngineError } from '../../base/error.ts';
import { createRunId } from '../../base/id.ts';
import { isWithin, modelNamed, parsePath, partNamed, pathToGroup } from '../../definition/address.ts';
import { type KindFacts, type KindTraits, traitsOf } from '../../definition/kind.ts';
import type { StepModel } from '../../definition/model.ts';
import { isFinal } from '../../definition/run-status.ts';
import { waitOf } from '../../kernel/activation.ts';
import type { InputOf } from '../../kernel/input.ts';
import type { FileChange } from '../../process/git-tree.ts';
import { isDriven } from '../../process/owner.ts';
import { restoreFolders, type UnrestoredFile } from '../../process/restore-files.ts';
import { conflicts, fileChanges, putBack, recoverFiles } from '../../process/snapshot-changes.ts';
import type { Snapshot } from '../../process/snapshot-scan.ts';
import { matches } from '../../steps/workspace/glob.ts';
import { SnapshotLog } from '../../steps/workspace/snapshot-log.ts';
import { declaredFiles } from '../../steps/workspace/snapshots.ts';
import type { Store } from '../../store/store.ts';
import type { EngineCore } from '../engine.ts';
import { requireActor } from '../request/actor.ts';
import { send } from '../request/delivery.ts';
import { readRunIds } from '../run-tree.ts';
import {
  type FileHistory,
  type FileSource,
  fileSourceOf,
  filesIn,
  type HistoryLine,
  intervalsOf,
  missingIn,
  pathsOfStep,
  readFileHistory,
  readingSnapshots,
  type SnapshotInterval,
} from './file-history.ts';

/** A request to undo steps. */
export interface UndoRequest<Place extends string = string> {
  /** The step, or the path of one visit. Of several visits, the last one counts. */
  readonly to: Place;
  /** Who requests it. */
  readonly actor?: string | undefined;
  /** Leaves files alone that someone else changed. By default such a file makes the undo fail. */
  readonly keepChanged?: boolean | undefined;
}

/** An effect outside the workspace that an undo does not reverse. */
export interface OutsideEffect {
  readonly path: string;
  readonly step: string;
  readonly kind: string;
  readonly what: string;
}

/** What an undo would do, or has done. */
export interface UndoPlan {
  readonly run: string;
  /** The path of the step: its state before that step is restored. */
  readonly to: string;
  /** When the snapshot before that step was taken. */
  readonly at: number;
  readonly files: readonly { readonly path: string; readonly what: 'restore' | 'delete' | 'change' }[];
  /** Files of the run that someone else changed: they are left alone. */
  readonly changed: readonly UnrestoredFile[];
  /** Files that changed during steps that declare what they write, but not these: another program may have written them. */
  readonly undeclared: readonly string[];
  /** True if a step was interrupted, so that all changes since count as its work. */
  readonly isCutOff: boolean;
  readonly missing: readonly string[];
  readonly effects: readonly OutsideEffect[];
}

/** What an undo did. */
export interface UndoResult extends UndoPlan {
  /** The tree before the undo, which the run keeps. */
  readonly from: string;
}

interface OpenUndo {
  readonly history: FileHistory;
  readonly target: Extract<HistoryLine, { readonly is: 'before' }>;
  readonly now: Snapshot;
  readonly changes: readonly FileChange[];
  readonly plan: UndoPlan;
}

/** Where the files of a run are recorded, and the facts about the kinds of its steps. */
export interface UndoSource extends FileSource {
  readonly facts: Pick<KindFacts, 'kinds'>;
}

/** Where the files of an engine's run are recorded; throws if the engine keeps no snapshots. */
export function undoSourceOf(core: Pick<EngineCore, 'store' | 'parts'>, run: string): UndoSource {
  return { ...fileSourceOf(core, run), facts: core.parts.facts };
}

/** Restores the workspace and records that in the run's history, also for an ended run. */
export async function undoRun(core: EngineCore, run: string, request: UndoRequest): Promise<UndoResult> {
  const dedupe = `undone/${createRunId()}`;
  // Withdraws nothing, since nothing was posted: a store that rejects writes fails here, before a file changes.
  await core.withdraw(run, dedupe);
  const done = await undoFiles(undoSourceOf(core, run), request);
  const action = { do: 'undone', to: done.to, files: done.files.length - done.changed.length, tree: done.from } as const;
  const actor = requireActor(request, `undo steps of run ${run}`);
  const input: InputOf<'control'> = { type: 'control', at: core.clock.now(), actor, action };
  const mail = { run, dedupe, input, values: [] };
  const { state } = await core.store.load(run);
  // A run that has not ended consumes it when it is next driven: recording it must not start anything.
  if (isFinal(state.status)) await send(core, mail, { stays: true });
  else await core.post(mail);
  return done;
}

/** Returns what an undo would do. Nothing in the workspace changes. */
export async function planUndo(source: UndoSource, request: UndoRequest): Promise<UndoPlan> {
  return (await openUndo(source, request)).plan;
}

/** Restores the workspace to its state before a step. */
async function undoFiles(source: UndoSource, request: UndoRequest): Promise<UndoResult> {
  const actor = requireActor(request, `undo steps of run ${source.run}`);
  await assertIdle(source.store, source.run);
  const { history, target, now, changes, plan } = await openUndo(source, request);
  if (plan.changed.length > 0 && request.keepChanged !== true) throw changedFilesError(plan);
  const { repository } = history;
  await repository.keep(source.run, now.tree, `before undo to ${plan.to}`);
  const kept = new Set(plan.changed.map(({ path }) => path));
  const targets = changes.filter(({ path }) => !kept.has(path)).map(({ path, before: from, after: to }) => ({ path, from, to }));
  const done = await putBack(repository, targets);
  const remove = now.folders.filter((path) => !target.snapshot.folders.includes(path));
  await restoreFolders(repository.place.top, { make: target.snapshot.folders, remove });
  const snapshot = await repository.take();
  await repository.keep(source.run, snapshot.tree, `after undo to ${plan.to}`);
  const all = [...plan.changed, ...done.kept];
  const at = Math.max(Date.now(), (history.lines.at(-1)?.at ?? 0) + 1);
  const line = { is: 'undone', at, to: plan.to, actor, snapshot, from: now.tree, files: done.done.length, kept: all } as const;
  new SnapshotLog(source.snapshots).add(source.run, line);
  return { ...plan, changed: all, from: now.tree };
}

function openUndo(source: UndoSource, request: UndoRequest): Promise<OpenUndo> {
  return readingSnapshots(source.run, () => planOnSnapshots(source, request));
}

async function planOnSnapshots(source: UndoSource, { to }: UndoRequest): Promise<OpenUndo> {
  const history = await readFileHistory(source);
  const { repository, lines, run } = history;
  if (!existsSync(repository.place.top))
    throw new EngineError(
      'SNAPSHOT_FAILED',
      `the workspace of run ${run} no longer exists (${repository.place.top}), so there is nothing to restore`,
    );
  const position = targetOf(history, to);
  const target = lines[position] as OpenUndo['target'];
  const { intervals, isCutOff } = intervalsOf(lines, position);
  const ofRun = await filesIn(
    repository,
    intervals.filter((interval) => interval.isOfRun),
  );
  const last = (lines.at(-1) as HistoryLine).snapshot.tree;
  const undone = await fileChanges(repository, { before: last, after: target.snapshot.tree });
  const states = new Map(undone.map(({ path, before }) => [path, before]));
  await recoverFiles(repository, new Map([...ofRun].map((path) => [path, states.get(path)])));
  const now = await repository.take();
  const since = { before: last, after: now.tree, isOfRun: isCutOff, steps: [] };
  if (isCutOff) for (const path of await filesIn(repository, [since])) ofRun.add(path);
  const ofOthers = await filesIn(
    repository,
    [...intervals, since].filter((interval) => !interval.isOfRun),
  );
  const unread = new Set([...target.snapshot.unread, ...now.unread].map(({ path }) => path));
  const all = await fileChanges(repository, { before: now.tree, after: target.snapshot.tree });
  const changes = all.filter(({ path }) => ofRun.has(path) && !unread.has(path));
  const theirs = changes.filter(({ path }) => ofOthers.has(path)).map(({ path }) => ({ path, why: OTHERS }));
  const targets = changes.filter(({ path }) => !ofOthers.has(path)).map(({ path, before, after }) => ({ path, from: before, to: after }));
  const changed = [...theirs, ...(await conflicts(repository, targets))];
  const effects = await effectsSince(source, target.at);
  const files = changes.map(
    ({ path, before, after }) => ({ path, what: before === undefined ? 'restore' : after === undefined ? 'delete' : 'change' }) as const,
  );
  const missing = missingIn(lines.slice(position));
  const declared = await declaredIn(source, intervals, repository);
  const undeclared = changes.map(({ path }) => path).filter((path) => declared.get(path) === false);
  const plan = { run, to: target.path, at: target.at, files, changed, undeclared, isCutOff, missing, effects };
  return { history, target, now, changes, plan };
}

/** For each file, whether a step that ran when it changed declares it. A step that declares nothing may write anything. */
async function declaredIn(
  { store, run }: UndoSource,
  intervals: readonly SnapshotInterval[],
  repository: FileHistory['repository'],
): Promise<ReadonlyMap<string, boolean>> {
  const { definition } = await store.load(run);
  const { top, below } = repository.place;
  const declared = new Map<string, boolean>();
  for (const interval of intervals.filter(({ isOfRun, steps }) => isOfRun && steps.length > 0)) {
    const patterns = interval.steps.map((step) => {
      const model = modelNamed(definition, step);
      return model === undefined ? [] : declaredFiles(model);
    });
    const isOpen = patterns.some((some) => some.length === 0);
    for (const path of await filesIn(repository, [interval])) {
      const own = relative(join(top, below), join(top, path)).split(sep).join('/');
      const isDeclared = isOpen || patterns.flat().some((pattern) => matches(own, pattern));
      declared.set(path, isDeclared && declared.get(path) !== false);
    }
  }
  return declared;
}

const OTHERS = 'it was changed while no step of the run was running, or since';

/** The snapshot before the last visit of a step; for a member, before the first member of its group. */
function targetOf(history: FileHistory, to: string): number {
  const { lines } = history;
  const paths = pathsOfStep(history, to);
  const last = lines.findLast(
    (line): line is OpenUndo['target'] => line.is === 'before' && paths.includes(line.path),
  ) as OpenUndo['target'];
  // Of the path, the part that was asked for: a step that started runs or has members begins with the first of them.
  const own = parsePath(to) === undefined ? (partNamed(last.path, to)?.path ?? last.path) : to;
  const begin = last.group !== undefined && own === last.path ? pathToGroup(own, last.group) : own;
  return lines.findIndex((line) => line.is === 'before' && isWithin(line.path, begin));
}

/** Throws if any step of the run may be writing to the workspace. */
async function assertIdle(store: Store, run: string): Promise<void> {
  for (const id of await readRunIds(store, run)) {
    const { state, owner } = await store.load(id);
    if (isDriven(owner))
      throw new EngineError('RUN_LOCKED', `run ${id} is running; pause it ("pawl pause ${id}") or cancel it, then undo`, {
        details: { run: id },
      });
    const handed = Object.values(state.live).find((activation) => waitOf(activation)?.kind === 'report');
    if (handed !== undefined)
      throw new EngineError(
        'UNDO_REFUSED',
        `step "${handed.step}" of run ${id} is open for an agent, which may be writing files; report it first ("pawl done" or "pawl fail"), or cancel the run`,
        { details: { run: id, step: handed.step } },
      );
  }
}

function changedFilesError({ run, to, changed }: UndoPlan): EngineError {
  const named = changed.slice(0, 10).map(({ path, why }) => `${path} (${why})`);
  const more = changed.length > 10 ? ` and ${changed.length - 10} more` : '';
  return new EngineError(
    'UNDO_REFUSED',
    `nothing was undone: ${changed.length === 1 ? 'a file' : `${changed.length} files`} of run ${run} would lose changes that someone else made: ${named.join(', ')}${more}; ` +
      `see "pawl undo ${run} --to ${to} --dry-run", or restore the rest with --keep-changed`,
    { details: { run, to, changed: changed.map(({ path }) => path) } },
  );
}

/** The effects outside the workspace that steps since then may have had. */
async function effectsSince({ store, run, facts }: UndoSource, since: number): Promise<readonly OutsideEffect[]> {
  const effects: OutsideEffect[] = [];
  for (const id of await readRunIds(store, run)) {
    const [{ definition }, rows] = await Promise.all([store.load(id), store.attempts(id)]);
    for (const { path, step, kind, endedAt, outcome } of rows) {
      const model = modelNamed(definition, step);
      const what = endedAt < since || outcome === undefined || outcome === 'skip' ? undefined : effectOf(traitsOf(facts, kind), model);
      if (what !== undefined) effects.push({ path, step, kind, what });
    }
  }
  return effects;
}

function effectOf({ effectText }: KindTraits, model: StepModel | undefined): string | undefined {
  const made = (model?.outputs ?? []).flatMap(({ type }) => (type === 'pr' ? ['a pull request'] : type === 'comment' ? ['a comment'] : []));
  return made.length > 0 ? `${made.join(' and ')} at the forge` : model && effectText?.(model);
}
