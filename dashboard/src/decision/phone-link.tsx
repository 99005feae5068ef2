// Owns the link with which one person decides one approval from another device: it is shown once, works once, and has an end.

import { useState } from 'react';
import { write } from '../connection/api.ts';
import type { ApprovalItem, OneTimeLink } from '../connection/contract.ts';
import { Button, DialogButtons, SecretField, TextField } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/messages.tsx';
import { useMyName } from '../person.ts';
import { moment } from '../text/time.ts';

/** The button that makes a link for a phone. */
export function PhoneLink({ item }: { readonly item: ApprovalItem }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button label="Link for a phone" className="quiet" onClick={() => setOpen(true)} />
      {open && <LinkDialog item={item} close={() => setOpen(false)} />}
    </>
  );
}

function LinkDialog({ item, close }: { readonly item: ApprovalItem; readonly close: () => void }) {
  const [person, setPerson] = useState(useMyName());
  const [link, setLink] = useState<OneTimeLink>();
  const [error, setError] = useState<unknown>();
  const create = async (): Promise<void> => {
    try {
      setLink(await write<OneTimeLink>('/links', { run: item.run, approval: item.path, for: person }));
      setError(undefined);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog title="Decide from a phone" close={close}>
      <p>The link opens this one decision, for one person, without a login. It can decide once; if the content changes, it asks anew.</p>
      {link === undefined ? (
        <TextField label="For" value={person} change={setPerson} />
      ) : (
        <>
          <p>
            Send it to {link.person} only. It ends {moment(link.expiresAt)} and is shown once.
          </p>
          <SecretField label="Link" value={link.url} />
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      {link === undefined ? (
        <DialogButtons close={close} label="Create the link" disabled={person === ''} act={create} />
      ) : (
        <DialogButtons close={close} leave="Done" />
      )}
    </Dialog>
  );
}
