// Owns dialogs that create a secret and show it once.

import { type ReactNode, useState } from 'react';
import { Button, DialogButtons, SecretField, TextField } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './messages.tsx';

/** A secret, and what to do with it. */
export interface CreatedSecret {
  readonly secret: string;
  readonly about: ReactNode;
}

interface SecretDialogProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** The field that is filled in first: its label and its initial value. */
  readonly field: { readonly label: string; readonly value: string };
  /** What the secret is called, and the button that creates it. */
  readonly name: string;
  readonly label: string;
  readonly create: (value: string) => Promise<CreatedSecret>;
  readonly close: () => void;
}

/** Asks for one value, creates a secret with it, and shows the secret until the dialog is closed. */
export function SecretDialog({ title, children, field, name, label, create, close }: SecretDialogProps) {
  const [value, setValue] = useState(field.value);
  const [created, setCreated] = useState<CreatedSecret>();
  const [error, setError] = useState<unknown>();
  const act = (): Promise<void> =>
    create(value).then((secret) => {
      setCreated(secret);
      setError(undefined);
    }, setError);
  return (
    <Dialog title={title} close={close}>
      {children}
      {created === undefined ? (
        <TextField label={field.label} value={value} change={setValue} />
      ) : (
        <>
          {created.about}
          <SecretField label={name} value={created.secret} />
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      {created === undefined ? (
        <DialogButtons close={close} label={label} disabled={value === ''} act={act} />
      ) : (
        <div className="actions">
          <Button label="Done" onClick={close} />
        </div>
      )}
    </Dialog>
  );
}
