// Owns the raw history of a run: its events as they are stored, as JSON, to read or to download.

import { useInfiniteQuery } from '@tanstack/react-query';
import { addressOf, pathOf, read } from '../../connection/api.ts';
import type { Json, RunHistory } from '../../connection/contract.ts';
import { Button } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Pending } from '../../parts/messages.tsx';
import { plainText } from '../../text/plain-text.ts';
import { clock } from '../../text/time.ts';

/** The raw history of a run. */
export function HistoryView({ id }: { readonly id: string }) {
  const path = `${pathOf('runs', id)}/history`;
  const history = useInfiniteQuery({
    queryKey: ['run', id, 'history'],
    queryFn: ({ pageParam, signal }) => read<RunHistory>(`${path}?after=${pageParam}&limit=200`, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  if (history.data === undefined) return <Pending of={history} subject="the history" />;
  const rows = history.data.pages.flatMap((page) => page.rows);
  return (
    <div className="body stack">
      <div className="row wrap">
        <span className="grow faint">Every event of the run, as it is stored.</span>
        <a className="button" href={addressOf(`${path}?limit=1000`)} download={`${id}.json`}>
          <Icon name="download" />
          JSON
        </a>
      </div>
      <ol className="history">
        {rows.map(({ seq, at, events }) => (
          <li key={seq}>
            <details>
              <summary>
                <span className="mono faint">{seq}</span> <time dateTime={at}>{clock(at)}</time> {events.map(typeOf).join(', ')}
              </summary>
              <pre className="text-box">{plainText(JSON.stringify(events, null, 2))}</pre>
            </details>
          </li>
        ))}
      </ol>
      {history.hasNextPage && <Button label="Show more" disabled={history.isFetching} onClick={() => void history.fetchNextPage()} />}
    </div>
  );
}

function typeOf(event: Json): string {
  return typeof event === 'object' && event !== null && 'type' in event ? plainText(String(event.type)) : 'event';
}
