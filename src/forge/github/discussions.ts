// Owns the discussions of GitHub, and the replies in them. Only GitHub's GraphQL API has them.

import type { CommentRequest, DiscussionReply, ForgeActor, ForgeReader } from '../forge.ts';
import { keyed, type LedgerWork } from '../ledger.ts';
import { assertComment, refuseMissing } from '../refusal.ts';
import type { ActionParts } from './actions.ts';
import { PAGE } from './client.ts';
import { askGraphql } from './graphql.ts';
import { markerOf, withMarker, withoutMarker } from './marker.ts';

const READ = `query PawlDiscussion($owner: String!, $repo: String!, $number: Int!, $page: Int!, $after: String) {
  repository(owner: $owner, name: $repo) { discussion(number: $number) { id comments(first: $page, after: $after) {
    nodes { id body author { login } } pageInfo { hasNextPage endCursor } } } } }`;
const REPLY = `mutation PawlDiscussionReply($discussion: ID!, $body: String!) {
  addDiscussionComment(input: { discussionId: $discussion, body: $body }) { comment { id } } }`;

interface Page {
  readonly id: string;
  readonly comments: {
    readonly nodes: readonly { readonly id: string; readonly body: string; readonly author: { readonly login: string } | null }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

interface PageResponse {
  readonly repository: { readonly discussion: Page | null } | null;
}

interface Discussion {
  readonly id: string;
  readonly replies: readonly DiscussionReply[];
}

/** Creates the methods for discussions. */
export function createDiscussions(parts: ActionParts): Pick<ForgeActor, 'replyToDiscussion'> & Pick<ForgeReader, 'discussionReplies'> {
  const { connection, ledger } = parts;
  return {
    discussionReplies: (number) =>
      connection.answer(async () =>
        (await readDiscussion(parts, number)).replies.map((reply) => ({ ...reply, body: withoutMarker(reply.body) })),
      ),
    replyToDiscussion: keyed(ledger, 'replyToDiscussion', (request: CommentRequest, key) => replyWork(parts, request, key)),
  };
}

function replyWork(parts: ActionParts, { number, body }: CommentRequest, key: string): LedgerWork<{ id: string }> {
  return {
    adopt: async () => {
      const { login } = await parts.reader.whoami();
      // In GraphQL the name of an App has no "[bot]".
      const isMine = (author: string): boolean => author === login || `${author}[bot]` === login;
      const { replies } = await readDiscussion(parts, number);
      const mine = replies.find((reply) => isMine(reply.author) && reply.body.endsWith(markerOf(key)));
      return mine === undefined ? undefined : { id: mine.id };
    },
    act: async () => {
      assertComment(body, 'reply');
      const { id: discussion } = await readDiscussion(parts, number);
      const variables = { discussion, body: withMarker(body, key) };
      const added = await askGraphql<{ addDiscussionComment: { comment: { id: string } } }>(parts.connection, REPLY, variables);
      return { id: added.addDiscussionComment.comment.id };
    },
  };
}

async function readDiscussion({ connection }: ActionParts, number: number): Promise<Discussion> {
  const replies: DiscussionReply[] = [];
  let after: string | null = null;
  for (;;) {
    const variables: Record<string, unknown> = { ...connection.repo, number, page: PAGE, after };
    const { repository } = await askGraphql<PageResponse>(connection, READ, variables);
    const { id, comments } = repository?.discussion ?? refuseMissing(`there is no discussion #${number}`);
    replies.push(...comments.nodes.map((node) => ({ id: node.id, body: node.body, author: node.author?.login ?? 'ghost' })));
    if (!comments.pageInfo.hasNextPage) return { id, replies };
    after = comments.pageInfo.endCursor;
  }
}
