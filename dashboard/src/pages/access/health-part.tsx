// Owns the health of the server: what `pawl doctor` finds, who drives runs, which steps wait for a slot, and accounts of agents
// that are closed for a while.

import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { read } from '../../connection/api.ts';
import type { HealthReport } from '../../connection/contract.ts';
import { Mark } from '../../parts/icons.tsx';
import { Pending } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Fact, Panel } from '../../parts/panel.tsx';
import { plainLine, plainText } from '../../text/plain-text.ts';
import { size } from '../../text/time.ts';

const TONES = { ok: 'ok', warning: 'wait', problem: 'bad' } as const;
const AGAIN_MS = 15_000;
const SHOWN_MAX = 50;

/** The health of the server. */
export function HealthPart() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => read<HealthReport>('/health', signal),
    refetchInterval: AGAIN_MS,
  });
  if (health.data === undefined) return <Pending of={health} subject="the health" />;
  const { checks, server, owners, queue, accounts } = health.data;
  return (
    <div className="stack">
      <dl className="facts wide">
        <Fact name="server">Pawl {server.version}</Fact>
        <Fact name="up since">
          <Ago at={server.startedAt} />
        </Fact>
        <Fact name="memory">{size(server.rssBytes)}</Fact>
        <Fact name="open streams">{server.streams}</Fact>
      </dl>
      <Panel title="Checks">
        <ul>
          {checks.map(({ id, status, what, hint }) => (
            <li key={`${id} ${what}`} className="check" data-tone={TONES[status]}>
              <span className="status" data-tone={TONES[status]}>
                <Mark tone={TONES[status]} />
                <span className="unseen">{status}</span>
              </span>
              <span>
                <strong>{id}</strong> {plainText(what)}
                {hint !== undefined && <span className="said">{plainText(hint)}</span>}
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      <Owners owners={owners} />
      <Queue queue={queue} />
      <Accounts accounts={accounts} />
    </div>
  );
}

function Owners({ owners }: Pick<HealthReport, 'owners'>) {
  return (
    <Panel title="Owners of runs">
      {owners.length === 0 && <p className="body faint">No process drives a run now.</p>}
      <ul>
        {owners.map(({ owner, runs, isAlive, isThis }) => (
          <li key={owner} className="check">
            <span className="mono grow">{plainLine(owner)}</span>
            <span>
              {runs} {runs === 1 ? 'run' : 'runs'}
              {isThis && ', this server'}
              {!isAlive && <strong className="warns"> not alive</strong>}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Queue({ queue }: Pick<HealthReport, 'queue'>) {
  if (queue.length === 0) return null;
  return (
    <Panel title="Slots">
      <ul>
        {queue.slice(0, SHOWN_MAX).map(({ key, run, path, held }) => (
          <li key={`${key} ${run} ${path}`} className="check">
            <span className="tag">{held ? 'held' : 'waits'}</span>
            <span className="grow">{plainLine(key)}</span>
            <Link href={`/runs/${run}?step=${encodeURIComponent(path)}`}>{plainLine(path)}</Link>
          </li>
        ))}
      </ul>
      {queue.length > SHOWN_MAX && <p className="body faint">and {queue.length - SHOWN_MAX} more</p>}
    </Panel>
  );
}

function Accounts({ accounts }: Pick<HealthReport, 'accounts'>) {
  if (accounts.length === 0) return null;
  return (
    <Panel title="Closed accounts">
      <ul>
        {accounts.map(({ account, until, why }) => (
          <li key={account} className="check">
            <strong>{plainLine(account)}</strong>
            <span className="grow">{plainText(why)}</span>
            <span className="faint">
              reopens <Ago at={until} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
