// Owns which tree each verdict of a run is about, kept among the run's data, so that a landing can be held to them: what
// a gate passed, a review or a person approved, and what steps in between changed on purpose.
//
// L1. The last gate, the last approval and the last review must be about the tree that lands.
// L2. So must every earlier one, unless a step changed the tree after it: then the workflow meant it to be replaced.
//
// Anything else was changed behind the back of the run, and what was judged is not what would land.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { landsWork } from '../definition/landing.ts';
import { type Definition, membersOf } from '../definition/model.ts';
import { TreeTrouble } from '../process/git-tree.ts';
import type { Job, Work } from './work.ts';
import { treeNow, type WorkspaceTree } from './workspace-tree.ts';

/** Who judged: `work` is a step that may have changed the tree. */
type JudgedBy = 'gate' | 'review' | 'approval' | 'work';

/** One verdict, with the tree it is about; null where that is not known. */
export interface JudgedTree {
  readonly tree: string | null;
  readonly by: JudgedBy;
  readonly step: string;
  readonly at: number;
  /** The group whose members judged side by side. */
  readonly group?: string;
}

interface Judging {
  readonly tree: WorkspaceTree | undefined;
  readonly by: JudgedBy;
  /** False for a verdict that does not let work pass: an earlier one of the same step is void then. */
  readonly holds: boolean;
}

const PREFIX = '$tree:';
const WORKS: ReadonlySet<string> = new Set(['agent', 'command', 'generate', 'task', 'validate']);

/** A tree as the evidence of an attempt names it. */
export function treeEvidence({ id, head }: WorkspaceTree): { readonly [name: string]: Json } {
  return { tree: id, ...(head === undefined ? {} : { head }) };
}

/** What the run keeps of a verdict. */
export function judgedTree({ bench, request, context }: Job, { tree, by, holds }: Judging): { readonly remember?: JsonObject } {
  const { path, group } = request.activation;
  const key = `${PREFIX}${path.replaceAll(/#\d+/g, '')}`;
  if (!holds) return context.snapshot.data[key] === undefined ? {} : { remember: { [key]: null } };
  const at = bench.services.now();
  const judged = { tree: tree?.id ?? null, by, step: request.bound.model.id, at, ...(group === undefined ? {} : { group }) };
  return { remember: { [key]: judged } };
}

/** Does the work of a step in a workflow that lands, and notes the tree that it left: for a review, the one it is about. */
export async function notingTree(job: Job, work: () => Work | Promise<Work>): Promise<Work> {
  if (!mayLand(job)) return await work();
  const done = await work();
  if ('handed' in done || 'asks' in done || job.request.signal.aborted) return done;
  const isReview = 'outcome' in done && done.outcome === 'ok' && approves(done.claim);
  const tree = await treeIfAny(job);
  const { remember } = judgedTree(job, { tree, by: isReview ? 'review' : 'work', holds: true });
  const evidence = tree === undefined ? done.evidence : { ...done.evidence, ...treeEvidence(tree) };
  return { ...done, ...(evidence === undefined ? {} : { evidence }), remember: { ...done.remember, ...remember } };
}

/** Whether what a step does may be merged by the same run. */
function mayLand({ bench, request }: Job): boolean {
  const { kind } = request.bound.model;
  const { definition } = request.workflow;
  // The functions of a flow may be thousands; none of them is worth asking git each time.
  if (bench.services.forge === undefined || !WORKS.has(kind) || (kind === 'task' && definition.form === 'flow')) return false;
  return lands(definition);
}

/** Whether a workflow may merge: a flow can always. */
function lands({ form, steps }: Definition): boolean {
  return form === 'flow' || steps.some(landsWork);
}

// In a checkout beside the workspace there is no tree of the run yet.
async function treeIfAny(job: Job): Promise<WorkspaceTree | undefined> {
  if (job.request.apart === true) return undefined;
  try {
    const tree = await treeNow(job);
    return tree.id === '' ? undefined : tree;
  } catch (thrown) {
    if (thrown instanceof TreeTrouble) return undefined;
    throw thrown;
  }
}

function approves(claim: Json | undefined): boolean {
  return isJsonObject(claim ?? null) && (claim as JsonObject).verdict === 'approve';
}

/** The verdicts that must be about what lands. */
export function requiredVerdicts(data: JsonObject, { form, steps }: Definition): readonly JudgedTree[] {
  const all = Object.entries(data).flatMap(([key, value]) =>
    key.startsWith(PREFIX) && isJsonObject(value) ? [value as unknown as JudgedTree] : [],
  );
  const verdicts = all.filter(({ by }) => by !== 'work');
  const works = all.filter(({ by }) => by === 'work');
  const last = (['gate', 'review', 'approval'] as const).map((by) => latestOf(verdicts.filter((one) => one.by === by)));
  const isLast = (one: JudgedTree): boolean =>
    last.some((other) => other === one || (other?.group !== undefined && other.group === one.group));
  // What a child run changed is in its own record, and what a function of a flow changed in none.
  const isUnseen = form === 'flow' || steps.some((step) => [step, ...membersOf(step)].some(({ kind }) => kind === 'workflow'));
  const isReplaced = (one: JudgedTree): boolean => isUnseen || works.some(({ at, tree }) => at >= one.at && tree !== one.tree);
  return verdicts.filter((one) => isLast(one) || !isReplaced(one));
}

function latestOf(list: readonly JudgedTree[]): JudgedTree | undefined {
  return list.reduce<JudgedTree | undefined>((best, one) => (best === undefined || one.at >= best.at ? one : best), undefined);
}
