// Owns the queries about access: people, tokens, passkeys and sessions.

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { read } from '../../connection/api.ts';
import type { AccessLists } from '../../connection/contract.ts';

/** One of these lists. */
export function useAccessList<K extends keyof AccessLists>(name: K): UseQueryResult<AccessLists[K]> {
  return useQuery({
    queryKey: ['access', name],
    queryFn: async ({ signal }) => (await read<Pick<AccessLists, K>>(`/${name}`, signal))[name],
  });
}
