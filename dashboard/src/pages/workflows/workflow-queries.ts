// Owns the queries of workflows: the list, and one in full.

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { pathOf, read } from '../../connection/api.ts';
import type { WorkflowDetail, WorkflowList } from '../../connection/contract.ts';

/** All workflows of the project. */
export function useWorkflows(): UseQueryResult<WorkflowList> {
  return useQuery({ queryKey: ['workflows'], queryFn: ({ signal }) => read<WorkflowList>('/workflows', signal) });
}

/** One workflow in full. */
export function useWorkflow(name: string): UseQueryResult<WorkflowDetail> {
  return useQuery({ queryKey: ['workflows', name], queryFn: ({ signal }) => read<WorkflowDetail>(pathOf('workflows', name), signal) });
}
