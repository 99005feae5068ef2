// Owns what a person can ask of a run, in the words of the command line.

import { useState } from 'react';
import { Link } from 'wouter';
import type { RunReport } from '../../connection/contract.ts';
import { useRunAction } from '../../connection/queries.ts';
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
  if (!mayOperate) return null;
  return (
    <div className="row wrap" role="group" aria-label="Actions">
      {isHalted(status) && (
        <button type="button" className="primary" onClick={() => setOpen('retry')}>
          Retry
        </button>
      )}
      {(isHalted(status) || isPaused) && (
        <button type="button" onClick={() => setOpen('resume')}>
          Resume
        </button>
      )}
      {!isFinal(status) && !isHalted(status) && !isPaused && (
        <button
          type="button"
          onClick={() => action.mutate({ run: id, verb: 'pause', body: {}, said: 'Paused: no new step starts until it is resumed.' })}
        >
          Pause
        </button>
      )}
      <button type="button" onClick={() => setOpen('fork')}>
        Fork
      </button>
      <Link className="button" href={`/workflows/${encodeURIComponent(workflow)}?like=${id}`}>
        Start again
      </Link>
      {!isFinal(status) && (
        <button type="button" onClick={() => setOpen('signal')}>
          Signal
        </button>
      )}
      {!isFinal(status) && (
        <button type="button" className="danger" onClick={() => setOpen('cancel')}>
          Cancel
        </button>
      )}
      {open === 'cancel' && <CancelDialog id={id} close={close} />}
      {open === 'signal' && <SignalDialog report={report} name={report.waits.find(({ kind }) => kind === 'signal')?.name} close={close} />}
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
      { run: id, verb: 'retry', body: note === '' ? {} : { note }, said: `${currentStep ?? 'The step'} runs again.` },
      { onSuccess: close },
    );
  };
  return (
    <Dialog title={`Retry ${currentStep ?? 'what failed'}?`} close={close}>
      {error !== null && <p className="faint">{error}</p>}
      <p>Only what failed runs again.</p>
      <label className="field">
        <span>Hint for the next attempt</span>
        <textarea value={note} onChange={(event) => setNote(event.target.value)} placeholder="optional; recorded with the choice" />
      </label>
      <div className="actions">
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="button" className="primary" disabled={action.isPending} onClick={retry}>
          Retry
        </button>
      </div>
    </Dialog>
  );
}
