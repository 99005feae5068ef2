// Owns the part of GitHub's GraphQL API that is in use: discussions and the replies in them. There is no description of it
// to hold requests against, so each operation checks the variables that it names.

import type { Data } from './description.ts';
import { type GitHubState, NAME, OWNER, type PullItem } from './state.ts';

/** A request. */
export interface GraphqlRequest {
  readonly actor: string | undefined;
  readonly query: string;
  readonly variables: Data;
}

/** Answers a request: data, or errors as GitHub words them. */
export function answerGraphql(state: GitHubState, { actor = 'ghost', query, variables }: GraphqlRequest): Data {
  checkVariables(query, variables);
  if (query.includes('addDiscussionComment(input: { discussionId: $discussion, body: $body })')) {
    const discussion = state.discussions.find(({ id }) => id === variables.discussion);
    if (discussion === undefined) return notFound(`Could not resolve to a node with the global id of '${variables.discussion}'`);
    const reply = { id: `DC_${state.id()}`, user: actor, body: String(variables.body) };
    discussion.replies.push(reply);
    return { data: { addDiscussionComment: { comment: { id: reply.id } } } };
  }
  const queued = answerQueue(state, query, variables);
  if (queued !== undefined) return queued;
  if (!query.includes('discussion(number: $number)')) throw new Error(`no answer to the GraphQL request ${query}`);
  const isHere = variables.owner === OWNER && variables.repo === NAME;
  const discussion = isHere ? state.discussions.find(({ number }) => number === variables.number) : undefined;
  if (discussion === undefined) return notFound(`Could not resolve to a Discussion with the number of ${variables.number}.`);
  const first = Number(variables.page);
  const from = variables.after === null ? 0 : Number(variables.after);
  const nodes = discussion.replies.slice(from, from + first).map(({ id, body, user }) => ({ id, body, author: { login: user } }));
  const pageInfo = { hasNextPage: discussion.replies.length > from + first, endCursor: String(from + first) };
  return { data: { repository: { discussion: { id: discussion.id, comments: { nodes, pageInfo } } } } };
}

/** The merge queue: its entries, adding and removing. */
function answerQueue(state: GitHubState, query: string, variables: Data): Data | undefined {
  if (query.includes('pullRequest(number: $number) { id isInMergeQueue }')) {
    const item = state.items.get(Number(variables.number));
    if (item?.pull === undefined) return notFound(`Could not resolve to a PullRequest with the number of ${variables.number}.`);
    return {
      data: {
        repository: { pullRequest: { id: `PR_${item.number}`, isInMergeQueue: queueOf(state, item.pull.base).includes(item.number) } },
      },
    };
  }
  const item = state.items.get(Number(String(variables.pull).replace('PR_', '')));
  if (item?.pull === undefined) return undefined;
  const queue = queueOf(state, item.pull.base);
  if (query.includes('enqueuePullRequest(input: { pullRequestId: $pull, expectedHeadOid: $head })')) {
    if (variables.head !== item.pull.headSha) return refused('Expected head oid does not match the pull request head');
    if (state.queueRefusal !== undefined) return refused(state.queueRefusal);
    if (queue.includes(item.number)) return refused('Pull request is already in the merge queue');
    queue.push(item.number);
    state.enqueued += 1;
    return { data: { enqueuePullRequest: { mergeQueueEntry: { id: `MQE_${item.number}` } } } };
  }
  if (!query.includes('dequeuePullRequest(input: { id: $pull })')) return undefined;
  queue.splice(queue.indexOf(item.number), 1);
  return { data: { dequeuePullRequest: { mergeQueueEntry: { id: `MQE_${item.number}` } } } };
}

function queueOf(state: GitHubState, branch: string): number[] {
  return state.queues.get(branch) ?? [];
}

function refused(message: string): Data {
  return { data: null, errors: [{ type: 'UNPROCESSABLE', message }] };
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  'String!': (value) => typeof value === 'string',
  'ID!': (value) => typeof value === 'string',
  'GitObjectID!': (value) => /^[0-9a-f]{40}$/.test(String(value)),
  'Int!': (value) => Number.isInteger(value),
  String: (value) => value === null || value === undefined || typeof value === 'string',
};

function checkVariables(query: string, variables: Data): void {
  for (const [, name = '', type = ''] of query.matchAll(/\$(\w+): (\w+!?)/g))
    if (TYPES[type]?.(variables[name]) !== true)
      throw new Error(`the variable $${name} must be ${type}, not ${JSON.stringify(variables[name])}`);
}

function notFound(message: string): Data {
  return { data: null, errors: [{ type: 'NOT_FOUND', message }] };
}

/** Merges a pull request that is in the merge queue of the branch `main`, as GitHub does. */
export async function mergeFromQueue(state: GitHubState, number: number): Promise<void> {
  const item = state.items.get(number) as PullItem;
  const base = state.headOf('main') as string;
  const built = await state.git.build({ method: 'merge', base, head: item.pull.headSha, message: 'Merge' });
  if (built.kind !== 'merged') throw new Error(built.kind);
  await state.git.advance('main', { from: base, to: built.sha });
  Object.assign(item.pull, { merged: true, mergeSha: built.sha, baseSha: base });
  item.open = false;
  queueOf(state, 'main').splice(0);
  state.record(item, 'closed', { actor: 'github-merge-queue[bot]' });
}
