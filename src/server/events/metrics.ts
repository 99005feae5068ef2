// Owns the metrics for Prometheus, in its text format. Values from the database are read on request, at most every five
// seconds; events are counted by this process since its start.

import { EngineError } from '../../base/error.ts';
import type { CommitRecord } from '../../engine/observer.ts';
import { handle, type ServerApp, type ServerVariables } from '../route.ts';
import type { Services } from '../services.ts';
import { EVENT_ROUTES } from './routes.ts';

/** The upper bounds of the histogram of durations, in seconds. */
const BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const CACHED_MS = 5000;
const QUEUE_MAX = 10_000;
/** How many combinations of labels a figure has at most; further workflows are counted together. */
const LABELS_MAX = 200;

type Labels = Readonly<Record<string, string>>;

/** A family of figures with one name. */
class Figures {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  private readonly values = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(name: string, help: string, type: 'counter' | 'gauge' = 'counter') {
    this.name = name;
    this.help = help;
    this.type = type;
  }

  add(labels: Labels, by = 1): void {
    const key = JSON.stringify(labels);
    const known = this.values.get(key);
    if (known !== undefined) known.value += by;
    else if (this.values.size < LABELS_MAX) this.values.set(key, { labels, value: by });
    else if ('workflow' in labels && labels.workflow !== '') this.add({ ...labels, workflow: '' }, by);
  }

  lines(): string[] {
    return [...headOf(this), ...[...this.values.values()].map(({ labels, value }) => `${this.name}${textOf(labels)} ${value}`)];
  }
}

/** Durations by kind of step. */
class Durations {
  readonly name = 'pawl_step_duration_seconds';
  readonly help = 'How long attempts of steps took, excluding waits, since this process started';
  readonly type = 'histogram';
  private readonly kinds = new Map<string, { readonly counts: number[]; sum: number; count: number }>();

  add(kind: string, seconds: number): void {
    const known = this.kinds.get(kind) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    this.kinds.set(kind, known);
    known.sum += seconds;
    known.count += 1;
    for (const [index, end] of BUCKETS.entries()) if (seconds <= end) known.counts[index] = (known.counts[index] ?? 0) + 1;
  }

  lines(): string[] {
    const found = [...this.kinds].flatMap(([kind, { counts, sum, count }]) => [
      ...BUCKETS.map((end, index) => `${this.name}_bucket${textOf({ kind, le: String(end) })} ${counts[index]}`),
      `${this.name}_bucket${textOf({ kind, le: '+Inf' })} ${count}`,
      `${this.name}_sum${textOf({ kind })} ${sum}`,
      `${this.name}_count${textOf({ kind })} ${count}`,
    ]);
    return [...headOf(this), ...found];
  }
}

function headOf({ name, help, type }: { readonly name: string; readonly help: string; readonly type: string }): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function textOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** What this process has counted. */
class Counters {
  readonly steps = new Figures('pawl_steps_total', 'Attempts of steps that ended in this process since it started');
  readonly durations = new Durations();
  readonly refusals = new Figures(
    'pawl_refusals_total',
    'Claims of finished work that the engine could not confirm, since this process started',
  );
  readonly requests = new Figures('pawl_http_requests_total', 'Requests answered since this process started');

  committed({ state, ended }: CommitRecord): void {
    for (const { activation, event } of ended) {
      const outcome = event.type === 'step.settled' ? event.outcome : 'retried';
      this.steps.add({ workflow: state.workflow, kind: activation.kind, outcome });
      const error = event.type === 'step.settled' ? event.error : event.failed?.error;
      if (error?.reason === 'contract') this.refusals.add({ workflow: state.workflow });
      const startedAt = 'startedAt' in activation ? activation.startedAt : undefined;
      if (startedAt !== undefined) this.durations.add(activation.kind, Math.max(0, event.at - startedAt) / 1000);
    }
  }
}

const counts = new WeakMap<Services, Counters>();

function countersOf(services: Services): Counters {
  const known = counts.get(services) ?? new Counters();
  counts.set(services, known);
  return known;
}

/** Counts every request. */
export function watchRequests(app: ServerApp, services: Services): void {
  const { requests } = countersOf(services);
  app.use('*', async (c, next) => {
    await next();
    requests.add({ method: KNOWN_METHODS.includes(c.req.method) ? c.req.method : 'other', status: String(c.res.status) });
  });
}

const KNOWN_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** Mounts `/metrics`. */
export function mountMetrics(app: ServerApp, services: Services): void {
  const { engine, repeats, events } = services;
  const counted = countersOf(services);
  services.onClose(engine.onCommit((committed) => counted.committed(committed)));
  let known: { readonly at: number; readonly text: Promise<string> } | undefined;
  handle({ app, repeats }, EVENT_ROUTES.metrics, async ({ c }) => {
    if (events.metrics !== 'public') assertMayView(c.get('caller'));
    const now = performance.now();
    if (known === undefined || now - known.at > CACHED_MS) known = { at: now, text: storedFigures(services) };
    const live = [counted.steps, counted.durations, counted.refusals, counted.requests].flatMap((figures) => figures.lines());
    return c.body(`${[await known.text, ...live].join('\n')}\n`, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
}

function assertMayView(caller: ServerVariables['caller'] | undefined): void {
  if (caller === undefined) throw new EngineError('LOGIN_REQUIRED', 'send a personal token with the scope "view"');
  if (!caller.scopes.has('view'))
    throw new EngineError('NOT_ALLOWED', `GET /metrics needs the scope "view", which ${caller.name} does not have`);
}

async function storedFigures({ store, database, now }: Services): Promise<string> {
  const runs = new Figures('pawl_runs', 'Runs by status', 'gauge');
  for (const [status, count] of await store.statusCounts()) runs.add({ status }, count);
  const slots = new Figures('pawl_slots', 'Steps that hold a slot or wait for one', 'gauge');
  for (const { isHeld } of await store.slots(QUEUE_MAX)) slots.add({ state: isHeld ? 'held' : 'waiting' });
  const accounts = new Figures('pawl_accounts_closed', 'Accounts of agents without capacity', 'gauge');
  accounts.add({}, (await store.closedAccounts(now())).length);
  const used = await store.usage({});
  const tokens = new Figures('pawl_agent_tokens_total', 'Tokens that agents reported');
  tokens.add({ direction: 'input' }, used.inputTokens);
  tokens.add({ direction: 'output' }, used.outputTokens);
  const cost = new Figures('pawl_agent_cost_usd_total', 'Cost that agents reported, in US dollars');
  cost.add({}, used.costUsd);
  const calls = new Figures('pawl_agent_calls_total', 'Calls of agents');
  calls.add({}, used.attempts);
  const deliveries = new Figures('pawl_deliveries', 'Deliveries that are kept, by status', 'gauge');
  for (const { status, n } of database.all('SELECT status, count(*) AS n FROM deliveries GROUP BY status'))
    deliveries.add({ status: String(status) }, Number(n));
  const notices = new Figures('pawl_notices', 'Notices that are kept, by status', 'gauge');
  for (const { status, n } of database.all('SELECT status, count(*) AS n FROM notices GROUP BY status'))
    notices.add({ status: String(status) }, Number(n));
  return [runs, slots, accounts, tokens, cost, calls, deliveries, notices].flatMap((figures) => figures.lines()).join('\n');
}
