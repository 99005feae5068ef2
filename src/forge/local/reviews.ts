// Owns the actions on pull requests under the local forge's own identity: reviews, checks, and review requests.

import { isSamePerson } from '../../base/person.ts';
import type { CheckReport, CheckRun, ForgeActor, ReviewersRequest, ReviewRequest } from '../forge.ts';
import { assertHead, assertText, deny, refuseMissing, type ThrowingMethods } from '../refusal.ts';
import { keyed } from './actions.ts';
import { doOnce, type LocalDatabase } from './database.ts';
import { addPerson, endRequest, headOf, itemOf, type LocalState, pullOf, readAccount, readPeople, recordAbout } from './state.ts';

/** Creates the actions about reviews and checks. */
export function createReviewActions(
  state: LocalState,
): ThrowingMethods<Pick<ForgeActor, 'submitReview' | 'setCheck' | 'requestReviewers' | 'assign'>> {
  return {
    submitReview: (request, key) => submitReview(state, request, key),
    setCheck: (request, key) => setCheck(state, request, key),
    requestReviewers: keyed(state.database, 'requestReviewers', requestReviewers),
    assign: keyed(state.database, 'assign', assign),
  };
}

async function submitReview({ database, git }: LocalState, request: ReviewRequest, key: string): Promise<{ id: string }> {
  const { number, state, body } = request;
  const pr = pullOf(database, number);
  const head = await headOf(git, pr);
  return doOnce(database, { name: 'submitReview', key }, () => {
    assertHead(number, head, request.head);
    if (state !== 'commented' && isSamePerson(pr.author, database.actor))
      deny(`${database.actor} opened #${number} and can only comment on it`);
    assertText(undefined, body);
    const account = readAccount(database, database.actor);
    return { id: String(insertReview(database, { pr: number, head, actor: database.actor, ...account, state, body: withLines(request) })) };
  });
}

/** A review as it is stored. */
interface NewReview {
  readonly pr: number;
  readonly head: string;
  readonly actor: string;
  readonly state: ReviewRequest['state'];
  readonly permission: string;
  readonly bot: boolean;
  readonly body?: string;
}

/** Inserts a review, which ends the request for it; called in a transaction. Returns its id. */
export function insertReview(database: LocalDatabase, { pr, head, actor, state, permission, bot, body = '' }: NewReview): number {
  const review = { number: pr, actor, headSha: head, state, permission, bot, at: database.now(), body };
  const { id } = database.insert('reviews', review);
  endRequest(database, pr, actor);
  database.record({ event: 'pull_request_review.submitted', pr, actor, sha: head });
  return id;
}

function withLines({ body, comments = [] }: ReviewRequest): string {
  return [body, ...comments.map(({ path, line, body: text }) => `${path}:${line}: ${text}`)].filter((part) => part !== '').join('\n\n');
}

async function setCheck({ database, git }: LocalState, report: CheckReport, key: string): Promise<{ name: string }> {
  const { sha, name } = report;
  if ((await git.commitOf(sha)) === undefined) refuseMissing(`there is no commit "${sha}"`);
  return doOnce(database, { name: 'setCheck', key }, () => {
    insertCheck(database, sha, { ...report, own: true });
    return { name };
  });
}

/** Inserts a check of a commit, in place of one with the same name; called in a transaction. */
export function insertCheck(database: LocalDatabase, sha: string, { name, workflow, status, conclusion, own }: CheckRun): void {
  database.insert('checks', { sha, name, workflow, status, conclusion, own: own === true }, 'replace');
  database.record({ event: status === 'completed' ? 'check_run.completed' : 'check_run.created', sha });
}

function requestReviewers(database: LocalDatabase, { number, people }: ReviewersRequest): { reviewers: string[] } {
  const pr = pullOf(database, number);
  const author = people.find((login) => isSamePerson(login, pr.author));
  if (author !== undefined) deny(`${author} opened #${number} and cannot review it`);
  const asked = readPeople(database, number, 'reviewer');
  for (const login of people.filter((person) => !asked.some((other) => isSamePerson(person, other)))) {
    addPerson(database, number, { role: 'reviewer', login });
    database.record({ event: 'pull_request.review_requested', pr: number });
  }
  return { reviewers: readPeople(database, number, 'reviewer') };
}

function assign(database: LocalDatabase, { number, people }: ReviewersRequest): { assignees: string[] } {
  const item = itemOf(database, number);
  const known = readPeople(database, number, 'assignee');
  for (const login of people.filter((person) => !known.some((other) => isSamePerson(person, other)))) {
    addPerson(database, number, { role: 'assignee', login });
    recordAbout(database, item, { event: 'assigned' });
  }
  return { assignees: readPeople(database, number, 'assignee') };
}
