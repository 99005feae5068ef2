// Owns the button that revokes a person, a token, a passkey or a session.

import { pathOf, write } from '../../connection/api.ts';
import type { AccessLists } from '../../connection/contract.ts';
import { useAction } from '../../connection/queries.ts';
import { Button } from '../../parts/controls.tsx';

interface RevokeProps {
  readonly list: keyof AccessLists;
  readonly id: string;
  readonly done: string;
  readonly label?: string;
}

/** The button that revokes something for good; `done` is the notice that it worked. */
export function RevokeButton({ list, id, done, label = 'Revoke' }: RevokeProps) {
  const { mutate } = useAction<{ readonly done: string }>(
    () => write(pathOf(list, id), undefined, { method: 'DELETE' }),
    () => [['access']],
  );
  return <Button label={label} className="quiet danger" onClick={() => mutate({ done })} />;
}
