// Owns the runs that a list has loaded: pages in order, more as they are needed, kept fresh without reading them all again.

import { useCallback, useEffect, useRef, useState } from 'react';
import { pathOf, read } from '../../connection/api.ts';
import type { RunReport, RunRow, RunsPage } from '../../connection/contract.ts';
import { useTouched } from '../../connection/freshness.ts';

const PAGE = 100;
const RELOADED_MAX = 20;

/** A list of runs that can load more. */
export interface RunList {
  readonly runs: readonly RunRow[] | undefined;
  readonly isMore: boolean;
  /** How far back the search has come; undefined if it is done. */
  readonly searchedBackTo: string | undefined;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

type LoadedRuns = Pick<RunsPage, 'runs' | 'next' | 'rest'>;

/** Reads the runs that match a query, newest first. */
export function useRunList(query: string): RunList {
  const [loaded, setLoaded] = useState<LoadedRuns | undefined>();
  const [error, setError] = useState<unknown>();
  const current = useRef({ query, loading: false, loaded });
  current.current.loaded = loaded;

  const readPage = useCallback(
    async (cursor: string | null): Promise<RunsPage> => {
      const words = new URLSearchParams(query);
      words.set('limit', String(PAGE));
      if (cursor !== null) words.set('cursor', cursor);
      return read<RunsPage>(`/runs?${words}`);
    },
    [query],
  );

  const load = useCallback(
    async (how: 'first' | 'more' | 'newest') => {
      const state = current.current;
      if (how === 'more' && (state.loading || (state.loaded?.next ?? null) === null)) return;
      if (how === 'more') state.loading = true;
      try {
        const page = await readPage(how === 'more' ? (state.loaded?.next ?? null) : null);
        if (state.query !== query) return;
        setError(undefined);
        setLoaded((before) => (how === 'first' || before === undefined ? page : merged(before, page, how)));
      } catch (thrown) {
        if (state.query === query) setError(thrown);
      } finally {
        if (how === 'more') state.loading = false;
      }
    },
    [query, readPage],
  );

  useEffect(() => {
    current.current.query = query;
    void load('first');
  }, [load, query]);

  // For a filter that few runs match, pages are read until one is full; what was found so far is shown meanwhile.
  const isLooking = error === undefined && loaded !== undefined && loaded.next !== null && loaded.runs.length < PAGE;
  useEffect(() => {
    if (isLooking && loaded !== undefined) void load('more');
  }, [isLooking, load, loaded]);

  useTouched(
    useCallback(
      (touched) => {
        void load(touched.size === 0 ? 'first' : 'newest');
        const far = current.current.loaded?.runs.slice(PAGE).filter(({ id }) => touched.has(id)) ?? [];
        for (const { id } of far.slice(0, RELOADED_MAX))
          void readRow(id).then((row) => row && setLoaded((before) => replaced(before, row)));
      },
      [load],
    ),
  );

  return {
    runs: loaded?.runs,
    isMore: (loaded?.next ?? null) !== null,
    searchedBackTo: isLooking ? (loaded?.rest ?? undefined) : undefined,
    error,
    loadMore: () => void load('more'),
    retry: () => void load('first'),
  };
}

/** Appends a page, or puts the newest runs first; no run is listed twice. */
export function merged(before: LoadedRuns, page: LoadedRuns, how: 'more' | 'newest'): LoadedRuns {
  const ids = new Set(page.runs.map(({ id }) => id));
  const others = before.runs.filter(({ id }) => !ids.has(id));
  if (how === 'more') return { ...page, runs: [...others, ...page.runs] };
  // Runs that the page searched and does not have no longer match; it did not search those from before its `rest`.
  const { rest } = page;
  if (rest === null) return page;
  return { ...before, runs: [...page.runs, ...others.filter(({ startedAt }) => startedAt <= rest)] };
}

type RowUpdate = Pick<RunRow, 'id' | 'status' | 'currentStep' | 'updatedAt' | 'isDriven'>;

async function readRow(id: string): Promise<RowUpdate | undefined> {
  try {
    const { status, currentStep, updatedAt, isDriven } = (await read<RunReport>(pathOf('runs', id))).run;
    return { id, status, currentStep, updatedAt, isDriven };
  } catch {
    // The row stays as it is; the next event of the run asks again.
    return undefined;
  }
}

function replaced(before: LoadedRuns | undefined, row: RowUpdate): LoadedRuns | undefined {
  return before && { ...before, runs: before.runs.map((each) => (each.id === row.id ? { ...each, ...row } : each)) };
}
