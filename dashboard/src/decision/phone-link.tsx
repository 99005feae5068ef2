// Owns the link with which one person decides one approval from another device: it is shown once, works once, and has an end.

import { useState } from 'react';
import { write } from '../connection/api.ts';
import type { InboxItem } from '../connection/contract.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/messages.tsx';
import { useMyName } from '../person.ts';
import { moment } from '../text/time.ts';

interface OneTimeLink {
  readonly url: string;
  readonly person: string;
  readonly expiresAt: string;
}

/** The button that makes a link for a phone. */
export function PhoneLink({ item }: { readonly item: InboxItem }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="quiet" onClick={() => setOpen(true)}>
        Link for a phone
      </button>
      {open && <LinkDialog item={item} close={() => setOpen(false)} />}
    </>
  );
}

function LinkDialog({ item, close }: { readonly item: InboxItem; readonly close: () => void }) {
  const [person, setPerson] = useState(useMyName());
  const [link, setLink] = useState<OneTimeLink>();
  const [error, setError] = useState<unknown>();
  const create = async (): Promise<void> => {
    try {
      setLink(await write<OneTimeLink>('/links', { run: item.run, gate: item.gate, for: person }));
      setError(undefined);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog title="Decide from a phone" close={close}>
      <p>The link opens this one decision, for one person, without a login. It can decide once; if the content changes, it asks anew.</p>
      {link === undefined ? (
        <label className="field">
          <span>For</span>
          <input value={person} onChange={(event) => setPerson(event.target.value)} />
        </label>
      ) : (
        <>
          <p>
            Send it to {link.person} only. It ends {moment(link.expiresAt)} and is shown once.
          </p>
          <input className="mono" readOnly value={link.url} aria-label="Link" onFocus={(event) => event.target.select()} />
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      <div className="actions">
        <button type="button" onClick={close}>
          {link === undefined ? 'Not now' : 'Done'}
        </button>
        {link === undefined && (
          <button type="button" className="primary" disabled={person === ''} onClick={() => void create()}>
            Create the link
          </button>
        )}
      </div>
    </Dialog>
  );
}
