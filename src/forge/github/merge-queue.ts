// Owns merging into a branch that has a merge queue, and waiting for what GitHub has not decided yet.
//
// - Where the rules of a branch have a queue, nothing is merged past it, also not by a login that could.
// - The approved head is enqueued, once for each visit of a step: GitHub refuses another head, and takes a pull request out of the
//   queue when somebody pushes to it.
// - What is under way is an answer with a time (`queued`): the same request later finds how it ended. A request that waits for
//   longer than it should takes the pull request out of the queue.

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

/** How long to wait before the next look: a share of what was waited for, within bounds. */
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

/** The required checks of a head that have not ended: GitHub refuses a merge also while one of them has not even begun. */
export async function checksUnderWay({ connection, reader }: ActionParts, { headSha, baseBranch }: PullRequest): Promise<string[]> {
  const required = await readRequiredChecks(connection, baseBranch);
  const checks = (await reader.checks(headSha)).filter(({ own }) => own !== true);
  return required.filter((name) => {
    const found = checks.filter((check) => check.name === name);
    return found.length === 0 || found.some(({ conclusion }) => conclusion === null);
  });
}

/** Enqueues a pull request, or finds its state. Always throws: it is under way, or it was rejected. */
export async function mergeByQueue(parts: ActionParts, request: MergeRequest, pr: PullRequest): Promise<never> {
  const { connection, ledger } = parts;
  const { number, expectedHead: head, waits } = request;
  const visit = waits?.visit ?? `queue/${number}/${head}`;
  const state = await readState(parts, number);
  const under = { result: 'queued', message: `#${number} is in the merge queue of ${pr.baseBranch}`, until: connection.now() } as const;
  if (state.isInMergeQueue) refuse(under);
  const turn = ledger.done(`${visit}/removed/`).length;
  const key = `${visit}/enqueue/${turn}`;
  if (ledger.done(key).length > 0) {
    await ledger.once({ name: 'leaveQueue', key: `${visit}/removed/${turn}` }, { act: async () => ({}) });
    return explainRemoval(pr);
  }
  const made = await ledger.once(
    { name: 'enqueue', key },
    {
      adopt: async () => ((await readState(parts, number)).isInMergeQueue ? {} : undefined),
      act: () => askGraphql<object>(connection, ENQUEUE, { pull: state.id, head }),
    },
  );
  if (made.result === 'ok') return refuse(under);
  const open = made.result === 'denied' ? await checksUnderWay(parts, pr) : [];
  if (open.length > 0) refuse({ ...under, message: `#${number} waits for ${open.join(', ')} before it can enter the merge queue` });
  return refuse(made);
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
    message: `the merge queue of ${baseBranch} removed #${number}: its checks failed there, or somebody took it out; the pull request says why`,
  });
}

/** Says when to ask again, or that it has taken too long; then nothing is left in the queue. */
export async function boundedWait(
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
