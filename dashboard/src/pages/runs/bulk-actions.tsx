// Owns the actions on several runs: cancel or retry, with the result for each.

import { useState } from 'react';
import { write } from '../../connection/api.ts';
import type { BulkAnswer } from '../../connection/contract.ts';
import { Button, DialogButtons } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { errorText, useNotice } from '../../parts/messages.tsx';
import { plainText } from '../../text/plain-text.ts';

type Result = BulkAnswer['results'][number];

type Action = 'cancel' | 'retry';
const WHAT: Readonly<Record<Action, string>> = {
  cancel: 'Cancelling ends a run for good, together with its child runs. Runs that have ended stay as they are.',
  retry: 'Retrying runs only what failed again. Runs that have nothing to retry stay as they are.',
};

/** Buttons for the selected runs. */
export function BulkActions({ ids, done }: { readonly ids: readonly string[]; readonly done: () => void }) {
  const [asked, setAsked] = useState<Action>();
  const [refused, setRefused] = useState<readonly Result[]>([]);
  const notice = useNotice();
  const count = `${ids.length} ${ids.length === 1 ? 'run' : 'runs'}`;
  const act = async (action: Action): Promise<void> => {
    setAsked(undefined);
    try {
      const { results } = await write<BulkAnswer>('/runs/bulk', { action, ids });
      const worked = results.filter(({ ok }) => ok).length;
      notice('ok', `${action === 'cancel' ? 'Cancelled' : 'Retried'} ${worked} of ${count}.`);
      const left = results.filter(({ ok }) => !ok);
      if (left.length === 0) done();
      else setRefused(left);
    } catch (thrown) {
      notice('bad', errorText(thrown));
    }
  };
  return (
    <div className="banner" role="group" aria-label="Picked runs">
      <p>{count} picked</p>
      <Button label="Retry" onClick={() => setAsked('retry')} />
      <Button label="Cancel" className="danger" onClick={() => setAsked('cancel')} />
      <Button label="Pick none" className="quiet" onClick={done} />
      {asked !== undefined && (
        <Dialog title={`${asked === 'cancel' ? 'Cancel' : 'Retry'} ${count}?`} close={() => setAsked(undefined)}>
          <p>{WHAT[asked]}</p>
          <DialogButtons
            close={() => setAsked(undefined)}
            leave="Keep them"
            label={asked === 'cancel' ? 'Cancel them' : 'Retry them'}
            act={() => act(asked)}
          />
        </Dialog>
      )}
      {refused.length > 0 && (
        <Dialog title="Some runs stayed as they are" close={() => setRefused([])}>
          <dl className="facts">
            {refused.map(({ id, error }) => (
              <div key={id}>
                <dt className="mono">{id}</dt>
                <dd>{plainText(error?.detail ?? 'refused')}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </div>
  );
}
