// Owns the forge `github`: a repository at GitHub or an Enterprise server, on octokit.

import { setTimeout } from 'node:timers/promises';
import { omitUndefined } from '../../base/fields.ts';
import { type Forge, type ForgeActor, type ForgeAnswer, type ForgeEvent, mapAnswer, type WatchOptions } from '../forge.ts';
import { openLedger } from '../ledger.ts';
import { createActions } from './actions.ts';
import { type ConnectionOptions, connect } from './client.ts';
import { createDiscussions } from './discussions.ts';
import { createMerge } from './merge.ts';
import { createPoll, type Poll } from './poll.ts';
import { createForgeReader, createReader } from './reader.ts';
import { createReviewActions } from './reviews.ts';
import { fetchCommit, fetchRef, pushCommit, type RefRequest, replaceRef } from './transfer.ts';
import { readWebhooks, type WebhookFacts } from './webhook.ts';

/** Options for opening the forge. */
export interface GitHubForgeOptions extends ConnectionOptions {
  /** The SQLite file with the record of actions. Created if needed. */
  readonly ledger: string;
  /** How often events are polled while there are watchers. Default: a minute. */
  readonly pollMs?: number;
  /** Called before each request that changes something, after the action was recorded. If it throws, nothing is requested. */
  readonly beforeWrite?: (action: { readonly name: string }) => Promise<void>;
}

/** Events that were found by one poll, oldest first, and the cursor after them. */
export interface PolledEvents {
  readonly events: readonly ForgeEvent[];
  readonly cursor: string;
}

/** The forge of a repository at GitHub. */
export interface GitHubForge extends Forge {
  /** Number of requests sent to the API so far. */
  readonly requests: () => number;
  /** The permissions that an App lacks: `checks: write`. Empty for tokens, because GitHub does not report theirs. */
  missingPermissions(): Promise<ForgeAnswer<readonly string[]>>;
  /** The webhooks of the App or of the repository; `denied` or `not_found` if the login may not see them. */
  webhooks(): Promise<ForgeAnswer<readonly WebhookFacts[]>>;
  /** Reads the events after a cursor. Without a cursor it returns no events, and the cursor to begin with. */
  poll(after?: string): Promise<ForgeAnswer<PolledEvents>>;
  /** Fetches the commit of any ref; `sha` is undefined if there is none. */
  readRef(request: RefRequest): Promise<ForgeAnswer<{ readonly sha: string | undefined }>>;
  /** Points a ref to a commit if it still is at `expected`; `stale_head` if it is not. */
  replaceRef(request: RefRequest & { readonly sha: string; readonly expected: string | undefined }): Promise<ForgeAnswer<{ sha: string }>>;
}

const POLL_MS = 60_000;

/** Opens the forge. Nothing is requested yet. Any number of processes may have the same one open. */
export async function openGitHubForge(options: GitHubForgeOptions): Promise<GitHubForge> {
  const connection = await connect(options);
  const { now, answer, classify } = connection;
  const { beforeWrite } = options;
  const ledger = openLedger({ file: options.ledger, now, classify, ...omitUndefined({ beforeRequest: beforeWrite }) });
  const reader = createReader(connection);
  const parts = { connection, reader, ledger };
  const poll = createPoll(connection);
  const watchers = createWatchers(poll, { now, pollMs: options.pollMs ?? POLL_MS });
  const { discussionReplies, replyToDiscussion } = createDiscussions(parts);
  const reviews = createReviewActions(parts);
  const actions: ForgeActor = { ...createActions(parts), ...reviews, replyToDiscussion, mergePullRequest: createMerge(parts) };
  return {
    name: 'github',
    ...createForgeReader(connection, reader),
    discussionReplies,
    ...afterStart(watchers, actions),
    done: async (prefix) => ({ result: 'ok', value: ledger.done(prefix) }),
    fetch: (request) => answer(() => fetchCommit(connection, request)),
    push: async (request) => {
      await watchers.started();
      await beforeWrite?.({ name: 'push' });
      return await answer(() => pushCommit(connection, request));
    },
    poll: (after) => pollOnce(poll, after),
    readRef: (request) => answer(() => fetchRef(connection, request)),
    replaceRef: (request) => answer(() => replaceRef(connection, request)),
    watch: (callback, options = {}) => watchers.watch(callback, options),
    aheadMs: connection.aheadMs,
    requests: connection.sent,
    missingPermissions: () => answer(() => reader.missingPermissions()),
    webhooks: () => answer(() => readWebhooks(connection)),
    close: async () => {
      watchers.stopAll();
      ledger.close();
    },
  };
}

async function pollOnce(poll: Poll, after: string | undefined): Promise<ForgeAnswer<PolledEvents>> {
  if (after === undefined) return mapAnswer(await poll.begin(), (cursor) => ({ events: [], cursor }));
  return mapAnswer(await poll.after(after), (events) => ({ events, cursor: events.at(-1)?.cursor ?? after }));
}

// A watcher also receives the actions of this process, so these wait until each watcher has its first cursor.
function afterStart(watchers: Watchers, actions: ForgeActor): ForgeActor {
  const waiting = Object.entries(actions).map(([name, act]) => [
    name,
    async (request: never, key: string): Promise<unknown> => {
      await watchers.started();
      return await act(request, key);
    },
  ]);
  return Object.fromEntries(waiting) as ForgeActor;
}

interface Watchers {
  watch(callback: (event: ForgeEvent) => void, options: WatchOptions): () => void;
  /** Resolves when every watcher has its first cursor. */
  started(): Promise<unknown>;
  stopAll(): void;
}

function createWatchers(poll: Poll, { now, pollMs }: { readonly now: () => number; readonly pollMs: number }): Watchers {
  const stops = new Set<AbortController>();
  const starting = new Set<Promise<unknown>>();
  return {
    watch: (callback, { after, begun = () => undefined }) => {
      const stop = new AbortController();
      stops.add(stop);
      const pause = async (until?: number): Promise<void> =>
        await setTimeout(until === undefined ? pollMs : Math.max(pollMs, until - now()), undefined, {
          signal: stop.signal,
          ref: false,
        }).catch(() => undefined);
      const first = after === undefined ? begin(poll) : Promise.resolve(after);
      starting.add(first);
      first.finally(() => starting.delete(first)).catch(() => undefined);
      void follow(poll, { first, callback, begun: after === undefined ? begun : () => undefined, signal: stop.signal, pause });
      return () => {
        stop.abort();
        stops.delete(stop);
      };
    },
    started: () => Promise.all(starting),
    stopAll: () => {
      for (const stop of stops) stop.abort();
    },
  };
}

// An outage when a watcher starts must not delay actions: then the next poll sets its first cursor.
async function begin(poll: Poll): Promise<string | undefined> {
  const found = await poll.begin();
  return found.result === 'ok' ? found.value : undefined;
}

interface Follower {
  readonly first: Promise<string | undefined>;
  readonly callback: (event: ForgeEvent) => void;
  readonly begun: (cursor: string) => void;
  readonly signal: AbortSignal;
  readonly pause: (until?: number) => Promise<void>;
}

async function follow(poll: Poll, { first, callback, begun, signal, pause }: Follower): Promise<void> {
  let cursor = await first;
  if (cursor !== undefined && !signal.aborted) begun(cursor);
  while (!signal.aborted) {
    const found = cursor === undefined ? await poll.begin() : await poll.after(cursor);
    let until: number | undefined;
    if (found.result !== 'ok') until = 'until' in found ? found.until : undefined;
    else if (typeof found.value === 'string') {
      cursor = found.value;
      begun(cursor);
    } else {
      for (const event of found.value) {
        if (signal.aborted) return;
        cursor = event.cursor;
        callback(event);
      }
    }
    await pause(until);
  }
}
