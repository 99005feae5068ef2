// Owns the filter of a list of runs: as query parameters of the page, and of the request to the server.

/** The filter of a list of runs, kept in the address of the page. An empty field selects all runs. */
export interface RunFilter {
  readonly workflow: string;
  readonly status: readonly string[];
  readonly text: string;
  readonly since: string;
  readonly until: string;
  /** `name=value` of parameters. */
  readonly params: readonly string[];
  readonly tag: string;
}

/** The statuses of runs, in the order in which they matter to a reader. */
export const STATUSES = [
  'running',
  'waiting',
  'escalated',
  'failed',
  'completed',
  'overridden',
  'rejected',
  'cancelled',
  'pending',
] as const;

/** The periods that a list offers, with their length. */
export const SPANS: Readonly<Record<string, number>> = { hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_592_000_000 };

/** Reads a filter from the query of an address. */
export function parseFilter(search: string): RunFilter {
  const words = new URLSearchParams(search);
  return {
    workflow: words.get('workflow') ?? '',
    status: words.getAll('status').filter((each) => (STATUSES as readonly string[]).includes(each)),
    text: words.get('text') ?? '',
    since: words.get('since') ?? '',
    until: words.get('until') ?? '',
    params: words.getAll('param').filter((each) => /^[^=]+=/.test(each)),
    tag: words.get('tag') ?? '',
  };
}

/** Writes a filter as the query of an address. */
export function formatFilter(filter: RunFilter): string {
  const words = new URLSearchParams();
  for (const name of ['workflow', 'text', 'since', 'until', 'tag'] as const) if (filter[name] !== '') words.set(name, filter[name]);
  for (const status of filter.status) words.append('status', status);
  for (const param of filter.params) words.append('param', param);
  return words.toString();
}

/** The query parameters of the request. A period such as `day` counts from now. */
export function queryOf(filter: RunFilter, now: number): URLSearchParams {
  const words = new URLSearchParams();
  for (const name of ['workflow', 'text', 'tag'] as const) if (filter[name] !== '') words.set(name, filter[name]);
  for (const status of filter.status) words.append('status', status);
  const span = SPANS[filter.since];
  if (filter.since !== '') words.set('since', span === undefined ? filter.since : new Date(now - span).toISOString());
  if (filter.until !== '') words.set('until', filter.until);
  for (const param of filter.params) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(param) ?? [];
    words.append(`param.${name}`, value);
  }
  return words;
}
