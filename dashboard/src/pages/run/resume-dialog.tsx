// Owns the dialog that continues a run after a halt: the choices of `pawl resume`, one at a time.

import { useState } from 'react';
import type { RunReport, Wait } from '../../connection/contract.ts';
import { useRunAction } from '../../connection/queries.ts';
import { DialogButtons, SelectField, TextField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { plainText } from '../../text/plain-text.ts';

type Choice = 'go-on' | 'retry' | 'accept' | 'to' | 'rerun' | 'done' | 'failed';

const EXPLAINED: Readonly<Record<Choice, readonly [name: string, means: string]>> = {
  'go-on': ['Go on', 'new steps start again'],
  retry: ['Retry', 'run only what failed again'],
  accept: ['Accept', 'treat the step where the run stopped as done, in your name; the run ends "overridden"'],
  to: ['Continue at another step', 'the steps in between are skipped, in your name'],
  rerun: ['Run it again', 'anything that it already did is done again'],
  done: ['It succeeded', 'treat it as done, in your name'],
  failed: ['It failed', 'its retries or the workflow handle it'],
};

interface ResumeProps {
  readonly report: RunReport;
  readonly wait: Wait | undefined;
  readonly close: () => void;
}

/** Asks how the run continues. */
export function ResumeDialog({ report, wait, close }: ResumeProps) {
  const choices = choicesFor(wait);
  const [choice, setChoice] = useState<Choice>(choices[0] ?? 'retry');
  const [step, setStep] = useState(report.plan[0]?.step ?? '');
  const [note, setNote] = useState('');
  const [extend, setExtend] = useState('');
  const action = useRunAction();
  const resume = (): void => {
    const body = {
      ...bodyOf(choice, step, wait),
      ...(note === '' ? {} : { note }),
      ...(choice === 'retry' && extend !== '' ? { extend: Number(extend) } : {}),
    };
    action.mutate({ run: report.run.id, verb: 'resume', body, done: 'The run continues.' }, { onSuccess: close });
  };
  return (
    <Dialog title="How does the run continue?" close={close}>
      {wait !== undefined && 'message' in wait && wait.message !== undefined && <p className="faint">{plainText(wait.message)}</p>}
      <fieldset className="choices">
        <legend className="unseen">Choices</legend>
        {choices.map((each) => (
          <label key={each}>
            <input type="radio" name="choice" checked={choice === each} onChange={() => setChoice(each)} />
            <span>
              <strong>{EXPLAINED[each][0]}</strong>
              <span className="faint"> {EXPLAINED[each][1]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {choice === 'to' && (
        <SelectField label="Step" value={step} options={report.plan.map((each) => [each.step, each.step])} change={setStep} />
      )}
      {choice === 'retry' && (
        <TextField
          label="More iterations of a loop that reached its limit"
          type="number"
          min="1"
          value={extend}
          change={setExtend}
          placeholder="none"
        />
      )}
      <TextField label="Note" value={note} change={setNote} placeholder="a hint for the next attempt; recorded" />
      <DialogButtons close={close} label={EXPLAINED[choice][0]} disabled={action.isPending} act={resume} />
    </Dialog>
  );
}

function choicesFor(wait: Wait | undefined): readonly Choice[] {
  if (wait?.kind === 'pause') return ['go-on'];
  if (wait?.kind === 'unknown') return ['rerun', 'done', 'failed'];
  return ['retry', 'accept', 'to'];
}

function bodyOf(choice: Choice, step: string, wait: Wait | undefined): Readonly<Record<string, unknown>> {
  if (choice === 'retry' || choice === 'accept') return { [choice]: true };
  if (choice === 'to') return { to: step };
  return choice === 'go-on' ? {} : { [choice]: [wait?.id ?? ''] };
}
