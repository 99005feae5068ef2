// Owns the discussions of GitHub, and the replies in them. GitHub has them in its GraphQL API alone.

import type { DiscussionReply, ForgeActor, ForgeReader } from '../forge.ts';
import type { ActionParts } from './actions.ts';
import { PAGE } from './client.ts';
import { refuse } from './failure.ts';
import { askGraphql } from './graphql.ts';
import { checkText, markerOf, withMarker, withoutMarker } from './marker.ts';

const READ = `query PawlDiscussion($owner: String!, $repo: String!, $number: Int!, $page: Int!, $after: String) {
  repository(owner: $owner, name: $repo) { discussion(number: $number) { id comments(first: $page, after: $after) {
    nodes { id body author { login } } pageInfo { hasNextPage endCursor } } } } }`;
const REPLY = `mutation PawlDiscussionReply($discussion: ID!, $body: String!) {
  addDiscussionComment(input: { discussionId: $discussion, body: $body }) { comment { id } } }`;

interface Found {
  readonly id: string;
  readonly comments: {
    readonly nodes: readonly { readonly id: string; readonly body: string; readonly author: { readonly login: string } | null }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

interface Page {
  readonly repository: { readonly discussion: Found | null } | null;
}

interface Discussion {
  readonly id: string;
  readonly replies: readonly DiscussionReply[];
}

/** Creates what the driver does with discussions. */
export function createDiscussions(parts: ActionParts): Pick<ForgeActor, 'replyToDiscussion'> & Pick<ForgeReader, 'discussionReplies'> {
  const { connection, ledger } = parts;
  return {
    discussionReplies: (number) =>
      connection.answer(async () =>
        (await readDiscussion(parts, number)).replies.map((reply) => ({ ...reply, body: withoutMarker(reply.body) })),
      ),
    replyToDiscussion: ({ number, body }, key) =>
      ledger.once(
        { name: 'replyToDiscussion', key },
        {
          adopt: async () => {
            const { login } = await parts.reader.whoami();
            // Through GraphQL an App has no "[bot]" behind its name.
            const isMine = (author: string): boolean => author === login || `${author}[bot]` === login;
            const { replies } = await readDiscussion(parts, number);
            const mine = replies.find((reply) => isMine(reply.author) && reply.body.endsWith(markerOf(key)));
            return mine === undefined ? undefined : { id: mine.id };
          },
          act: async () => {
            if (body.trim() === '') refuse({ result: 'denied', message: 'a reply must not be empty' });
            checkText(undefined, body);
            const { id: discussion } = await readDiscussion(parts, number);
            const made = await askGraphql<{ addDiscussionComment: { comment: { id: string } } }>(connection, REPLY, {
              discussion,
              body: withMarker(body, key),
            });
            return { id: made.addDiscussionComment.comment.id };
          },
        },
      ),
  };
}

async function readDiscussion(parts: ActionParts, number: number): Promise<Discussion> {
  const { repo } = parts.connection;
  const replies: DiscussionReply[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Page = await askGraphql<Page>(parts.connection, READ, { ...repo, number, page: PAGE, after });
    const discussion: Found = page.repository?.discussion ?? refuse({ result: 'not_found', message: `there is no discussion #${number}` });
    const { nodes, pageInfo }: Found['comments'] = discussion.comments;
    replies.push(...nodes.map(({ id, body, author }) => ({ id, body, author: author?.login ?? 'ghost' })));
    if (!pageInfo.hasNextPage) return { id: discussion.id, replies };
    after = pageInfo.endCursor;
  }
}
