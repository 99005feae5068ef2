// Owns the dialog that sends a signal to a run: its name, and what it carries as JSON or as plain text.

import { useState } from 'react';
import type { Json, RunReport } from '../../connection/contract.ts';
import { useRunAction } from '../../connection/queries.ts';
import { DialogButtons, TextArea, TextField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';

interface SignalProps {
  readonly report: RunReport;
  /** The name of the signal that the run waits for. */
  readonly name: string | undefined;
  readonly close: () => void;
}

/** Sends a signal. */
export function SignalDialog({ report, name: expected = '', close }: SignalProps) {
  const [name, setName] = useState(expected);
  const [text, setText] = useState('');
  const action = useRunAction();
  const payload = payloadOf(text);
  const send = (): void => {
    const body = { name, ...(payload === undefined ? {} : { payload }) };
    action.mutate({ run: report.run.id, verb: 'signal', body, done: `Sent the signal "${name}".` }, { onSuccess: close });
  };
  return (
    <Dialog title="Send a signal" close={close}>
      <p>A step that waits for a signal of this name goes on. One that comes early is kept.</p>
      <TextField label="Signal" value={name} change={setName} />
      <TextArea label="What it carries" className="mono" value={text} change={setText} placeholder={'{"url": "https://example.org"}'}>
        <small>{text.trim() === '' ? 'nothing' : typeof payload === 'string' ? 'sent as text' : 'sent as JSON'}</small>
      </TextArea>
      <DialogButtons close={close} label="Send" disabled={name === '' || action.isPending} act={send} />
    </Dialog>
  );
}

/** What was written, as JSON if it is JSON; undefined for nothing. */
function payloadOf(text: string): Json | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
