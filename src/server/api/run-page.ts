// Owns one page of a list of runs. For a filter that few runs match, the store must read many runs, and blocks the process
// meanwhile. So a filtered list is searched in slices, with other requests in between, and after a time limit the page ends:
// it may have few runs, or none, and still a cursor for the next page.

import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { omitUndefined } from '../../base/fields.ts';
import type { RunQuery, RunSummary, Store } from '../../store/store.ts';

/** A page of runs, newest first. */
interface RunPage {
  readonly runs: readonly RunSummary[];
  /** The place below which the next page begins; undefined if there are no older runs. */
  readonly below: number | undefined;
  /** When the first run that was not read was created; undefined if all were read. */
  readonly rest: number | undefined;
}

interface SearchLimits {
  /** How many runs are read before other requests get a turn. */
  readonly slice: number;
  /** No slice begins after this time, except the first, so that every page makes progress. */
  readonly searchMs: number;
}

const SEARCH: SearchLimits = { slice: 5_000, searchMs: 40 };

/** Reads a page of at most `limit` runs. */
export async function readRunPage(
  store: Store,
  query: RunQuery & { readonly limit: number },
  limits: SearchLimits = SEARCH,
): Promise<RunPage> {
  const { limit, below: start, ...filter } = query;
  if (Object.keys(filter).length === 0) return pageOf(await store.list({ ...query, limit: limit + 1 }), limit);
  const until = performance.now() + limits.searchMs;
  const found: RunSummary[] = [];
  let below = start;
  for (;;) {
    const [newest] = await store.list({ limit: 1, ...omitUndefined({ below }) });
    if (newest === undefined) return { runs: found, below: undefined, rest: undefined };
    if (below !== start && performance.now() > until) return { runs: found, below, rest: newest.createdAt };
    const from = newest.place + 1 - limits.slice;
    found.push(...(await store.list({ ...filter, from, below: newest.place + 1, limit: limit + 1 - found.length })));
    if (found.length > limit) return pageOf(found, limit);
    below = from;
    await yieldToOthers();
  }
}

function pageOf(found: readonly RunSummary[], limit: number): RunPage {
  const [runs, rest] = [found.slice(0, limit), found[limit]];
  return { runs, below: rest === undefined ? undefined : runs.at(-1)?.place, rest: rest?.createdAt };
}
