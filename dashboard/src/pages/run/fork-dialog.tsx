// Owns the dialog that forks a run: from which step, and a table of which steps would be reused and which run again.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { pathOf, write } from '../../connection/api.ts';
import type { ForkPlan, RunReport } from '../../connection/contract.ts';
import { DialogButtons, SelectField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { errorText, Failure, useNotice } from '../../parts/messages.tsx';
import { Table } from '../../parts/panel.tsx';
import { plainLine, plainText } from '../../text/plain-text.ts';

/** Asks from which step to fork, shows what would happen, and starts the fork. */
export function ForkDialog({ report, close }: { readonly report: RunReport; readonly close: () => void }) {
  const steps = report.plan.filter(({ visits }) => visits > 0);
  const [from, setFrom] = useState(report.run.currentStep ?? steps.at(-1)?.step ?? '');
  const [, navigate] = useLocation();
  const notice = useNotice();
  const path = pathOf('runs', report.run.id, 'fork');
  const plan = useQuery({
    queryKey: ['run', report.run.id, 'fork', from],
    queryFn: () => write<ForkPlan>(path, { from, dryRun: true }),
    enabled: from !== '',
  });
  const start = async (): Promise<void> => {
    try {
      const { run } = await write<RunReport>(path, { from }, { once: crypto.randomUUID() });
      close();
      notice('ok', `Forked from ${from}: run ${run.id}.`);
      navigate(`/runs/${run.id}`);
    } catch (thrown) {
      notice('bad', errorText(thrown));
    }
  };
  return (
    <Dialog title="Fork this run" close={close}>
      <p className="help">A fork is a new run that reuses the earlier steps. The original does not change. Approvals are asked again.</p>
      <SelectField label="First step of the fork" value={from} options={steps.map(({ step }) => [step, step])} change={setFrom} />
      {plan.error && <Failure error={plan.error} />}
      {plan.data !== undefined && <PlanTable plan={plan.data.plan} />}
      <DialogButtons close={close} label={`Fork from ${plainLine(from)}`} disabled={plan.data === undefined} act={start} />
    </Dialog>
  );
}

function PlanTable({ plan }: { readonly plan: ForkPlan['plan'] }) {
  return (
    <>
      <Table columns={['Step', 'In the fork', 'Means']} caption="What the fork does with each step">
        {plan.steps.map((step) => (
          <tr key={step.path}>
            <td className="mono">{plainLine(step.path)}</td>
            <td>{step.inFork}</td>
            <td>
              {plainText(step.means)}
              {step.mayRepeatEffects && <strong className="warns"> may repeat external effects</strong>}
            </td>
          </tr>
        ))}
      </Table>
      {plan.askedAgain.length > 0 && <p className="help">Asked again: {plan.askedAgain.map(plainLine).join(', ')}</p>}
    </>
  );
}
