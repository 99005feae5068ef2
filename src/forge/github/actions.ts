// Owns the actions that write to GitHub's issues and pull requests, each once per key (`../ledger.ts`).

import { isSamePerson } from '../../base/person.ts';
import type {
  ForgeActor,
  IssueRequest,
  LabelRequest,
  Notification,
  PullRequestRequest,
  ReactionRequest,
  WrittenComment,
} from '../forge.ts';
import type { Ledger } from '../ledger.ts';
import { type Connection, PAGE } from './client.ts';
import { isApiError, refuse, responseText } from './failure.ts';
import { checkText, markerOf, withMarker, withoutMarker } from './marker.ts';
import type { GitHubReader } from './reader.ts';

/** The parts of the driver that actions use. */
export interface ActionParts {
  readonly connection: Connection;
  readonly reader: GitHubReader;
  readonly ledger: Ledger;
}

type Actions = Omit<ForgeActor, 'mergePullRequest' | 'submitReview' | 'setCheck' | 'requestReviewers' | 'assign' | 'replyToDiscussion'>;

/** How much older than our record of its begin a text may be: clocks differ. */
const CLOCK_DRIFT_MS = 5 * 60_000;

/** Creates the actions. */
export function createActions(parts: ActionParts): Actions {
  const { connection, reader, ledger } = parts;
  const { octokit, repo } = connection;
  const { rest } = octokit;
  return {
    createIssue: (request, key) =>
      ledger.once(
        { name: 'createIssue', key },
        { adopt: (since) => findIssue(parts, { key, since }), act: () => createIssue(connection, request, key) },
      ),
    closeIssue: ({ number }, key) =>
      ledger.once(
        { name: 'closeIssue', key },
        {
          act: async () => {
            const { state } = await reader.issue(number);
            if (state === 'open') await rest.issues.update({ ...repo, issue_number: number, state: 'closed' });
            return { number };
          },
        },
      ),
    addLabels: (request, key) => ledger.once({ name: 'addLabels', key }, { act: () => addLabels(connection, request) }),
    removeLabels: (request, key) => ledger.once({ name: 'removeLabels', key }, { act: () => removeLabels(connection, request) }),
    comment: (request, key) => ledger.once({ name: 'comment', key }, commentWork(parts, request, key)),
    editComment: ({ id, body }, key) => ledger.once({ name: 'editComment', key }, { act: () => editComment(parts, { id, body }, key) }),
    react: (request, key) => ledger.once({ name: 'react', key }, { act: () => react(connection, request) }),
    openPullRequest: (request, key) =>
      ledger.once(
        { name: 'openPullRequest', key },
        { adopt: () => findPullRequest(reader, request), act: () => openPullRequest(parts, request) },
      ),
    notify: (request, key) => {
      const { number, target } = request;
      const work = commentWork(parts, { number: number ?? 0, body: notificationText(request) }, key);
      return ledger.once(
        { name: 'notify', key },
        {
          // The id tells the comment from those that people write under the same login.
          adopt: async (since) => {
            const adopted = await work.adopt(since);
            return adopted === undefined ? undefined : { target, ...adopted };
          },
          act: async () => {
            if (number === undefined)
              refuse({
                result: 'denied',
                message: `GitHub has no place for a message to ${target} that is about no issue or pull request`,
              });
            return { target, ...(await work.act()) };
          },
        },
      );
    },
  };
}

async function createIssue({ octokit, repo }: Connection, request: IssueRequest, key: string): Promise<{ number: number }> {
  const { title, body, labels } = request;
  checkText(title, body);
  checkLabels(labels);
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

function checkLabels(labels: readonly string[]): void {
  if (labels.some((label) => label.trim() === '')) refuse({ result: 'denied', message: 'a label must not be empty' });
}

async function readLabels({ octokit, repo }: Connection, number: number): Promise<string[]> {
  const { data } = await octokit.rest.issues.get({ ...repo, issue_number: number });
  return data.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
}

async function addLabels(connection: Connection, { number, labels }: LabelRequest): Promise<{ number: number; labels: string[] }> {
  checkLabels(labels);
  const before = await readLabels(connection, number);
  const missing = [...new Set(labels)].filter((label) => !before.some((one) => isSamePerson(one, label)));
  if (missing.length === 0) return { number, labels: before };
  const { octokit, repo } = connection;
  const { data } = await octokit.rest.issues.addLabels({ ...repo, issue_number: number, labels: missing });
  return { number, labels: data.map(({ name }) => name) };
}

async function removeLabels(connection: Connection, { number, labels }: LabelRequest): Promise<{ number: number; labels: string[] }> {
  checkLabels(labels);
  const { octokit, repo } = connection;
  const before = await readLabels(connection, number);
  for (const name of before.filter((one) => labels.some((label) => isSamePerson(one, label)))) {
    await octokit.rest.issues.removeLabel({ ...repo, issue_number: number, name }).catch((error: unknown) => {
      // Somebody else was quicker.
      if (!isApiError(error, 404)) throw error;
    });
  }
  return { number, labels: await readLabels(connection, number) };
}

interface CommentRequest {
  readonly number: number;
  readonly body: string;
}

interface CommentWork {
  adopt(since: number): Promise<WrittenComment | undefined>;
  act(): Promise<WrittenComment>;
}

function commentWork(parts: ActionParts, { number, body }: CommentRequest, key: string): CommentWork {
  const { octokit, repo } = parts.connection;
  return {
    adopt: (since) => findComment(parts, { number, body, key, since }),
    act: async () => {
      if (body.trim() === '') refuse({ result: 'denied', message: 'a comment must not be empty' });
      checkText(undefined, body);
      const { data } = await octokit.rest.issues.createComment({ ...repo, issue_number: number, body: withMarker(body, key) });
      return { id: String(data.id), at: Date.parse(data.created_at) };
    },
  };
}

// A text without room for a mark is found by itself, unless it is recorded as the comment of another key.
async function findComment(
  { connection, reader, ledger }: ActionParts,
  { number, body, key, since }: CommentRequest & { readonly key: string; readonly since: number },
): Promise<WrittenComment | undefined> {
  const { octokit, repo } = connection;
  const { login } = await reader.whoami();
  const query = { ...repo, issue_number: number, since: new Date(since - CLOCK_DRIFT_MS).toISOString(), per_page: PAGE };
  const found = (await octokit.paginate(octokit.rest.issues.listComments, query)).filter(({ user }) => user?.login === login);
  const text = withMarker(body, key);
  const marked = text === body ? undefined : found.find((one) => one.body?.endsWith(markerOf(key)) === true);
  const same = text === body ? found.filter((one) => one.body === body) : [];
  const taken = new Set(same.length === 0 ? [] : ledger.done('').map(({ value }) => (value as { readonly id?: string }).id));
  const mine = marked ?? same.find((one) => !taken.has(String(one.id)));
  return mine === undefined ? undefined : { id: String(mine.id), at: Date.parse(mine.updated_at) };
}

async function react({ octokit, repo }: Connection, { id, reaction }: ReactionRequest): Promise<{ id: string }> {
  await octokit.rest.reactions.createForIssueComment({ ...repo, comment_id: Number(id), content: reaction });
  return { id };
}

async function editComment(
  { connection, reader }: ActionParts,
  { id, body }: { readonly id: string; readonly body: string },
  key: string,
): Promise<WrittenComment> {
  const { octokit, repo } = connection;
  if (body.trim() === '') refuse({ result: 'denied', message: 'a comment must not be empty' });
  checkText(undefined, body);
  const { data } = await octokit.rest.issues.getComment({ ...repo, comment_id: Number(id) });
  const { login } = await reader.whoami();
  if (data.user?.login !== login)
    refuse({ result: 'denied', message: `comment ${id} is by ${data.user?.login ?? 'ghost'}; only its author changes it` });
  if (withoutMarker(data.body ?? '') === body) return { id, at: Date.parse(data.updated_at) };
  const { data: changed } = await octokit.rest.issues.updateComment({ ...repo, comment_id: Number(id), body: withMarker(body, key) });
  return { id, at: Date.parse(changed.updated_at) };
}

async function openPullRequest({ connection, reader }: ActionParts, request: PullRequestRequest): Promise<{ number: number }> {
  const { octokit, repo } = connection;
  const { title, body, head, base, draft = false } = request;
  checkText(title, body);
  const adopted = await findPullRequest(reader, request);
  if (adopted !== undefined) return adopted;
  if ((await reader.headOf(head)) === undefined) refuse({ result: 'not_found', message: `there is no branch "${head}"; push it first` });
  if ((await reader.headOf(base)) === undefined) refuse({ result: 'not_found', message: `there is no branch "${base}" to merge into` });
  try {
    return { number: (await octokit.rest.pulls.create({ ...repo, title, body, head, base, draft })).data.number };
  } catch (error) {
    // Somebody else was quicker, or a request of ours was carried out although it failed.
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

function notificationText({ people, message }: Notification): string {
  const named = people.map((name) => `@${name.replace(/^@/, '')}`).join(' ');
  return named === '' ? message : `${named}\n\n${message}`;
}
