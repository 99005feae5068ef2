// Owns lookups in the state of the local forge: issues and pull requests by number, labels, checks, reviews.

import { omitUndefined } from '../../base/fields.ts';
import { flag, nullable, number, oneOf, optional, rowAs, type SqlRow, text } from '../../base/sql-row.ts';
import { CONCLUSIONS } from '../../definition/forge/conclusion.ts';
import { type CheckRun, type ForgeApproval, type ForgeComment, type IssueFacts, OWN_CHECK_PREFIX, type Permission } from '../forge.ts';
import { refuseMissing } from '../refusal.ts';
import type { LocalDatabase, NewEvent } from './database.ts';
import type { LocalGit } from './git.ts';

/** The resources of a local forge. */
export interface LocalState {
  readonly database: LocalDatabase;
  readonly git: LocalGit;
  readonly defaultBranch: string;
  /** The folder of the git repository. */
  readonly repository: string;
}

/** A stored issue or pull request. */
export interface Item {
  readonly number: number;
  readonly kind: 'issue' | 'pr';
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly author: string;
}

/** A stored pull request. */
export interface Pull extends Item {
  readonly head: string;
  readonly base: string;
  /** The head when the pull request was opened or merged. */
  readonly headSha: string;
  /** After a merge: the base branch before and after it. */
  readonly baseSha: string | undefined;
  readonly mergeSha: string | undefined;
  /** The repository of the head branch, if it is not this one. */
  readonly fork: string | undefined;
  readonly isDraft: boolean;
}

const itemRow = rowAs({
  ...{ number, kind: oneOf('issue', 'pr'), title: text, body: text, state: oneOf('open', 'closed', 'merged'), author: text },
});

const pullRow = rowAs({
  ...{
    head: text,
    base: text,
    headSha: text,
    baseSha: optional(text),
    mergeSha: optional(text),
    fork: optional(text),
    draft: optional(flag),
  },
});

/** Returns a pull request; ends the request if there is none with that number. */
export function pullOf(database: LocalDatabase, number: number): Pull {
  const row = rowOf(database, number, 'pr');
  const { draft, ...pull } = pullRow(row);
  return { ...itemRow(row), ...pull, isDraft: draft === true };
}

/** Returns an issue or a pull request, either if `kind` is undefined; ends the request if there is none with that number. */
export function itemOf(database: LocalDatabase, number: number, kind?: Item['kind']): Item {
  return itemRow(rowOf(database, number, kind));
}

function rowOf(database: LocalDatabase, number: number, kind: Item['kind'] | undefined): SqlRow {
  const row = database.get('SELECT * FROM items WHERE number = ?', number);
  if (row !== undefined && (kind === undefined || row.kind === kind)) return row;
  const noun = kind === 'pr' ? 'pull request' : kind === 'issue' ? 'issue' : 'issue or pull request';
  return refuseMissing(`there is no ${noun} #${number}`);
}

/** Records an event of an issue or a pull request: `labeled` becomes `issues.labeled` or `pull_request.labeled`. */
export function recordAbout(
  database: LocalDatabase,
  item: Pick<Item, 'number' | 'kind'>,
  { event, ...fields }: Pick<NewEvent, 'event' | 'label'>,
): void {
  database.record({ event: `${item.kind === 'pr' ? 'pull_request' : 'issues'}.${event}`, ...fields, ...subjectOf(item) });
}

/** Returns the fields of an event that name its issue or pull request. */
export function subjectOf({ kind, number }: Pick<Item, 'number' | 'kind'>): Pick<NewEvent, 'pr' | 'issue'> {
  return kind === 'pr' ? { pr: number } : { issue: number };
}

/** Returns the labels of an issue or a pull request, in the order in which they were added. */
export function readLabels(database: LocalDatabase, number: number): string[] {
  return database.all('SELECT label FROM labels WHERE number = ? ORDER BY id', number).map((row) => text(row.label, 'label'));
}

/** Returns the comments on an issue or a pull request, oldest first. */
export function readComments(database: LocalDatabase, number: number): ForgeComment[] {
  const comments = database.all('SELECT * FROM comments WHERE number = ? ORDER BY id', number).map(commentRow);
  return comments.map((comment) => ({ ...comment, id: String(comment.id), bot: isBot(database, comment.author) }));
}

const commentRow = rowAs({ id: number, author: text, body: text, at: number, edited: flag });

/** Returns the people of an issue or a pull request in a role, by name. */
export function readPeople(database: LocalDatabase, number: number, role: 'assignee' | 'reviewer'): string[] {
  const sql = 'SELECT login FROM people WHERE number = ? AND role = ? ORDER BY login';
  return database.all(sql, number, role).map((row) => text(row.login, 'login'));
}

/** Adds a person in a role, unless they have it. */
export function addPerson(
  database: LocalDatabase,
  number: number,
  { role, login }: { role: 'assignee' | 'reviewer'; login: string },
): void {
  database.insert('people', { number, role, login }, 'ignore');
}

/** Ends the request for a review of someone who has given one. */
export function endRequest(database: LocalDatabase, pr: number, login: string): void {
  database.run("DELETE FROM people WHERE number = ? AND role = 'reviewer' AND lower(login) = lower(?)", pr, login);
}

/** Returns the facts that issues and pull requests share. */
export function readSharedFacts(
  database: LocalDatabase,
  { number, author }: Item,
): Pick<IssueFacts, 'labels' | 'bot' | 'assignees' | 'milestone'> {
  const milestone = database.get('SELECT title FROM milestones WHERE number = ?', number)?.title;
  return {
    labels: readLabels(database, number),
    bot: isBot(database, author),
    assignees: readPeople(database, number, 'assignee'),
    milestone: typeof milestone === 'string' ? milestone : null,
  };
}

/** Returns the rights of an account. An unknown one is a person with write access. */
export function readAccount(database: LocalDatabase, login: string): { readonly permission: Permission; readonly bot: boolean } {
  const row = database.get('SELECT permission, bot FROM accounts WHERE login = lower(?)', login);
  return row === undefined ? { permission: 'write', bot: false } : accountRow(row);
}

const permission = oneOf('admin', 'write', 'read', 'none');
const accountRow = rowAs({ permission, bot: flag });

function isBot(database: LocalDatabase, login: string): boolean {
  return readAccount(database, login).bot;
}

/** Returns the checks of a commit, by name. */
export function readChecks(database: LocalDatabase, sha: string): CheckRun[] {
  const checks = database.all('SELECT name, workflow, status, conclusion, own FROM checks WHERE sha = ? ORDER BY name', sha).map(checkRow);
  return checks.map(({ workflow, own, ...check }) => ({
    ...check,
    ...omitUndefined({ workflow, own: own && check.name.startsWith(OWN_CHECK_PREFIX) ? (true as const) : undefined }),
  }));
}

const checkRow = rowAs({
  ...{
    name: text,
    workflow: optional(text),
    status: oneOf('queued', 'in_progress', 'completed'),
    conclusion: nullable(oneOf(...CONCLUSIONS)),
  },
  own: flag,
});

/** Returns the latest review of each person on a head, oldest first. */
export function readApprovals(database: LocalDatabase, pr: number, headSha: string): ForgeApproval[] {
  const latest = "SELECT max(id) FROM reviews WHERE number = ? AND head_sha = ? AND state <> 'commented' GROUP BY lower(actor)";
  return database.all(`SELECT * FROM reviews WHERE id IN (${latest}) ORDER BY id`, pr, headSha).map(approvalRow);
}

const approvalRow = rowAs({
  ...{ actor: text, headSha: text, state: oneOf('approved', 'changes_requested'), at: number, permission, bot: flag },
});

/** Returns the head of a pull request: that of its branch, or the recorded one after a merge, without the branch, and for forks. */
export async function headOf(git: LocalGit, { state, head, headSha, fork }: Pull): Promise<string> {
  return (state === 'merged' || fork !== undefined ? undefined : await git.headOf(head)) ?? headSha;
}

/** Returns the ref of a pull request's head in the repository of the forge. */
export function fetchRefOf({ number, head, fork }: Pick<Pull, 'number' | 'head' | 'fork'>): string {
  return fork === undefined ? `refs/heads/${head}` : `refs/pull/${number}/head`;
}
