// Merges into a branch with a merge queue, and waits for merges in progress.
//
// - If the rules of a branch have a queue, nothing is merged past it, even by a login that could.
// - The approved head is enqueued, once for each visit of a step: GitHub rejects another head, and removes a pull request from
//   the queue after a push to it.
// - A merge in progress is an answer with a time (`queued`); repeating the request later returns its result. After the
//   allowed waiting time the pull request is removed from the queue.

import { formatDuration } from '../../base/duration.ts';
import type { ForgeAnswer, MergeRequest, MergeResult } from '../forge.ts';
import { refuse, refuseMissing } from '../refusal.ts';
import type { ActionParts } from './actions.ts';
import { readRequiredChecks } from './checks.ts';
import { PAGE } from './client.ts';
import { isApiError } from './failure.ts';
import { askGraphql } from './graphql.ts';
import type { PullRequest } from './reader.ts';

const READ = `query PawlQueue($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) { id isInMergeQueue } } }`;
const ENQUEUE = `mutation PawlEnqueue($pull: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $pull, expectedHeadOid: $head }) { mergeQueueEntry { id } } }`;
const DEQUEUE = `mutation PawlDequeue($pull: ID!) { dequeuePullRequest(input: { id: $pull }) { mergeQueueEntry { id } } }`;

/** The pause before the next request: a share of the time waited so far, within bounds. */
const PAUSE = { share: 0.25, minMs: 15_000, maxMs: 300_000 };

/** Whether the rules of a branch have a merge queue. */
export async function hasQueue({ connection: { octokit, repo } }: ActionParts, branch: string): Promise<boolean> {
  try {
    const rules = await octokit.paginate(octokit.rest.repos.getBranchRules, { ...repo, branch, per_page: PAGE });
    return rules.some(({ type }) => type === 'merge_queue');
  } catch (error) {
    // A server without rulesets has no queue.
    if (isApiError(error, 404)) return false;
    throw error;
  }
}

/** The required checks of a head that have not ended or not begun: until then, GitHub does not merge. */
export async function unfinishedChecks({ connection, reader }: ActionParts, { headSha, baseBranch }: PullRequest): Promise<string[]> {
  const required = await readRequiredChecks(connection, baseBranch);
  const checks = (await reader.checks(headSha)).filter(({ own }) => own !== true);
  return required.filter((name) => {
    const found = checks.filter((check) => check.name === name);
    return found.length === 0 || found.some(({ conclusion }) => conclusion === null);
  });
}

/** Enqueues a pull request, or reads its state. Always throws: it is queued, or it was rejected. */
export async function mergeByQueue(parts: ActionParts, request: MergeRequest, pr: PullRequest): Promise<never> {
  const { connection, ledger } = parts;
  const { number, expectedHead: head, waits } = request;
  const visit = waits?.visit ?? `queue/${number}/${head}`;
  const state = await readState(parts, number);
  const queued = { result: 'queued', message: `#${number} is in the merge queue of ${pr.baseBranch}`, until: connection.now() } as const;
  if (state.isInMergeQueue) refuse(queued);
  const removals = ledger.done(`${visit}/removed/`).length;
  const key = `${visit}/enqueue/${removals}`;
  if (ledger.done(key).length > 0) {
    await ledger.once({ name: 'leaveQueue', key: `${visit}/removed/${removals}` }, { act: async () => ({}) });
    return explainRemoval(pr);
  }
  const enqueued = await ledger.once(
    { name: 'enqueue', key },
    {
      adopt: async () => ((await readState(parts, number)).isInMergeQueue ? {} : undefined),
      act: () => askGraphql<object>(connection, ENQUEUE, { pull: state.id, head }),
    },
  );
  if (enqueued.result === 'ok') return refuse(queued);
  const open = enqueued.result === 'denied' ? await unfinishedChecks(parts, pr) : [];
  if (open.length > 0) refuse({ ...queued, message: `#${number} waits for ${open.join(', ')} before it can enter the merge queue` });
  return refuse(enqueued);
}

interface QueueState {
  readonly id: string;
  readonly isInMergeQueue: boolean;
}

async function readState({ connection }: ActionParts, number: number): Promise<QueueState> {
  const found = await askGraphql<{ repository: { pullRequest: QueueState | null } | null }>(connection, READ, {
    ...connection.repo,
    number,
  });
  return found.repository?.pullRequest ?? refuseMissing(`there is no pull request #${number}`);
}

function explainRemoval({ number, mergeable, baseBranch, headBranch }: PullRequest): never {
  if (mergeable === false)
    refuse({
      result: 'conflict',
      message: `the merge queue removed #${number}: ${headBranch} conflicts with ${baseBranch}; merge ${baseBranch} into the branch first`,
    });
  return refuse({
    result: 'ci_failure',
    message: `the merge queue of ${baseBranch} removed #${number}: its checks failed there, or a person removed it; the pull request shows why`,
  });
}

/** Returns when to repeat the request, or leaves the queue and throws a refusal because it has taken too long. */
export async function limitWait(
  parts: ActionParts,
  { number, expectedHead, waits }: MergeRequest,
  answer: Extract<ForgeAnswer<MergeResult>, { readonly result: 'queued' }>,
): Promise<ForgeAnswer<MergeResult>> {
  const { connection, ledger } = parts;
  const visit = waits?.visit ?? `queue/${number}/${expectedHead}`;
  const key = `${visit}/waits/${ledger.done(`${visit}/removed/`).length}`;
  await ledger.once({ name: 'awaitMerge', key }, { act: async () => ({}) });
  const now = connection.now();
  const waited = now - (ledger.done(key)[0]?.at ?? now);
  const until = now + Math.min(Math.max(waited * PAUSE.share, PAUSE.minMs), PAUSE.maxMs);
  if (waits === undefined || waited < waits.forMs) return { ...answer, until };
  return connection.answer(async () => {
    const state = await readState(parts, number);
    if (state.isInMergeQueue) await askGraphql(connection, DEQUEUE, { pull: state.id });
    return refuse({ result: 'ci_failure', message: `${answer.message} for ${formatDuration(waited)}, longer than "wait" allows` });
  });
}
