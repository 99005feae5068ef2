// Owns the people who may log in: who they are, inviting one, and revoking one.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pathOf, write } from '../../connection/api.ts';
import type { AccessLists, OneTimeLink } from '../../connection/contract.ts';
import { Button, DialogButtons, SecretField, TextField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { errorText, Failure, Pending, useNotice } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Panel, Table } from '../../parts/panel.tsx';
import { useMay, useMyName } from '../../person.ts';
import { plainLine } from '../../text/plain-text.ts';
import { useAccessList } from './access-queries.ts';
import { RevokeButton } from './revoke-button.tsx';

/** The people, and a form to invite one. */
export function PeoplePart() {
  const people = useAccessList('people');
  const [link, setLink] = useState<OneTimeLink>();
  const [inviting, setInviting] = useState(false);
  const me = useMyName();
  const mayDecide = useMay('decide');
  const manages = mayDecide && (people.data?.find(({ name }) => name === me)?.manages ?? false);
  if (people.data === undefined) return <Pending of={people} subject="the people" />;
  return (
    <Panel title="People" action={manages && <Button label="Invite" className="primary" onClick={() => setInviting(true)} />}>
      <Table columns={['Name', 'Groups', 'Scopes', 'Invited']} hasActions className="list stacks">
        {people.data.map((person) => (
          <PersonLine key={person.name} person={person} isMe={person.name === me} manages={manages} show={setLink} />
        ))}
      </Table>
      {inviting && <InviteDialog close={() => setInviting(false)} show={setLink} />}
      {link !== undefined && <LinkDialog link={link} close={() => setLink(undefined)} />}
    </Panel>
  );
}

interface LineProps {
  readonly person: AccessLists['people'][number];
  readonly isMe: boolean;
  readonly manages: boolean;
  readonly show: (link: OneTimeLink) => void;
}

function PersonLine({ person, isMe, manages, show }: LineProps) {
  const notice = useNotice();
  const sendLink = (): void => {
    write<OneTimeLink>(`${pathOf('people', person.name)}/link`, {}).then(show, (thrown) => notice('bad', errorText(thrown)));
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
            <Button label="Login link" className="quiet" onClick={sendLink} />
            {!isMe && <RevokeButton list="people" id={person.name} done={`${person.name} is revoked.`} />}
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
      <TextField label="Name" value={name} change={setName} />
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
      <DialogButtons close={close} label="Invite" disabled={name === ''} act={invite} />
    </Dialog>
  );
}

function LinkDialog({ link, close }: { readonly link: OneTimeLink; readonly close: () => void }) {
  return (
    <Dialog title={`A link for ${plainLine(link.person)}`} close={close}>
      <p>
        It logs {plainLine(link.person)} in once, and ends <Ago at={link.expiresAt} />. It is shown only now.
      </p>
      <SecretField label="Link" value={link.url} />
      <div className="actions">
        <Button label="Copy" className="primary" onClick={() => void navigator.clipboard.writeText(link.url)} />
        <Button label="Done" onClick={close} />
      </div>
    </Dialog>
  );
}
