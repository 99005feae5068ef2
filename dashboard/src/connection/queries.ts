// Owns the queries that several pages share: each has one key, so that it is sent once for all of them.

import { type QueryKey, type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { errorText, useNotice } from '../parts/messages.tsx';
import { pathOf, read, write } from './api.ts';
import type { Assumption, Bar, GraphData, InboxItem, InboxPage, RunReport, StepDetail } from './contract.ts';

const inbox = { queryKey: ['inbox'], queryFn: ({ signal }: { readonly signal: AbortSignal }) => read<InboxPage>('/inbox', signal) };

/** The inbox, oldest first; it is read only if `isWanted`. */
export function useInbox(isWanted = true): UseQueryResult<readonly InboxItem[]> {
  return useQuery({ ...inbox, select: ({ items }) => items, enabled: isWanted });
}

/** The open assumptions of agents in all runs. */
export function useOpenAssumptions(): readonly Assumption[] {
  return useQuery({ ...inbox, select: ({ assumptions }) => assumptions }).data ?? [];
}

/** One run with its steps. */
export function useRun(id: string): UseQueryResult<RunReport> {
  return useQuery({ queryKey: ['run', id], queryFn: ({ signal }) => read<RunReport>(pathOf('runs', id), signal) });
}

/** The graph of a run, with its state. */
export function useRunGraph(id: string): UseQueryResult<GraphData> {
  return useQuery({ queryKey: ['run', id, 'graph'], queryFn: ({ signal }) => read<GraphData>(`${pathOf('runs', id)}/graph`, signal) });
}

/** The timeline of a run. */
export function useTimeline(id: string): UseQueryResult<readonly Bar[]> {
  return useQuery({
    queryKey: ['run', id, 'timeline'],
    queryFn: async ({ signal }) => (await read<{ bars: readonly Bar[] }>(`${pathOf('runs', id)}/timeline`, signal)).bars,
  });
}

/** One step in full. */
export function useStep(run: string, path: string): UseQueryResult<StepDetail> {
  return useQuery({
    queryKey: ['run', run, 'step', path],
    queryFn: ({ signal }) => read<StepDetail>(pathOf('runs', run, 'steps', path), signal),
  });
}

/** Sends a request that changes something, shows whether it worked, and reads again what it made stale. */
export function useAction<A extends { readonly done: string }, T = unknown>(
  send: (action: A) => Promise<T>,
  stale: (action: A) => readonly QueryKey[],
): UseMutationResult<T, Error, A> {
  const client = useQueryClient();
  const notice = useNotice();
  return useMutation({
    mutationFn: send,
    onSuccess: (_answer, { done }) => notice('ok', done),
    onError: (error) => notice('bad', errorText(error)),
    onSettled: (_answer, _error, action) => {
      for (const queryKey of stale(action)) void client.invalidateQueries({ queryKey });
    },
  });
}

/** A request that changes a run. */
export interface RunAction {
  readonly run: string;
  readonly verb: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The notice that is shown when it worked. */
  readonly done: string;
}

/** Sends a request that changes a run. */
export function useRunAction(): UseMutationResult<RunReport, Error, RunAction> {
  return useAction(
    ({ run, verb, body }) => write<RunReport>(pathOf('runs', run, verb), body, { once: crypto.randomUUID() }),
    ({ run }) => [['run', run], ['inbox']],
  );
}
