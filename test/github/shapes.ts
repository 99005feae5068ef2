// Owns the fields of responses that the driver reads.

import type { Data } from './description.ts';
import {
  type GitHubState,
  type Item,
  NAME,
  OWNER,
  type StoredCheck,
  type StoredComment,
  type StoredEvent,
  type StoredReview,
} from './state.ts';

const WEB = `https://github.example/${OWNER}/${NAME}`;

/** The author of actions of a deleted account. */
export const DELETED = '';

/** An account; null for a deleted one. */
export function userData(state: GitHubState, login: string): Data | null {
  if (login === DELETED) return null;
  return { login, type: state.account(login).bot ? 'Bot' : 'User' };
}

/** A label. */
export function labelData(name: string): Data {
  return { name };
}

/** An issue, or a pull request as the API of issues shows it. */
export function issueData(state: GitHubState, item: Item): Data {
  return {
    ...sharedData(state, item),
    html_url: `${WEB}/${item.pull === undefined ? 'issues' : 'pull'}/${item.number}`,
    ...(item.pull === undefined ? {} : { pull_request: {} }),
  };
}

function sharedData(state: GitHubState, item: Item): Data {
  const { number, title, body, open, user, labels, assignees, milestone, createdAt, updatedAt } = item;
  return {
    ...{ number, title, body, state: open ? 'open' : 'closed', user: userData(state, user), labels: labels.map(labelData) },
    assignees: assignees.map((login) => userData(state, login)),
    milestone: milestone === null ? null : { title: milestone },
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** A pull request in a list. */
export function listedPullData(state: GitHubState, item: Item): Data {
  const { pull } = item;
  if (pull === undefined) throw new Error(`#${item.number} is no pull request`);
  const { head, base, headSha, baseSha, from, draft, mergeSha, reviewers } = pull;
  return {
    ...sharedData(state, item),
    ...{ draft, merge_commit_sha: mergeSha, requested_reviewers: reviewers.map((login) => userData(state, login)) },
    head: {
      ref: head,
      sha: headSha,
      label: `${from}:${head}`,
      repo: { full_name: `${from}/${state.name}`, name: state.name, owner: userData(state, from) },
    },
    base: { ref: base, sha: baseSha, label: `${OWNER}:${base}`, repo: { full_name: `${OWNER}/${state.name}` } },
  };
}

/** A pull request by itself. */
export function pullData(state: GitHubState, item: Item, mergeable: boolean | null): Data {
  return { ...listedPullData(state, item), merged: item.pull?.merged === true, mergeable };
}

/** A comment. */
export function commentData(state: GitHubState, { id, number, user, body, createdAt, updatedAt }: StoredComment): Data {
  const kind = state.items.get(number)?.pull === undefined ? 'issues' : 'pull';
  return {
    ...{ id, body, user: userData(state, user), created_at: createdAt, updated_at: updatedAt },
    html_url: `${WEB}/${kind}/${number}#issuecomment-${id}`,
    issue_url: `https://api.github.example/repos/${OWNER}/${NAME}/issues/${number}`,
  };
}

/** A review. */
export function reviewData(state: GitHubState, { id, user, body, state: word, sha, at }: StoredReview): Data {
  return { id, user: userData(state, user), body, state: word, commit_id: sha, submitted_at: at };
}

/** A check run. */
export function checkData({ id, sha, name, app, suite, status, conclusion, completedAt }: StoredCheck): Data {
  return { id, head_sha: sha, name, status, conclusion, completed_at: completedAt, app: { slug: app }, check_suite: { id: suite } };
}

/** An event of an issue. */
export function eventData(state: GitHubState, { id, event, number, actor, at, label }: StoredEvent): Data {
  const item = state.items.get(number) as Item;
  return {
    ...{ id, event, created_at: at, actor: userData(state, actor), issue: issueData(state, item) },
    ...(label === undefined ? {} : { label: { name: label, color: 'ededed' } }),
  };
}

/** A changed file. */
export function fileData(file: { readonly path: string; readonly status: string; readonly from?: string }): Data {
  return { filename: file.path, status: file.status, ...(file.from === undefined ? {} : { previous_filename: file.from }) };
}
