// Takes snapshots before and after the work of a step, and restores its files when it fails (`onFail: 'restore'`).
//
// - Before the work of a step that may write to the workspace begins, a snapshot is on disk.
// - With `onFail: 'restore'`, the next attempt or step begins without changes of a failed attempt: files are restored when
//   the attempt ends or, after a crash, when the next step of the run begins.
// - Changes by others after the attempt stay. Changes during the attempt cannot be distinguished from its work: they are
//   undone too, and are in the snapshot of its end.
// - A group member that shares a workspace restores only the files that it declares.
//
// Functions without declared outputs, gates, questions and steps that may not change files need no snapshots.

import { join, posix, relative } from 'node:path';
import { messageOf } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { type Definition, type StepModel, stepsWithin } from '../../definition/model.ts';
import { isFileOutput } from '../../definition/output-pattern.ts';
import { writtenBy } from '../../definition/overlap.ts';
import { restoreFolders, type UnrestoredFile } from '../../process/restore-files.ts';
import { fileChanges, putBack } from '../../process/snapshot-changes.ts';
import type { SnapshotRepository, SnapshotSource } from '../../process/snapshot-repository.ts';
import type { Snapshot } from '../../process/snapshot-scan.ts';
import type { AttemptResult } from '../attempt.ts';
import type { Attempt } from '../layers.ts';
import { type Job, stepError } from '../work.ts';
import { isForCaller } from '../worker/handover.ts';
import { matches } from './glob.ts';
import { mayConflictWithOthers } from './isolation.ts';
import { DROPPED, type SnapshotKeeper } from './snapshot-keeper.ts';
import { type BeginLine, openAttempts, type SnapshotLine, unrestored } from './snapshot-log.ts';
import { leftOut } from './workspace-tree.ts';

const FAILURES: ReadonlySet<string> = new Set(['fail', 'error', 'timeout', 'conflict']);

/** The files that a workflow includes although git ignores them and, for workspaces without git, the files of its steps. */
function snapshotPatterns({ snapshot, steps }: Definition): Pick<SnapshotSource, 'include' | 'declared'> {
  const include = snapshot?.include ?? [];
  const declared = steps.flatMap(stepsWithin).flatMap(declaredFiles);
  return { include, declared: [...new Set([...include, ...declared])] };
}

/** The patterns of the files that a step declares to write. */
export function declaredFiles(step: StepModel): readonly string[] {
  const { outputs = [] } = step;
  return [...new Set([...writtenBy(step), ...outputs.filter(isFileOutput).map(({ pattern }) => pattern)])];
}

/** Runs an attempt between two snapshots. */
export async function withSnapshots(job: Job, attempt: Attempt): Promise<AttemptResult> {
  const frame = await AttemptSnapshots.open(job);
  if (frame === undefined) return await attempt(job);
  const problem = await frame.begin();
  return problem ?? (await frame.run(() => attempt(job)));
}

/** Verifies handed-out work; the snapshot before it was taken when it was handed out. */
export async function verifyWithSnapshot(job: Job, verify: Attempt): Promise<AttemptResult> {
  const frame = await AttemptSnapshots.open(job);
  return frame === undefined ? await verify(job) : await frame.run(() => verify(job));
}

/** Finishes interrupted restores of failed attempts, before another step of the run begins. */
export async function finishRestores(job: Job, attempt: Attempt): Promise<AttemptResult> {
  const frame = await AttemptSnapshots.open(job);
  await frame?.finishEarlier();
  return await attempt(job);
}

/** The snapshots around one attempt. */
class AttemptSnapshots {
  private readonly job: Job;
  private readonly keeper: SnapshotKeeper;
  private readonly repository: SnapshotRepository;

  private constructor(job: Job, keeper: SnapshotKeeper, repository: SnapshotRepository) {
    this.job = job;
    this.keeper = keeper;
    this.repository = repository;
  }

  static async open(job: Job): Promise<AttemptSnapshots | undefined> {
    const { snapshots, warn } = job.runner.services;
    if (snapshots === undefined) return undefined;
    try {
      const { cwd } = job.runner.services;
      const { definition } = job.request.workflow;
      const named = snapshotPatterns(definition);
      const source = { folder: cwd, leftOut: (top: string) => leftOut(job, top), ...named };
      const repository = await snapshots.repositoryFor(source, JSON.stringify([cwd, definition.name, named]));
      return repository === undefined ? undefined : new AttemptSnapshots(job, snapshots, repository);
    } catch (error) {
      warn?.(error);
      return undefined;
    }
  }

  /** Takes the snapshot before the work. Returns an error if that failed and the step requires it. */
  async begin(): Promise<AttemptResult | undefined> {
    try {
      await this.finishEarlier();
      // A worker that received an answer continues its work.
      if (this.isContinued()) return undefined;
      const snapshot = await this.take('before');
      const { model } = this.job.request.bound;
      const { member } = this.job.request.activation;
      this.add({
        ...{ is: 'before', at: this.now, ...this.attempt, snapshot, kind: model.kind },
        ...(member === undefined ? {} : { group: member.group }),
        ...(model.side === true ? { side: true } : {}),
        ...(this.restores ? { restores: true } : {}),
      });
      return undefined;
    } catch (error) {
      return this.failed(error);
    }
  }

  /** Runs the work. If it throws, the error is thrown again after the files are restored. */
  async run(attempt: () => Promise<AttemptResult>): Promise<AttemptResult> {
    let result: AttemptResult;
    try {
      result = await attempt();
    } catch (thrown) {
      await this.end({ type: 'errored', error: stepError('STEP_FAILED', messageOf(thrown)), checks: [] });
      throw thrown;
    }
    return await this.end(result);
  }

  /** Takes the snapshot after the work, and restores the files if it failed. */
  private async end(result: AttemptResult): Promise<AttemptResult> {
    if (result.type !== 'settled' && result.type !== 'errored') return result;
    const { signal } = this.job.request;
    // When the engine is closing, the end of the attempt is unknown; files are restored when it runs again.
    if (signal.aborted && signal.reason !== DROPPED) return result;
    const before = openAttempts(this.lines).find(({ path }) => path === this.attempt.path);
    if (before === undefined) return result;
    try {
      const fails = before.restores === true && (result.type === 'errored' || FAILURES.has(result.outcome));
      const snapshot = await this.take('after');
      const ended = result.type === 'errored' ? result.error.code : result.outcome;
      this.add({ is: 'after', at: this.now, ...this.attempt, snapshot, ended, ...(fails ? { fails: true } : {}) });
      if (!fails) return result;
      const { files, kept } = await this.restore(before, snapshot, this.attempt);
      const restored: Json = { files, kept: kept.map(({ path, why }) => ({ path, why })) };
      return { ...result, evidence: { ...(result.evidence as object | undefined), restored } as Json };
    } catch (error) {
      const problem = this.failed(error);
      return problem === undefined || result.type === 'errored' ? result : problem;
    }
  }

  /** Finishes interrupted attempts of this run: those without an end, and those whose files were not restored. */
  async finishEarlier(): Promise<void> {
    for (const before of openAttempts(this.lines).filter((attempt) => this.isOver(attempt))) {
      const snapshot = await this.take('after', before);
      const { path, step, attempt, restores } = before;
      const line = { is: 'after', at: this.now, path, step, attempt, snapshot, ended: 'interrupted' } as const;
      this.add({ ...line, ...(restores === true ? { fails: true } : {}) });
    }
    for (const after of unrestored(this.lines)) {
      const before = this.lines.findLast((line): line is BeginLine => line.is === 'before' && line.path === after.path);
      if (before === undefined || !(before.path === this.attempt.path || this.isOver(before))) continue;
      const { path, step, attempt } = after;
      await this.restore(before, after.snapshot, { path, step, attempt });
    }
  }

  /** Whether an attempt without a recorded end must be over, because this one begins. */
  private isOver({ path, attempt, group, side }: BeginLine): boolean {
    const { request } = this.job;
    const own = this.attempt;
    if (path === own.path) return !this.isContinued() && (attempt < own.attempt || (request.want === 'execute' && !isForCaller(this.job)));
    // Members and side steps may run in parallel to others; other steps run one after another.
    const isAlone = group === undefined && side === undefined;
    return isAlone && request.activation.member === undefined && request.bound.model.side === undefined;
  }

  private isContinued(): boolean {
    return (this.job.request.answers?.length ?? 0) > 0;
  }

  private async restore(before: BeginLine, after: Snapshot, of: Pick<BeginLine, 'path' | 'step' | 'attempt'>) {
    const changes = await fileChanges(this.repository, { before: after.tree, after: before.snapshot.tree });
    const unread = new Set([...before.snapshot.unread, ...after.unread].map(({ path }) => path));
    const mine = changes.filter(({ path }) => this.mayPutBack(path, before) && !unread.has(path));
    const targets = mine.map(({ path, before: from, after: to }) => ({ path, from, to }));
    const { done, kept } = await putBack(this.repository, targets);
    if (before.group === undefined) {
      const remove = after.folders.filter((path) => !before.snapshot.folders.includes(path));
      await restoreFolders(this.repository.place.top, { make: before.snapshot.folders, remove });
    }
    const left: UnrestoredFile[] = changes.filter((change) => !mine.includes(change)).map(({ path }) => ({ path, why: LEFT }));
    const all = [...kept, ...left];
    const snapshot = await this.take('restored', of);
    this.add({ is: 'restored', at: this.now, ...of, snapshot, files: done.length, kept: all });
    if (kept.length > 0) this.job.runner.services.warn?.(new Error(keptText(of.step, kept)));
    return { files: done.length, kept: all };
  }

  /** Group members restore only the files that they declare. */
  private mayPutBack(path: string, { group, path: of }: BeginLine): boolean {
    const { runner, request } = this.job;
    if (group === undefined) return true;
    if (of !== this.attempt.path || (request.group?.kind !== 'parallel' && request.group?.kind !== 'each')) return false;
    if (request.group.concurrency === 1) return true;
    // A member with a side checkout changed nothing here; the changes are of others.
    if (mayConflictWithOthers(runner, request)) return false;
    const { top } = this.repository.place;
    const own = posix.normalize(relative(runner.services.cwd, join(top, path)));
    return writtenBy(request.bound.model).some((pattern) => matches(own, pattern));
  }

  private async take(when: string, of: Pick<BeginLine, 'path' | 'attempt'> = this.attempt): Promise<Snapshot> {
    const { runId } = this.job.request;
    return await this.keeper.take(runId, this.repository, `${when} ${of.path}, attempt ${of.attempt}`);
  }

  private add(line: SnapshotLine): void {
    this.keeper.add(this.job.request.runId, this.repository.place, line);
  }

  private failed(error: unknown): AttemptResult | undefined {
    const { model } = this.job.request.bound;
    if (!this.restores) {
      this.job.runner.services.warn?.(new Error(`no snapshot of step "${model.id}", so it cannot be undone: ${messageOf(error)}`));
      return undefined;
    }
    const message = `step "${model.id}" has on_fail: restore, but no snapshot of the workspace could be taken: ${messageOf(error)}`;
    return { type: 'errored', error: stepError('SNAPSHOT_FAILED', message, { retryable: false }), checks: [] };
  }

  private get restores(): boolean {
    return this.job.request.bound.model.onFail === 'restore';
  }

  private get lines(): readonly SnapshotLine[] {
    return this.keeper.log.read(this.job.request.runId);
  }

  private get attempt(): { readonly path: string; readonly step: string; readonly attempt: number } {
    const { activation, bound } = this.job.request;
    return { path: activation.path, step: bound.model.id, attempt: activation.attempt };
  }

  private get now(): number {
    return this.job.runner.services.now();
  }
}

const LEFT = 'other steps may have written it';

function keptText(step: string, kept: readonly UnrestoredFile[]): string {
  const files = kept.map(({ path, why }) => `${path} (${why})`).join(', ');
  return `the files of step "${step}" were restored, except ${files}`;
}
