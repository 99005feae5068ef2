// Sends a decision, with the digest of what was shown. If the content has changed since, the server rejects the decision,
// and the person is asked again.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, pathOf, write } from '../connection/api.ts';
import type { ApprovalItem } from '../connection/contract.ts';
import { signDecision } from '../connection/passkey.ts';
import { errorText, useNotice } from '../parts/messages.tsx';

/** What a person chose. */
export interface Choice {
  readonly option: string;
  readonly input: string;
}

/** The state of a decision. */
export interface DecisionState {
  readonly isSending: boolean;
  /** Why the server rejected the last decision. */
  readonly refusal: ApiError | undefined;
  readonly decide: (choice: Choice) => Promise<boolean>;
}

/** Decides one approval. */
export function useDecide(item: Pick<ApprovalItem, 'run' | 'path' | 'digest' | 'signed'>): DecisionState {
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<ApiError>();
  const client = useQueryClient();
  const notice = useNotice();
  // The same choice sent twice is one decision, also if the first response was lost.
  const key = useRef<{ readonly of: string; readonly key: string }>(null);
  const decide = async ({ option, input }: Choice): Promise<boolean> => {
    const body = { approval: item.path, digest: item.digest, option, ...(input === '' ? {} : { input }) };
    const of = JSON.stringify(body);
    if (key.current?.of !== of) key.current = { of, key: crypto.randomUUID() };
    setSending(true);
    try {
      const signature = item.signed ? { signature: await signDecision({ run: item.run, ...body }) } : {};
      await write(pathOf('runs', item.run, 'decide'), { ...body, ...signature }, { once: key.current.key });
      setRefusal(undefined);
      notice('ok', `Decided "${option}" on ${item.path} of run ${item.run}.`);
      return true;
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status !== 0) setRefusal(thrown);
      else notice('bad', errorText(thrown));
      return false;
    } finally {
      setSending(false);
      void client.invalidateQueries({ queryKey: ['inbox'] });
      void client.invalidateQueries({ queryKey: ['run', item.run] });
    }
  };
  return { isSending, refusal, decide };
}

interface RecheckResult {
  readonly changed: readonly { readonly approval: string; readonly what: string }[];
}

/** Asks the server to check an approval again when it is opened; returns what has changed since it was requested. */
export function useRecheck({ run, path, subjects, mine }: ApprovalItem): string | undefined {
  const isAbout = subjects !== null && mine;
  const [change, setChange] = useState<string>();
  useEffect(() => {
    if (!isAbout) return;
    const showChange = ({ changed }: RecheckResult): void => setChange(changed.find(({ approval }) => approval === path)?.what);
    // If the check fails, the server still rejects a decision about content that has changed.
    write<RecheckResult>(pathOf('runs', run, 'recheck'), {}).then(showChange, () => undefined);
  }, [run, path, isAbout]);
  return change;
}
