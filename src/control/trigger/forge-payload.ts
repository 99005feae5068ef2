// Owns the value of `trigger` if the forge sent no payload: the facts of an issue or a pull request, read from the forge, in
// the format of GitHub's payloads.

import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import { parseEvent } from '../../definition/trigger/event.ts';
import type { ForgeAnswer, ForgeComment, ForgeEvent, ForgeReader, IssueFacts, PullRequestFacts } from '../../forge/forge.ts';

type SharedFacts = Pick<IssueFacts, 'labels' | 'author' | 'bot' | 'assignees' | 'milestone'>;

/** The payload of an issue or a pull request. */
export async function payloadOf(
  forge: ForgeReader,
  { issue, pr }: { readonly issue?: number | undefined; readonly pr?: number | undefined },
): Promise<ForgeAnswer<JsonObject>> {
  const found = await forge.repository();
  if (found.result !== 'ok') return found;
  const repository = { name: found.value.name, default_branch: found.value.defaultBranch };
  if (pr !== undefined) {
    const pull = await forge.pullRequest(pr);
    return pull.result === 'ok' ? { result: 'ok', value: { pull_request: pullRequestOf(pull.value), repository } } : pull;
  }
  if (issue === undefined) return { result: 'ok', value: { repository } };
  const read = await forge.issue(issue);
  return read.result === 'ok' ? { result: 'ok', value: { issue: issueOf(read.value), repository } } : read;
}

/** The payload of an event that came without one. */
export async function payloadOfEvent(forge: ForgeReader, event: ForgeEvent): Promise<ForgeAnswer<JsonObject>> {
  const subject = await payloadOf(forge, event);
  if (subject.result !== 'ok') return subject;
  const { action } = parseEvent(event.event);
  const { label, sha } = event;
  const comment = event.comment === undefined ? undefined : await commentOf(forge, event);
  if (comment !== undefined && comment.result !== 'ok') return comment;
  const review = await reviewOf(forge, event);
  if (review !== undefined && review.result !== 'ok') return review;
  return {
    result: 'ok',
    value: {
      ...omitUndefined({
        action,
        after: sha,
        label: label === undefined ? undefined : { name: label },
        comment: comment?.value,
        review: review?.value,
      }),
      ...subject.value,
      ...omitUndefined({ sender: userOf(event.actor) }),
    },
  };
}

async function commentOf(forge: ForgeReader, { comment, issue, pr }: ForgeEvent): Promise<ForgeAnswer<JsonObject>> {
  const found = await forge.comments(pr ?? issue ?? 0);
  if (found.result !== 'ok') return found;
  const one = found.value.find(({ id }) => id === comment);
  return one === undefined
    ? { result: 'not_found', message: `the comment ${comment} was deleted` }
    : { result: 'ok', value: shownComment(one) };
}

/** The state of a review, as far as the forge still has it. */
async function reviewOf(forge: ForgeReader, { event, pr, actor }: ForgeEvent): Promise<ForgeAnswer<JsonObject> | undefined> {
  if (pr === undefined || !event.startsWith('pull_request_review.')) return undefined;
  const user = omitUndefined({ user: userOf(actor) });
  if (event.endsWith('.dismissed')) return { result: 'ok', value: { state: 'dismissed', ...user } };
  const found = await forge.approvals(pr);
  if (found.result !== 'ok') return found;
  const review = actor === undefined ? undefined : found.value.find((candidate) => isSamePerson(candidate.actor, actor));
  return { result: 'ok', value: { state: review?.state ?? 'commented', ...user } };
}

function shownComment({ id, author, bot, body, at, edited }: ForgeComment): JsonObject {
  return { id, body, user: { login: author, type: bot ? 'Bot' : 'User' }, created_at: new Date(at).toISOString(), edited };
}

function issueOf({ number, title, body, state, ...facts }: IssueFacts): JsonObject {
  return { number, title, body, state, ...sharedOf(facts) };
}

function sharedOf({ labels, author, bot, assignees, milestone }: SharedFacts): JsonObject {
  const people = assignees.map((login) => ({ login, type: typeOf(login) }));
  return {
    labels: labels.map((name): Json => ({ name })),
    user: { login: author, type: bot ? 'Bot' : 'User' },
    assignees: people,
    assignee: people[0] ?? null,
    milestone: milestone === null ? null : { title: milestone },
  };
}

function userOf(login: string | undefined): JsonObject | undefined {
  return login === undefined ? undefined : { login, type: typeOf(login) };
}

/** GitHub's Apps have names like `pawl[bot]`. */
function typeOf(login: string): 'Bot' | 'User' {
  return login.endsWith('[bot]') ? 'Bot' : 'User';
}

function pullRequestOf({ number, title, body, state, ...pr }: PullRequestFacts): JsonObject {
  return {
    number,
    title,
    body,
    state: state === 'open' ? 'open' : 'closed',
    merged: state === 'merged',
    mergeable: pr.mergeable,
    draft: pr.draft,
    ...sharedOf(pr),
    head: { ref: pr.headBranch, sha: pr.headSha },
    base: { ref: pr.baseBranch },
  };
}
