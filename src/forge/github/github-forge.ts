// Owns the forge `github`: a repository at GitHub or an Enterprise server, on octokit.

import { setTimeout } from 'node:timers/promises';
import { present } from '../../base/fields.ts';
import type { Forge, ForgeActor, ForgeAnswer, ForgeEvent, WatchOptions } from '../forge.ts';
import { openLedger } from '../ledger.ts';
import { createActions } from './actions.ts';
import { type ConnectionOptions, connect } from './client.ts';
import { createDiscussions } from './discussions.ts';
import { judgeError } from './failure.ts';
import { createMerge } from './merge.ts';
import { createPoll, type Poll } from './poll.ts';
import { createForgeReader, createReader } from './reader.ts';
import { createReviewActions } from './reviews.ts';
import { fetchCommit, fetchRef, pushCommit, type RefRequest, replaceRef } from './transfer.ts';
import { readWebhooks, type WebhookFacts } from './webhook.ts';

/** Options for opening the forge. */
export interface GitHubForgeOptions extends ConnectionOptions {
  /** The SQLite file with the record of what was done. Created if needed. */
  readonly ledger: string;
  /** How often events are polled while somebody watches. Default: a minute. */
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
  /** What an App must be allowed and is not: `checks: write`. GitHub does not tell it for tokens, so it is empty for them. */
  missingPermissions(): Promise<ForgeAnswer<readonly string[]>>;
  /** The webhooks of the App or of the repository; `denied` or `not_found` for a login that may not see them. */
  webhooks(): Promise<ForgeAnswer<readonly WebhookFacts[]>>;
  /** Reads once what happened after a cursor. Without one it returns no events, and the cursor to begin with. */
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
  const { now, answer } = connection;
  const { beforeWrite } = options;
  const judge = (error: unknown) => judgeError(error, { now: now(), outageMs: connection.outageMs });
  const ledger = openLedger({ file: options.ledger, now, judge, ...present({ recorded: beforeWrite }) });
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
    ...afterBeginning(watchers, actions),
    done: async (prefix) => ({ result: 'ok', value: ledger.done(prefix) }),
    fetch: (request) => answer(() => fetchCommit(connection, request)),
    push: async (request) => {
      await watchers.beginning();
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
  if (after === undefined) {
    const begun = await poll.begin();
    return begun.result === 'ok' ? { result: 'ok', value: { events: [], cursor: begun.value } } : begun;
  }
  const found = await poll.after(after);
  return found.result === 'ok' ? { result: 'ok', value: { events: found.value, cursor: found.value.at(-1)?.cursor ?? after } } : found;
}

// What this process does after it began to watch is an event for it, so actions wait until the beginning is set.
function afterBeginning(watchers: Watchers, actions: ForgeActor): ForgeActor {
  const waiting = Object.entries(actions).map(([name, act]) => [
    name,
    async (request: never, key: string): Promise<unknown> => {
      await watchers.beginning();
      return await act(request, key);
    },
  ]);
  return Object.fromEntries(waiting) as ForgeActor;
}

interface Watchers {
  watch(callback: (event: ForgeEvent) => void, options: WatchOptions): () => void;
  beginning(): Promise<unknown>;
  stopAll(): void;
}

interface Pace {
  readonly now: () => number;
  readonly pollMs: number;
}

function createWatchers(poll: Poll, { now, pollMs }: Pace): Watchers {
  const stops = new Set<AbortController>();
  const beginnings = new Set<Promise<unknown>>();
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
      beginnings.add(first);
      first.finally(() => beginnings.delete(first)).catch(() => undefined);
      void follow(poll, { first, callback, begun: after === undefined ? begun : () => undefined, signal: stop.signal, pause });
      return () => {
        stop.abort();
        stops.delete(stop);
      };
    },
    beginning: () => Promise.all(beginnings),
    stopAll: () => {
      for (const stop of stops) stop.abort();
    },
  };
}

type Pause = (until?: number) => Promise<void>;

// An outage when somebody begins to watch must not hold up actions: then the next poll sets the beginning.
async function begin(poll: Poll): Promise<string | undefined> {
  const found = await poll.begin();
  return found.result === 'ok' ? found.value : undefined;
}

interface Following {
  readonly first: Promise<string | undefined>;
  readonly callback: (event: ForgeEvent) => void;
  readonly begun: (cursor: string) => void;
  readonly signal: AbortSignal;
  readonly pause: Pause;
}

async function follow(poll: Poll, { first, callback, begun, signal, pause }: Following): Promise<void> {
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
