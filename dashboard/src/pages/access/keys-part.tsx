// Owns credentials: personal tokens of programs, passkeys of people, and browsers that are logged in.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { write } from '../../connection/api.ts';
import { registerPasskey } from '../../connection/passkey.ts';
import { Button } from '../../parts/controls.tsx';
import { Empty, errorText, Failure, Loading, useNotice } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { type CreatedSecret, SecretDialog } from '../../parts/secret-dialog.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { useAccessList } from './access-queries.ts';
import { RevokeButton } from './revoke-button.tsx';

/** Tokens, passkeys and sessions. */
export function KeysPart() {
  return (
    <div className="stack">
      <Tokens />
      <Passkeys />
      <Sessions />
    </div>
  );
}

function Tokens() {
  const tokens = useAccessList('tokens');
  const [creating, setCreating] = useState(false);
  return (
    <Panel title="Personal tokens" action={<Button label="Create a token" onClick={() => setCreating(true)} />}>
      {tokens.error && <Failure error={tokens.error} />}
      {tokens.data === undefined && !tokens.error && <Loading subject="the tokens" />}
      {tokens.data?.length === 0 && (
        <Empty title="No tokens">
          <p>Programs use a personal token to call the API in your name.</p>
        </Empty>
      )}
      <ul>
        {tokens.data?.map((token) => (
          <li key={token.id} className="check">
            <span className="grow">
              <strong>{plainLine(token.name)}</strong> of {plainLine(token.person)} <span className="faint">{token.scopes.join(', ')}</span>
            </span>
            <span className="faint">
              <LastUse at={token.usedAt} />
              {token.isExpired ? (
                ', expired'
              ) : (
                <>
                  , ends <Ago at={token.expiresAt} />
                </>
              )}
            </span>
            <RevokeButton list="tokens" id={token.id} done={`Token ${token.name} is revoked.`} />
          </li>
        ))}
      </ul>
      {creating && <TokenDialog close={() => setCreating(false)} />}
    </Panel>
  );
}

function TokenDialog({ close }: { readonly close: () => void }) {
  const client = useQueryClient();
  const create = async (name: string): Promise<CreatedSecret> => {
    const { secret } = await write<{ secret: string }>('/tokens', { name });
    void client.invalidateQueries({ queryKey: ['access'] });
    return { secret, about: <p>Copy it now: it is shown only once.</p> };
  };
  const field = { label: 'What it is for', value: '' };
  return <SecretDialog title="Create a personal token" field={field} name="Token" label="Create" create={create} close={close} />;
}

function Passkeys() {
  const passkeys = useAccessList('passkeys');
  const client = useQueryClient();
  const notice = useNotice();
  const add = (): void => {
    registerPasskey(`${navigator.platform || 'browser'}`)
      .then(() => notice('ok', 'The passkey is registered: it logs you in from now on.'))
      .catch((thrown: unknown) => notice('bad', errorText(thrown)))
      .finally(() => void client.invalidateQueries({ queryKey: ['access'] }));
  };
  return (
    <Panel title="Passkeys" action={<Button label="Add a passkey" onClick={add} />}>
      {passkeys.error && <Failure error={passkeys.error} />}
      {passkeys.data?.length === 0 && (
        <Empty title="No passkeys">
          <p>With a passkey you log in without a link. Once it is enrolled, it also signs decisions.</p>
        </Empty>
      )}
      <ul>
        {passkeys.data?.map((passkey) => (
          <li key={passkey.id} className="check">
            <span className="grow">
              <strong>{plainLine(passkey.title)}</strong> of {plainLine(passkey.person)}
              {!passkey.isEnrolled && (
                <details>
                  <summary className="faint">not enrolled for signed decisions</summary>
                  <p className="help">Somebody whose key is enrolled runs this at a terminal:</p>
                  <code className="command">pawl identity enrol '{plainLine(passkey.publicKey)}'</code>
                </details>
              )}
            </span>
            <span className="faint">
              <LastUse at={passkey.usedAt} />
            </span>
            <RevokeButton list="passkeys" id={passkey.id} done={`Passkey ${passkey.title} is revoked.`} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Sessions() {
  const sessions = useAccessList('sessions');
  return (
    <Panel title="Sessions">
      {sessions.error && <Failure error={sessions.error} />}
      <ul>
        {sessions.data?.map((session) => (
          <li key={session.id} className="check">
            <span className="grow">
              <strong>{plainLine(session.person)}</strong> from {plainLine(session.address)}{' '}
              {session.isMine && <span className="tag">this browser</span>}
              <span className="said faint">{plainLine(session.agent)}</span>
            </span>
            <span className="faint">
              <LastUse at={session.usedAt} />
            </span>
            <RevokeButton list="sessions" id={session.id} done="The session is ended." label="End" />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function LastUse({ at }: { readonly at: string | null }) {
  if (at === null) return 'never used';
  return (
    <>
      used <Ago at={at} />
    </>
  );
}
