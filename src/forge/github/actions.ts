// Owns the actions that write to GitHub's issues and pull requests, each once per key (`../ledger.ts`).

import { isSamePerson } from '../../base/person.ts';
import type {
  CommentReactionRequest,
  CommentRequest,
  ForgeActor,
  ForgeNotification,
  IssueRequest,
  LabelRequest,
  PostedComment,
  PullRequestRequest,
} from '../forge.ts';
import { keyed, type Ledger, type LedgerWork } from '../ledger.ts';
import { assertComment, assertLabels, assertText, deny, refuseMissing } from '../refusal.ts';
import { type Connection, PAGE } from './client.ts';
import { isApiError, responseText } from './failure.ts';
import { markerOf, withMarker, withoutMarker } from './marker.ts';
import type { GitHubReader } from './reader.ts';

/** The parts of the driver that actions use. */
export interface ActionParts {
  readonly connection: Connection;
  readonly reader: GitHubReader;
  readonly ledger: Ledger;
}

type Actions = Omit<ForgeActor, 'mergePullRequest' | 'submitReview' | 'setCheck' | 'requestReviewers' | 'assign' | 'replyToDiscussion'>;

/** How much older than the recorded start of its action a text may be, because the clocks differ. */
const CLOCK_DRIFT_MS = 5 * 60_000;

/** Creates the actions. */
export function createActions(parts: ActionParts): Actions {
  const { connection, reader, ledger } = parts;
  return {
    createIssue: keyed(ledger, 'createIssue', (request: IssueRequest, key) => ({
      adopt: (since) => findIssue(parts, { key, since }),
      act: () => createIssue(connection, request, key),
    })),
    closeIssue: keyed(ledger, 'closeIssue', ({ number }: { readonly number: number }) => ({ act: () => closeIssue(parts, number) })),
    addLabels: keyed(ledger, 'addLabels', (request: LabelRequest) => ({ act: () => addLabels(connection, request) })),
    removeLabels: keyed(ledger, 'removeLabels', (request: LabelRequest) => ({ act: () => removeLabels(connection, request) })),
    comment: keyed(ledger, 'comment', (request: CommentRequest, key) => commentWork(parts, request, key)),
    editComment: keyed(ledger, 'editComment', (request: { readonly id: string; readonly body: string }, key) => ({
      act: () => editComment(parts, request, key),
    })),
    react: keyed(ledger, 'react', (request: CommentReactionRequest) => ({ act: () => react(connection, request) })),
    openPullRequest: keyed(ledger, 'openPullRequest', (request: PullRequestRequest) => ({
      adopt: () => findPullRequest(reader, request),
      act: () => openPullRequest(parts, request),
    })),
    notify: keyed(ledger, 'notify', (request: ForgeNotification, key) => notifyWork(parts, request, key)),
  };
}

async function createIssue({ octokit, repo }: Connection, request: IssueRequest, key: string): Promise<{ number: number }> {
  const { title, body, labels } = request;
  assertText(title, body);
  assertLabels(labels);
  const { data } = await octokit.rest.issues.create({ ...repo, title, body: withMarker(body, key), labels: [...new Set(labels)] });
  return { number: data.number };
}

async function findIssue(
  { connection, reader }: ActionParts,
  { key, since }: { readonly key: string; readonly since: number },
): Promise<{ number: number } | undefined> {
  const { octokit, repo } = connection;
  const { login } = await reader.whoami();
  const query = { ...repo, state: 'all' as const, since: new Date(since - CLOCK_DRIFT_MS).toISOString(), per_page: PAGE };
  const found = await octokit.paginate(octokit.rest.issues.listForRepo, query);
  const mine = found.find(({ body, user }) => user?.login === login && body?.endsWith(markerOf(key)) === true);
  return mine === undefined ? undefined : { number: mine.number };
}

async function closeIssue({ connection: { octokit, repo }, reader }: ActionParts, number: number): Promise<{ number: number }> {
  const { state } = await reader.issue(number);
  if (state === 'open') await octokit.rest.issues.update({ ...repo, issue_number: number, state: 'closed' });
  return { number };
}

async function readLabels({ octokit, repo }: Connection, number: number): Promise<string[]> {
  const { data } = await octokit.rest.issues.get({ ...repo, issue_number: number });
  return data.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
}

async function addLabels(connection: Connection, { number, labels }: LabelRequest): Promise<{ number: number; labels: string[] }> {
  assertLabels(labels);
  const before = await readLabels(connection, number);
  const missing = [...new Set(labels)].filter((label) => !before.some((present) => isSamePerson(present, label)));
  if (missing.length === 0) return { number, labels: before };
  const { octokit, repo } = connection;
  const { data } = await octokit.rest.issues.addLabels({ ...repo, issue_number: number, labels: missing });
  return { number, labels: data.map(({ name }) => name) };
}

async function removeLabels(connection: Connection, { number, labels }: LabelRequest): Promise<{ number: number; labels: string[] }> {
  assertLabels(labels);
  const { octokit, repo } = connection;
  const before = await readLabels(connection, number);
  for (const name of before.filter((present) => labels.some((label) => isSamePerson(present, label)))) {
    await octokit.rest.issues.removeLabel({ ...repo, issue_number: number, name }).catch((error: unknown) => {
      // Someone else removed it first.
      if (!isApiError(error, 404)) throw error;
    });
  }
  return { number, labels: await readLabels(connection, number) };
}

function commentWork(parts: ActionParts, { number, body }: CommentRequest, key: string): Required<LedgerWork<PostedComment>> {
  const { octokit, repo } = parts.connection;
  return {
    adopt: (since) => findComment(parts, { number, body, key, since }),
    act: async () => {
      assertComment(body);
      const { data } = await octokit.rest.issues.createComment({ ...repo, issue_number: number, body: withMarker(body, key) });
      return { id: String(data.id), at: Date.parse(data.created_at) };
    },
  };
}

// A text without room for a mark is recognised by its content, unless it is recorded as the comment of another key.
async function findComment(
  { connection, reader, ledger }: ActionParts,
  { number, body, key, since }: CommentRequest & { readonly key: string; readonly since: number },
): Promise<PostedComment | undefined> {
  const { octokit, repo } = connection;
  const { login } = await reader.whoami();
  const query = { ...repo, issue_number: number, since: new Date(since - CLOCK_DRIFT_MS).toISOString(), per_page: PAGE };
  const found = (await octokit.paginate(octokit.rest.issues.listComments, query)).filter(({ user }) => user?.login === login);
  const text = withMarker(body, key);
  const marked = text === body ? undefined : found.find((comment) => comment.body?.endsWith(markerOf(key)) === true);
  const same = text === body ? found.filter((comment) => comment.body === body) : [];
  const taken = new Set(same.length === 0 ? [] : ledger.done('').map(({ value }) => (value as { readonly id?: string }).id));
  const mine = marked ?? same.find((comment) => !taken.has(String(comment.id)));
  return mine === undefined ? undefined : { id: String(mine.id), at: Date.parse(mine.updated_at) };
}

async function react({ octokit, repo }: Connection, { id, reaction }: CommentReactionRequest): Promise<{ id: string }> {
  await octokit.rest.reactions.createForIssueComment({ ...repo, comment_id: Number(id), content: reaction });
  return { id };
}

async function editComment(
  { connection, reader }: ActionParts,
  { id, body }: { readonly id: string; readonly body: string },
  key: string,
): Promise<PostedComment> {
  const { octokit, repo } = connection;
  assertComment(body);
  const { data } = await octokit.rest.issues.getComment({ ...repo, comment_id: Number(id) });
  const { login } = await reader.whoami();
  if (data.user?.login !== login) deny(`comment ${id} is by ${data.user?.login ?? 'ghost'}; only its author can change it`);
  if (withoutMarker(data.body ?? '') === body) return { id, at: Date.parse(data.updated_at) };
  const { data: changed } = await octokit.rest.issues.updateComment({ ...repo, comment_id: Number(id), body: withMarker(body, key) });
  return { id, at: Date.parse(changed.updated_at) };
}

async function openPullRequest({ connection, reader }: ActionParts, request: PullRequestRequest): Promise<{ number: number }> {
  const { octokit, repo } = connection;
  const { title, body, head, base, draft = false } = request;
  assertText(title, body);
  const adopted = await findPullRequest(reader, request);
  if (adopted !== undefined) return adopted;
  if ((await reader.headOf(head)) === undefined) refuseMissing(`there is no branch "${head}"; push it first`);
  if ((await reader.headOf(base)) === undefined) refuseMissing(`there is no branch "${base}" to merge into`);
  try {
    return { number: (await octokit.rest.pulls.create({ ...repo, title, body, head, base, draft })).data.number };
  } catch (error) {
    // Someone else opened it first, or a failed request of ours was carried out.
    if (isApiError(error, 422) && /already exists/i.test(responseText(error))) {
      const other = await findPullRequest(reader, request);
      if (other !== undefined) return other;
    }
    throw error;
  }
}

async function findPullRequest(
  reader: GitHubReader,
  { head, base }: Pick<PullRequestRequest, 'head' | 'base'>,
): Promise<{ number: number } | undefined> {
  const found = (await reader.pullRequestsFrom(head)).find(({ baseBranch }) => baseBranch === base);
  return found === undefined ? undefined : { number: found.number };
}

// The result has the id of the comment, to distinguish it from comments that people write under the same login.
function notifyWork(
  parts: ActionParts,
  { number, target, people, message }: ForgeNotification,
  key: string,
): LedgerWork<{ target: string }> {
  const mentions = people.map((name) => `@${name.replace(/^@/, '')}`).join(' ');
  const body = mentions === '' ? message : `${mentions}\n\n${message}`;
  const comment = commentWork(parts, { number: number ?? 0, body }, key);
  return {
    adopt: async (since) => {
      const adopted = await comment.adopt(since);
      return adopted === undefined ? undefined : { target, ...adopted };
    },
    act: async () => {
      if (number === undefined) deny(`a message to ${target} needs an issue or a pull request, because on GitHub it is a comment`);
      return { target, ...(await comment.act()) };
    },
  };
}
