// Owns the record of the tree that each verdict of a run is about, in the run's data, so that a merge can be compared with
// the trees that gates passed and that reviews and people approved, and with the changes of steps in between.
//
// - Every gate that passed must have passed on the tree that is merged. A later gate replaces an earlier one only if it
//   runs all of its checks. A gate with `rerunAtMerge: false` no longer counts once a step changed the tree after it.
// - The last approval and the last review must be about the tree that is merged. An agent whose step is not a review does
//   not replace a reviewer by giving a verdict: the last review by a reviewer must be about that tree too.
// - So must every earlier one, unless a step changed the tree after it, because then the workflow replaces the verdict. A
//   step that did not change the tree replaces nothing.
// - The runs of one run tree share a tree of files: the verdicts and the work of all of them count, whichever run merges.
//
// Any other change was made outside the run, so the verdicts are not about the tree that would be merged.

import { omitUndefined } from '../../base/fields.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { allChecks, type CheckedWork, isChecked } from '../../definition/check.ts';
import { type KindFacts, traitsOf } from '../../definition/kind.ts';
import { landsWork } from '../../definition/landing.ts';
import { membersOf, type StepModel, type ValidateWork } from '../../definition/model.ts';
import { TreeError } from '../../process/git-tree.ts';
import type { RelatedRun } from '../attempt.ts';
import { BEGUN_TREES, TREE_VERDICTS } from '../run-records.ts';
import { type Job, stepError, type Work } from '../work.ts';
import { replyRulesOf } from '../worker/reply-rules.ts';
import { treeNow, type WorkspaceTree } from './workspace-tree.ts';

/** The source of a verdict: `work` is a step that may have changed the tree. */
type VerdictSource = 'gate' | 'review' | 'approval' | 'work';

/** The work of a gate or a validation with its rendered configuration, and the item that it was about. */
type RepeatableCheck = (CheckedWork | (Pick<ValidateWork, 'kind'> & Partial<Pick<ValidateWork, 'stages'>>)) & { readonly item?: Json };

/** A verdict and its tree; null if that is not known. */
export interface TreeVerdict {
  readonly tree: string | null;
  readonly by: VerdictSource;
  readonly step: string;
  readonly at: number;
  /** The tree that a step started with, if known. A step that ends with the same tree has changed nothing. */
  readonly from?: string;
  /** The group whose members ran in parallel. */
  readonly group?: string;
  /** For a gate or a validation: the configuration to run it again. */
  readonly judge?: RepeatableCheck;
  /** For a gate that reads no files: the head of the pull request that it checked. */
  readonly head?: string;
  /** For a review: set if the workflow declares the step as a review. */
  readonly isReviewer?: true;
}

/** A verdict, and whether another run of the tree gave it. */
export interface RequiredVerdict extends TreeVerdict {
  readonly isForeign: boolean;
}

interface NewVerdict {
  readonly tree: WorkspaceTree | undefined;
  readonly from?: WorkspaceTree | undefined;
  /** If no files were read: the head of the pull request. */
  readonly head?: string;
  readonly by: VerdictSource;
  /** For a second record about the same step: its name. */
  readonly part?: 'changes';
  /** False for a negative verdict, which voids an earlier one of the same step. */
  readonly holds: boolean;
}

/** A tree for the evidence of an attempt. */
export function treeEvidence({ id, head }: WorkspaceTree): { readonly [name: string]: Json } {
  return { tree: id, ...omitUndefined({ head }) };
}

/** The rendered configuration of a gate or validation, to run it again. */
function repeatableCheck({ bound: { model }, item }: Job['request']): RepeatableCheck | undefined {
  const own = omitUndefined({ item });
  if (isChecked(model)) return { kind: model.kind, config: model.config, ...own };
  return model.kind === 'validate' ? { kind: model.kind, ...omitUndefined({ stages: model.stages }), ...own } : undefined;
}

/** The data that the run stores about a verdict. */
export function treeVerdictData(
  { runner, request, context }: Job,
  { tree, from, head, by, holds, part }: NewVerdict,
): { readonly remember?: JsonObject } {
  const { path, member } = request.activation;
  const group = member?.group;
  const record = TREE_VERDICTS.of(part === undefined ? path : `${path}/${part}`);
  if (!holds) return context.snapshot.data[record.key] === undefined ? {} : { remember: record.removed() };
  const at = runner.services.now();
  const judge = by === 'gate' ? repeatableCheck(request) : undefined;
  const { model } = request.bound;
  const reviews =
    traitsOf(runner, model.kind).judgesTree === true ||
    (model.kind === 'agent' && replyRulesOf(model.config, model, request.group).reviews === true);
  const isReviewer = by === 'review' && reviews ? (true as const) : undefined;
  const judged = { tree: tree?.id ?? null, by, step: request.bound.model.id, at };
  return { remember: record.with({ ...judged, ...omitUndefined({ from: from?.id, group, judge, head, isReviewer }) }) };
}

/**
 * Runs a step of a workflow that merges, and records the tree afterwards. A review is about the tree that it began with, even
 * if it was handed out or asked a question meanwhile, because it may not have seen later changes.
 */
export async function recordTree(job: Job, work: () => Work | Promise<Work>): Promise<Work> {
  if (!mayBeMerged(job) || !(await needsTree(job))) return await work();
  const isNew = job.request.want === 'execute';
  const kept = firstTree(job);
  const from = isNew ? await treeBefore(job) : kept;
  const done = await work();
  if (job.request.signal.aborted) return done;
  if ('handed' in done || 'asks' in done) return withFirstTree(job, done, 'asks' in done ? (kept ?? from) : from);
  const isReview = 'outcome' in done && done.outcome === 'ok' && approves(done.claim);
  const began = kept ?? from;
  const left = isReview && began !== undefined ? began : await treeAfter(job);
  if (isReview && left === 'unreadable') return withoutTree(job, done);
  const tree = left === 'unreadable' ? undefined : left;
  const known = from === 'unreadable' ? {} : { from };
  const remember = isReview
    ? treeVerdictData(job, { tree, by: 'review', holds: true, ...known }).remember
    : workVerdicts(job, done, { tree, from: known.from });
  const evidence = tree === undefined ? done.evidence : { ...done.evidence, ...treeEvidence(tree) };
  return { ...done, ...omitUndefined({ evidence }), remember: { ...done.remember, ...remember } };
}

/**
 * The data about a review by parallel reviewers, which is about the tree that all of them began and ended with. If they had
 * different trees, an earlier one is recorded, so that the review has to run again.
 */
export function reviewedTree(job: Job, { step, passed }: { readonly step: string; readonly passed: boolean }): JsonObject {
  const reviews = TREE_VERDICTS.allIn(job.context.snapshot.data).filter(
    (verdict) => verdict.by === 'work' && verdict.step === step && verdict.group !== undefined,
  );
  const last = latestOf(reviews);
  if (last?.tree === undefined || last.tree === null) return {};
  const seen = reviews.filter(({ group }) => group === last.group).flatMap(({ from, tree }) => [from ?? null, tree]);
  const id = seen.find((tree) => tree !== null && tree !== last.tree) ?? last.tree;
  return treeVerdictData(job, { tree: { id }, by: 'review', holds: passed }).remember ?? {};
}

function withFirstTree(job: Job, done: Work, from: TreeReading): Work {
  if (from === undefined || from === 'unreadable') return done;
  const { path } = job.request.activation;
  return { ...done, remember: { ...done.remember, ...BEGUN_TREES.of(path).with({ path, ...from }) } };
}

/** The tree that this visit of a step began with, if it was interrupted. */
function firstTree({ request, context }: Job): WorkspaceTree | undefined {
  const { path } = request.activation;
  const begun = BEGUN_TREES.of(path).in(context.snapshot.data);
  return begun?.path === path ? { id: begun.id, ...omitUndefined({ head: begun.head }) } : undefined;
}

/**
 * The data about a step that may have changed files. A passed validation is also a gate for the tree that it began with, so
 * that a validation that writes files, such as with a formatter, runs again before a merge.
 */
function workVerdicts(job: Job, done: Work, { tree, from }: Pick<NewVerdict, 'tree' | 'from'>): JsonObject | undefined {
  const isPassed = job.request.bound.model.kind === 'validate' && 'outcome' in done && done.outcome === 'ok';
  if (!isPassed) return treeVerdictData(job, { tree, from, by: 'work', holds: true }).remember;
  const passed = treeVerdictData(job, { tree: from, by: 'gate', holds: true }).remember;
  if (from !== undefined && tree !== undefined && from.id === tree.id) return passed;
  const worked = treeVerdictData(job, { tree, from, by: 'work', holds: true, part: 'changes' }).remember;
  return { ...passed, ...worked };
}

function withoutTree({ request }: Job, done: Work): Work {
  const { actor, claim, checks, evidence, remember } = done;
  const message = `the review "${request.bound.model.id}" does not count, because git could not read the files that it is about`;
  return { ...omitUndefined({ actor, claim, checks, evidence, remember }), error: stepError('TREE_MOVED', message) };
}

/** Whether the work of a step may be merged by the same run, or by another one of its tree. */
function mayBeMerged({ runner, request }: Pick<Job, 'runner' | 'request'>): boolean {
  if (runner.services.forge === undefined || traitsOf(runner, request.bound.model.kind).writesFiles === undefined) return false;
  const { form, steps } = request.workflow.definition;
  return form === 'flow' || request.runTree?.isChild === true || steps.some((step) => landsWork(runner, step) || startsRuns(step));
}

function startsRuns(step: StepModel): boolean {
  return step.kind === 'workflow' || membersOf(step).some(startsRuns);
}

/** A flow may have thousands of functions: the tree is recorded only if a verdict may be replaced. */
async function needsTree({ request }: Job): Promise<boolean> {
  if (request.bound.model.kind !== 'task' || request.workflow.definition.form !== 'flow' || request.runTree?.isChild === true) return true;
  return TREE_VERDICTS.allIn((await request.snapshot()).data).some(({ by }) => by !== 'work');
}

/** The tree of the workspace for work in a side checkout, if a merge may depend on it. */
export async function treeForSideWork(place: Pick<Job, 'runner' | 'request'>): Promise<WorkspaceTree | undefined> {
  const tree = mayBeMerged(place) ? await treeIfAny(place) : undefined;
  return tree === 'unreadable' ? undefined : tree;
}

async function treeBefore(job: Job): Promise<TreeReading> {
  const { sideWork } = job.request;
  return sideWork === undefined ? await treeIfAny(job) : (sideWork.tree ?? 'unreadable');
}

// A side checkout has no tree of the run before its changes are merged back.
async function treeAfter(job: Job): Promise<TreeReading> {
  return job.request.sideWork === undefined ? await treeIfAny(job) : undefined;
}

/** Undefined without git, if the workflow names no files. */
type TreeReading = WorkspaceTree | 'unreadable' | undefined;

async function treeIfAny(place: Pick<Job, 'runner' | 'request'>): Promise<TreeReading> {
  try {
    return await treeNow(place);
  } catch (thrown) {
    if (thrown instanceof TreeError) return 'unreadable';
    throw thrown;
  }
}

function approves(claim: Json | undefined): boolean {
  return isJsonObject(claim ?? null) && (claim as JsonObject).verdict === 'approve';
}

/** The verdicts that must be about the merged tree. */
export async function requiredVerdicts({ request, context }: Job): Promise<readonly RequiredVerdict[]> {
  const own = TREE_VERDICTS.allIn(context.snapshot.data).map((one) => ({ ...one, isForeign: false }));
  const all: readonly RequiredVerdict[] = [...own, ...foreignVerdicts((await request.runTree?.others()) ?? [])];
  const verdicts = all.filter(({ by, tree, head }) => by !== 'work' && (tree ?? head) !== undefined && (tree ?? head) !== null);
  const works = all.filter(({ by }) => by === 'work');
  const last = [
    latestOf(verdicts.filter(({ by }) => by === 'approval')),
    latestOf(verdicts.filter(({ by }) => by === 'review')),
    latestOf(verdicts.filter(({ isReviewer }) => isReviewer === true)),
  ];
  const isLast = (verdict: TreeVerdict): boolean =>
    last.some((other) => other === verdict || (other?.group !== undefined && other.group === verdict.group));
  const isReplaced = (verdict: TreeVerdict): boolean =>
    works.some(({ at, tree, from }) => at >= verdict.at && tree !== verdict.tree && (from === undefined || from !== tree));
  return verdicts.filter((verdict) => isLast(verdict) || !isReplaced(verdict) || (verdict.by === 'gate' && !isNotRerun(verdict)));
}

/** The verdicts of the other runs. For a gate, the newest run that reached it counts, among those that one step started. */
function foreignVerdicts(others: readonly RelatedRun[]): RequiredVerdict[] {
  const decided = new Set<string>();
  return others.flatMap(({ data, isReplaced, place }, run) => {
    const records = TREE_VERDICTS.namedIn(data);
    const first = new Set(records.map(([name]) => name).filter((name) => !decided.has(`${place} ${name}`)));
    for (const name of first) decided.add(`${place} ${name}`);
    return records.flatMap(([name, verdict]) => {
      if (verdict === undefined || (verdict.by !== 'work' && isReplaced && !(verdict.by === 'gate' && first.has(name)))) return [];
      // Groups of different runs may have the same paths.
      return [{ ...verdict, isForeign: true, ...(verdict.group === undefined ? {} : { group: `${run}/${verdict.group}` }) }];
    });
  });
}

/** The tree to merge; the head only if there is a pull request. */
export interface Candidate {
  /** Undefined if it is not known, or if no files are named. */
  readonly tree: string | undefined;
  readonly head?: string | undefined;
}

/** The verdicts that are not about this tree or head, oldest first, except gates whose checks another gate ran on it. */
export function staleVerdicts(facts: KindFacts, required: readonly RequiredVerdict[], { tree, head }: Candidate): RequiredVerdict[] {
  const isFresh = (verdict: RequiredVerdict): boolean =>
    verdict.tree === null ? head === undefined || verdict.head === head : verdict.tree === tree;
  const fresh = new Set(required.filter(isFresh).flatMap((verdict) => checksOf(facts, verdict)));
  const isCovered = (verdict: RequiredVerdict): boolean => {
    const checks = checksOf(facts, verdict);
    return checks.length > 0 && checks.every((check) => fresh.has(check));
  };
  return required.filter((verdict) => !isFresh(verdict) && !isCovered(verdict)).sort((first, second) => first.at - second.at);
}

/** The checks of a gate, for comparison with other gates. */
function checksOf(facts: KindFacts, verdict: RequiredVerdict): string[] {
  const checks = isRepeatable(facts, verdict) ? (configOf(verdict)?.checks ?? []) : [];
  return checks.map((check) => canonicalJson([check, verdict.judge?.item ?? null]));
}

/** Whether this run can repeat the checks. Custom checks and requests may use data that only their own run has. */
export function isRepeatable({ checks: known }: KindFacts, verdict: RequiredVerdict): boolean {
  if (verdict.judge === undefined) return false;
  const checks = configOf(verdict)?.checks ?? [];
  return (
    !verdict.isForeign || allChecks(checks).every(({ check, templates }) => known[check]?.independentOfRun === true && templates !== true)
  );
}

function configOf({ judge }: TreeVerdict): CheckedWork['config'] | undefined {
  return judge !== undefined && 'config' in judge ? judge.config : undefined;
}

function isNotRerun(verdict: TreeVerdict): boolean {
  return configOf(verdict)?.rerunAtMerge === false;
}

function latestOf(list: readonly TreeVerdict[]): TreeVerdict | undefined {
  return list.reduce<TreeVerdict | undefined>((best, verdict) => (best === undefined || verdict.at >= best.at ? verdict : best), undefined);
}
