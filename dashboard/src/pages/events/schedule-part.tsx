// Owns the schedules: when each starts a run next, what its last times led to, pausing, starting a run now, and backfilling.

import { useState } from 'react';
import { Link } from 'wouter';
import type { ScheduleReport } from '../../connection/contract.ts';
import { Button, DialogButtons, TextField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, Failure, Loading } from '../../parts/messages.tsx';
import { Ago } from '../../parts/moment.tsx';
import { useMay } from '../../person.ts';
import { plainLine, plainText } from '../../text/plain-text.ts';
import { moment } from '../../text/time.ts';
import { type Tick, useEventAction, useEventList } from './event-queries.ts';

/** The schedules of the project. */
export function SchedulePart() {
  const schedules = useEventList('schedules');
  return (
    <section className="stack" aria-label="Schedules">
      {schedules.error && <Failure error={schedules.error} retry={() => void schedules.refetch()} />}
      {schedules.data === undefined && !schedules.error && <Loading subject="the schedules" />}
      {schedules.data?.length === 0 && (
        <div className="panel">
          <Empty title="No schedules">
            <p>A workflow starts by itself if its definition says when:</p>
            <code>{'trigger: { schedule: "0 6 * * 1-5" }'}</code>
          </Empty>
        </div>
      )}
      {schedules.data?.map((schedule) => (
        <ScheduleCard key={schedule.id} schedule={schedule} />
      ))}
    </section>
  );
}

function ScheduleCard({ schedule }: { readonly schedule: ScheduleReport }) {
  const { workflow, paused, next, ticks, timezone } = schedule;
  return (
    <article className="panel" aria-label={workflow}>
      <header>
        <h2>
          <Link href={`/workflows/${encodeURIComponent(workflow)}`}>{plainLine(workflow)}</Link>
        </h2>
        <code>{plainLine(schedule.schedule)}</code>
        <span className="faint grow">
          {plainLine(timezone)} · catches up: {schedule.catchUp}
        </span>
        <ScheduleActions schedule={schedule} />
      </header>
      <div className="body schedule">
        <section>
          <h3>Next</h3>
          {paused !== null && (
            <p>
              Paused <Ago at={paused.at} /> by {plainLine(paused.by)}
            </p>
          )}
          <ol>
            {next.map((at) => (
              <li key={at}>
                {moment(at)}{' '}
                <span className="faint">
                  <Ago at={at} />
                </span>
              </li>
            ))}
          </ol>
        </section>
        <section>
          <h3>Last</h3>
          {ticks.length === 0 && <p className="faint">It has not started a run yet.</p>}
          <ol>
            {ticks.map((tick) => (
              <TickLine key={`${tick.at} ${tick.why}`} tick={tick} />
            ))}
          </ol>
        </section>
      </div>
    </article>
  );
}

function TickLine({ tick }: { readonly tick: Tick }) {
  return (
    <li>
      {moment(tick.at)} <span className={tick.status === 'failed' ? 'warns' : 'faint'}>{tick.status}</span>{' '}
      {tick.run !== null && tick.status === 'started' && (
        <Link href={`/runs/${tick.run}`} className="mono">
          {tick.run}
        </Link>
      )}
      {tick.run !== null && ' '}
      {tick.why !== 'schedule' && <span className="tag">{tick.why === 'by-hand' ? 'by hand' : tick.why}</span>}
      {tick.message !== undefined && <span className="said">{plainText(tick.message)}</span>}
    </li>
  );
}

function ScheduleActions({ schedule: { id, workflow, paused } }: { readonly schedule: ScheduleReport }) {
  const [filling, setFilling] = useState(false);
  const { mutate } = useEventAction();
  if (!useMay('operate')) return null;
  const act = (verb: string, done: string) => (): void => mutate({ of: 'schedules', id, verb, done });
  return (
    <div className="row wrap">
      <Button label="Run now" onClick={act('run', `A run of ${workflow} is started.`)} />
      {paused === null ? (
        <Button label="Pause" onClick={act('pause', `The schedule of ${workflow} is paused.`)} />
      ) : (
        <Button label="Resume" onClick={act('resume', `The schedule of ${workflow} is resumed.`)} />
      )}
      <Button label="Backfill" onClick={() => setFilling(true)} />
      {filling && <BackfillDialog id={id} workflow={workflow} close={() => setFilling(false)} />}
    </div>
  );
}

function BackfillDialog({ id, workflow, close }: { readonly id: string; readonly workflow: string; readonly close: () => void }) {
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const { mutate } = useEventAction();
  const fill = (): void => {
    const body = { from: new Date(from).toISOString(), ...(until === '' ? {} : { until: new Date(until).toISOString() }) };
    mutate({ of: 'schedules', id, verb: 'backfill', body, done: `Runs for the missed times of ${workflow} are started.` });
    close();
  };
  return (
    <Dialog title={`Backfill ${plainLine(workflow)}`} close={close}>
      <p>Starts a run for each time of the schedule in the past that has none.</p>
      <TextField label="From" type="datetime-local" value={from} change={setFrom} />
      <TextField label="Until" type="datetime-local" value={until} change={setUntil}>
        <small>empty for now</small>
      </TextField>
      <DialogButtons close={close} label="Backfill" disabled={from === ''} act={fill} />
    </Dialog>
  );
}
