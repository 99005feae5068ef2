// Owns what proves who somebody is: personal tokens of programs, passkeys of people, and browsers that are logged in.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { write } from '../../connection/api.ts';
import { registerPasskey } from '../../connection/passkey.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, Failure, Loading, useNotice, wordsOf } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { type PasskeyRow, type SessionRow, type TokenRow, useAccessList, useRevoke } from './access-queries.ts';

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
  const tokens = useAccessList<'tokens', TokenRow>('tokens');
  const revoke = useRevoke('tokens');
  const [creating, setCreating] = useState(false);
  return (
    <section className="panel">
      <header>
        <h2 className="grow">Personal tokens</h2>
        <button type="button" onClick={() => setCreating(true)}>
          Create a token
        </button>
      </header>
      {tokens.error && <Failure error={tokens.error} />}
      {tokens.data === undefined && !tokens.error && <Loading what="the tokens" />}
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
              {token.usedAt === null ? (
                'never used'
              ) : (
                <>
                  used <Ago at={token.usedAt} />
                </>
              )}
              {token.isExpired ? (
                ', expired'
              ) : (
                <>
                  , ends <Ago at={token.expiresAt} />
                </>
              )}
            </span>
            <button type="button" className="quiet danger" onClick={() => revoke(token.id, `Token ${token.name} is revoked.`)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
      {creating && <TokenDialog close={() => setCreating(false)} />}
    </section>
  );
}

function TokenDialog({ close }: { readonly close: () => void }) {
  const [name, setName] = useState('');
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<unknown>();
  const client = useQueryClient();
  const create = async (): Promise<void> => {
    try {
      setSecret((await write<{ secret: string }>('/tokens', { name })).secret);
      void client.invalidateQueries({ queryKey: ['access'] });
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog title="Create a personal token" close={close}>
      {secret === undefined ? (
        <label className="field">
          <span>What it is for</span>
          <input value={name} onChange={(event) => setName(event.target.value)} />
        </label>
      ) : (
        <>
          <p>Copy it now: it is shown only once.</p>
          <input className="mono" readOnly value={secret} aria-label="Token" onFocus={(event) => event.target.select()} />
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      <div className="actions">
        <button type="button" onClick={close}>
          {secret === undefined ? 'Not now' : 'Done'}
        </button>
        {secret === undefined && (
          <button type="button" className="primary" disabled={name === ''} onClick={() => void create()}>
            Create
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Passkeys() {
  const passkeys = useAccessList<'passkeys', PasskeyRow>('passkeys');
  const revoke = useRevoke('passkeys');
  const client = useQueryClient();
  const notice = useNotice();
  const add = (): void => {
    registerPasskey(`${navigator.platform || 'browser'}`)
      .then(() => notice('ok', 'The passkey is registered: it logs you in from now on.'))
      .catch((thrown: unknown) => notice('bad', wordsOf(thrown)))
      .finally(() => void client.invalidateQueries({ queryKey: ['access'] }));
  };
  return (
    <section className="panel">
      <header>
        <h2 className="grow">Passkeys</h2>
        <button type="button" onClick={add}>
          Add a passkey
        </button>
      </header>
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
              {passkey.usedAt === null ? (
                'never used'
              ) : (
                <>
                  used <Ago at={passkey.usedAt} />
                </>
              )}
            </span>
            <button type="button" className="quiet danger" onClick={() => revoke(passkey.id, `Passkey ${passkey.title} is revoked.`)}>
              Revoke
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sessions() {
  const sessions = useAccessList<'sessions', SessionRow>('sessions');
  const revoke = useRevoke('sessions');
  return (
    <section className="panel">
      <header>
        <h2>Sessions</h2>
      </header>
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
              used <Ago at={session.usedAt} />
            </span>
            <button type="button" className="quiet danger" onClick={() => revoke(session.id, 'The session is ended.')}>
              End
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
