// Handles requests to the GitHub of the tests about pull requests: opening, reviewing, merging. Merges are real merges of
// git.

import type { MergeMethod } from '../../src/forge/forge.ts';
import { type ApiRequest, type ApiResponse, apiError, type Handler, itemOf } from './exchange.ts';
import { fileData, listedPullData, pullData, reviewData } from './shapes.ts';
import { type GitHubState, OWNER, type PullItem, stamp } from './state.ts';

const STATES: Readonly<Record<string, string>> = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' };

function withPull(handle: (request: ApiRequest, item: PullItem) => ApiResponse | Promise<ApiResponse>): Handler {
  return (request) => {
    const item = itemOf(request);
    return item?.pull === undefined ? apiError(404, 'Not Found') : handle(request, item as PullItem);
  };
}

async function mergeabilityOf(state: GitHubState, { open, pull }: PullItem): Promise<boolean | null> {
  if (!open) return null;
  if (state.unknownMergeability > 0) {
    state.unknownMergeability -= 1;
    return null;
  }
  const base = state.headOf(pull.base);
  return base === undefined ? null : (await state.git.conflicts(base, pull.headSha)) === null;
}

async function create({ state, actor, body }: ApiRequest): Promise<ApiResponse> {
  const [head, base] = [String(body.head), String(body.base)];
  const [headSha, baseSha] = [state.headOf(head), state.headOf(base)];
  if (headSha === undefined || baseSha === undefined)
    return apiError(422, 'Validation Failed', [
      { resource: 'PullRequest', field: headSha === undefined ? 'head' : 'base', code: 'invalid' },
    ]);
  if (await state.git.contains(baseSha, headSha))
    return apiError(422, 'Validation Failed', [{ message: `No commits between ${base} and ${head}` }]);
  const same = [...state.items.values()].some(({ open, pull }) => open && pull?.head === head && pull.base === base && pull.from === OWNER);
  if (same) return apiError(422, 'Validation Failed', [{ message: `A pull request already exists for ${OWNER}:${head}.` }]);
  const pull = { head, base, headSha, baseSha, from: OWNER, draft: body.draft === true, mergeSha: null, merged: false, reviewers: [] };
  const item = state.add({ title: String(body.title), body: String(body.body ?? ''), user: actor, pull }) as PullItem;
  await state.git.setRef(`refs/pull/${item.number}/head`, headSha);
  return { status: 201, data: pullData(state, item, await mergeabilityOf(state, item)) };
}

async function merge({ state, actor, body }: ApiRequest, item: PullItem): Promise<ApiResponse> {
  const { pull, number, title } = item;
  if (pull.merged || !item.open) return apiError(405, 'Pull Request is not mergeable');
  if (body.sha !== undefined && body.sha !== pull.headSha)
    return apiError(409, 'Head branch was modified. Review and try the merge again.');
  if (pull.draft) return apiError(405, 'Pull Request is still a draft');
  if (state.queues.has(pull.base)) return apiError(405, 'Changes must be made through the merge queue');
  if (state.mergeRefusal !== undefined) return apiError(405, state.mergeRefusal);
  const base = state.headOf(pull.base);
  if (base === undefined) return apiError(404, 'Not Found');
  const method = (body.merge_method ?? 'merge') as MergeMethod;
  const message = method === 'merge' ? `Merge pull request #${number} from ${OWNER}/${pull.head}\n\n${title}\n` : `${title} (#${number})\n`;
  const built = await state.git.build({ method, base, head: pull.headSha, message });
  if (built.kind !== 'merged') return apiError(405, 'Pull Request is not mergeable');
  const moved = await state.git.advance(pull.base, { from: base, to: built.sha });
  if (moved.kind !== 'moved') return apiError(405, 'Base branch was modified. Review and try the merge again.');
  Object.assign(pull, { merged: true, mergeSha: built.sha, baseSha: base });
  item.open = false;
  state.record(item, 'merged', { actor });
  state.record(item, 'closed', { actor });
  return { status: 200, data: { sha: built.sha, merged: true, message: 'Pull Request successfully merged' } };
}

/** The operations on pull requests. */
export const pullHandlers: Readonly<Record<string, Handler>> = {
  'pulls/get': withPull(async ({ state }, item) => ({ status: 200, data: pullData(state, item, await mergeabilityOf(state, item)) })),
  'pulls/list': ({ state, query }) => {
    const head = query.get('head');
    const listed = [...state.items.values()].filter(
      ({ open, pull }) => open && pull !== undefined && (head === null || `${pull.from}:${pull.head}` === head),
    );
    return { status: 200, data: listed.toReversed().map((item) => listedPullData(state, item)) };
  },
  'pulls/create': create,
  'pulls/merge': withPull(merge),
  'pulls/list-files': withPull(async ({ state }, { pull }) => {
    const base = pull.merged ? pull.baseSha : (state.headOf(pull.base) ?? pull.baseSha);
    return { status: 200, data: (await state.git.changedFiles(base, pull.headSha)).map(fileData) };
  }),
  'pulls/list-reviews': withPull(({ state }, { number }) => ({
    status: 200,
    data: state.reviews.filter((review) => review.number === number).map((review) => reviewData(state, review)),
  })),
  'pulls/create-review': withPull(({ state, actor, body }, item) => {
    const word = STATES[String(body.event)] ?? 'PENDING';
    if (word !== 'COMMENTED' && item.user === actor)
      return apiError(422, 'Unprocessable Entity', [{ message: 'Can not approve your own pull request' }]);
    return { status: 200, data: reviewData(state, addReview(state, item, { user: actor, word, body: String(body.body ?? '') })) };
  }),
  'pulls/request-reviewers': withPull(({ state, body, actor }, item) => {
    const asked = (body.reviewers ?? []) as string[];
    if (asked.includes(item.user)) return apiError(422, 'Review cannot be requested from pull request author.');
    item.pull.reviewers = [...new Set([...item.pull.reviewers, ...asked])];
    state.record(item, 'review_requested', { actor });
    return { status: 201, data: listedPullData(state, item) };
  }),
};

/** Adds a review of the current head. */
export function addReview(
  state: GitHubState,
  item: PullItem,
  { user, word, body }: { readonly user: string; readonly word: string; readonly body: string },
): GitHubState['reviews'][number] {
  const review = { id: state.id(), number: item.number, user, body, state: word, sha: item.pull.headSha, at: stamp() };
  state.reviews.push(review);
  item.pull.reviewers = item.pull.reviewers.filter((login) => login !== user);
  state.touch(item);
  return review;
}
