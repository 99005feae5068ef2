// Merges the expected head at GitHub, or finds out why GitHub did not.
//
// - The request names the head, so GitHub itself rejects another one, even if it was pushed a moment ago.
// - After a lost response, a merge that was carried out is recognised because the pull request is merged at that head.

import { omitUndefined } from '../../base/fields.ts';
import type { ForgeActor, ForgeAnswer, MergeRequest, MergeResult } from '../forge.ts';
import type { LedgerWork } from '../ledger.ts';
import { assertHead, assertNoFailedCheck, deny, refuse } from '../refusal.ts';
import type { ActionParts } from './actions.ts';
import { isApiError, responseText } from './failure.ts';
import { hasQueue, limitWait, mergeByQueue, unfinishedChecks } from './merge-queue.ts';
import type { PullRequest } from './reader.ts';

const ROUNDS_MAX = 3;

/** Creates the action that merges. */
export function createMerge(parts: ActionParts): ForgeActor['mergePullRequest'] {
  return async (request, key): Promise<ForgeAnswer<MergeResult>> => {
    const route: Route = { queued: undefined };
    const work: LedgerWork<MergeResult> = {
      adopt: async () => {
        const pr = await parts.reader.pullRequest(request.number);
        if (pr.state !== 'merged' || pr.headSha !== request.expectedHead) return undefined;
        return await finish(parts, request, pr);
      },
      act: () => merge(parts, request, route),
    };
    const merged = await parts.ledger.once({ name: 'mergePullRequest', key }, work);
    const { queued } = route;
    const answer = queued === undefined ? merged : await parts.connection.answer(() => mergeByQueue(parts, request, queued));
    return answer.result === 'queued' ? limitWait(parts, request, answer) : answer;
  };
}

/** Receives the pull request if it must go through a merge queue, which is a separate action. */
interface Route {
  queued: PullRequest | undefined;
}

async function merge(parts: ActionParts, request: MergeRequest, route: Route): Promise<MergeResult> {
  const { connection, reader } = parts;
  const { number, expectedHead: sha } = request;
  for (let round = 1; ; round += 1) {
    const pr = await reader.pullRequest(number);
    if (pr.state === 'merged' && pr.headSha === sha) return await finish(parts, request, pr);
    await refuseUnready(parts, request, pr);
    if (await hasQueue(parts, pr.baseBranch)) {
      route.queued = pr;
      refuse({ result: 'queued', message: `#${number} has to go through the merge queue`, until: connection.now() });
    }
    const merge_method = request.method ?? (await reader.repository()).methods[0] ?? 'merge';
    const { octokit, repo } = connection;
    try {
      const { data } = await octokit.rest.pulls.merge({ ...repo, pull_number: number, sha, merge_method });
      return await finish(parts, request, { ...pr, mergeSha: data.sha });
    } catch (error) {
      if (!isApiError(error, 405, 409)) throw error;
      const reason = responseText(error);
      if (round < ROUNDS_MAX && /base branch was modified/i.test(reason)) continue;
      // Someone else merged it: the next round finds out at which head.
      if (round < ROUNDS_MAX && (await reader.pullRequest(number)).state === 'merged') continue;
      await explain(parts, request, { pr, reason });
    }
  }
}

async function refuseUnready({ reader }: ActionParts, { number, expectedHead }: MergeRequest, pr: PullRequest): Promise<void> {
  assertHead(number, pr.headSha, expectedHead);
  if (pr.state === 'closed') refuseClosed(number);
  if (pr.draft) deny(`#${number} is a draft and cannot be merged; mark it as ready first`);
  assertNoFailedCheck(number, pr.headSha, await reader.checks(pr.headSha));
}

function refuseClosed(number: number): never {
  return deny(`#${number} was closed without being merged; open it again at GitHub, or cancel the run`);
}

/** Finds out why GitHub did not merge. */
async function explain(
  parts: ActionParts,
  { number, expectedHead }: MergeRequest,
  { pr, reason }: { readonly pr: PullRequest; readonly reason: string },
): Promise<never> {
  const now = await parts.reader.pullRequest(number);
  assertHead(number, now.headSha, expectedHead);
  if (now.state === 'closed') refuseClosed(number);
  if (now.mergeable === false || /conflict/i.test(reason)) {
    const files = await sharedFiles(parts, pr);
    const where = files.length === 0 ? '' : `; both sides changed ${files.join(', ')}`;
    const advice = `merge ${pr.baseBranch} into the branch first`;
    refuse({
      result: 'conflict',
      message: `#${number} was not merged: ${pr.headBranch} conflicts with ${pr.baseBranch}${where}; ${advice}`,
    });
  }
  const isTransient = /already in progress/i.test(reason) || (now.mergeable === null && /not mergeable/i.test(reason));
  if (isTransient) refuse({ result: 'unavailable', message: `GitHub did not merge #${number} yet: ${reason}` });
  const isAboutChecks = /status check/i.test(reason);
  const open = isAboutChecks ? await unfinishedChecks(parts, now) : [];
  if (open.length > 0)
    refuse({ result: 'queued', message: `#${number} waits for its required checks: ${open.join(', ')}`, until: parts.connection.now() });
  return refuse({ result: isAboutChecks ? 'ci_failure' : 'denied', message: `GitHub did not merge #${number}: ${reason}` });
}

// GitHub does not report which files conflict; these are the ones that can.
async function sharedFiles({ connection, reader }: ActionParts, pr: PullRequest): Promise<string[]> {
  const { octokit, repo } = connection;
  const own = new Set((await reader.changedFiles({ pr: pr.number })).map(({ path }) => path));
  const basehead = `${pr.headSha}...${pr.baseBranch}`;
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ ...repo, basehead, per_page: 1 });
  return (data.files ?? []).map(({ filename }) => filename).filter((path) => own.has(path));
}

async function finish(parts: ActionParts, request: MergeRequest, pr: PullRequest): Promise<MergeResult> {
  const branchDeleted = request.deleteBranch && !pr.fork && (await deleteBranch(parts, pr.headBranch, request.expectedHead));
  return { ...omitUndefined({ sha: pr.mergeSha ?? undefined }), branchDeleted };
}

// A branch that has moved since contains unmerged work, and stays. Also returns true if it was deleted before.
async function deleteBranch({ connection, reader }: ActionParts, branch: string, at: string): Promise<boolean> {
  const { octokit, repo } = connection;
  const head = await reader.headOf(branch);
  if (head === undefined) return true;
  if (head !== at) return false;
  try {
    await octokit.rest.git.deleteRef({ ...repo, ref: `heads/${branch}` });
    return true;
  } catch (error) {
    // A rule may protect the branch; the merge counts anyway.
    if (isApiError(error)) return (await reader.headOf(branch)) === undefined;
    throw error;
  }
}
