// Owns the people who may log in: who they are, inviting one, and revoking one.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pathOf, write } from '../../connection/api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure, Pending, useNotice, wordsOf } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { useMay, useMyName } from '../../person.ts';
import { plainLine } from '../../text/plain-text.ts';
import { type OneTimeLink, type PersonRow, useAccessList, useRevoke } from './access-queries.ts';

/** The people, and a form to invite one. */
export function PeoplePart() {
  const people = useAccessList<'people', PersonRow>('people');
  const [link, setLink] = useState<OneTimeLink>();
  const [inviting, setInviting] = useState(false);
  const me = useMyName();
  const mayDecide = useMay('decide');
  const manages = mayDecide && (people.data?.find(({ name }) => name === me)?.manages ?? false);
  if (people.data === undefined) return <Pending of={people} what="the people" />;
  return (
    <section className="panel">
      <header>
        <h2 className="grow">People</h2>
        {manages && (
          <button type="button" className="primary" onClick={() => setInviting(true)}>
            Invite
          </button>
        )}
      </header>
      <div className="scroll-x" tabIndex={0}>
        <table className="list stacks">
          <thead>
            <tr>
              <th>Name</th>
              <th>Groups</th>
              <th>Scopes</th>
              <th>Invited</th>
              <th>
                <span className="unseen">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {people.data.map((person) => (
              <PersonLine key={person.name} person={person} isMe={person.name === me} manages={manages} show={setLink} />
            ))}
          </tbody>
        </table>
      </div>
      {inviting && <InviteDialog close={() => setInviting(false)} show={setLink} />}
      {link !== undefined && <LinkDialog link={link} close={() => setLink(undefined)} />}
    </section>
  );
}

interface LineProps {
  readonly person: PersonRow;
  readonly isMe: boolean;
  readonly manages: boolean;
  readonly show: (link: OneTimeLink) => void;
}

function PersonLine({ person, isMe, manages, show }: LineProps) {
  const revoke = useRevoke('people');
  const notice = useNotice();
  const sendLink = (): void => {
    write<OneTimeLink>(`${pathOf('people', person.name)}/link`, {}).then(show, (thrown) => notice('bad', wordsOf(thrown)));
  };
  return (
    <tr className={person.revokedAt === null ? '' : 'faint'}>
      <td>
        <strong>{plainLine(person.name)}</strong>
        {isMe && <span className="faint"> you</span>} {person.manages && <span className="tag">manages people</span>}
      </td>
      <td>{person.groups.map(plainLine).join(', ')}</td>
      <td>{person.scopes.join(', ')}</td>
      <td>
        <Ago at={person.createdAt} /> by {plainLine(person.invitedBy)}
        {person.revokedAt !== null && (
          <>
            , revoked <Ago at={person.revokedAt} />
          </>
        )}
      </td>
      <td className="right nowrap">
        {manages && person.revokedAt === null && (
          <>
            <button type="button" className="quiet" onClick={sendLink}>
              Login link
            </button>
            {!isMe && (
              <button type="button" className="quiet danger" onClick={() => revoke(person.name, `${person.name} is revoked.`)}>
                Revoke
              </button>
            )}
          </>
        )}
      </td>
    </tr>
  );
}

const SCOPES = ['view', 'operate', 'decide'] as const;
const MEANS: Readonly<Record<string, string>> = {
  view: 'look at runs',
  operate: 'start and control runs',
  decide: 'decide in their own name',
};

function InviteDialog({ close, show }: { readonly close: () => void; readonly show: (link: OneTimeLink) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(SCOPES);
  const [error, setError] = useState<unknown>();
  const client = useQueryClient();
  const invite = async (): Promise<void> => {
    try {
      const { link } = await write<{ link?: OneTimeLink }>('/people', { name, scopes });
      void client.invalidateQueries({ queryKey: ['access'] });
      close();
      if (link !== undefined) show(link);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog title="Invite a person" close={close}>
      <label className="field">
        <span>Name</span>
        <input value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <fieldset className="choices">
        <legend>What they may do</legend>
        {SCOPES.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) => setScopes(event.target.checked ? [...scopes, scope] : scopes.filter((each) => each !== scope))}
            />
            <span>
              <strong>{scope}</strong> <span className="faint">{MEANS[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {error !== undefined && <Failure error={error} />}
      <div className="actions">
        <button type="button" onClick={close}>
          Not now
        </button>
        <button type="button" className="primary" disabled={name === ''} onClick={() => void invite()}>
          Invite
        </button>
      </div>
    </Dialog>
  );
}

function LinkDialog({ link, close }: { readonly link: OneTimeLink; readonly close: () => void }) {
  return (
    <Dialog title={`A link for ${plainLine(link.person)}`} close={close}>
      <p>
        It logs {plainLine(link.person)} in once, and ends <Ago at={link.expiresAt} />. It is shown only now.
      </p>
      <input className="mono" readOnly value={link.url} aria-label="Link" onFocus={(event) => event.target.select()} />
      <div className="actions">
        <button type="button" className="primary" onClick={() => void navigator.clipboard.writeText(link.url)}>
          Copy
        </button>
        <button type="button" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
