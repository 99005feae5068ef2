// Owns the actions of the local forge that only change its state file: issues, labels, comments, notifications, and
// opening pull requests. Each is one transaction with its key and its event.

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
import { assertComment, assertLabels, assertText, deny, refuseMissing, type ThrowingMethods } from '../refusal.ts';
import { doOnce, type LocalDatabase, recall } from './database.ts';
import { itemOf, type LocalState, readLabels, recordAbout, subjectOf } from './state.ts';

type Actions = ThrowingMethods<
  Omit<ForgeActor, 'mergePullRequest' | 'submitReview' | 'setCheck' | 'requestReviewers' | 'assign' | 'replyToDiscussion'>
>;

/** Creates the actions of a local forge. */
export function createActions(state: LocalState): Actions {
  const { database } = state;
  return {
    createIssue: keyed(database, 'createIssue', createIssue),
    closeIssue: keyed(database, 'closeIssue', closeIssue),
    addLabels: keyed(database, 'addLabels', (_, request: LabelRequest) => changeLabels(database, request, 'labeled')),
    removeLabels: keyed(database, 'removeLabels', (_, request: LabelRequest) => changeLabels(database, request, 'unlabeled')),
    comment: keyed(database, 'comment', addComment),
    editComment: keyed(database, 'editComment', editComment),
    react: keyed(database, 'react', react),
    notify: keyed(database, 'notify', notify),
    openPullRequest: (request, key) => openPullRequest(state, request, key),
  };
}

/** Creates an action from work that only needs the state file. */
export function keyed<Request, T extends object>(
  database: LocalDatabase,
  name: string,
  work: (database: LocalDatabase, request: Request) => T,
): (request: Request, key: string) => Promise<T> {
  return async (request, key) => doOnce(database, { name, key }, () => work(database, request));
}

function createIssue(database: LocalDatabase, { title, body, labels }: IssueRequest): { number: number } {
  assertText(title, body);
  assertLabels(labels);
  const { id: number } = database.insert('items', { kind: 'issue', title, body, state: 'open', author: database.actor });
  database.record({ event: 'issues.opened', issue: number });
  changeLabels(database, { number, labels }, 'labeled');
  return { number };
}

function closeIssue(database: LocalDatabase, { number }: { readonly number: number }): { number: number } {
  if (itemOf(database, number, 'issue').state === 'open') {
    database.run("UPDATE items SET state = 'closed' WHERE number = ?", number);
    database.record({ event: 'issues.closed', issue: number });
  }
  return { number };
}

function changeLabels(
  database: LocalDatabase,
  { number, labels }: LabelRequest,
  change: 'labeled' | 'unlabeled',
): { number: number; labels: string[] } {
  const item = itemOf(database, number);
  assertLabels(labels);
  const before = new Set(readLabels(database, number));
  for (const label of new Set(labels)) {
    if (before.has(label) === (change === 'labeled')) continue;
    if (change === 'labeled') database.insert('labels', { number, label });
    else database.run('DELETE FROM labels WHERE number = ? AND label = ?', number, label);
    recordAbout(database, item, { event: change, label });
  }
  return { number, labels: readLabels(database, number) };
}

function addComment(database: LocalDatabase, { number, body }: CommentRequest): PostedComment {
  const item = itemOf(database, number);
  assertComment(body);
  const at = database.now();
  const { id } = database.insert('comments', { number, author: database.actor, body, at });
  database.record({ event: 'issue_comment.created', comment: String(id), ...subjectOf(item) });
  return { id: String(id), at };
}

function react(database: LocalDatabase, { id, reaction }: CommentReactionRequest): { id: string } {
  if (database.get('SELECT id FROM comments WHERE id = ?', Number(id)) === undefined) refuseMissing(`there is no comment ${id}`);
  database.insert('reactions', { comment: Number(id), actor: database.actor, reaction }, 'ignore');
  return { id };
}

function editComment(database: LocalDatabase, { id, body }: { readonly id: string; readonly body: string }): PostedComment {
  const row =
    database.get('SELECT number, author, body FROM comments WHERE id = ?', Number(id)) ?? refuseMissing(`there is no comment ${id}`);
  const author = String(row.author);
  if (!isSamePerson(author, database.actor)) deny(`comment ${id} is by ${author}; only its author can change it`);
  assertComment(body);
  if (row.body !== body) {
    database.run('UPDATE comments SET body = ?, edited = 1 WHERE id = ?', body, Number(id));
    database.record({ event: 'issue_comment.edited', comment: id, ...subjectOf(itemOf(database, Number(row.number))) });
  }
  return { id, at: database.now() };
}

function notify(database: LocalDatabase, { target, people, message, number }: ForgeNotification): { target: string } {
  database.insert('notifications', { target, people: JSON.stringify(people), message, number, at: database.now() });
  return { target };
}

async function openPullRequest(state: LocalState, request: PullRequestRequest, key: string): Promise<{ number: number }> {
  const { database, git } = state;
  const action = { name: 'openPullRequest', key };
  const done = recall<{ number: number }>(database, action);
  if (done !== undefined) return done;
  const { head, base } = request;
  const headSha = (await git.headOf(head)) ?? refuseMissing(`there is no branch "${head}"; push it first`);
  const baseSha = (await git.headOf(base)) ?? refuseMissing(`there is no branch "${base}" to merge into`);
  if (await git.contains(baseSha, headSha)) deny(`"${head}" has no commit that "${base}" does not have; commit something first`);
  return doOnce(database, action, () => {
    const same = "SELECT number FROM items WHERE kind = 'pr' AND state = 'open' AND head = ? AND base = ? AND fork IS NULL";
    const open = database.get(same, head, base);
    return open === undefined ? insertPullRequest(database, request, { headSha }) : { number: Number(open.number) };
  });
}

/** Inserts a pull request; called in a transaction. `fork` is the repository its head was fetched from. */
export function insertPullRequest(
  database: LocalDatabase,
  { title, body, head, base, draft = false }: PullRequestRequest,
  { headSha, fork }: { readonly headSha: string; readonly fork?: string },
): { number: number } {
  assertText(title, body);
  const item = { kind: 'pr', state: 'open', title, body, author: database.actor };
  const { id: number } = database.insert('items', { ...item, head, base, headSha, fork, draft });
  database.record({ event: 'pull_request.opened', pr: number, sha: headSha });
  return { number };
}
