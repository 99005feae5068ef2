// The page of automatic activity: schedules with their next times, deliveries, and notices.

import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../parts/controls.tsx';
import { Empty, Failure, Loading } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Panel, Table } from '../../parts/panel.tsx';
import { useMay } from '../../person.ts';
import { JsonView } from '../../text/json-view.tsx';
import { plainLine, plainText } from '../../text/plain-text.ts';
import { type Delivery, useDeliveries, useDeliveryContent, useEventAction, useEventList } from './event-queries.ts';
import { SchedulePart } from './schedule-part.tsx';

/** The page of schedules and events. */
export default function EventsPage() {
  return (
    <div className="page">
      <h1>Schedules and events</h1>
      <SchedulePart />
      <Deliveries />
      <Notices />
    </div>
  );
}

const PAGE = 50;
const SHOWN_MAX = 500;

function Deliveries() {
  const [limit, setLimit] = useState(PAGE);
  const deliveries = useDeliveries(limit);
  const shown = deliveries.data?.deliveries;
  return (
    <Panel title="Received">
      {deliveries.error && <Failure error={deliveries.error} retry={() => void deliveries.refetch()} />}
      {deliveries.data === undefined && !deliveries.error && <Loading subject="what was received" />}
      {shown?.length === 0 && (
        <Empty title="Nothing was received yet">
          <p>Other programs send signed deliveries to /hooks/NAME; each appears here with what it started, or why it started nothing.</p>
        </Empty>
      )}
      {shown !== undefined && shown.length > 0 && (
        <Table columns={['When', 'Hook', 'Delivery', 'What became of it']} hasActions className="list stacks">
          {shown.map((delivery) => (
            <DeliveryLine key={delivery.number} delivery={delivery} />
          ))}
        </Table>
      )}
      {typeof deliveries.data?.next === 'string' && limit < SHOWN_MAX && (
        <p className="more">
          <Button label="Show older ones" className="quiet" onClick={() => setLimit(Math.min(limit * 2, SHOWN_MAX))} />
        </p>
      )}
    </Panel>
  );
}

const MEANS: Readonly<Record<Delivery['status'], string>> = {
  received: 'being handled',
  done: 'done',
  ignored: 'matched nothing',
  limited: 'over the limit',
  superseded: 'a later one counts',
  failed: 'failed',
};

function DeliveryLine({ delivery }: { readonly delivery: Delivery }) {
  const { mutate } = useEventAction();
  const mayOperate = useMay('operate');
  const resend = (): void =>
    mutate({ of: 'deliveries', id: String(delivery.number), verb: 'resend', done: `Delivery ${delivery.delivery} is handled again.` });
  return (
    <tr>
      <td>
        <Ago at={delivery.receivedAt} />
      </td>
      <td>
        {plainLine(delivery.route.replace(/^hook\//, ''))}{' '}
        {delivery.event !== null && <span className="faint">{plainLine(delivery.event)}</span>}
      </td>
      <td>
        <DeliverySent delivery={delivery} />
      </td>
      <td>
        <span className={delivery.status === 'failed' ? 'tag warns' : 'tag'}>{MEANS[delivery.status]}</span>
        {delivery.run !== null && (
          <>
            {' '}
            <Link href={`/runs/${delivery.run}`}>{delivery.run}</Link>
          </>
        )}
        {delivery.reason !== null && <span className="said">{plainText(delivery.reason)}</span>}
      </td>
      <td className="right">{mayOperate && <Button label="Send again" className="quiet" onClick={resend} />}</td>
    </tr>
  );
}

function DeliverySent({ delivery }: { readonly delivery: Delivery }) {
  const [isOpen, setOpen] = useState(false);
  const content = useDeliveryContent(delivery.number, isOpen);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="mono">{plainLine(delivery.delivery)}</summary>
      {content.error && <Failure error={content.error} />}
      {content.data !== undefined && (
        <div className="stack">
          <h3>Body</h3>
          <JsonView value={content.data.body} />
          <h3>Headers</h3>
          <JsonView value={content.data.headers} />
        </div>
      )}
    </details>
  );
}

function Notices() {
  const notices = useEventList('notices');
  if (notices.data === undefined || notices.data.length === 0) return null;
  return (
    <Panel title="Notices">
      <ul>
        {notices.data.map((notice) => (
          <li key={notice.id} className="check">
            <span className={notice.status === 'failed' ? 'tag warns' : 'tag'}>{notice.status}</span>
            <span>
              {plainLine(notice.event)} to {plainLine(notice.target)} <Link href={`/runs/${notice.run}`}>{notice.run}</Link>
              {notice.message !== null && <span className="said">{plainText(notice.message)}</span>}
            </span>
            <span className="faint">
              <Ago at={notice.createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
