// Draws a plot: stacked columns with an axis, a legend, and the numbers of the column that the pointer is on.

import { useState } from 'react';
import { plainLine } from '../../text/plain-text.ts';
import type { Measure, Plot } from './usage-plot.ts';

const WIDTH = 480;
const HEIGHT = 150;
/** Space above the highest column for its number, which is larger on a phone. */
const TOP = -8;
const FLOOR = 132;
const LEFT = 2;

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** One plot. */
export function BarPlot({ measure, plot }: { readonly measure: Measure; readonly plot: Plot }) {
  const [pointed, setPointed] = useState<number>();
  const column = pointed === undefined ? undefined : plot.columns[pointed];
  const sum = column?.values.reduce((all, value) => all + value, 0);
  return (
    <figure className="panel plot">
      <figcaption className="row wrap">
        <h2 className="grow">{measure.name}</h2>
        <span>
          {column === undefined ? measure.words(plot.total) || '0' : `${timeOf(plot, column.at)}: ${measure.words(sum ?? 0) || '0'}`}
        </span>
        {measure.about !== undefined && <span className="help whole">{measure.about}</span>}
      </figcaption>
      {plot.max === 0 ? (
        <p className="faint none">none in this time</p>
      ) : (
        <Columns measure={measure} plot={plot} pointed={pointed} point={setPointed} />
      )}
      {plot.series.length > 0 && (
        <ul className="row wrap legend">
          {plot.series.map((name, n) => (
            <li key={name} className="row">
              <span className="key" data-series={n} />
              {plainLine(name)}
              {column !== undefined && <span className="faint">{measure.words(column.values[n] ?? 0)}</span>}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

interface ColumnsProps {
  readonly measure: Measure;
  readonly plot: Plot;
  readonly pointed: number | undefined;
  readonly point: (column: number | undefined) => void;
}

function Columns({ measure, plot, pointed, point }: ColumnsProps) {
  const step = (WIDTH - LEFT) / plot.columns.length;
  const bar = Math.min(28, step * 0.72);
  const scale = (FLOOR - 14) / plot.max;
  return (
    <svg
      className="columns"
      viewBox={`0 ${TOP} ${WIDTH} ${HEIGHT - TOP}`}
      role="img"
      aria-label={`${measure.name} over time, ${measure.words(plot.total)} in all`}
      onPointerLeave={() => point(undefined)}
    >
      <text className="top" x={LEFT} y={9}>
        {measure.words(plot.max)}
      </text>
      <path className="grid" d={`M${LEFT} 14H${WIDTH}M${LEFT} ${FLOOR}H${WIDTH}`} />
      {plot.columns.map(({ at, values }, n) => {
        const x = LEFT + n * step + (step - bar) / 2;
        let y = FLOOR;
        return (
          <g key={at} className={n === pointed ? 'pointed' : ''}>
            {values.map((value, series) => {
              const height = value * scale;
              y -= height;
              return height > 0 ? <rect key={plot.series[series]} data-series={series} x={x} y={y} width={bar} height={height} /> : null;
            })}
            <rect className="target" x={LEFT + n * step} y={0} width={step} height={HEIGHT} onPointerEnter={() => point(n)} />
            {isLabelled(n, plot.columns.length) && (
              <text x={LEFT + n * step + step / 2} y={HEIGHT - 4} textAnchor="middle">
                {timeOf(plot, at)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function isLabelled(n: number, count: number): boolean {
  const every = Math.max(1, Math.ceil(count / 7));
  return n % every === Math.floor(every / 2);
}

function timeOf({ bucket }: Plot, at: number): string {
  return (bucket === 'day' ? DAY : HOUR).format(new Date(at));
}
