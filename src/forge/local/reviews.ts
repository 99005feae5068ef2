// Owns the actions of the local forge's own identity on pull requests: reviews, checks, and review requests.

import { isSamePerson } from '../../base/person.ts';
import type { CheckReport, ForgeActor, ForgeAnswer, ReviewersRequest, ReviewRequest } from '../forge.ts';
import { doOnce, refuseText } from './actions.ts';
import { deny, endRequest, findItem, headOf, type LocalState, readAccount, readPeople } from './state.ts';

type ReviewActions = Pick<ForgeActor, 'submitReview' | 'setCheck' | 'requestReviewers' | 'assign'>;

/** Creates the actions about reviews and checks. */
export function createReviewActions(state: LocalState): ReviewActions {
  return {
    submitReview: (request, key) => submitReview(state, request, key),
    setCheck: (request, key) => setCheck(state, request, key),
    requestReviewers: (request, key) => requestReviewers(state, request, key),
    assign: (request, key) => assign(state, request, key),
  };
}

async function submitReview(state: LocalState, request: ReviewRequest, key: string): Promise<ForgeAnswer<{ id: string }>> {
  const { database, git } = state;
  const { number, state: verdict, body } = request;
  const found = findItem(database, number, 'pr');
  if (found.result !== 'ok') return found;
  const head = await headOf(git, found.value);
  return doOnce(database, { name: 'submitReview', key }, () => {
    if (head !== request.head) {
      const message = `the head of #${number} is ${head}, not ${request.head}: it changed since it was reviewed; review it again`;
      return { result: 'stale_head', message, head };
    }
    if (verdict !== 'commented' && isSamePerson(found.value.author, database.actor))
      return deny(`${database.actor} opened #${number} and can only comment on it`);
    const refusal = refuseText(undefined, body);
    if (refusal !== undefined) return refusal;
    const { permission, bot } = readAccount(database, database.actor);
    const columns = 'number, actor, head_sha, state, permission, bot, at, body';
    const values = [number, database.actor, head, verdict, permission, bot ? 1 : 0, database.now(), withLines(request)];
    const id = database.run(`INSERT INTO reviews (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
    endRequest(database, number, database.actor);
    database.record({ event: 'pull_request_review.submitted', pr: number, sha: head });
    return { result: 'ok', value: { id: String(id) } };
  });
}

function withLines({ body, comments = [] }: ReviewRequest): string {
  return [body, ...comments.map(({ path, line, body: text }) => `${path}:${line}: ${text}`)].filter((part) => part !== '').join('\n\n');
}

async function setCheck(state: LocalState, report: CheckReport, key: string): Promise<ForgeAnswer<{ name: string }>> {
  const { database, git } = state;
  const { sha, name, workflow, status, conclusion } = report;
  if ((await git.commitOf(sha)) === undefined) return { result: 'not_found', message: `there is no commit "${sha}"` };
  return doOnce(database, { name: 'setCheck', key }, () => {
    const columns = 'sha, name, workflow, status, conclusion, own';
    database.run(`INSERT OR REPLACE INTO checks (${columns}) VALUES (?, ?, ?, ?, ?, 1)`, sha, name, workflow ?? null, status, conclusion);
    database.record({ event: status === 'completed' ? 'check_run.completed' : 'check_run.created', sha });
    return { result: 'ok', value: { name } };
  });
}

async function requestReviewers(
  { database }: LocalState,
  { number, people }: ReviewersRequest,
  key: string,
): Promise<ForgeAnswer<{ reviewers: readonly string[] }>> {
  return doOnce(database, { name: 'requestReviewers', key }, () => {
    const found = findItem(database, number, 'pr');
    if (found.result !== 'ok') return found;
    const author = people.find((login) => isSamePerson(login, found.value.author));
    if (author !== undefined) return deny(`${author} opened #${number} and cannot review it`);
    const asked = readPeople(database, number, 'reviewer');
    for (const login of people.filter((one) => !asked.some((other) => isSamePerson(one, other)))) {
      database.run("INSERT OR IGNORE INTO people (number, role, login) VALUES (?, 'reviewer', ?)", number, login);
      database.record({ event: 'pull_request.review_requested', pr: number });
    }
    return { result: 'ok', value: { reviewers: readPeople(database, number, 'reviewer') } };
  });
}

async function assign(
  { database }: LocalState,
  { number, people }: ReviewersRequest,
  key: string,
): Promise<ForgeAnswer<{ assignees: readonly string[] }>> {
  return doOnce(database, { name: 'assign', key }, () => {
    const found = findItem(database, number);
    if (found.result !== 'ok') return found;
    const known = readPeople(database, number, 'assignee');
    const about = found.value.kind === 'pr' ? { event: 'pull_request.assigned', pr: number } : { event: 'issues.assigned', issue: number };
    for (const login of people.filter((one) => !known.some((other) => isSamePerson(one, other)))) {
      database.run("INSERT OR IGNORE INTO people (number, role, login) VALUES (?, 'assignee', ?)", number, login);
      database.record(about);
    }
    return { result: 'ok', value: { assignees: readPeople(database, number, 'assignee') } };
  });
}
