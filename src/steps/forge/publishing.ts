// Publishes the work of a run at the forge: its branch, the push, and its pull request. The engine commits and
// pushes, so agents need no login. That branch is reviewed, approved and merged.
//
// - The pull request of a run goes from the run's branch to the run's target branch. Any other is rejected.
// - An open one from that branch is used, whoever opened it; a second one is never opened.
// - Work is committed only in a worktree that belongs to the run. In people's checkouts, only their commits count.

import { omitUndefined } from '../../base/fields.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { createWorkQueue } from '../../base/work-queue.ts';
import type { WorkHead } from '../../definition/forge/work-head.ts';
import { type Forge, type ForgeAnswer, type ForgeFailure, type PullRequestFacts, type RetryHint, retryHintOf } from '../../forge/forge.ts';
import { disarm } from '../../forge/outgoing-text.ts';
import { runKey } from '../../forge/run-key.ts';
import { TreeError } from '../../process/git-tree.ts';
import { checkedOut } from '../../process/worktree.ts';
import { PUSHED } from '../run-records.ts';
import { type Job, requestError, type Work } from '../work.ts';
import { actionRefusal, outputRefusal } from '../worker/permission.ts';
import { treeNow } from '../workspace/workspace-tree.ts';

/** Why work could not be published, and whether a retry may help. */
export interface PublishFailure extends RetryHint {
  readonly problem: string;
}

/** The branch that a run works on. */
export interface WorkBranch {
  /** Its name at the forge. */
  readonly name: string;
  /** The commit that is checked out. */
  readonly sha: string;
  /** Whether it belongs to the run alone, in its own worktree. */
  readonly isOwn: boolean;
}

/** The pull request of a run, and the branch that it was opened from. */
export interface RunPullRequest {
  readonly pr: PullRequestFacts;
  readonly branch: WorkBranch;
}

/** The pull request to open if none is open from the run's branch. */
export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  readonly key: string;
  /** The branch that the worker named; it must be the run's branch. */
  readonly head?: string;
}

/** The branch of a run, with all work committed if the branch is its own. */
async function workBranch(job: Job, forge: Forge): Promise<WorkBranch | PublishFailure> {
  const { head, sideWork } = job.request;
  const { cwd } = job.runner.services;
  const found = await checkedOut(cwd);
  if (found === undefined) return refuse(`${cwd} is not a git checkout, so this run has no branch to open a pull request from`);
  if (head === undefined || sideWork !== undefined) return await branchInPlace(forge, found);
  if (found.branch !== head.local)
    return refuse(
      `the worktree is on ${found.branch ?? `commit ${found.sha}`}, not on the run's branch "${head.local}"; switch back to it`,
    );
  try {
    // In the run's own worktree, reading the tree commits it.
    await treeNow(job);
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    return { problem: `git could not commit the work in ${cwd}: ${error.message}`, isTransient: true };
  }
  return { name: head.branch, sha: (await checkedOut(cwd))?.sha ?? found.sha, isOwn: true };
}

async function branchInPlace(
  forge: Forge,
  { branch, sha }: { branch: string | undefined; sha: string },
): Promise<WorkBranch | PublishFailure> {
  if (branch === undefined) return refuse(`no branch is checked out here, only commit ${sha}; switch to a branch`);
  const repository = await forge.repository();
  if (repository.result !== 'ok') return failed(repository);
  if (branch === repository.value.defaultBranch)
    return refuse(`the work is on "${branch}", the target of pull requests; switch to another branch, or start the run with --issue`);
  return { name: branch, sha, isOwn: false };
}

/** Publishes the work of a run: commits it if the branch is the run's own, and pushes it. */
function publish(job: Job, forge: Forge): Promise<WorkBranch | PublishFailure> {
  return oneAtATime(job.runner.services.cwd, () => publishNow(job, forge));
}

// Git locks its index, so the work in a folder is published one at a time.
const oneAtATime = createWorkQueue();

async function publishNow(job: Job, forge: Forge): Promise<WorkBranch | PublishFailure> {
  const branch = await workBranch(job, forge);
  if ('problem' in branch) return branch;
  const { head, workflow } = job.request;
  // An unchanged worktree has nothing to push.
  if (branch.isOwn && branch.sha === head?.from) return branch;
  if (head?.fork === true)
    return refuse(
      `the head of pull request #${head.pr} is in a fork, and Pawl cannot push there; its work is on "${head.local}": push it yourself, or open a pull request from a branch of this repository`,
    );
  const refusal = actionRefusal(workflow.definition, 'push', {});
  if (refusal !== undefined) return refuse(`the work cannot be pushed: ${refusal}`);
  const replaces = omitUndefined({ replaces: PUSHED.in(job.context.snapshot.data) });
  const answer = await forge.push({ folder: job.runner.services.cwd, branch: branch.name, sha: branch.sha, ...replaces });
  return answer.result === 'ok' ? branch : failed(answer);
}

/** The run's data about its pull request, and about the step that opened it. A run can have several. */
export function pullRequestData({ pr, branch }: RunPullRequest, opened?: Job): JsonObject {
  return {
    pr_number: pr.number,
    ...(branch.isOwn ? PUSHED.with(branch.sha) : {}),
    ...(opened === undefined ? {} : { pr_numbers: { ...pullRequestsOf(opened), [opened.request.bound.model.id]: pr.number } }),
  };
}

/** The pull requests of a run, by the step that opened each. */
function pullRequestsOf({ context }: Job): JsonObject {
  const { pr_numbers: several } = context.snapshot.data;
  return isJsonObject(several) ? several : {};
}

/** The open pull request from the run's branch, with the work pushed to it; undefined if there is none. */
export async function runPullRequest(job: Job, forge: Forge): Promise<RunPullRequest | PublishFailure | undefined> {
  const branch = await publish(job, forge);
  if ('problem' in branch) return branch;
  const found = await findOpen(job, forge, branch);
  return found === undefined || 'problem' in found ? found : { pr: found, branch };
}

async function findOpen(job: Job, forge: Forge, branch: WorkBranch): Promise<PullRequestFacts | PublishFailure | undefined> {
  const { head } = job.request;
  if (head?.pr !== undefined) return await valueOrFailure(forge.pullRequest(head.pr));
  const base = await baseOf(job, forge);
  if (typeof base !== 'string') return base;
  const answer = await forge.pullRequestsFrom(branch.name);
  return answer.result === 'ok' ? answer.value.find(({ baseBranch }) => baseBranch === base) : failed(answer);
}

/** The pull request of the run: the one that is open from its branch, or a new one. */
export async function openPullRequest(job: Job, forge: Forge, opening: NewPullRequest): Promise<RunPullRequest | PublishFailure> {
  const { head, workflow } = job.request;
  const branch = await publish(job, forge);
  if ('problem' in branch) return branch;
  if (opening.head !== undefined && opening.head !== branch.name && opening.head !== head?.local)
    return refuse(
      `the requested head is "${opening.head}", but the work of this run is on "${branch.name}", and only that was checked; remove the head`,
    );
  const found = await findOpen(job, forge, branch);
  if (found !== undefined) return 'problem' in found ? found : { pr: found, branch };
  if (branch.isOwn && branch.sha === head?.from)
    return refuse(`nothing was changed on "${branch.name}", so there is nothing to open a pull request for`);
  const refusal = outputRefusal(workflow.definition, { type: 'pr' });
  if (refusal !== undefined) return refuse(refusal);
  const base = await baseOf(job, forge);
  if (typeof base !== 'string') return base;
  const { title, body, key } = opening;
  const opened = await forge.openPullRequest({ title: disarm(title), body: disarm(body), head: branch.name, base }, key);
  if (opened.result !== 'ok') return failed(opened);
  const pr = await valueOrFailure(forge.pullRequest(opened.value.number));
  return 'problem' in pr ? pr : { pr, branch };
}

/**
 * Pushes the changes of a step to the pull request of its run, so that people and CI see the current work. A pull request
 * that the worker itself opened from the run's branch becomes that of the run.
 */
export async function publishWork(job: Job, done: Work): Promise<Work> {
  const { forge } = job.runner.services;
  const { head, activation } = job.request;
  // Other branches of a group may still be writing; the step after the group publishes their changes.
  if (forge === undefined || head === undefined || activation.member !== undefined) return done;
  if (!('outcome' in done) || done.outcome !== 'ok' || isReview(done.output) || done.remember?.pr_number !== undefined) return done;
  if (!(await hasPullRequest(job, forge, head))) return done;
  const own = await runPullRequest(job, forge);
  if (own === undefined) return done;
  if (!('problem' in own)) return { ...done, remember: { ...done.remember, ...pullRequestData(own) } };
  const error = `step "${job.request.bound.model.id}": its work could not be published at the forge: ${own.problem}`;
  const { outcome: _, output: __, ...noted } = done;
  return { ...noted, error: requestError('STEP_FAILED', error, own) };
}

/** Whether a result is a review. Files that a reviewer wrote are not part of the work. */
function isReview(output: unknown): boolean {
  return typeof output === 'object' && output !== null && 'verdict' in output;
}

async function hasPullRequest({ context, request }: Job, forge: Forge, head: WorkHead): Promise<boolean> {
  if (actionRefusal(request.workflow.definition, 'push', {}) !== undefined) return false;
  if (head.pr !== undefined || typeof context.snapshot.data.pr_number === 'number') return true;
  const found = await forge.pullRequestsFrom(head.branch);
  return found.result === 'ok' && found.value.length > 0;
}

/**
 * The job with the pull request that it needs, and the data about it: work is pushed to the run's pull request, and one is
 * opened if there is none. In a person's checkout nothing is pushed or opened without a request.
 */
export async function withPullRequest<J extends Job>(
  job: J,
): Promise<{ readonly job: J; readonly remember?: JsonObject } | PublishFailure> {
  const { forge } = job.runner.services;
  if (forge === undefined || job.request.head === undefined) return { job };
  const foreign = await foreignPullRequest(job);
  if (foreign !== undefined) return foreign;
  const own = await openPullRequest(job, forge, await defaultPullRequest(job, forge));
  if ('problem' in own) return own;
  const remember = pullRequestData(own);
  return { job: { ...job, context: job.context.withData(remember) }, remember };
}

/** Rejects a pull request in a run's data that is not from the run's branch, because a step can write any number there. */
export async function foreignPullRequest({ runner, context, request }: Job): Promise<PublishFailure | undefined> {
  const { head } = request;
  const { pr_number: number } = context.snapshot.data;
  if (head === undefined || typeof number !== 'number') return undefined;
  const read = await runner.services.forge?.pullRequest(number);
  // If it cannot be read, the step that needs it reports that.
  if (read?.result !== 'ok') return undefined;
  const isOwn = head.pr === undefined ? !read.value.fork && read.value.headBranch === head.branch : number === head.pr;
  return isOwn
    ? undefined
    : refuse(`pull request #${number} is from "${read.value.headBranch}", and the work of this run is on "${head.branch}"`);
}

/** The target branch of a run: that of its trigger, otherwise the default branch. */
export async function baseOf(job: Job, forge: Forge): Promise<string | PublishFailure> {
  const { base_branch: base } = job.context.snapshot.data;
  if (typeof base === 'string' && base !== '') return base;
  const repository = await forge.repository();
  return repository.result === 'ok' ? repository.value.defaultBranch : failed(repository);
}

/** The pull request that the engine opens without a request of a worker, with the title of the run's issue. */
export async function defaultPullRequest(job: Job, forge: Forge): Promise<NewPullRequest> {
  const { definition } = job.request.workflow;
  const number = job.context.snapshot.data.issue_number;
  const issue = typeof number === 'number' ? await forge.issue(number) : undefined;
  const about = issue?.result === 'ok' ? ` for #${issue.value.number}` : '';
  return {
    title: issue?.result === 'ok' ? issue.value.title : definition.title,
    body: `Opened by run ${job.request.runId} of the workflow "${definition.name}"${about}.`,
    // The same for all steps of the run, so that only the first opens one.
    key: runKey(job.request.runId, 'pull-request'),
  };
}

function refuse(problem: string): PublishFailure {
  return { problem, isTransient: false };
}

async function valueOrFailure<T>(asked: Promise<ForgeAnswer<T>>): Promise<T | PublishFailure> {
  const answer = await asked;
  return answer.result === 'ok' ? answer.value : failed(answer);
}

function failed(failure: ForgeFailure): PublishFailure {
  return { problem: failure.message, ...retryHintOf(failure) };
}
