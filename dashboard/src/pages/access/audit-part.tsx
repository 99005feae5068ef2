// Owns the audit: who did what and when, how they were authenticated, and the result.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { read } from '../../connection/api.ts';
import type { AuditPage } from '../../connection/contract.ts';
import { Button } from '../../parts/controls.tsx';
import { Empty, Pending } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Table } from '../../parts/panel.tsx';
import { plainLine } from '../../text/plain-text.ts';

/** The audit, newest first. */
export function AuditPart() {
  const audit = useInfiniteQuery({
    queryKey: ['access', 'audit'],
    queryFn: ({ pageParam, signal }) => read<AuditPage>(`/audit${pageParam === '' ? '' : `?cursor=${pageParam}`}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  if (audit.data === undefined) return <Pending of={audit} subject="the audit" />;
  const entries = audit.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0) return <Empty title="Nothing happened yet" />;
  return (
    <section className="panel">
      <Table columns={['When', 'Who', 'Did', 'About', 'How it went', 'From']} className="list stacks">
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td>
              <Ago at={entry.at} />
            </td>
            <td>
              {plainLine(entry.person ?? 'nobody')} <span className="faint">{entry.via}</span>
            </td>
            <td>{plainLine(entry.action)}</td>
            <td>
              <About entry={entry} />
            </td>
            <td className={entry.outcome === 'ok' ? '' : 'warns'}>{plainLine(entry.outcome)}</td>
            <td className="faint">{plainLine(entry.address)}</td>
          </tr>
        ))}
      </Table>
      {audit.hasNextPage && (
        <div className="body">
          <Button label="Show more" disabled={audit.isFetching} onClick={() => void audit.fetchNextPage()} />
        </div>
      )}
    </section>
  );
}

function About({ entry: { run, step, choice, about } }: { readonly entry: AuditPage['entries'][number] }) {
  if (run === null) return choice === null ? plainLine(about) : plainLine(choice);
  const at = step === null ? '' : `?step=${encodeURIComponent(step)}`;
  return (
    <>
      <Link href={`/runs/${encodeURIComponent(run)}${at}`}>{plainLine(run)}</Link> {step !== null && plainLine(step)}{' '}
      {choice !== null && <strong>{plainLine(choice)}</strong>}
    </>
  );
}
