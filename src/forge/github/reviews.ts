// Owns the actions on pull requests under the driver's own login: reviews, requests for reviews, and checks. Only Apps may
// use GitHub's checks API; with any other login a check is a commit status.

import { omitUndefined } from '../../base/fields.ts';
import { isSamePerson } from '../../base/person.ts';
import type { CheckReport, ForgeActor, ReviewersRequest, ReviewRequest } from '../forge.ts';
import { keyed } from '../ledger.ts';
import { assertHead, assertText, deny, refuseMissing } from '../refusal.ts';
import type { ActionParts } from './actions.ts';
import { PAGE } from './client.ts';
import { isApiError, responseText } from './failure.ts';
import { markerOf, withMarker } from './marker.ts';

const EVENTS = { commented: 'COMMENT', approved: 'APPROVE', changes_requested: 'REQUEST_CHANGES' } as const;
const TITLE_MAX = 140;

/** Creates the actions about reviews and checks. */
export function createReviewActions(parts: ActionParts): Pick<ForgeActor, 'submitReview' | 'setCheck' | 'requestReviewers' | 'assign'> {
  const { ledger } = parts;
  return {
    submitReview: keyed(ledger, 'submitReview', (request: ReviewRequest, key) => ({
      adopt: () => findReview(parts, request.number, key),
      act: () => submitReviewWithComments(parts, request, key),
    })),
    setCheck: keyed(ledger, 'setCheck', (request: CheckReport) => ({ act: () => setCheck(parts, request) })),
    requestReviewers: keyed(ledger, 'requestReviewers', (request: ReviewersRequest) => ({ act: () => requestReviewers(parts, request) })),
    assign: keyed(ledger, 'assign', (request: ReviewersRequest) => ({ act: () => assign(parts, request) })),
  };
}

/** GitHub's messages for a comment on a line that is not in the diff, or not any more. */
const NOT_IN_DIFF = /could not be resolved|part of the diff|review thread|diff hunk/i;

/** Submits a review. If GitHub rejects the line of a comment, without saying which, the comments become part of the text. */
async function submitReviewWithComments(parts: ActionParts, request: ReviewRequest, key: string): Promise<{ id: string }> {
  const { number, body, comments = [] } = request;
  try {
    return await submitReview(parts, request, key);
  } catch (error) {
    if (comments.length === 0 || !isApiError(error, 422) || !NOT_IN_DIFF.test(responseText(error))) throw error;
    const whole = { ...request, body: [body, commentLines(comments)].filter((text) => text !== '').join('\n\n'), comments: [] };
    // GitHub may have kept the review without its comments.
    return (await findReview(parts, number, key)) ?? (await submitReview(parts, whole, key));
  }
}

function commentLines(comments: NonNullable<ReviewRequest['comments']>): string {
  const place = (path: string, line: number): string => `\`${path.replaceAll(/[`\r\n]/g, "'")}:${line}\``;
  return comments.map(({ path, line, body }) => `- ${place(path, line)}: ${body.replaceAll('\n', '\n  ')}`).join('\n');
}

async function submitReview({ connection, reader }: ActionParts, request: ReviewRequest, key: string): Promise<{ id: string }> {
  const { octokit, repo } = connection;
  const { number, head, state, comments = [] } = request;
  assertText(undefined, request.body);
  const pr = await reader.pullRequest(number);
  assertHead(number, pr.headSha, head);
  const { login } = await reader.whoami();
  if (state !== 'commented' && isSamePerson(login, pr.author)) deny(`${login} opened #${number} and can only comment on it`);
  const { data } = await octokit.rest.pulls.createReview({
    ...repo,
    pull_number: number,
    commit_id: head,
    event: EVENTS[state],
    body: withMarker(request.body, key),
    comments: comments.map(({ path, line, body }) => ({ path, line, body, side: 'RIGHT' })),
  });
  return { id: String(data.id) };
}

async function findReview({ connection, reader }: ActionParts, number: number, key: string): Promise<{ id: string } | undefined> {
  const { octokit, repo } = connection;
  const { login } = await reader.whoami();
  const reviews = await octokit.paginate(octokit.rest.pulls.listReviews, { ...repo, pull_number: number, per_page: PAGE });
  const mine = reviews.find(({ user, body }) => user?.login === login && body.endsWith(markerOf(key)));
  return mine === undefined ? undefined : { id: String(mine.id) };
}

async function setCheck(parts: ActionParts, report: CheckReport): Promise<{ name: string }> {
  const { checks } = await parts.reader.whoami();
  try {
    await (checks === 'check_runs' ? setCheckRun(parts, report) : setStatus(parts, report));
  } catch (error) {
    // GitHub answers 422 for an unknown commit.
    if (isApiError(error, 422) && /no commit|sha/i.test(responseText(error))) refuseMissing(`there is no commit "${report.sha}"`);
    throw error;
  }
  return { name: report.name };
}

async function setCheckRun({ connection, reader }: ActionParts, report: CheckReport): Promise<void> {
  const { octokit, repo } = connection;
  const { sha, name, status, conclusion, title, summary = '', url } = report;
  const { data } = await octokit.rest.checks.listForRef({ ...repo, ref: sha, check_name: name, filter: 'latest', per_page: PAGE });
  const fields = {
    ...repo,
    name,
    // Only GitHub itself may report `startup_failure`.
    ...(conclusion === null
      ? { status }
      : { status: 'completed' as const, conclusion: conclusion === 'startup_failure' ? 'failure' : conclusion }),
    ...omitUndefined({ details_url: url }),
    ...(title === undefined && summary === '' ? {} : { output: { title: title ?? name, summary } }),
  };
  const { login } = await reader.whoami();
  const own = data.check_runs.find(({ app }) => `${app?.slug}[bot]` === login);
  // A completed run cannot be reopened, so a new one replaces it.
  if (own !== undefined && (own.status !== 'completed' || conclusion !== null))
    await octokit.rest.checks.update({ ...fields, check_run_id: own.id });
  else await octokit.rest.checks.create({ ...fields, head_sha: sha });
}

async function setStatus({ connection }: ActionParts, report: CheckReport): Promise<void> {
  const { octokit, repo } = connection;
  const { sha, name, conclusion, title, url } = report;
  const isGreen = conclusion === 'success' || conclusion === 'neutral' || conclusion === 'skipped';
  await octokit.rest.repos.createCommitStatus({
    ...repo,
    sha,
    context: name,
    state: conclusion === null ? 'pending' : isGreen ? 'success' : 'failure',
    ...omitUndefined({ description: title?.slice(0, TITLE_MAX), target_url: url }),
  });
}

async function requestReviewers({ connection, reader }: ActionParts, request: ReviewersRequest): Promise<{ reviewers: string[] }> {
  const { octokit, repo } = connection;
  const { number, people } = request;
  const pr = await reader.pullRequest(number);
  const author = people.find((login) => isSamePerson(login, pr.author));
  if (author !== undefined) deny(`${author} opened #${number} and cannot review it`);
  const missing = people.filter((login) => !pr.reviewers.some((asked) => isSamePerson(asked, login)));
  if (missing.length === 0) return { reviewers: [...pr.reviewers] };
  const { data } = await octokit.rest.pulls.requestReviewers({ ...repo, pull_number: number, reviewers: missing });
  return { reviewers: (data.requested_reviewers ?? []).map(({ login }) => login) };
}

/** GitHub assigns at most ten people, and leaves out those without access to the repository. */
const ASSIGNEES_MAX = 10;

async function assign({ connection }: ActionParts, { number, people }: ReviewersRequest): Promise<{ assignees: string[] }> {
  const { octokit, repo } = connection;
  const assignees = people.slice(0, ASSIGNEES_MAX);
  const { data } = await octokit.rest.issues.addAssignees({ ...repo, issue_number: number, assignees });
  return { assignees: (data.assignees ?? []).map(({ login }) => login) };
}
