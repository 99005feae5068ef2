// Owns forking a run: from which step, and the table of what would be reused, run again or repeated outside, before it starts.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { pathOf, write } from '../../connection/api.ts';
import type { ForkPlan, RunReport } from '../../connection/contract.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure, useNotice, wordsOf } from '../../parts/messages.tsx';
import { plainLine, plainText } from '../../text/plain-text.ts';

/** Asks from where to fork, shows what would happen, and starts the fork. */
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
      notice('bad', wordsOf(thrown));
    }
  };
  return (
    <Dialog title="Fork this run" close={close}>
      <p className="help">A fork is a new run that reuses the earlier steps. The original does not change. Approvals are asked again.</p>
      <label className="field">
        <span>First step of the fork</span>
        <select value={from} onChange={(event) => setFrom(event.target.value)}>
          {steps.map(({ step }) => (
            <option key={step} value={step}>
              {plainLine(step)}
            </option>
          ))}
        </select>
      </label>
      {plan.error && <Failure error={plan.error} />}
      {plan.data !== undefined && <PlanTable plan={plan.data.plan} />}
      <div className="actions">
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="button" className="primary" disabled={plan.data === undefined} onClick={() => void start()}>
          Fork from {plainLine(from)}
        </button>
      </div>
    </Dialog>
  );
}

function PlanTable({ plan }: { readonly plan: ForkPlan['plan'] }) {
  return (
    <div className="scroll-x" tabIndex={0}>
      <table className="list">
        <caption className="unseen">What the fork does with each step</caption>
        <thead>
          <tr>
            <th>Step</th>
            <th>In the fork</th>
            <th>Means</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
      {plan.askedAgain.length > 0 && <p className="help">Asked again: {plan.askedAgain.map(plainLine).join(', ')}</p>}
    </div>
  );
}
