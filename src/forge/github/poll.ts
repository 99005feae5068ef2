// Polls for events, for servers without a public address: the changes since a cursor, from GitHub's lists of issues,
// issue events, comments, pull requests, reviews, check runs and commit statuses. Requests are conditional, so polling an
// unchanged repository costs nothing.
//
// - An event has the same id in every poll. A cursor holds the ids of recently delivered events, and the time from which to
//   read again: GitHub's times are whole seconds, and its lists can be late.
// - Events are ordered by time. In the same second: opened, pushed, changed, commented, reviewed, closed. An event from
//   while the lists are read is delivered by the next poll, because some lists may not contain it yet.
// - A rate limit or an outage delays a poll; it loses no events.

import { omitUndefined } from '../../base/fields.ts';
import { type ForgeAnswer, type ForgeEvent, OWN_CHECK_PREFIX } from '../forge.ts';
import { readStatuses } from './checks.ts';
import { type Connection, listOpenPulls, PAGE } from './client.ts';

/** How late an event may appear in GitHub's lists. */
const OVERLAP_MS = 60_000;
const HEADS_MAX = 50;

interface Cursor {
  /** The time of the latest event that was delivered. */
  readonly since: number;
  /** The ids of recently delivered events, with their times. */
  readonly seen: Readonly<Record<string, number>>;
  /** The heads of open pull requests. */
  readonly heads: Readonly<Record<string, string>>;
}

type FoundEvent = ForgeEvent & { readonly rank: number };

/** A poll of one repository. */
export interface Poll {
  /** Returns the cursor to begin with: everything that exists now counts as delivered. */
  begin(): Promise<ForgeAnswer<string>>;
  /** Returns the events after a cursor, oldest first. */
  after(cursor: string): Promise<ForgeAnswer<ForgeEvent[]>>;
}

/** Creates the poll of a connection. */
export function createPoll(connection: Connection): Poll {
  const { answer, now } = connection;
  return {
    begin: () =>
      answer(async () => {
        const start: Cursor = { since: now(), seen: {}, heads: {} };
        const found = await findEvents(connection, start);
        const open = await listOpenPulls(connection);
        return encode(found.reduce(deliver, { ...start, heads: Object.fromEntries(open.map(({ number, head }) => [number, head.sha])) }));
      }),
    after: (text) =>
      answer(async () => {
        let cursor = decode(text);
        const started = await serverTime(connection);
        const found = new Map((await findEvents(connection, cursor)).map((event) => [event.id, event]));
        const fresh = [...found.values()].filter(({ id, at }) => cursor.seen[id] === undefined && at < started);
        return fresh.sort(byTime).map((found) => {
          cursor = deliver(cursor, found);
          const { rank: _, ...event } = found;
          return { ...event, cursor: encode(cursor) };
        });
      }),
  };
}

// The time at GitHub, in whole seconds. The request is conditional, so it costs nothing.
async function serverTime({ octokit, repo, now }: Connection): Promise<number> {
  const { headers } = await octokit.rest.repos.get(repo);
  const time = Date.parse(headers.date ?? '');
  return Number.isNaN(time) ? now() : time;
}

function deliver(cursor: Cursor, { id, at, event, pr, sha }: FoundEvent): Cursor {
  const since = Math.max(cursor.since, at);
  const seen = Object.fromEntries(Object.entries({ ...cursor.seen, [id]: at }).filter(([, time]) => time >= since - 2 * OVERLAP_MS));
  const isHead = pr !== undefined && sha !== undefined && (event === 'pull_request.opened' || event === 'pull_request.synchronize');
  const heads = isHead ? { ...cursor.heads, [pr]: sha } : cursor.heads;
  return { since, seen, heads: event === 'pull_request.closed' && pr !== undefined ? without(heads, pr) : heads };
}

function without(heads: Cursor['heads'], pr: number): Cursor['heads'] {
  return Object.fromEntries(Object.entries(heads).filter(([number]) => number !== String(pr)));
}

function encode(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function decode(text: string): Cursor {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Cursor;
}

function byTime(a: FoundEvent, b: FoundEvent): number {
  return a.at - b.at || a.rank - b.rank || a.id.length - b.id.length || (a.id < b.id ? -1 : 1);
}

async function findEvents(connection: Connection, cursor: Cursor): Promise<FoundEvent[]> {
  const from = cursor.since - OVERLAP_MS;
  const { octokit, repo } = connection;
  const since = new Date(from).toISOString();
  const issues = await octokit.paginate(octokit.rest.issues.listForRepo, {
    ...repo,
    ...{ state: 'all' as const, sort: 'updated' as const, direction: 'desc' as const, since, per_page: PAGE },
  });
  const opened = issues.filter(({ created_at }) => Date.parse(created_at) >= from).map(toOpened);
  const changed = await findIssueEvents(connection, cursor);
  const comments = await findComments(connection, since);
  const changedPulls = issues.filter(({ pull_request }) => pull_request !== undefined).map(({ number }) => number);
  const heads = await findHeads(connection, cursor);
  const reviews = await findReviews(connection, { pulls: changedPulls, from });
  return [...opened, ...changed, ...comments, ...heads, ...reviews, ...(await findChecks(connection, cursor, from))];
}

interface ItemData {
  readonly number: number;
  readonly created_at: string;
  readonly user: { readonly login: string } | null;
  readonly pull_request?: unknown;
}

function toOpened({ number, created_at, user, pull_request }: ItemData): FoundEvent {
  const isPull = pull_request !== undefined;
  const about = isPull ? { pr: number } : { issue: number };
  const event = isPull ? 'pull_request.opened' : 'issues.opened';
  return { id: `opened:${number}`, event, at: Date.parse(created_at), ...omitUndefined({ actor: user?.login }), ...about, rank: 0 };
}

/** GitHub's issue events, and their names as webhooks. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ labeled: 'labeled', unlabeled: 'unlabeled', assigned: 'assigned', unassigned: 'unassigned', closed: 'closed' },
  ...{ reopened: 'reopened', milestoned: 'milestoned', demilestoned: 'demilestoned', renamed: 'edited' },
  ...{ ready_for_review: 'ready_for_review', convert_to_draft: 'converted_to_draft', review_requested: 'review_requested' },
  ...{ review_request_removed: 'review_request_removed', added_to_merge_queue: 'enqueued', removed_from_merge_queue: 'dequeued' },
};

async function findIssueEvents({ octokit, repo }: Connection, { since, heads }: Cursor): Promise<FoundEvent[]> {
  const from = since - OVERLAP_MS;
  const found: FoundEvent[] = [];
  const pages = octokit.paginate.iterator(octokit.rest.issues.listEventsForRepo, { ...repo, per_page: PAGE });
  for await (const { data } of pages) {
    for (const { id, event: kind, issue, actor, label, created_at } of data) {
      const at = Date.parse(created_at);
      const name = kind === 'review_dismissed' ? undefined : NAMES[kind];
      if (at < from || issue === null || issue === undefined) continue;
      const isPull = issue.pull_request !== undefined;
      const event = kind === 'review_dismissed' ? 'pull_request_review.dismissed' : `${isPull ? 'pull_request' : 'issues'}.${name}`;
      if (name === undefined && kind !== 'review_dismissed') continue;
      const about = isPull ? { pr: issue.number } : { issue: issue.number };
      const named = typeof label?.name === 'string' ? { label: label.name } : {};
      // The head of the last poll: a commit that was pushed since may be older or newer than the label.
      const sha = isPull && name === 'labeled' ? heads[issue.number] : undefined;
      const rank = kind === 'closed' ? 5 : 2;
      found.push({ id: `event:${id}`, event, at, ...about, ...named, ...omitUndefined({ actor: actor?.login, sha }), rank });
    }
    // The list begins with the newest event.
    if (data.some(({ created_at }) => Date.parse(created_at) < from)) break;
  }
  return found;
}

async function findComments({ octokit, repo }: Connection, since: string): Promise<FoundEvent[]> {
  const query = { ...repo, sort: 'updated' as const, direction: 'desc' as const, since, per_page: PAGE };
  const found = await octokit.paginate(octokit.rest.issues.listCommentsForRepo, query);
  return found.flatMap((comment): FoundEvent[] => {
    const number = Number(/\d+$/.exec(comment.issue_url)?.[0]);
    const about = comment.html_url.includes('/pull/') ? { pr: number } : { issue: number };
    const shared = { ...omitUndefined({ actor: comment.user?.login }), comment: String(comment.id), ...about, rank: 3 };
    const [created, updated] = [Date.parse(comment.created_at), Date.parse(comment.updated_at)];
    const first: FoundEvent = { id: `comment:${comment.id}`, event: 'issue_comment.created', at: created, ...shared };
    const edit: FoundEvent = { id: `comment:${comment.id}:${updated}`, event: 'issue_comment.edited', at: updated, ...shared };
    return [...(created >= Date.parse(since) ? [first] : []), ...(updated > created ? [edit] : [])];
  });
}

async function findHeads(connection: Connection, cursor: Cursor): Promise<FoundEvent[]> {
  return (await listOpenPulls(connection)).flatMap(({ number: pr, head, updated_at, created_at, user }): FoundEvent[] => {
    const known = cursor.heads[pr];
    if (known === head.sha) return [];
    const shared = { ...omitUndefined({ actor: user?.login }), pr, sha: head.sha };
    // The first head of a new pull request belongs to its event `opened`.
    if (known === undefined && Date.parse(created_at) >= cursor.since - OVERLAP_MS)
      return [{ id: `opened:${pr}`, event: 'pull_request.opened', at: Date.parse(created_at), ...shared, rank: 0 }];
    return [{ id: `head:${pr}:${head.sha}`, event: 'pull_request.synchronize', at: Date.parse(updated_at), ...shared, rank: 1 }];
  });
}

async function findReviews(
  { octokit, repo }: Connection,
  { pulls, from }: { readonly pulls: readonly number[]; readonly from: number },
): Promise<FoundEvent[]> {
  const found: FoundEvent[] = [];
  for (const pr of pulls) {
    const reviews = await octokit.paginate(octokit.rest.pulls.listReviews, { ...repo, pull_number: pr, per_page: PAGE });
    for (const { id, submitted_at, user, commit_id } of reviews) {
      const at = Date.parse(submitted_at ?? '');
      if (!(at >= from)) continue;
      const sha = commit_id === null ? {} : { sha: commit_id };
      const event = 'pull_request_review.submitted';
      found.push({ id: `review:${id}`, event, at, ...omitUndefined({ actor: user?.login }), pr, ...sha, rank: 4 });
    }
  }
  return found;
}

async function findChecks({ octokit, repo }: Connection, { heads }: Cursor, from: number): Promise<FoundEvent[]> {
  const found: FoundEvent[] = [];
  for (const sha of [...new Set(Object.values(heads))].slice(-HEADS_MAX)) {
    const runs = await octokit.paginate(octokit.rest.checks.listForRef, { ...repo, ref: sha, per_page: PAGE });
    for (const { id, completed_at, app } of runs) {
      const at = Date.parse(completed_at ?? '');
      if (at >= from)
        found.push({ id: `check:${id}:${at}`, event: 'check_run.completed', at, ...omitUndefined({ actor: app?.slug }), sha, rank: 4 });
    }
    // A status that changes gets a new id. GitHub does not report here who set it.
    for (const { id, state, context, updated_at } of await readStatuses({ octokit, repo }, sha)) {
      const at = Date.parse(updated_at);
      const isNews = state !== 'pending' && !context.startsWith(OWN_CHECK_PREFIX);
      if (at >= from && isNews) found.push({ id: `status:${id}`, event: 'status', at, sha, rank: 4 });
    }
  }
  return found;
}
