// Owns the check before a merge: the head to merge must have the tree that was tested, reviewed and approved. A gate that
// passed on an earlier tree runs again on that head. If the head was not checked, or does not pass, the outcome is
// `stale_tree`: nothing is merged, and the checks have to run again.

import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import { shortList } from '../../base/short-text.ts';
import { NO_CODE } from '../../definition/code.ts';
import { membersOf, type StepModel } from '../../definition/model.ts';
import { stepsAfter } from '../../definition/skipped-steps.ts';
import type { ActionSubject } from '../../forge/action.ts';
import type { Forge } from '../../forge/forge.ts';
import { git } from '../../process/git.ts';
import { fastForward, treeOfCommit } from '../../process/git-tree.ts';
import type { BlockingAssumption, CheckResult } from '../attempt.ts';
import { gitFolder } from '../protection/protected-files.ts';
import { type Job, stepError, type Work } from '../work.ts';
import { type Candidate, isRepeatable, type RequiredVerdict, requiredVerdicts, staleVerdicts } from './tree-verdict.ts';
import { differingFiles, isOwnWorktree, treeNow } from './workspace-tree.ts';

/** The subject with the head to merge and the evidence; or why nothing may be merged. */
export type MergeCheck =
  | { readonly subject: ActionSubject; readonly evidence?: JsonObject; readonly checks?: readonly CheckResult[] }
  | { readonly stale: Work };

const FILES_SHOWN = 20;

/** The error of a merge that must wait for answers to assumptions; undefined if none block it. */
export async function blockedMerge({ request }: Job): Promise<Work | undefined> {
  const holding = (await request.blockingAssumptions?.()) ?? [];
  if (holding.length === 0) return undefined;
  const message = `step "${request.bound.model.id}" merges nothing yet: ${blockingText(holding)}`;
  return { error: stepError('ASSUMPTION_OPEN', message, { reason: 'assumptions' }) };
}

/** Lists the assumptions that block a merge, with advice. */
export function blockingText(holding: readonly BlockingAssumption[]): string {
  const names = holding.map(
    ({ run, id, step, isAnswered }) => `${id} of step "${step}" (run ${run}${isAnswered ? ', answered otherwise' : ''})`,
  );
  const [first] = holding;
  const todo = first?.isAnswered === true ? 'fork that run from the step that assumed it' : `answer it: "pawl assumptions ${first?.run}"`;
  return `a person must first answer what agents assumed: ${names.join(', ')}; ${todo}`;
}

/** Compares the tree to merge with the trees of the run's verdicts. */
export async function checkMerge(job: Job, forge: Forge, subject: ActionSubject): Promise<MergeCheck> {
  const required = await requiredVerdicts(job);
  if (required.length === 0 || subject.pr === undefined) return { subject };
  const { cwd } = job.runner.services;
  const head = subject.head ?? (await headOf(forge, subject.pr));
  if ((await gitFolder(cwd)) === undefined) {
    return compareTree(job, required, { subject, tree: (await treeNow(job))?.id, head });
  }
  // If the head cannot be read, the merge itself reports why.
  if (head === undefined) return { subject };
  const tree = (await treeOfCommit(cwd, head)) ?? (await fetchedTree(cwd, head));
  if (tree === undefined && required.some((verdict) => verdict.tree !== null))
    return {
      stale: staleWork(
        `the head ${head} of pull request #${subject.pr} is not in this clone, so it cannot be compared with what was checked`,
        { head },
      ),
    };
  const result = await compareTree(job, required, { subject: { ...subject, head }, tree, head });
  // In the run's own worktree, the next checks must include what others pushed.
  if ('stale' in result && (await isOwnWorktree(job))) await fastForward(cwd, head);
  return result;
}

interface MergeCandidate extends Candidate {
  readonly subject: ActionSubject;
}

async function compareTree(job: Job, required: readonly RequiredVerdict[], { subject, ...candidate }: MergeCandidate): Promise<MergeCheck> {
  const { tree } = candidate;
  const head = subject.head === undefined ? {} : { head: subject.head };
  const stale = staleVerdicts(job.runner, required, candidate);
  const seen = { ...omitUndefined({ tree }), ...head };
  if (stale.length === 0) return { subject, evidence: seen };
  const again = stale.every(({ by }) => by === 'gate') ? await rerunGates(job, stale, tree) : undefined;
  if (again?.kind === 'passed') return { subject, evidence: { ...seen, again: stale.map(({ step }) => step) }, checks: again.checks };
  const files = await filesBetween(job, stale, tree);
  const shown = shortList(files, FILES_SHOWN);
  const checkers = stale.map(describeVerdict).join(', ');
  const merged = subject.head === undefined ? 'the workspace' : `the head ${subject.head} of pull request #${subject.pr}`;
  const other = stale.some((verdict) => verdict.tree !== null) ? 'another tree' : 'another head';
  const differs = `${checkers} checked ${other}${shown === '' ? '' : `; these files differ: ${shown}`}`;
  const error = `${merged} is not what was checked: ${differs}${again === undefined ? '' : `; checked again, it does not pass: ${again.why}`}`;
  const facts = { ...seen, files, stale: stale.map(({ step }) => step) };
  const lost = missingRenewal(job, stale, again?.refused);
  const work = lost === undefined ? staleWork(error, facts) : loopProblem(job.request.bound.model.id, `${error}; ${lost}`);
  return { stale: { ...work, ...(again === undefined ? {} : { checks: again.checks }) } };
}

/** Explains why going back from the merge does not help: a stale verdict would not be renewed. */
function missingRenewal(
  { runner, request: { bound, workflow } }: Job,
  stale: readonly RequiredVerdict[],
  refused: RequiredVerdict | undefined,
): string | undefined {
  const { definition } = workflow;
  const back = bound.model.next.stale_tree;
  if (definition.form === 'flow' || back === undefined || !('to' in back) || !('step' in back.to)) return undefined;
  const target = back.to.step;
  const renewed = new Set([target, ...stepsAfter(definition, target)]);
  // The merge itself reruns gates once nothing else is stale; a gate that did not pass must be on the path back.
  const isRenewed = (verdict: RequiredVerdict): boolean => {
    if (isRepeatable(runner, verdict) && verdict !== refused) return true;
    return definition.steps.some((model) => {
      if (!renewed.has(model.id)) return false;
      const inside = [model, ...membersOf(model)];
      return verdict.isForeign ? inside.some(({ kind }) => kind === 'workflow') : inside.some(({ id }) => id === verdict.step);
    });
  };
  const lost = stale.find((verdict) => !isRenewed(verdict));
  if (lost === undefined) return undefined;
  return `the loop leads back to "${target}", and ${describeVerdict(lost)} is not renewed by the steps from there on`;
}

function loopProblem(step: string, why: string): Work {
  const advice = 'nothing was merged; resume the run at the step whose verdict is stale, or make that step the target of "stale_tree"';
  return { error: stepError('TREE_MOVED', `step "${step}": ${why}; ${advice}`, { retryable: false }) };
}

type Rerun =
  | { readonly kind: 'passed'; readonly checks: readonly CheckResult[]; readonly refused?: undefined }
  | { readonly kind: 'refused'; readonly why: string; readonly refused: RequiredVerdict; readonly checks: readonly CheckResult[] };

/** Runs gates again on the tree to merge, if the workspace has exactly that tree. */
async function rerunGates(job: Job, stale: readonly RequiredVerdict[], tree: string | undefined): Promise<Rerun | undefined> {
  const checks: CheckResult[] = [];
  if (!stale.every((verdict) => isRepeatable(job.runner, verdict))) return undefined;
  for (const verdict of stale) {
    const readsFiles = verdict.tree !== null;
    if (readsFiles && (await treeNow(job))?.id !== tree) return undefined;
    const { item, ...judge } = verdict.judge ?? {};
    const model = { ...job.request.bound.model, ...judge, id: verdict.step } as StepModel;
    const request = { ...job.request, item, bound: { model, code: NO_CODE } };
    const done = await job.runner.kinds[model.kind]?.execute?.({ ...job, request });
    if (done === undefined) return undefined;
    checks.push(...(done.checks ?? []));
    const why = refusalOf(done) ?? (readsFiles && (await treeNow(job))?.id !== tree ? 'it changed files' : undefined);
    if (why !== undefined) return { kind: 'refused', why, refused: verdict, checks };
  }
  return { kind: 'passed', checks };
}

/** Why a gate that ran again did not pass. */
function refusalOf(done: Work): string | undefined {
  if ('error' in done) return done.error.message;
  if ('outcome' in done && done.outcome === 'ok') return undefined;
  const { failed_checks: failed = [], pending_checks: open = [] } = 'output' in done ? (done.output as JsonObject) : {};
  const why = [failed, open].flat().filter((entry) => typeof entry === 'string');
  return why.length > 0 ? why.join('; ') : 'it did not pass';
}

function describeVerdict({ by, step, isForeign }: RequiredVerdict): string {
  return `${NOUNS[by]} "${step}"${isForeign ? ' of another run of its tree' : ''}`;
}

const NOUNS = { gate: 'gate', review: 'the review', approval: 'the approval', work: 'step' } as const;

function staleWork(error: string, facts: JsonObject): Work {
  const advice = 'nothing was merged; commit or revert what differs, and run the checks again on what should be merged';
  const { tree, head } = facts;
  return {
    outcome: 'stale_tree',
    output: { error: `${error}; ${advice}`, reason: 'stale_tree', ...facts },
    evidence: { ...(tree === undefined ? {} : { tree }), ...(head === undefined ? {} : { head }) },
  };
}

async function filesBetween({ runner }: Job, stale: readonly RequiredVerdict[], tree: string | undefined): Promise<string[]> {
  const found = new Set<string>();
  for (const other of new Set(stale.map((verdict) => verdict.tree)))
    for (const file of other === null || tree === undefined ? [] : await differingFiles(runner.services.cwd, other, tree)) found.add(file);
  return [...found].sort();
}

async function headOf(forge: Forge, number: number): Promise<string | undefined> {
  const answer = await forge.pullRequest(number);
  return answer.result === 'ok' ? answer.value.headSha : undefined;
}

async function fetchedTree(cwd: string, head: string): Promise<string | undefined> {
  await git(cwd, ['fetch', '--quiet', '--no-tags', 'origin', head]);
  return await treeOfCommit(cwd, head);
}
