// Owns the actions on a run, named as on the command line.

import { useState } from 'react';
import { Link } from 'wouter';
import type { RunReport } from '../../connection/contract.ts';
import { useRunAction } from '../../connection/queries.ts';
import { Button, DialogButtons, TextArea } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useMay } from '../../person.ts';
import { CancelDialog } from './cancel-dialog.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { ResumeDialog } from './resume-dialog.tsx';
import { isFinal, isHalted } from './run-status.ts';
import { SignalDialog } from './signal-dialog.tsx';

type Open = 'cancel' | 'fork' | 'resume' | 'retry' | 'signal';

/** The buttons of a run. */
export function RunActions({ report }: { readonly report: RunReport }) {
  const [open, setOpen] = useState<Open>();
  const mayOperate = useMay('operate');
  const action = useRunAction();
  const { id, status, workflow } = report.run;
  const isPaused = report.waits.some(({ kind }) => kind === 'pause');
  const close = (): void => setOpen(undefined);
  const pause = (): void => action.mutate({ run: id, verb: 'pause', body: {}, done: 'Paused: no new step starts until it is resumed.' });
  if (!mayOperate) return null;
  return (
    <div className="row wrap" role="group" aria-label="Actions">
      {isHalted(status) && <Button label="Retry" className="primary" onClick={() => setOpen('retry')} />}
      {(isHalted(status) || isPaused) && <Button label="Resume" onClick={() => setOpen('resume')} />}
      {!isFinal(status) && !isHalted(status) && !isPaused && <Button label="Pause" onClick={pause} />}
      <Button label="Fork" onClick={() => setOpen('fork')} />
      <Link className="button" href={`/workflows/${encodeURIComponent(workflow)}?like=${id}`}>
        Start again
      </Link>
      {!isFinal(status) && <Button label="Signal" onClick={() => setOpen('signal')} />}
      {!isFinal(status) && <Button label="Cancel" className="danger" onClick={() => setOpen('cancel')} />}
      {open === 'cancel' && <CancelDialog id={id} close={close} />}
      {open === 'signal' && <SignalDialog report={report} name={report.waits.find((wait) => wait.kind === 'signal')?.name} close={close} />}
      {open === 'fork' && <ForkDialog report={report} close={close} />}
      {open === 'retry' && <RetryDialog report={report} close={close} />}
      {open === 'resume' && <ResumeDialog report={report} wait={report.waits.find(({ kind }) => kind !== 'human')} close={close} />}
    </div>
  );
}

function RetryDialog({ report, close }: { readonly report: RunReport; readonly close: () => void }) {
  const [note, setNote] = useState('');
  const action = useRunAction();
  const { id, currentStep, error } = report.run;
  const retry = (): void => {
    action.mutate(
      { run: id, verb: 'retry', body: note === '' ? {} : { note }, done: `${currentStep ?? 'The step'} runs again.` },
      { onSuccess: close },
    );
  };
  return (
    <Dialog title={`Retry ${currentStep ?? 'what failed'}?`} close={close}>
      {error !== null && <p className="faint">{error}</p>}
      <p>Only what failed runs again.</p>
      <TextArea label="Hint for the next attempt" value={note} change={setNote} placeholder="optional; recorded with the choice" />
      <DialogButtons close={close} label="Retry" disabled={action.isPending} act={retry} />
    </Dialog>
  );
}
