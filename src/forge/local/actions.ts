// Owns the actions of the local forge that only change its state file: issues, labels, comments, notifications, and
// opening pull requests. Each is one transaction with its key and its event.

import { isSamePerson } from '../../base/person.ts';
import type {
  ForgeActor,
  ForgeAnswer,
  ForgeFailure,
  IssueRequest,
  LabelRequest,
  PullRequestRequest,
  ReactionRequest,
  WrittenComment,
} from '../forge.ts';
import { TEXT_MAX } from '../forge.ts';
import { type LocalDatabase, recall, remember } from './database.ts';
import { deny, findItem, type Item, type LocalState, readLabels } from './state.ts';

type Actions = Omit<ForgeActor, 'mergePullRequest' | 'submitReview' | 'setCheck' | 'requestReviewers' | 'assign' | 'replyToDiscussion'>;
type Work<T> = () => ForgeAnswer<T>;

/** Creates the actions of a local forge. */
export function createActions(state: LocalState): Actions {
  const { database } = state;
  const once =
    <R, T extends object>(name: string, work: (request: R) => ForgeAnswer<T>) =>
    async (request: R, key: string): Promise<ForgeAnswer<T>> =>
      doOnce(database, { name, key }, () => work(request));
  return {
    createIssue: once('createIssue', (request: IssueRequest) => createIssue(database, request)),
    closeIssue: once('closeIssue', ({ number }: { readonly number: number }) => closeIssue(database, number)),
    addLabels: once('addLabels', (request: LabelRequest) => changeLabels(database, request, 'labeled')),
    removeLabels: once('removeLabels', (request: LabelRequest) => changeLabels(database, request, 'unlabeled')),
    comment: once('comment', (request: { readonly number: number; readonly body: string }) => addComment(database, request)),
    editComment: once('editComment', (request: { readonly id: string; readonly body: string }) => editComment(database, request)),
    react: once('react', (request: ReactionRequest) => react(database, request)),
    notify: once('notify', ({ target, people, message, number }) => {
      const insert = 'INSERT INTO notifications (target, people, message, number, at) VALUES (?, ?, ?, ?, ?)';
      database.run(insert, target, JSON.stringify(people), message, number ?? null, database.now());
      return { result: 'ok', value: { target } };
    }),
    openPullRequest: (request, key) => openPullRequest(state, request, key),
  } satisfies Actions;
}

/** Does an action in one transaction, unless it was done under its key before. */
export function doOnce<T extends object>(
  database: LocalDatabase,
  action: { readonly name: string; readonly key: string },
  work: Work<T>,
): ForgeAnswer<T> {
  return database.write(() => {
    const done = recall<T>(database, action.name, action.key);
    if (done !== undefined) return done;
    const answer = work();
    if (answer.result === 'ok') remember(database, action, answer.value);
    return answer;
  });
}

/** Why a text cannot be posted, if it cannot. */
export function refuseText(title: string | undefined, body: string): ForgeFailure | undefined {
  if (title !== undefined && (title.trim() === '' || /[\r\n]/.test(title))) return deny('a title must be one non-empty line');
  if (![title ?? '', body].every((text) => text.isWellFormed() && !text.includes('\0')))
    return deny('a text must be valid Unicode without a zero byte; remove the invalid characters');
  if (Math.max(title?.length ?? 0, body.length) > TEXT_MAX) return deny(`a text may have at most ${TEXT_MAX} characters; shorten it`);
  return undefined;
}

function createIssue(database: LocalDatabase, { title, body, labels }: IssueRequest): ForgeAnswer<{ number: number }> {
  const refusal = refuseText(title, body) ?? refuseLabels(labels);
  if (refusal !== undefined) return refusal;
  const insert = "INSERT INTO items (kind, title, body, state, author) VALUES ('issue', ?, ?, 'open', ?)";
  const number = database.run(insert, title, body, database.actor);
  database.record({ event: 'issues.opened', issue: number });
  changeLabels(database, { number, labels }, 'labeled');
  return { result: 'ok', value: { number } };
}

function closeIssue(database: LocalDatabase, number: number): ForgeAnswer<{ number: number }> {
  const found = findItem(database, number, 'issue');
  if (found.result !== 'ok') return found;
  if (found.value.state === 'open') {
    database.run("UPDATE items SET state = 'closed' WHERE number = ?", number);
    database.record({ event: 'issues.closed', issue: number });
  }
  return { result: 'ok', value: { number } };
}

function refuseLabels(labels: readonly string[]): ForgeFailure | undefined {
  return labels.some((label) => label.trim() === '') ? deny('a label must not be empty') : undefined;
}

function changeLabels(
  database: LocalDatabase,
  { number, labels }: LabelRequest,
  change: 'labeled' | 'unlabeled',
): ForgeAnswer<{ number: number; labels: string[] }> {
  const found = findItem(database, number);
  if (found.result !== 'ok') return found;
  const refusal = refuseLabels(labels);
  if (refusal !== undefined) return refusal;
  const sql =
    change === 'labeled' ? 'INSERT INTO labels (number, label) VALUES (?, ?)' : 'DELETE FROM labels WHERE number = ? AND label = ?';
  const subject = found.value.kind === 'pr' ? { pr: number } : { issue: number };
  const kind = found.value.kind === 'pr' ? 'pull_request' : 'issues';
  const before = new Set(readLabels(database, number));
  for (const label of new Set(labels)) {
    if (before.has(label) === (change === 'labeled')) continue;
    database.run(sql, number, label);
    database.record({ event: `${kind}.${change}`, label, ...subject });
  }
  return { result: 'ok', value: { number, labels: readLabels(database, number) } };
}

function addComment(
  database: LocalDatabase,
  { number, body }: { readonly number: number; readonly body: string },
): ForgeAnswer<WrittenComment> {
  const found = findItem(database, number);
  if (found.result !== 'ok') return found;
  const refusal = body.trim() === '' ? deny('a comment must not be empty') : refuseText(undefined, body);
  if (refusal !== undefined) return refusal;
  const insert = 'INSERT INTO comments (number, author, body, at) VALUES (?, ?, ?, ?)';
  const at = database.now();
  const id = database.run(insert, number, database.actor, body, at);
  recordComment(database, { event: 'issue_comment.created', item: found.value, id });
  return { result: 'ok', value: { id: String(id), at } };
}

function react(database: LocalDatabase, { id, reaction }: ReactionRequest): ForgeAnswer<{ id: string }> {
  if (database.get('SELECT id FROM comments WHERE id = ?', Number(id)) === undefined)
    return { result: 'not_found', message: `there is no comment ${id}` };
  database.run('INSERT OR IGNORE INTO reactions (comment, actor, reaction) VALUES (?, ?, ?)', Number(id), database.actor, reaction);
  return { result: 'ok', value: { id } };
}

function editComment(database: LocalDatabase, { id, body }: { readonly id: string; readonly body: string }): ForgeAnswer<WrittenComment> {
  const row = database.get('SELECT number, author, body FROM comments WHERE id = ?', Number(id));
  if (row === undefined) return { result: 'not_found', message: `there is no comment ${id}` };
  if (!isSamePerson(String(row.author), database.actor))
    return deny(`comment ${id} is by ${String(row.author)}; only its author changes it`);
  const refusal = body.trim() === '' ? deny('a comment must not be empty') : refuseText(undefined, body);
  if (refusal !== undefined) return refusal;
  if (row.body !== body) {
    database.run('UPDATE comments SET body = ?, edited = 1 WHERE id = ?', body, Number(id));
    const found = findItem(database, Number(row.number));
    if (found.result === 'ok') recordComment(database, { event: 'issue_comment.edited', item: found.value, id: Number(id) });
  }
  return { result: 'ok', value: { id, at: database.now() } };
}

function recordComment(database: LocalDatabase, { event, item, id }: { event: string; item: Item; id: number }): void {
  database.record({ event, comment: String(id), ...(item.kind === 'pr' ? { pr: item.number } : { issue: item.number }) });
}

async function openPullRequest(state: LocalState, request: PullRequestRequest, key: string): Promise<ForgeAnswer<{ number: number }>> {
  const { database, git } = state;
  const action = { name: 'openPullRequest', key };
  const done = recall<{ number: number }>(database, action.name, key);
  if (done !== undefined) return done;
  const { head, base } = request;
  const [headSha, baseSha] = [await git.headOf(head), await git.headOf(base)];
  if (headSha === undefined) return { result: 'not_found', message: `there is no branch "${head}"; push it first` };
  if (baseSha === undefined) return { result: 'not_found', message: `there is no branch "${base}" to merge into` };
  if (await git.contains(baseSha, headSha)) return deny(`"${head}" has no commit that "${base}" does not have; commit something first`);
  return doOnce(database, action, () => {
    const same = "SELECT number FROM items WHERE kind = 'pr' AND state = 'open' AND head = ? AND base = ? AND fork IS NULL";
    const open = database.get(same, head, base);
    if (open !== undefined) return { result: 'ok', value: { number: Number(open.number) } };
    return insertPullRequest(database, request, { headSha });
  });
}

/** Inserts a pull request; called in a transaction. `fork` is the repository its head was fetched from. */
export function insertPullRequest(
  database: LocalDatabase,
  { title, body, head, base, draft = false }: PullRequestRequest,
  { headSha, fork }: { readonly headSha: string; readonly fork?: string },
): ForgeAnswer<{ number: number }> {
  const refusal = refuseText(title, body);
  if (refusal !== undefined) return refusal;
  const columns = 'kind, state, title, body, author, head, base, head_sha, fork, draft';
  const values = [title, body, database.actor, head, base, headSha, fork ?? null, draft ? 1 : 0];
  const number = database.run(`INSERT INTO items (${columns}) VALUES ('pr', 'open', ?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
  database.record({ event: 'pull_request.opened', pr: number, sha: headSha });
  return { result: 'ok', value: { number } };
}
