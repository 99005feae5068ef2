// Owns what several pages read: each thing under one key, so that it is read once and kept fresh together.

import { type UseMutationResult, type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotice, wordsOf } from '../parts/messages.tsx';
import { pathOf, read, write } from './api.ts';
import type { Assumption, Bar, GraphData, InboxItem, InboxPage, RunReport, StepDetail } from './contract.ts';

const inbox = { queryKey: ['inbox'], queryFn: ({ signal }: { readonly signal: AbortSignal }) => read<InboxPage>('/inbox', signal) };

/** What waits for a person, oldest first; read when it is wanted. */
export function useInbox(isWanted = true): UseQueryResult<readonly InboxItem[]> {
  return useQuery({ ...inbox, select: ({ items }) => items, enabled: isWanted });
}

/** What agents assumed without asking, in all runs, and nobody answered yet. */
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

/** The stretches of time of a run. */
export function useTimeline(id: string): UseQueryResult<readonly Bar[]> {
  return useQuery({
    queryKey: ['run', id, 'timeline'],
    queryFn: async ({ signal }) => (await read<{ bars: readonly Bar[] }>(`${pathOf('runs', id)}/timeline`, signal)).bars,
  });
}

/** One step whole. */
export function useStep(run: string, path: string): UseQueryResult<StepDetail> {
  return useQuery({
    queryKey: ['run', run, 'step', path],
    queryFn: ({ signal }) => read<StepDetail>(pathOf('runs', run, 'steps', path), signal),
  });
}

/** Something that a person asks of a run. */
export interface RunAction {
  readonly run: string;
  readonly verb: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What is said when it worked. */
  readonly said: string;
}

/** Asks something of a run, says how it went, and has the run read again. */
export function useRunAction(): UseMutationResult<RunReport, Error, RunAction> {
  const client = useQueryClient();
  const notice = useNotice();
  return useMutation({
    mutationFn: ({ run, verb, body }) => write<RunReport>(pathOf('runs', run, verb), body, { once: crypto.randomUUID() }),
    onSuccess: (_answer, { said }) => notice('ok', said),
    onError: (error) => notice('bad', wordsOf(error)),
    onSettled: (_answer, _error, { run }) => {
      void client.invalidateQueries({ queryKey: ['run', run] });
      void client.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
}
