// Owns the part of the server for automatic activity: schedules, deliveries, notices and metrics.

import { rightOf } from '../../authority/right.ts';
import { EngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { TRIGGER } from '../../steps/run-records.ts';
import { iso, timeOf } from '../api/times.ts';
import { parseJsonBody, readBody } from '../body.ts';
import { handle, type ServerApp, type ServerContext } from '../route.ts';
import type { ServerPart, Services } from '../services.ts';
import { commandHandler } from '../surface/command/handler.ts';
import { forgeHandler } from '../triggers/forge-handler.ts';
import { watchForge } from '../triggers/forge-watch.ts';
import { GITHUB_BODY_MAX, type GitHubRequest, githubDelivery, githubProblem } from '../triggers/github-hook.ts';
import { TriggerAges } from '../triggers/trigger-age.ts';
import { forwardWebhook, projectOfWebhook, type WebhookProject } from '../triggers/webhook-forwarding.ts';
import { Deliveries, type StoredDelivery } from './deliveries.ts';
import { DeliveryGuard } from './delivery-guard.ts';
import { clockOf, type HookSetting } from './event-settings.ts';
import { groupOf, hookHandler, routeOf, scopeOf } from './hook.ts';
import { mountMetrics, watchRequests } from './metrics.ts';
import { EVENT_ROUTES } from './routes.ts';
import { mountNotices } from './run-notices.ts';
import { type EventStart, type ScheduleReport, Schedules } from './schedules.ts';
import { SIGNED_HEADERS, signatureProblem } from './signature.ts';
import { EVENT_TABLES } from './tables.ts';

/** Schedules, deliveries, notices and metrics. */
export const EVENTS: ServerPart = {
  name: 'events',
  routes: Object.values(EVENT_ROUTES),
  tables: EVENT_TABLES,
  watch: watchRequests,
  mount: (app, services) => {
    mountSchedules(app, services);
    mountDeliveries(app, services);
    mountNotices(app, services);
    mountMetrics(app, services);
  },
};

/** The services that schedules and deliveries need. */
export type EventServices = Pick<Services, 'database' | 'project' | 'engine' | 'warn' | 'events'>;

/** The schedules of a project. */
export function openSchedules(services: EventServices): Schedules {
  const { database, project, warn, events } = services;
  const scheduled = async () => (await project.scheduled?.()) ?? [];
  return new Schedules({ database, clock: clockOf(events), scheduled, start: startOf(services), warn });
}

/** The deliveries of a project, with its hooks. */
export function openDeliveries(services: EventServices): Deliveries {
  const { database, engine, warn, events } = services;
  const clock = clockOf(events);
  const deliveries = new Deliveries({ database, clock, warn });
  const signal = (run: string, { name, ...options }: { readonly name: string; readonly payload: Json; readonly id: string }) =>
    engine.run(run).signal(name, options);
  for (const [name, setting] of Object.entries(events.hooks ?? {}))
    deliveries.handle(routeOf(name), hookHandler(name, setting, { deliveries, now: clock.now, start: startOf(services), signal }));
  if (events.forge !== undefined) {
    const { forge, surface } = events.forge;
    const commands = surface === undefined ? undefined : commandHandler({ forge, settings: surface, engine, database, clock });
    deliveries.handle(forge.name, forgeHandler({ deliveries, services, settings: events.forge, ...omitUndefined({ commands }) }));
  }
  return deliveries;
}

function mountSchedules(app: ServerApp, services: Services): void {
  const { events, repeats } = services;
  const schedules = openSchedules(services);
  services.onClose(() => schedules.close());
  const on = { app, repeats };
  handle(on, EVENT_ROUTES.schedules, async () => ({ schedules: (await schedules.list()).map(scheduleJson) }));
  // The command line requires the right `upkeep` for these, so a token that may only start runs is not enough.
  handle(on, EVENT_ROUTES.pause, async ({ param, caller }) => {
    const { actor } = rightOf(caller, { demand: 'override', on: 'schedules pause' });
    return { schedule: scheduleJson(await schedules.pause(param('id'), actor)) };
  });
  handle(on, EVENT_ROUTES.resume, async ({ param, caller }) => {
    rightOf(caller, { demand: 'override', on: 'schedules resume' });
    return { schedule: scheduleJson(await schedules.resume(param('id'))) };
  });
  handle(on, EVENT_ROUTES.runNow, async ({ param, caller, note }) => {
    const run = await schedules.runNow(param('id'), caller.name);
    note({ action: 'start', run, choice: `schedule ${param('id')}` });
    return { runs: [run], schedule: scheduleJson(await schedules.get(param('id'))) };
  });
  handle(on, EVENT_ROUTES.backfill, async ({ param, caller, body, note }) => {
    const [from, until] = [timeOf(body.from, 'from'), timeOf(body.until, 'until') ?? clockOf(events).now()];
    const runs = await schedules.backfill(param('id'), { from, until, actor: caller.name });
    if (runs.length > 0) note(...runs.map((run) => ({ action: 'start', run, choice: `schedule ${param('id')}` })));
    return { runs, schedule: scheduleJson(await schedules.get(param('id'))) };
  });
  void schedules.ring();
}

function mountDeliveries(app: ServerApp, services: Services): void {
  const { repeats, deliveries, events } = services;
  services.onClose(() => deliveries.close());
  if (events.forge !== undefined) services.onClose(watchForge(services, deliveries, events.forge));
  if (events.forge !== undefined) recordTriggerAges(services);
  const on = { app, repeats };
  const guard = new DeliveryGuard(services);
  handle(on, EVENT_ROUTES.hook, async ({ c, param }) =>
    isGitHub(param('name'), services)
      ? receiveGitHub(c, { services, guard })
      : receiveHook(c, { name: param('name'), services, deliveries, guard }),
  );
  handle(on, EVENT_ROUTES.deliveries, async ({ query: { route, cursor, limit } }) => {
    const found = deliveries.list({
      limit: limit + 1,
      ...omitUndefined({ route, before: cursor === undefined ? undefined : Number(cursor) }),
    });
    const shown = found.slice(0, limit);
    return { deliveries: shown.map(deliveryJson), next: found.length > limit ? String(shown.at(-1)?.number) : null };
  });
  handle(on, EVENT_ROUTES.delivery, async ({ param }) => oneDelivery(deliveries.get(numberOf(param('id')))));
  handle(on, EVENT_ROUTES.resend, async ({ param, caller }) => {
    rightOf(caller, { demand: 'override', on: 'deliveries resend' });
    return oneDelivery(await deliveries.resend(numberOf(param('id'))));
  });
  void deliveries.ring();
}

/** Starts runs of the project for schedules and deliveries. */
function startOf({ engine, project }: EventServices): (start: EventStart) => Promise<void> {
  return async ({ workflow: name, id, params, event, deliveryId, actor, trigger }) => {
    const { workflow, file, facts } = await project.startable(name, params, { event, payload: trigger });
    const origin = { event, ...omitUndefined({ deliveryId, actor, file }) };
    await engine.start(workflow, params as never, { id, origin, facts: { ...facts, ...TRIGGER.with(trigger) } });
  };
}

interface HookCall {
  readonly name: string;
  readonly services: Services;
  readonly deliveries: Deliveries;
  readonly guard: DeliveryGuard;
}

/** Verifies a delivery and stores it. Without a valid signature, a caller cannot even find out which hooks exist. */
async function receiveHook(c: ServerContext, call: HookCall): Promise<AcceptedDelivery> {
  const { name, services, deliveries, guard } = call;
  const { events } = services;
  const bytes = await readBody(c);
  const setting = Object.hasOwn(events.hooks ?? {}, name) ? events.hooks?.[name] : undefined;
  const header = (key: keyof typeof SIGNED_HEADERS): string => c.req.header(SIGNED_HEADERS[key]) ?? '';
  const signed = { id: header('id'), timestamp: header('time'), signature: header('signature'), body: bytes };
  const problem = await hookProblem(setting, signed, call);
  if (setting === undefined) throw guard.refusal(name, 'there is no such hook');
  if (problem !== undefined) throw guard.refusal(name, problem);
  const body = parseJsonBody(bytes, c.req.header('content-type'));
  const headers = storedHeaders(c);
  const scope = scopeOf({ body, headers, delivery: signed.id, receivedAt: clockOf(events).now() });
  const status = deliveries.receive({ route: routeOf(name), id: signed.id, headers, body, ...groupOf(setting, scope) });
  return { delivery: signed.id, status };
}

/** Records the triggers with an age now, so that ages do not count only from the first event. */
function recordTriggerAges({ project, database, events, warn }: Services): void {
  const ages = new TriggerAges(database, clockOf(events).now);
  (project.triggered?.() ?? Promise.resolve([])).then((found) => ages.record(found)).catch(warn);
}

function isGitHub(name: string, { events }: Services): boolean {
  return name === 'github' && (events.forge?.webhook !== undefined || events.webhookProjects !== undefined);
}

/** Verifies a webhook of GitHub and stores it. */
async function receiveGitHub(c: ServerContext, { services, guard }: Pick<HookCall, 'services' | 'guard'>): Promise<AcceptedDelivery> {
  const { events, deliveries } = services;
  const request = { body: await readBody(c, GITHUB_BODY_MAX), header: (name: string) => c.req.header(name) };
  const other = events.webhookProjects === undefined ? undefined : await projectOfWebhook(events.webhookProjects(), request);
  if (other !== undefined) return await forward(other, request, guard);
  if (events.forge?.webhook === undefined) throw guard.refusal('github', 'no project on this server accepts it');
  const secret = await guard.secret(events.forge.webhook.secret);
  const problem = typeof secret === 'string' ? githubProblem(secret, request) : secret.message;
  if (problem !== undefined) throw guard.refusal('github', problem);
  const delivery = githubDelivery(request, parseJsonBody(request.body, c.req.header('content-type')), clockOf(events).now());
  return { delivery: delivery.id, status: deliveries.receive(delivery) };
}

async function forward(other: WebhookProject, request: GitHubRequest, guard: DeliveryGuard): Promise<AcceptedDelivery> {
  const answer = await forwardWebhook(other, request);
  if (answer === undefined) throw guard.refusal('github', `the project of ${other.repository} refused it`);
  return answer as unknown as AcceptedDelivery;
}

interface AcceptedDelivery {
  readonly delivery: string;
  readonly status: 'stored' | 'duplicate';
}

/** Why a delivery is not accepted. It does the same work for an unknown hook, so that the response time reveals nothing. */
async function hookProblem(
  setting: HookSetting | undefined,
  signed: Parameters<typeof signatureProblem>[1],
  { services: { events }, guard }: HookCall,
): Promise<string | undefined> {
  const secret = setting === undefined ? guard.noSecret : await guard.secret(setting.secret);
  if (typeof secret !== 'string') return secret.message;
  return signatureProblem(secret, signed, { now: clockOf(events).now(), windowMs: setting?.windowMs ?? WINDOW_MS });
}

const WINDOW_MS = 5 * 60_000;

/** The headers that are stored: without credentials, and truncated. */
function storedHeaders(c: ServerContext): Record<string, string> {
  const all = Object.entries(c.req.header()).filter(
    ([name]) => !/^(?:authorization|cookie|proxy-authorization|webhook-signature)$/.test(name),
  );
  return Object.fromEntries(all.slice(0, HEADERS_MAX).map(([name, value]) => [name, value.slice(0, HEADER_MAX)]));
}

const HEADERS_MAX = 50;
const HEADER_MAX = 1000;

/** A schedule as JSON. */
export function scheduleJson({ paused, next, ticks, ...rest }: ScheduleReport) {
  return {
    ...rest,
    paused: paused === null ? null : { ...paused, at: iso(paused.at) },
    next: next.map(iso),
    ticks: ticks.map((tick) => ({ ...tick, at: iso(tick.at) })),
  };
}

/** A delivery as JSON, without its body. */
export function deliveryJson({ headers: _, body: __, receivedAt, actedAt, ...rest }: StoredDelivery) {
  return { ...rest, receivedAt: iso(receivedAt), actedAt: actedAt === null ? null : iso(actedAt) };
}

function oneDelivery(delivery: StoredDelivery) {
  const { headers, body } = delivery;
  return { delivery: { ...deliveryJson(delivery), headers: headers as JsonObject, body } };
}

function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new EngineError('DELIVERY_UNKNOWN', `"${text}" is not the number of a delivery; "pawl deliveries" lists them`);
}
