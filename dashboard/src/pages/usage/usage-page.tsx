// The page of usage: cost, tokens, durations and refusals over time, by workflow or role, as plots and as a table.

import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { read } from '../../connection/api.ts';
import type { UsageReport } from '../../connection/contract.ts';
import { SelectField } from '../../parts/controls.tsx';
import { Empty, Failure, Loading } from '../../parts/messages.tsx';
import { Table } from '../../parts/panel.tsx';
import { useQueryParams } from '../../parts/use-address.ts';
import { plainLine } from '../../text/plain-text.ts';
import { amount, duration, price } from '../../text/time.ts';
import { BarPlot } from './bar-plot.tsx';
import { type Measure, plotOf, sums } from './usage-plot.ts';

const SPANS: Readonly<Record<string, { readonly name: string; readonly ms: number; readonly bucket: 'hour' | 'day' }>> = {
  day: { name: 'last 24 hours', ms: 86_400_000, bucket: 'hour' },
  week: { name: 'last 7 days', ms: 604_800_000, bucket: 'day' },
  month: { name: 'last 30 days', ms: 2_592_000_000, bucket: 'day' },
};

const MEASURES: readonly Measure[] = [
  { name: 'Cost', of: ({ cost }) => cost ?? 0, words: price },
  { name: 'Tokens', of: ({ inputTokens, outputTokens }) => inputTokens + outputTokens, words: amount },
  { name: 'Time of work', of: ({ durationMs }) => durationMs, words: duration },
  { name: 'Refusals', about: 'claims of success that the engine did not observe', of: ({ refusals }) => refusals, words: amount },
  // A run that called agents is in the buckets of their roles again.
  { name: 'Runs', of: ({ runs, role }, by) => ((role === null) === (by === 'workflow') ? runs : 0), words: amount },
];

const NAMES = MEASURES.map(({ name }) => name);

/** The page of usage. */
export default function UsagePage() {
  const words = useQueryParams();
  const [, navigate] = useLocation();
  const span = SPANS[words.get('time') ?? ''] === undefined ? 'week' : (words.get('time') ?? 'week');
  const by = words.get('by') === 'role' ? 'role' : 'workflow';
  const { ms, bucket } = SPANS[span] ?? { ms: 604_800_000, bucket: 'day' as const };
  const usage = useQuery({
    queryKey: ['usage', span],
    queryFn: ({ signal }) => read<UsageReport>(`/usage?bucket=${bucket}&since=${new Date(Date.now() - ms).toISOString()}`, signal),
  });
  const show = (next: { readonly time?: string; readonly by?: string }): void =>
    navigate(`/usage?${new URLSearchParams({ time: span, by, ...next })}`, { replace: true });
  return (
    <div className="page">
      <header className="page-head">
        <h1>Usage</h1>
        <span className="grow" />
        <SelectField
          label="Time"
          isBare
          value={span}
          options={Object.entries(SPANS).map(([value, each]) => [value, each.name])}
          change={(time) => show({ time })}
        />
        <SelectField
          label="Grouped"
          isBare
          value={by}
          options={[
            ['workflow', 'by workflow'],
            ['role', 'by role'],
          ]}
          change={(next) => show({ by: next })}
        />
      </header>
      {usage.error && <Failure error={usage.error} retry={() => void usage.refetch()} />}
      {usage.data === undefined && !usage.error && <Loading subject="the usage" />}
      {usage.data !== undefined && <Plots report={usage.data} by={by} span={{ ms, bucket }} />}
    </div>
  );
}

interface PlotsProps {
  readonly report: UsageReport;
  readonly by: 'workflow' | 'role';
  readonly span: { readonly ms: number; readonly bucket: 'hour' | 'day' };
}

function Plots({ report: { buckets }, by, span }: PlotsProps) {
  const plots = useMemo(
    () => MEASURES.map((measure) => ({ measure, plot: plotOf(buckets, { measure, by, ...span, now: Date.now() }) })),
    [buckets, by, span],
  );
  if (buckets.length === 0)
    return (
      <Empty title="Nothing was used in this time">
        <p>Runs, and what agents in them cost, appear here by the hour or by the day.</p>
      </Empty>
    );
  return (
    <>
      <div className="plots">
        {plots.map(({ measure, plot }) => (
          <BarPlot key={measure.name} measure={measure} plot={plot} />
        ))}
      </div>
      <SumTable buckets={buckets} by={by} />
    </>
  );
}

function SumTable({ buckets, by }: { readonly buckets: UsageReport['buckets']; readonly by: 'workflow' | 'role' }) {
  return (
    <div className="panel">
      <Table columns={[by, ...NAMES]} right={NAMES} caption={`Sums by ${by}`}>
        {sums(buckets, by, MEASURES).map(({ name, values }) => (
          <tr key={name}>
            <td>{plainLine(name)}</td>
            {MEASURES.map((measure, n) => (
              <td key={measure.name} className="right">
                {measure.words(values[n] ?? 0)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}
