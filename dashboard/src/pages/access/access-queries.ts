// Owns reading and changing who may do what: people, groups, tokens, passkeys, sessions and the audit.

import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pathOf, read, write } from '../../connection/api.ts';
import { useNotice, wordsOf } from '../../parts/messages.tsx';

/** A person who may log in. */
export interface PersonRow {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly manages: boolean;
  readonly groups: readonly string[];
  readonly invitedBy: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

/** A personal token. */
export interface TokenRow {
  readonly id: string;
  readonly person: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly usedAt: string | null;
  readonly expiresAt: string;
  readonly isExpired: boolean;
}

/** A registered passkey. */
export interface PasskeyRow {
  readonly id: string;
  readonly person: string;
  readonly title: string;
  readonly isEnrolled: boolean;
  readonly publicKey: string;
  readonly createdAt: string;
  readonly usedAt: string | null;
}

/** A browser that is logged in. */
export interface SessionRow {
  readonly id: string;
  readonly person: string;
  readonly via: string;
  readonly address: string;
  readonly agent: string;
  readonly isMine: boolean;
  readonly usedAt: string;
  readonly expiresAt: string;
}

/** Something that somebody did. */
export interface AuditRow {
  readonly id: number;
  readonly at: string;
  readonly person: string | null;
  readonly via: string;
  readonly action: string;
  readonly about: string;
  readonly run: string | null;
  readonly step: string | null;
  readonly choice: string | null;
  readonly address: string;
  readonly outcome: string;
}

/** A link that is shown once. */
export interface OneTimeLink {
  readonly person: string;
  readonly url: string;
  readonly expiresAt: string;
}

/** A list of one of these things. */
export function useAccessList<K extends string, T>(name: K): UseQueryResult<readonly T[]> {
  return useQuery({
    queryKey: ['access', name],
    queryFn: async ({ signal }) => (await read<Readonly<Record<K, readonly T[]>>>(`/${name}`, signal))[name],
  });
}

/** Removes one of these things for good, and says so. */
export function useRevoke(list: 'people' | 'tokens' | 'passkeys' | 'sessions'): (id: string, said: string) => void {
  const client = useQueryClient();
  const notice = useNotice();
  const { mutate } = useMutation({
    mutationFn: ({ id }: { readonly id: string; readonly said: string }) => write(pathOf(list, id), undefined, { method: 'DELETE' }),
    onSuccess: (_answer, { said }) => notice('ok', said),
    onError: (error) => notice('bad', wordsOf(error)),
    onSettled: () => void client.invalidateQueries({ queryKey: ['access'] }),
  });
  return (id, said) => mutate({ id, said });
}
