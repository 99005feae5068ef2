// Owns the dialog that cancels a run: it first shows what would be undone, as "pawl cancel --dry-run" does.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pathOf, write } from '../../connection/api.ts';
import type { CancelPlan } from '../../connection/contract.ts';
import { useRunAction } from '../../connection/queries.ts';
import { DialogButtons, TextField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/messages.tsx';
import { Table } from '../../parts/panel.tsx';
import { useMay } from '../../person.ts';
import { plainLine } from '../../text/plain-text.ts';

/** Asks whether to cancel the run, and shows what that undoes. */
export function CancelDialog({ id, close }: { readonly id: string; readonly close: () => void }) {
  const [reason, setReason] = useState('');
  const [keeps, setKeeps] = useState(false);
  const action = useRunAction();
  const mayDecide = useMay('decide');
  const plan = useQuery({
    queryKey: ['run', id, 'cancel'],
    queryFn: async () => (await write<CancelPlan>(pathOf('runs', id, 'cancel'), { dryRun: true })).plan,
  });
  const cancel = (): void => {
    const body = { ...(reason === '' ? {} : { reason }), ...(keeps ? { undo: false } : {}) };
    action.mutate({ run: id, verb: 'cancel', body, done: `Run ${id} is cancelled.` }, { onSuccess: close });
  };
  return (
    <Dialog title="Cancel this run?" close={close}>
      <p>It ends for good, together with its child runs. Running steps are stopped.</p>
      {plan.isPending && <p className="faint">Reading what would be undone …</p>}
      {plan.error && <Failure error={plan.error} />}
      {plan.data !== undefined && !keeps && <UndoList plan={plan.data} />}
      {plan.data !== undefined && plan.data.items.length > 0 && mayDecide && (
        <label className="row">
          <input type="checkbox" checked={keeps} onChange={(event) => setKeeps(event.target.checked)} />
          Undo nothing: leave everything as it is
        </label>
      )}
      <TextField label="Reason" value={reason} change={setReason} placeholder="recorded with the run" />
      <DialogButtons close={close} leave="Keep it" label="Cancel the run" disabled={action.isPending} act={cancel} />
    </Dialog>
  );
}

function UndoList({ plan: { run, items, stays } }: { readonly plan: CancelPlan['plan'] }) {
  const nameOf = (one: { readonly run: string; readonly path: string }): string =>
    plainLine(one.run === run ? one.path : `${one.path} of run ${one.run}`);
  return (
    <>
      {items.length === 0 ? (
        <p className="faint">Nothing is undone: no step that has ended has an undo.</p>
      ) : (
        <Table columns={['Undone, in this order', 'By']} caption="What is undone">
          {items.map((item) => (
            <tr key={`${item.run} ${item.path}`}>
              <td>{nameOf(item)}</td>
              <td className="mono">{plainLine(item.by)}</td>
            </tr>
          ))}
        </Table>
      )}
      {stays.length > 0 && (
        <details>
          <summary>
            {stays.length === 1 ? 'What one step did stays: it has no undo' : `What ${stays.length} steps did stays: they have no undo`}
          </summary>
          <p className="faint">{stays.map(nameOf).join(', ')}</p>
        </details>
      )}
    </>
  );
}
