// Owns the controls of a local forge, which simulate people, CI and failures of a real one. They are stored in the state
// file, so they affect every process with the forge open.

import { resolve } from 'node:path';
import { omitUndefined } from '../../base/fields.ts';
import { jsonOf, number, oneOf, optional, rowAs, type SqlRow, text } from '../../base/sql-row.ts';
import type { CheckRun, ForgeAnswer, ForgeApproval, ForgeFailure, ForgeNotification, Permission, PullRequestRequest } from '../forge.ts';
import { answer, answerSync, assertHead, deny, refuse, refuseMissing } from '../refusal.ts';
import { insertPullRequest } from './actions.ts';
import type { LocalDatabase } from './database.ts';
import { openDiscussion } from './discussions.ts';
import { insertCheck, insertReview } from './reviews.ts';
import { addPerson, fetchRefOf, headOf, type Item, type LocalState, pullOf, readAccount, recordAbout } from './state.ts';

type ControlName = 'conflict' | 'mergeability' | 'rate' | 'unavailable';

/** A person's review of a pull request. */
export interface Review {
  readonly actor: string;
  /** Default: `approved`. */
  readonly state?: ForgeApproval['state'];
  /** Default: that of the account. */
  readonly permission?: Permission;
  readonly bot?: boolean;
  /** The head that was reviewed. If the current head is another one, the review is rejected. */
  readonly head?: string;
}

/** An issue or a pull request in a list. */
type ListedItem = Pick<Item, 'number' | 'title' | 'state' | 'author'>;

/** A pull request whose head is in another repository. */
interface ForkRequest extends PullRequestRequest {
  /** The folder of that repository. Its branch is fetched once, now. */
  readonly repository: string;
}

/** The controls of a local forge. */
export interface ForgeControl {
  /** Lists all issues or all pull requests, oldest first. */
  list(kind: Item['kind']): readonly ListedItem[];
  /** Opens a pull request from a fork. */
  openFromFork(request: ForkRequest): Promise<ForgeAnswer<{ readonly number: number }>>;
  /** Marks a draft as ready. */
  markReady(pr: number): ForgeAnswer<null>;
  /** Closes a pull request without merging it. */
  closePullRequest(pr: number): ForgeAnswer<null>;
  /** Approves the current head, or requests changes. */
  review(pr: number, review: Review): Promise<ForgeAnswer<null>>;
  /** Removes all reviews of a person on a pull request. */
  dismiss(pr: number, actor: string): void;
  /** Assigns the reviews of a person to an older head, as after a push. */
  outdate(pr: number, actor: string): void;
  /** Reports a CI check on a branch's head or on a commit. */
  check(ref: string, check: CheckRun): Promise<ForgeAnswer<null>>;
  /** Makes the next merge conflict. */
  conflictNextMerge(): void;
  /** Makes this many reads of a pull request return an unknown mergeability. */
  delayMergeability(readings: number): void;
  /** Rejects every request until this time; 0 ends it. */
  rateLimit(until: number): void;
  /** Makes the forge unavailable, available again, or unavailable until a time that its answers name. */
  unavailable(isUnavailable: boolean | { readonly until: number }): void;
  /** Sets what an account may do, and whether it is a program. */
  account(login: string, account: Account): void;
  /** Adds people to a team. */
  team(name: string, people: readonly string[]): void;
  /** Assigns people to an issue or a pull request, or puts it on a milestone. */
  assign(number: number, assignment: { readonly people?: readonly string[]; readonly milestone?: string }): void;
  /** Sets the checks that a branch requires. */
  requireChecks(branch: string, names: readonly string[]): void;
  /** Opens a discussion and returns its number. */
  discussion(request: { readonly title: string; readonly body?: string }): number;
  /** Returns the reactions to a comment, with who gave each. */
  reactions(comment: string): readonly { readonly actor: string; readonly reaction: string }[];
  /** Returns the notifications, oldest first. */
  notifications(): readonly SentNotification[];
}

/** What an account may do, and whether it is a program. */
interface Account {
  readonly permission?: Permission;
  readonly bot?: boolean;
}

/** Creates the controls of a local forge. */
export function createControl(state: LocalState): ForgeControl {
  const { database } = state;
  return {
    list: (kind) => listItems(database, kind),
    openFromFork: (request) => answer(() => openFromFork(state, request)),
    markReady: (pr) => answerSync(() => changePullRequest(database, pr, { set: 'draft = 0', event: 'pull_request.ready_for_review' })),
    closePullRequest: (pr) => answerSync(() => changePullRequest(database, pr, { set: "state = 'closed'", event: 'pull_request.closed' })),
    review: (pr, review) => answer(() => addReview(state, pr, review)),
    dismiss: (pr, actor) =>
      database.write(() => {
        database.run('DELETE FROM reviews WHERE number = ? AND lower(actor) = lower(?)', pr, actor);
        database.record({ event: 'pull_request_review.dismissed', pr, actor });
      }),
    outdate: (pr, actor) =>
      database.write(() => {
        database.run("UPDATE reviews SET head_sha = '' WHERE number = ? AND lower(actor) = lower(?)", pr, actor);
        database.record({ event: 'pull_request.synchronize', pr });
      }),
    check: (ref, check) => answer(() => addCheck(state, ref, check)),
    conflictNextMerge: () => setControl(database, 'conflict', 1),
    delayMergeability: (readings) => setControl(database, 'mergeability', readings),
    rateLimit: (until) => setControl(database, 'rate', until),
    unavailable: (how) => setControl(database, 'unavailable', typeof how === 'object' ? how.until : how ? 1 : 0),
    account: (login, { permission = 'write', bot = false }) => {
      const insert = 'INSERT OR REPLACE INTO accounts (login, permission, bot) VALUES (lower(?), ?, ?)';
      database.write(() => database.run(insert, login, permission, bot ? 1 : 0));
    },
    team: (name, people) =>
      database.write(() => {
        for (const login of people) database.insert('teams', { name, login }, 'ignore');
      }),
    assign: (number, assignment) => assign(database, number, assignment),
    requireChecks: (branch, names) =>
      database.write(() => {
        database.run('DELETE FROM required_checks WHERE branch = ?', branch);
        for (const name of names) database.insert('required_checks', { branch, name });
      }),
    discussion: (request) => openDiscussion(database, request),
    reactions: (comment) =>
      database.all('SELECT actor, reaction FROM reactions WHERE comment = ? ORDER BY rowid', Number(comment)).map(reactionRow),
    notifications: () => database.all('SELECT * FROM notifications ORDER BY id').map(toNotification),
  };
}

/** A notification with the time it was sent. */
interface SentNotification extends ForgeNotification {
  readonly at: number;
}

/** Decrements a control, and returns false if it was 0. */
export function takeControl(database: LocalDatabase, name: ControlName): boolean {
  if (readControl(database, name) === 0) return false;
  return database.write(() => {
    const left = readControl(database, name);
    if (left > 0) database.run('UPDATE controls SET value = value - 1 WHERE name = ?', name);
    return left > 0;
  });
}

/** Returns why requests fail now, if they do. */
export function outageOf(database: LocalDatabase): ForgeFailure | undefined {
  const outage = readControl(database, 'unavailable');
  const message = 'the local forge is set to be unavailable';
  // 1 means without an end; any other number is the time at which it ends.
  if (outage === 1) return { result: 'unavailable', message };
  if (outage > database.now()) return { result: 'unavailable', message, until: outage };
  const until = readControl(database, 'rate');
  if (until <= database.now()) return undefined;
  return { result: 'rate_limited', message: `the local forge rejects requests until ${new Date(until).toISOString()}`, until };
}

function readControl(database: LocalDatabase, name: ControlName): number {
  return Number(database.get('SELECT value FROM controls WHERE name = ?', name)?.value ?? 0);
}

function setControl(database: LocalDatabase, name: ControlName, value: number): void {
  database.write(() => database.insert('controls', { name, value }, 'replace'));
}

function assign(
  database: LocalDatabase,
  number: number,
  { people = [], milestone }: { readonly people?: readonly string[]; readonly milestone?: string },
): void {
  database.write(() => {
    const kind = database.get('SELECT kind FROM items WHERE number = ?', number)?.kind === 'pr' ? 'pr' : 'issue';
    for (const login of people) {
      addPerson(database, number, { role: 'assignee', login });
      recordAbout(database, { kind, number }, { event: 'assigned' });
    }
    if (milestone === undefined) return;
    database.insert('milestones', { number, title: milestone }, 'replace');
    recordAbout(database, { kind, number }, { event: 'milestoned' });
  });
}

function listItems(database: LocalDatabase, kind: Item['kind']): ListedItem[] {
  return database.all('SELECT number, title, state, author FROM items WHERE kind = ? ORDER BY number', kind).map(listedRow);
}

const listedRow = rowAs({ number, title: text, state: oneOf('open', 'closed', 'merged'), author: text });
const reactionRow = rowAs({ actor: text, reaction: text });
const notificationRow = rowAs({ target: text, people: jsonOf<string[]>(), message: text, at: number, number: optional(number) });

function changePullRequest(database: LocalDatabase, pr: number, { set, event }: { readonly set: string; readonly event: string }): null {
  const { state } = pullOf(database, pr);
  if (state !== 'open') deny(`#${pr} is ${state}; only an open pull request can be changed`);
  database.write(() => {
    database.run(`UPDATE items SET ${set} WHERE number = ?`, pr);
    database.record({ event, pr });
  });
  return null;
}

async function openFromFork({ database, git, repository }: LocalState, request: ForkRequest): Promise<{ number: number }> {
  const { head, base } = request;
  const fork = resolve(request.repository);
  const headSha = (await git.headInRepository(fork, head)) ?? refuseMissing(`there is no branch "${head}" in ${fork}`);
  const baseSha = (await git.headOf(base)) ?? refuseMissing(`there is no branch "${base}" to merge into`);
  if (!(await git.copy(headSha, { from: fork, to: repository })))
    refuse({ result: 'unavailable', message: `git could not fetch ${headSha} from ${fork}` });
  if (await git.contains(baseSha, headSha)) deny(`"${head}" has no commit that "${base}" does not have`);
  const opened = database.write(() => insertPullRequest(database, request, { headSha, fork }));
  await git.setRef(fetchRefOf({ number: opened.number, head, fork }), headSha);
  return opened;
}

async function addReview({ database, git }: LocalState, pr: number, review: Review): Promise<null> {
  const head = await headOf(git, pullOf(database, pr));
  const { actor, state = 'approved' } = review;
  if (review.head !== undefined) assertHead(pr, head, review.head);
  const account = { ...readAccount(database, actor), ...omitUndefined({ permission: review.permission, bot: review.bot }) };
  database.write(() => insertReview(database, { pr, head, actor, state, ...account }));
  return null;
}

async function addCheck({ database, git }: LocalState, ref: string, check: CheckRun): Promise<null> {
  const sha = (await git.headOf(ref)) ?? (await git.commitOf(ref)) ?? refuseMissing(`there is no branch and no commit "${ref}"`);
  database.write(() => insertCheck(database, sha, check));
  return null;
}

function toNotification(row: SqlRow): SentNotification {
  return omitUndefined(notificationRow(row));
}
