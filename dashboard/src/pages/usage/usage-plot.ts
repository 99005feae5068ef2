// Owns the numbers behind the plots of usage: stacked by workflow or role, one column per hour or day, the smallest together.

import type { UsageReport } from '../../connection/contract.ts';

type Bucket = UsageReport['buckets'][number];

/** A quantity that is plotted. */
export interface Measure {
  readonly name: string;
  readonly about?: string;
  readonly of: (bucket: Bucket, by: 'workflow' | 'role') => number;
  readonly words: (value: number) => string;
}

/** A plot: its columns in order of time, each with a value per series. */
export interface Plot {
  readonly series: readonly string[];
  readonly columns: readonly { readonly at: number; readonly values: readonly number[] }[];
  readonly max: number;
  readonly total: number;
  readonly bucket: 'hour' | 'day';
}

const SERIES_MAX = 5;
const OTHERS = 'others';
const BUCKET_MS = { hour: 3_600_000, day: 86_400_000 };

interface PlotOptions {
  readonly measure: Measure;
  readonly by: 'workflow' | 'role';
  readonly ms: number;
  readonly bucket: 'hour' | 'day';
  readonly now: number;
}

/** Arranges buckets as a plot. */
export function plotOf(buckets: readonly Bucket[], { measure, by, ms, bucket, now }: PlotOptions): Plot {
  const largest = sums(buckets, by, [measure]).filter(({ values }) => (values[0] ?? 0) > 0);
  const named = largest.slice(0, SERIES_MAX).map(({ name }) => name);
  const series = largest.length > named.length ? [...named, OTHERS] : named;
  const length = BUCKET_MS[bucket];
  const first = Math.floor((now - ms) / length) + 1;
  const count = Math.floor(now / length) - first + 1;
  const columns = Array.from({ length: count }, (_, n) => ({ at: (first + n) * length, values: series.map(() => 0) }));
  for (const each of buckets) {
    const column = columns[Math.floor(Date.parse(each.at) / length) - first];
    const found = series.indexOf(nameOf(each, by));
    const index = found === -1 ? series.length - 1 : found;
    if (column !== undefined && index >= 0) column.values[index] = (column.values[index] ?? 0) + measure.of(each, by);
  }
  const heights = columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  return { series, columns, max: Math.max(0, ...heights), total: heights.reduce((sum, height) => sum + height, 0), bucket };
}

/** The sums of some measures by workflow or role, largest first. */
export function sums(
  buckets: readonly Bucket[],
  by: 'workflow' | 'role',
  measures: readonly Measure[],
): readonly { readonly name: string; readonly values: readonly number[] }[] {
  const groups = Map.groupBy(buckets, (bucket) => nameOf(bucket, by));
  return [...groups]
    .map(([name, all]) => ({ name, values: measures.map((measure) => all.reduce((sum, bucket) => sum + measure.of(bucket, by), 0)) }))
    .sort((one, other) => (other.values[0] ?? 0) - (one.values[0] ?? 0));
}

function nameOf(bucket: Bucket, by: 'workflow' | 'role'): string {
  return by === 'workflow' ? bucket.workflow : (bucket.role ?? 'no role');
}
