// Owns the list of runs as rows. Only rows in view are rendered, so that a hundred thousand runs scroll like ten.

import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { RunRow } from '../../connection/contract.ts';
import { Ago, Took } from '../../parts/moment.tsx';
import { Status } from '../../parts/status.tsx';
import { plainLine } from '../../text/plain-text.ts';

interface TableProps {
  readonly runs: readonly RunRow[];
  readonly isMore: boolean;
  readonly loadMore: () => void;
  /** The runs that are picked; undefined where runs cannot be picked. */
  readonly picked: ReadonlySet<string> | undefined;
  readonly pick: (id: string, isPicked: boolean) => void;
}

const ROW_PX = 37;
const NARROW_ROW_PX = 62;
const AHEAD = 20;
const OPEN = ['running', 'waiting', 'escalated', 'pending'];

/** The list of runs. */
export function RunTable({ runs, isMore, loadMore, picked, pick }: TableProps) {
  const box = useRef<HTMLDivElement>(null);
  const rowPx = window.matchMedia('(max-width: 820px)').matches ? NARROW_ROW_PX : ROW_PX;
  const rows = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: box.current?.offsetTop ?? 0,
    getItemKey: (index) => runs[index]?.id ?? index,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isMore && last >= runs.length - AHEAD) loadMore();
  }, [isMore, last, runs.length, loadMore]);
  return (
    <div className="panel run-table" role="table" aria-label="Runs" aria-rowcount={isMore ? -1 : runs.length + 1}>
      <div role="rowgroup" className="head">
        <div role="row" className="run-row" aria-rowindex={1}>
          {picked !== undefined && <PickAll runs={runs} picked={picked} pick={pick} />}
          <span role="columnheader">Status</span>
          <span role="columnheader">Workflow</span>
          <span role="columnheader">Run</span>
          <span role="columnheader">Step</span>
          <span role="columnheader">Started</span>
          <span role="columnheader">Took</span>
        </div>
      </div>
      <div role="rowgroup" ref={box} className="rows" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start, key }) => {
          const run = runs[index];
          if (run === undefined) return null;
          const top = start - rows.options.scrollMargin;
          return <Row key={key} run={run} index={index} top={top} height={rowPx} isPicked={picked?.has(run.id)} pick={pick} />;
        })}
      </div>
    </div>
  );
}

function PickAll({ runs, picked, pick }: Pick<TableProps, 'runs' | 'pick'> & { readonly picked: ReadonlySet<string> }) {
  const all = runs.length > 0 && runs.every(({ id }) => picked.has(id));
  return (
    <span role="columnheader">
      <input
        type="checkbox"
        aria-label="Pick all runs that are loaded"
        checked={all}
        onChange={(event) => {
          for (const { id } of runs) pick(id, event.target.checked);
        }}
      />
    </span>
  );
}

interface RowProps {
  readonly run: RunRow;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly isPicked: boolean | undefined;
  readonly pick: TableProps['pick'];
}

function Row({ run, index, top, height, isPicked, pick }: RowProps) {
  const isOpen = OPEN.includes(run.status);
  const took = Date.parse(run.updatedAt) - Date.parse(run.startedAt);
  return (
    <div role="row" className="run-row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)`, height }} data-run={run.id}>
      {isPicked !== undefined && (
        <span role="cell">
          <input
            type="checkbox"
            aria-label={`Pick run ${run.id}`}
            checked={isPicked}
            onChange={(event) => pick(run.id, event.target.checked)}
          />
        </span>
      )}
      <span role="cell">
        <Status status={run.status} />
      </span>
      <span role="cell" className="cut strong">
        {plainLine(run.workflow)}
      </span>
      <span role="cell" className="cut">
        <Link href={`/runs/${run.id}`} className="mono">
          {run.id}
        </Link>
      </span>
      <span role="cell" className="cut step">
        {plainLine(run.currentStep ?? '')}
        {run.origin.tags?.map((tag) => (
          <span key={tag} className="tag">
            {plainLine(tag)}
          </span>
        ))}
      </span>
      <span role="cell" className="faint">
        <Ago at={run.startedAt} />
      </span>
      <span role="cell" className="faint right">
        <Took from={run.startedAt} ms={took} open={isOpen} />
      </span>
    </div>
  );
}
