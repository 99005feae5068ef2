// Owns the controls of a local forge: what people and CI do at a real one, and failures. They are stored in the state
// file, so that every process with the forge open sees them.

import { resolve } from 'node:path';
import type { Approval, CheckRun, ForgeAnswer, ForgeFailure, Notification, Permission, PullRequestRequest } from '../forge.ts';
import { insertPullRequest } from './actions.ts';
import type { LocalDatabase, Row } from './database.ts';
import { deny, fetchRefOf, findItem, headOf, type Item, type LocalState } from './state.ts';

type Switch = 'conflict' | 'mergeability' | 'rate' | 'unavailable';

/** A person's review of a pull request. */
export interface Review {
  readonly actor: string;
  /** Default: `approved`. */
  readonly state?: Approval['state'];
  /** Default: `write`. */
  readonly permission?: Permission;
  readonly bot?: boolean;
  /** The head that was reviewed. If the head is another one, the review is rejected. */
  readonly head?: string;
}

/** An issue or a pull request in a list. */
export type ListedItem = Pick<Item, 'number' | 'title' | 'state' | 'author'>;

/** A pull request whose head is in another repository. */
export interface ForkRequest extends PullRequestRequest {
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
  /** Makes the reviews of a person belong to an older head, as after a push. */
  outdate(pr: number, actor: string): void;
  /** Reports a CI check on a branch's head or on a commit. */
  check(ref: string, check: CheckRun): Promise<ForgeAnswer<null>>;
  /** Makes the next merge conflict. */
  conflictNextMerge(): void;
  /** Makes this many reads of a pull request return an unknown mergeability. */
  delayMergeability(readings: number): void;
  /** Rejects every request until this time; 0 ends it. */
  rateLimit(until: number): void;
  /** Makes the forge unavailable, or available again. */
  unavailable(isUnavailable: boolean): void;
  /** Returns the notifications, oldest first. */
  notifications(): readonly SentNotification[];
}

/** Creates the controls of a local forge. */
export function createControl(state: LocalState): ForgeControl {
  const { database } = state;
  return {
    list: (kind) => listItems(database, kind),
    openFromFork: (request) => openFromFork(state, request),
    markReady: (pr) => changePullRequest(database, pr, { set: 'draft = 0', event: 'pull_request.ready_for_review' }),
    closePullRequest: (pr) => changePullRequest(database, pr, { set: "state = 'closed'", event: 'pull_request.closed' }),
    review: (pr, review) => addReview(state, pr, review),
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
    check: (ref, check) => addCheck(state, ref, check),
    conflictNextMerge: () => setControl(database, 'conflict', 1),
    delayMergeability: (readings) => setControl(database, 'mergeability', readings),
    rateLimit: (until) => setControl(database, 'rate', until),
    unavailable: (isUnavailable) => setControl(database, 'unavailable', isUnavailable ? 1 : 0),
    notifications: () => database.all('SELECT * FROM notifications ORDER BY id').map(toNotification),
  };
}

/** A notification with the time it was sent. */
export interface SentNotification extends Notification {
  readonly at: number;
}

/** Uses up one count of a control, if any is left. */
export function takeControl(database: LocalDatabase, name: Switch): boolean {
  if (readControl(database, name) === 0) return false;
  return database.write(() => {
    const left = readControl(database, name);
    if (left > 0) database.run('UPDATE controls SET value = value - 1 WHERE name = ?', name);
    return left > 0;
  });
}

/** Returns why requests fail now, if they do. */
export function outageOf(database: LocalDatabase): ForgeFailure | undefined {
  if (readControl(database, 'unavailable') !== 0) return { result: 'unavailable', message: 'the local forge is set to be unavailable' };
  const until = readControl(database, 'rate');
  if (until <= database.now()) return undefined;
  return { result: 'rate_limited', message: `the local forge rejects requests until ${new Date(until).toISOString()}`, until };
}

function readControl(database: LocalDatabase, name: Switch): number {
  return Number(database.get('SELECT value FROM controls WHERE name = ?', name)?.value ?? 0);
}

function setControl(database: LocalDatabase, name: Switch, value: number): void {
  database.write(() => database.run('INSERT OR REPLACE INTO controls (name, value) VALUES (?, ?)', name, value));
}

function listItems(database: LocalDatabase, kind: Item['kind']): ListedItem[] {
  return database.all('SELECT number, title, state, author FROM items WHERE kind = ? ORDER BY number', kind).map((row) => ({
    number: Number(row.number),
    title: String(row.title),
    state: row.state as Item['state'],
    author: String(row.author),
  }));
}

function changePullRequest(
  database: LocalDatabase,
  pr: number,
  { set, event }: { readonly set: string; readonly event: string },
): ForgeAnswer<null> {
  const found = findItem(database, pr, 'pr');
  if (found.result !== 'ok') return found;
  if (found.value.state !== 'open') return deny(`#${pr} is ${found.value.state}; only an open pull request can be changed`);
  database.write(() => {
    database.run(`UPDATE items SET ${set} WHERE number = ?`, pr);
    database.record({ event, pr });
  });
  return { result: 'ok', value: null };
}

async function openFromFork({ database, git, repository }: LocalState, request: ForkRequest): Promise<ForgeAnswer<{ number: number }>> {
  const fork = resolve(request.repository);
  const [headSha, baseSha] = [await git.headElsewhere(fork, request.head), await git.headOf(request.base)];
  if (headSha === undefined) return { result: 'not_found', message: `there is no branch "${request.head}" in ${fork}` };
  if (baseSha === undefined) return { result: 'not_found', message: `there is no branch "${request.base}" to merge into` };
  if (!(await git.copy(headSha, { from: fork, to: repository })))
    return { result: 'unavailable', message: `git could not fetch ${headSha} from ${fork}` };
  if (await git.contains(baseSha, headSha)) return deny(`"${request.head}" has no commit that "${request.base}" does not have`);
  const made = database.write(() => insertPullRequest(database, request, { headSha, fork }));
  if (made.result === 'ok') await git.setRef(fetchRefOf({ number: made.value.number, head: request.head, fork }), headSha);
  return made;
}

async function addReview({ database, git }: LocalState, pr: number, review: Review): Promise<ForgeAnswer<null>> {
  const found = findItem(database, pr, 'pr');
  if (found.result !== 'ok') return found;
  const head = await headOf(git, found.value);
  const { actor, state = 'approved', permission = 'write', bot = false } = review;
  if (review.head !== undefined && review.head !== head)
    return { result: 'stale_head', message: `the head of #${pr} is ${head}, not ${review.head}: it changed since it was reviewed`, head };
  database.write(() => {
    const columns = 'number, actor, head_sha, state, permission, bot, at';
    const values = [pr, actor, head, state, permission, bot ? 1 : 0, database.now()];
    database.run(`INSERT INTO reviews (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`, ...values);
    database.record({ event: 'pull_request_review.submitted', pr, actor, sha: head });
  });
  return { result: 'ok', value: null };
}

async function addCheck({ database, git }: LocalState, ref: string, check: CheckRun): Promise<ForgeAnswer<null>> {
  const sha = (await git.headOf(ref)) ?? (await git.commitOf(ref));
  if (sha === undefined) return { result: 'not_found', message: `there is no branch and no commit "${ref}"` };
  const { name, status, conclusion } = check;
  database.write(() => {
    database.run('INSERT OR REPLACE INTO checks (sha, name, status, conclusion) VALUES (?, ?, ?, ?)', sha, name, status, conclusion);
    database.record({ event: status === 'completed' ? 'check_run.completed' : 'check_run.created', sha });
  });
  return { result: 'ok', value: null };
}

function toNotification(row: Row): SentNotification {
  return {
    target: String(row.target),
    people: JSON.parse(String(row.people)) as string[],
    message: String(row.message),
    at: Number(row.at),
    ...(row.number === null ? {} : { number: Number(row.number) }),
  };
}
