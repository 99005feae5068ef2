// Owns the link with which one person decides one approval on another device: it is shown once, works once and expires.

import { useState } from 'react';
import { write } from '../connection/api.ts';
import type { ApprovalItem, OneTimeLink } from '../connection/contract.ts';
import { Button } from '../parts/controls.tsx';
import { type CreatedSecret, SecretDialog } from '../parts/secret-dialog.tsx';
import { useMyName } from '../person.ts';
import { moment } from '../text/time.ts';

/** The button that creates a link for a phone. */
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
  const create = async (person: string): Promise<CreatedSecret> => {
    const link = await write<OneTimeLink>('/links', { run: item.run, approval: item.path, for: person });
    const about = (
      <p>
        Send it to {link.person} only. It expires {moment(link.expiresAt)} and is shown once.
      </p>
    );
    return { secret: link.url, about };
  };
  const field = { label: 'For', value: useMyName() };
  return (
    <SecretDialog title="Decide from a phone" field={field} name="Link" label="Create the link" create={create} close={close}>
      <p>The link opens this one decision, for one person, without a login. It works once; if the content changes, it asks again.</p>
    </SecretDialog>
  );
}
