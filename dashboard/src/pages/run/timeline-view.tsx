// Owns the timeline of a run: a bar per attempt, with different bars for waits, retries and queues. It can be zoomed and moved.

import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import type { Bar, RunReport } from '../../connection/contract.ts';
import { useTimeline } from '../../connection/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Empty, Pending } from '../../parts/messages.tsx';
import { useNow } from '../../parts/moment.tsx';
import { toneOf } from '../../parts/status.tsx';
import { plainLine } from '../../text/plain-text.ts';
import { clock, duration } from '../../text/time.ts';
import { moved, type Span, spanOf, type TimelineRow, timelineRows, zoomed } from './timeline-rows.ts';

interface TimelineProps {
  readonly report: RunReport;
  readonly picked: string | undefined;
  readonly pick: (path: string) => void;
}

const ROW_PX = 28;
const TICKS = 5;
const ZOOM = 0.5;

/** The timeline of a run. */
export function TimelineView({ report, picked, pick }: TimelineProps) {
  const timeline = useTimeline(report.run.id);
  const now = useNow();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [zoom, setZoom] = useState<Span>();
  const bars = timeline.data;
  const rows = useMemo(() => timelineRows(bars ?? [], open), [bars, open]);
  if (bars === undefined) return <Pending of={timeline} subject="the timeline" />;
  if (bars.length === 0) return <Empty title="Nothing has started yet" />;
  const whole = spanOf(bars, now);
  const shown = zoom ?? whole;
  return (
    <div className="body stack">
      <div className="row wrap">
        <Legend />
        <span className="grow" />
        <ZoomButtons shown={shown} whole={whole} show={setZoom} isZoomed={zoom !== undefined} />
      </div>
      <Axis span={shown} />
      <Rows
        rows={rows}
        span={shown}
        now={now}
        picked={picked}
        pick={pick}
        open={open}
        toggle={(path) =>
          setOpen((before) => (before.has(path) ? new Set([...before].filter((each) => each !== path)) : new Set([...before, path])))
        }
      />
    </div>
  );
}

function Legend() {
  return (
    <ul className="row wrap legend">
      {(['work', 'wait', 'retry', 'queue'] as const).map((kind) => (
        <li key={kind} className="row">
          <span className="swatch" data-kind={kind} data-tone={kind === 'work' ? 'ok' : undefined} />
          {kind === 'retry' ? 'until the next attempt' : kind === 'queue' ? 'in the queue' : kind}
        </li>
      ))}
    </ul>
  );
}

interface ZoomProps {
  readonly shown: Span;
  readonly whole: Span;
  readonly isZoomed: boolean;
  readonly show: (span: Span | undefined) => void;
}

function ZoomButtons({ shown, whole, isZoomed, show }: ZoomProps) {
  return (
    <div className="row" role="group" aria-label="Zoom">
      <Button label="←" disabled={!isZoomed} onClick={() => show(moved(shown, whole, -ZOOM))} aria-label="Earlier" />
      <Button label="→" disabled={!isZoomed} onClick={() => show(moved(shown, whole, ZOOM))} aria-label="Later" />
      <Button label="−" disabled={!isZoomed} onClick={() => show(zoomed(shown, whole, 1 / ZOOM))} aria-label="Show more time" />
      <Button label="+" onClick={() => show(zoomed(shown, whole, ZOOM))} aria-label="Show less time" />
      <Button label="All" disabled={!isZoomed} onClick={() => show(undefined)} />
    </div>
  );
}

function Axis({ span }: { readonly span: Span }) {
  const length = span.to - span.from;
  return (
    <div className="timeline-row axis" aria-hidden="true">
      <span className="name faint">{clock(span.from)}</span>
      <span className="track">
        {Array.from({ length: TICKS }, (_, n) => (
          <span key={n} className="tick" style={{ left: `${(n / TICKS) * 100}%` }}>
            {n === 0 ? '0' : `+${duration((length * n) / TICKS)}`}
          </span>
        ))}
      </span>
    </div>
  );
}

interface RowsProps {
  readonly rows: readonly TimelineRow[];
  readonly span: Span;
  readonly now: number;
  readonly picked: string | undefined;
  readonly pick: (path: string) => void;
  readonly open: ReadonlySet<string>;
  readonly toggle: (path: string) => void;
}

function Rows({ rows, span, now, picked, pick, open, toggle }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useVirtualizer({ count: rows.length, estimateSize: () => ROW_PX, getScrollElement: () => box.current, overscan: 10 });
  return (
    <div ref={box} className="timeline">
      <ul style={{ height: shown.getTotalSize() }}>
        {shown.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={row.path}
              className="timeline-row"
              style={{ transform: `translateY(${start}px)` }}
              data-member={row.isMember ? '' : undefined}
            >
              <span className="name row">
                {row.members > 0 && (
                  <button
                    type="button"
                    className="quiet fold"
                    aria-expanded={open.has(row.path)}
                    aria-label={`Members of ${row.path}`}
                    onClick={() => toggle(row.path)}
                  >
                    <Icon name={open.has(row.path) ? 'down' : 'right'} />
                  </button>
                )}
                <button
                  type="button"
                  className="link cut"
                  aria-current={picked === row.path ? 'true' : undefined}
                  onClick={() => pick(row.path)}
                >
                  {plainLine(row.isMember ? row.path.slice(row.path.indexOf('/') + 1) : row.path)}
                </button>
                {row.members > 0 && <span className="faint">{row.members}</span>}
              </span>
              <span className="track">
                {row.bars.map((bar) => (
                  <BarView key={`${bar.kind} ${bar.attempt} ${bar.from}`} bar={bar} span={span} now={now} />
                ))}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function BarView({ bar, span, now }: { readonly bar: Bar; readonly span: Span; readonly now: number }) {
  const length = span.to - span.from;
  const from = Date.parse(bar.from);
  const to = bar.to === null ? now : Date.parse(bar.to);
  const left = Math.max(0, ((from - span.from) / length) * 100);
  const right = Math.min(100, ((to - span.from) / length) * 100);
  if (right < 0 || left > 100) return null;
  const tone = bar.kind === 'work' ? toneOf(bar.outcome ?? (bar.to === null ? 'running' : 'pending')) : undefined;
  const words = `${bar.kind}, attempt ${bar.attempt}, ${duration(to - from)}${bar.outcome === null ? '' : `, ${bar.outcome}`}`;
  return (
    <span
      className="swatch"
      data-kind={bar.kind}
      data-tone={tone}
      title={words}
      style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}
    >
      <span className="unseen">{words}</span>
    </span>
  );
}
