// Handles the events of a forge: gates that wait for the forge check again, and the workflows that an event triggers start.
//
// FT1. An event starts a workflow once, no matter how and how often it is delivered.
// FT2. A workflow has one open run for an issue or a pull request.
// FT3. Only people with write permission start workflows. An event by others is recorded with the reason, and a person
//      with write permission can start the workflow with the label `workflow:<name>`.
// FT4. A pull request from a fork starts nothing by itself, unless the settings list the fork, and never a workflow
//      that reads secrets or whose roles get some. A label counts for the head that the pull request had when it was added.
// Pawl's own actions: FT5 and FT6 in `own-action.ts`. Commands that start a workflow: FT7 in `commanded-start.ts`.

import type { Engine } from '../../api/engine.ts';
import { compiledOf } from '../../api/workflow-source.ts';
import { isEngineError, messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { deriveRunId } from '../../base/id.ts';
import { isJsonObject } from '../../base/json.ts';
import { isSamePerson } from '../../base/person.ts';
import { assertFirstFor, openRunsFor, secondRun } from '../../control/trigger/open-runs.ts';
import { subjectOf } from '../../control/trigger/subject.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import { parseEvent } from '../../definition/trigger/event.ts';
import { paramsBehind } from '../../definition/trigger/start-command.ts';
import type { ForgeEvent, ForgeReader, IssueFacts, Permission, PullRequestFacts } from '../../forge/forge.ts';
import { PUSHED, TRIGGER } from '../../steps/run-records.ts';
import type { RunSummary } from '../../store/store.ts';
import { type Deliveries, type DeliveryHandler, type DeliveryResult, isTemporary, type StoredDelivery } from '../events/deliveries.ts';
import { clockOf, type ForgeEventSettings } from '../events/event-settings.ts';
import type { EventServices } from '../events/events.ts';
import type { ServedProject, StartableWorkflow, TriggeredWorkflow } from '../services.ts';
import type { CommandHandler } from '../surface/command/handler.ts';
import { RunRows } from '../surface/run/rows.ts';
import { commandedBy } from './commanded-start.ts';
import { decideByEvent } from './forge-decisions.ts';
import { ForgeUnavailable, valueIn } from './forge-unavailable.ts';
import { withinLimits } from './limits.ts';
import { mayNameWorkflow, namedIn } from './named-start.ts';
import { isOwnCommentOrCheck, type OwnAction, ownAction, ownRefusal } from './own-action.ts';
import { type ReactionResult, reactTo } from './reactions.ts';
import { eventOf, isSameEvent, keyOfEvent, type ReceivedEvent, receivedEvent, sourceOf } from './received-event.ts';
import { type SelectedWorkflow, selectTriggered } from './selection.ts';
import { TriggerAges } from './trigger-age.ts';

interface ForgeHandlerParts {
  readonly deliveries: Deliveries;
  readonly services: EventServices;
  readonly settings: ForgeEventSettings;
  /** Handles commands in comments. */
  readonly commands?: CommandHandler;
}

interface ActingParts extends ForgeHandlerParts {
  readonly triggers: KnownTriggers;
  readonly ages: TriggerAges;
}

/** Creates the handler for the deliveries of a forge. */
export function forgeHandler(parts: ForgeHandlerParts): DeliveryHandler {
  const { services, deliveries } = parts;
  const { now } = clockOf(services.events);
  const acting = { ...parts, triggers: knownTriggers(services.project, deliveries, now), ages: new TriggerAges(services.database, now) };
  return async (delivery) => {
    try {
      return await actOn(acting, delivery);
    } catch (error) {
      if (error instanceof ForgeUnavailable) return { status: 'later', ...error.retryTime(clockOf(parts.services.events).now()) };
      throw error;
    }
  };
}

async function actOn(parts: ActingParts, delivery: StoredDelivery): Promise<DeliveryResult> {
  const { deliveries, settings } = parts;
  const { forge } = settings;
  const event = eventOf(delivery);
  // Gates check again for every event except those that Pawl's own comments cause.
  if (event.comment === undefined || settings.surface === undefined || !new RunRows(parts.services.database).isOwn(event.comment))
    settings.onEvent?.(event);
  const duplicate = deliveries
    .withKey(delivery.route, keyOfEvent(event), delivery.number)
    .find((earlier) => isSameEvent(earlier, delivery));
  if (duplicate !== undefined) return ignored(`the same event arrived as delivery ${duplicate.number}`);
  const found = await receivedEvent(forge, delivery);
  if (found.result === 'not_found') return ignored(found.message);
  const received = valueIn(found);
  const foreign = foreignRepository(settings, received);
  if (foreign !== undefined) return ignored(`it is about the repository ${foreign}, not about this one`);
  const { database } = parts.services;
  if (settings.surface !== undefined && (await isOwnCommentOrCheck({ forge, database }, received)))
    return ignored('Pawl wrote this itself, so it is ignored');
  const commanded = await parts.commands?.(delivery, received);
  if (commanded !== undefined) return commanded;
  const decided = await decideByEvent(parts, delivery, received);
  const reacted = await reactTo(parts, { delivery, received });
  const both = { runs: [...new Set([...decided.runs, ...reacted.runs])], reasons: [...decided.reasons, ...reacted.reasons] };
  return withReactions(await startedBy(parts, delivery, received), both);
}

async function startedBy(parts: ActingParts, delivery: StoredDelivery, received: ReceivedEvent): Promise<DeliveryResult> {
  const asked = await requestedBy(parts, delivery, received);
  if (typeof asked === 'string') return ignored(asked);
  const own = await ownAction({ forge: parts.settings.forge, store: parts.services.engine.store }, received);
  const requested = own === undefined ? asked : withoutOwnStarts(asked, own);
  if (typeof requested === 'string') return ignored(requested);
  const stale = sourceOf(delivery) === 'webhook' ? await staleReason(parts, received.event) : undefined;
  if (stale !== undefined) return ignored(stale);
  const refusal = await refusalOf(parts, { delivery, received, requested });
  if (refusal !== undefined) return ignored(refusal);
  const result = await startAll(parts, { delivery, received, requested });
  await reactToCommand(parts, { received, requested }, result.status === 'done');
  return result;
}

/** Adds an emoji reaction with the result of a command. Nothing depends on it, so its failure is ignored. */
async function reactToCommand(
  { settings: { forge, surface } }: ForgeHandlerParts,
  { received, requested }: Pick<StartRequest, 'received' | 'requested'>,
  isDone: boolean,
): Promise<void> {
  const { comment: id } = received.event;
  if (surface === undefined || id === undefined || requested.workflows.every(({ start }) => start === undefined)) return;
  const reaction = isDone ? '+1' : 'confused';
  await forge.react({ id, reaction }, `command/${id}/${reaction}`);
}

/** The result of a delivery, with the open runs that reacted to it. */
function withReactions(result: DeliveryResult, { runs, reasons }: ReactionResult): DeliveryResult {
  const [run, ...others] = runs;
  if (result.status === 'later' || (run === undefined && reasons.length === 0)) return result;
  const texts = [...others.map((other) => `run ${other} reacted too`), ...reasons];
  if (run === undefined) return { ...result, reason: [...(result.reason === undefined ? [] : [result.reason]), ...texts].join('; ') };
  if (result.status === 'done')
    return { ...result, reason: [result.reason ?? '', `run ${run} reacted`, ...texts].filter((text) => text !== '').join('; ') };
  return { status: 'done', run, reason: ['it reacted', ...texts].join('; ') };
}

/** The repository of a payload, if it is not the configured one: a webhook of an App can be about any repository. */
function foreignRepository({ webhook }: ForgeEventSettings, { payload: { repository } }: ReceivedEvent): string | undefined {
  const name = isJsonObject(repository) ? repository.full_name : undefined;
  if (webhook === undefined || typeof name !== 'string') return undefined;
  return name.toLowerCase() === webhook.repository.toLowerCase() ? undefined : name;
}

/** The workflows that an event asks for. */
interface RequestedStart {
  readonly workflows: readonly SelectedWorkflow[];
  /** Whether a person named the workflow. */
  readonly isNamed: boolean;
  /** The run that caused the event. */
  readonly cause?: string | undefined;
}

/** The workflows that an event which Pawl caused may start; a string says why there is none (FT5, FT6). */
function withoutOwnStarts({ workflows, isNamed }: RequestedStart, own: OwnAction): RequestedStart | string {
  const judged = workflows.map((selected) => ({
    selected,
    refusal: ownRefusal(own, { workflow: selected.workflow, isNamed, fromRuns: selected.trigger?.fromRuns === true }),
  }));
  const left = judged.flatMap(({ selected, refusal }) => (refusal === undefined ? [selected] : []));
  if (left.length > 0) return { workflows: left, isNamed, cause: own.runs[0]?.id };
  return judged.map(({ refusal }) => refusal).join('; ');
}

/** The workflows that an event asks for; a string says why there is none. */
async function requestedBy(
  { triggers, ages, settings, services: { events, project } }: ActingParts,
  delivery: StoredDelivery,
  received: ReceivedEvent,
): Promise<RequestedStart | string> {
  const { forge } = settings;
  const commanded = await commandedBy({ settings, project }, delivery, received);
  if (typeof commanded === 'string') return commanded;
  if (commanded !== undefined) return { workflows: [commanded], isNamed: true };
  const bot = mayNameWorkflow(received) ? valueIn(await forge.whoami()).login : '';
  const named = namedIn(received, bot);
  if (named !== undefined) return { workflows: [{ workflow: named }], isNamed: true };
  const selected = selectTriggered(await triggers(delivery), received);
  if (typeof selected === 'string') return selected;
  const left = await withinLimits(forge, selected, {
    ...{ received, now: clockOf(events).now() },
    endOf: (workflow, trigger) => ages.endOf(workflow, trigger),
  });
  return typeof left === 'string' ? left : { workflows: left, isNamed: false };
}

interface StartRequest {
  readonly delivery: StoredDelivery;
  readonly received: ReceivedEvent;
  readonly requested: RequestedStart;
}

/** Why an event may not start what it asks for (FT3, FT4). */
async function refusalOf(parts: ForgeHandlerParts, { delivery, received, requested }: StartRequest): Promise<string | undefined> {
  const { actor } = received.event;
  const { pr } = subjectOf(received.payload);
  const instead = `someone with write permission can add the label "workflow:${requested.workflows[0]?.workflow}"`;
  const pull = pr === undefined || requested.isNamed ? undefined : await pullRequestOf(parts, pr);
  const isListed = pull !== undefined && isListedFork(pull, parts.settings.forks);
  // A person who replays an event at the command line is responsible for it.
  if (sourceOf(delivery) !== 'manual' && !(isListed && isForkPush(received.event))) {
    if (actor === undefined) return `the event names no sender, so it may not start workflows; ${instead}`;
    const permission = await permissionOf(parts, actor);
    if (permission !== 'admin' && permission !== 'write')
      return `"${actor}" may not start workflows (permission: ${permission}); ${instead}`;
  }
  if (pull?.fork !== true || isListed) return undefined;
  return `pull request #${pr} comes from a fork, so it does not start workflows by itself; ${instead}`;
}

async function permissionOf({ settings: { forge } }: ForgeHandlerParts, actor: string): Promise<Permission> {
  const found = await forge.permission(actor);
  if (found.result === 'not_found') return 'none';
  const permission = valueIn(found);
  if (permission === 'admin' || permission === 'write') return permission;
  // GitHub does not report the permission of an App like that of a person.
  const self = valueIn(await forge.whoami());
  return isSamePerson(self.login, actor) ? self.permission : permission;
}

async function startAll(parts: ForgeHandlerParts, start: StartRequest): Promise<DeliveryResult> {
  const runs: string[] = [];
  const reasons: string[] = [];
  let failure: unknown;
  for (const workflow of start.requested.workflows) {
    try {
      const started = await startOne(parts, start, workflow);
      if ('run' in started) runs.push(started.run);
      else reasons.push(started.reason);
    } catch (error) {
      if (!isEngineError(error) || isTemporary(error)) throw error;
      failure ??= error;
      reasons.push(messageOf(error));
    }
  }
  const [run, ...others] = runs;
  if (run === undefined && failure !== undefined) throw failure;
  const reason = [...others.map((other) => `it also started run ${other}`), ...reasons].join('; ');
  return run === undefined ? ignored(reason) : { status: 'done', run, ...(reason === '' ? {} : { reason }) };
}

type StartResult = { readonly run: string } | { readonly reason: string };

/** Starts one workflow; returns the run, also if an earlier attempt started it. */
async function startOne(
  parts: ForgeHandlerParts,
  { delivery, received, requested }: StartRequest,
  { workflow: name, trigger, start }: SelectedWorkflow,
): Promise<StartResult> {
  const { engine, project } = parts.services;
  const { event, payload } = received;
  const { issue, pr, facts: known } = subjectOf(payload);
  const subject = omitUndefined({ issue, pr });
  // The ids of events are unique only within their forge.
  const place = parts.settings.repository === undefined ? delivery.route : `${delivery.route}/${parts.settings.repository}`;
  const run =
    start === undefined
      ? deriveRunId(`delivery/${place}/${name}`, delivery.delivery)
      : deriveRunId(`command/${place}/${name}`, event.comment ?? delivery.delivery);
  const startable = await project.startable(name, {}, { event: event.event, payload, facts: known });
  const { workflow, file, facts } = startable;
  const pull = pr === undefined ? undefined : await pullRequestOf(parts, pr);
  const refusal = pull?.fork === true ? forkRefusal(pull, { delivery, event, startable, name }) : undefined;
  if (refusal !== undefined) return { reason: refusal };
  const open = (await openRunsFor(engine.store, name, subject)).find((other) => other.id !== run);
  if (open !== undefined) {
    const isNewHead = trigger?.followsHead === true && event.event === 'pull_request.synchronize' && pr !== undefined;
    if (!isNewHead) return { reason: messageOf(secondRun(open, subject)) };
    const stays = await cancelForNewHead(engine, open, { event, current: pull?.headSha });
    if (stays !== undefined) return { reason: stays };
  }
  const origin = {
    event: event.event,
    deliveryId: delivery.delivery,
    ...subject,
    ...omitUndefined({ actor: event.actor, file, cause: requested.cause }),
  };
  try {
    const params = start === undefined ? {} : paramsBehind(start, compiledOf(workflow).definition.params);
    await engine.start(workflow, params as never, { id: run, origin, facts: { ...known, ...facts, ...TRIGGER.with(payload) } });
    await assertFirstFor(engine, run, subject);
  } catch (error) {
    if (start !== undefined && isEngineError(error) && error.code === 'PARAMS_INVALID') return { reason: messageOf(error) };
    if (!isEngineError(error) || error.code !== 'RUN_EXISTS') throw error;
    // An earlier attempt started this run, or another process started one for the same subject.
    if (error.details?.run !== undefined && error.details.run !== run) return { reason: messageOf(error) };
  }
  return { run };
}

async function pullRequestOf({ settings: { forge } }: ForgeHandlerParts, pr: number): Promise<PullRequestFacts | undefined> {
  const pull = await forge.pullRequest(pr);
  return pull.result === 'not_found' ? undefined : valueIn(pull);
}

interface ForkStart {
  readonly delivery: StoredDelivery;
  readonly event: ReceivedEvent['event'];
  readonly startable: StartableWorkflow;
  readonly name: string;
}

/** Why a workflow does not start for a pull request from a fork (FT4). */
function forkRefusal({ number, headSha }: PullRequestFacts, { delivery, event, startable, name }: ForkStart): string | undefined {
  const { workflow, secretRoles: [role] = [] } = startable;
  const subject = `pull request #${number} comes from a fork, and`;
  if (readsSecrets(compiledOf(workflow))) return `${subject} "${name}" reads secrets; use a workflow that reads none`;
  if (role !== undefined) return `${subject} "${name}" uses the role "${role}", which gets secrets; use a workflow whose roles get none`;
  // The person who added the label reviewed the commits of that time.
  const isOlder = event.label !== undefined && event.sha !== undefined && event.sha !== headSha;
  if (!isOlder || sourceOf(delivery) === 'manual') return undefined;
  return `${subject} its head was ${event.sha?.slice(0, 12)} when the label was added and is ${headSha.slice(0, 12)} now; review it, then add the label again`;
}

/** Whether a template of a workflow, or of one that it starts, could read a secret. */
function readsSecrets(workflow: CompiledWorkflow): boolean {
  if (/\bsecrets\b\s*[.[]|\{\{(?:(?!\}\}).)*\bsecrets\b/s.test(JSON.stringify(workflow.definition))) return true;
  return [...workflow.children.values()].some((child) => child !== workflow && readsSecrets(child));
}

/** How old an event may be. GitHub itself redelivers only within days. */
const AGE_MAX_MS = 30 * 86_400_000;
/** The actions on a pull request after which it is open. */
const LIVE: ReadonlySet<string> = new Set(['opened', 'reopened', 'synchronize', 'ready_for_review']);

/**
 * Why the event of a webhook is out of date; undefined if it is not. GitHub's signature does not cover a time, and deliveries can
 * be late, out of order, or replayed by a person who saw one. So an event is compared with the current state of its subject.
 */
async function staleReason(
  { services, settings }: { readonly services: Pick<EventServices, 'events'>; readonly settings: { readonly forge: ForgeReader } },
  event: ForgeEvent,
): Promise<string | undefined> {
  if (clockOf(services.events).now() - event.at > AGE_MAX_MS)
    return `it is from ${new Date(event.at).toISOString()}, which is too old; "pawl trigger" replays an event by hand`;
  const { kind, action = '' } = parseEvent(event.event);
  const isLabel = action === 'labeled' && event.label !== undefined;
  const isLive = kind === 'pull_request' && LIVE.has(action);
  if (!isLabel && !isLive) return undefined;
  const subject = await subjectFacts(settings.forge, event);
  // If it cannot be read, the code that acts on it decides.
  if (subject === undefined) return undefined;
  if (isLive && subject.state !== 'open') return `pull request #${event.pr} is now ${subject.state}`;
  if (isLabel && !subject.labels.includes(event.label ?? '')) return `the label "${event.label}" was removed meanwhile`;
  return undefined;
}

async function subjectFacts(forge: ForgeReader, { issue, pr }: ForgeEvent): Promise<IssueFacts | PullRequestFacts | undefined> {
  if (pr === undefined && issue === undefined) return undefined;
  const found = pr === undefined ? await forge.issue(issue ?? 0) : await forge.pullRequest(pr);
  return found.result === 'not_found' ? undefined : valueIn<IssueFacts | PullRequestFacts>(found);
}

function ignored(reason: string): DeliveryResult {
  return { status: 'ignored', reason };
}

const PUSH_EVENTS: readonly string[] = [
  ...['pull_request.opened', 'pull_request.reopened', 'pull_request.ready_for_review', 'pull_request.synchronize'],
];

/** Whether a pull request comes from a fork that the settings list, by its owner or as `owner/name`. */
function isListedFork({ fork, headRepository }: PullRequestFacts, listed: readonly string[] = []): boolean {
  if (!fork || headRepository === undefined) return false;
  const { owner, name } = headRepository;
  const names = [owner, `${owner}/${name}`].map((text) => text.toLowerCase());
  return listed.some((fork) => names.includes(fork.toLowerCase()));
}

/**
 * Whether a person caused an event by pushing to a fork. Only such events of a listed fork start workflows: they cannot name a
 * workflow, decide anything, wake a run or see a secret. The workflows are those of the served project, whatever the fork changed.
 */
export function isForkPush({ event, actor }: ForgeEvent): boolean {
  return PUSH_EVENTS.includes(event) && actor !== undefined && !actor.endsWith('[bot]');
}

/** The workflows that events start, as they were when a delivery arrived, or later. */
type KnownTriggers = (delivery: StoredDelivery) => Promise<readonly TriggeredWorkflow[]>;

/**
 * Creates the reader. What it read is used again for deliveries of the same batch that arrived before it was read: deliveries
 * come in bursts, and for one that starts nothing, reading the files takes longer than everything else.
 */
function knownTriggers(project: ServedProject, deliveries: Deliveries, now: () => number): KnownTriggers {
  let known: { readonly batch: number; readonly at: number; readonly found: readonly TriggeredWorkflow[] } | undefined;
  return async ({ receivedAt }) => {
    const { batch } = deliveries;
    if (known !== undefined && known.batch === batch && receivedAt < known.at) return known.found;
    const at = now();
    const found = (await project.triggered?.()) ?? [];
    known = { batch, at, found };
    return found;
  };
}

/**
 * Cancels an open run for an earlier head of a pull request, so that another run can begin with the new head. An event about a
 * head that is no longer the current one does nothing; neither a run's own push nor an event about the head that it began with
 * cancels it. Returns the reason if the run continues.
 */
async function cancelForNewHead(
  engine: Engine,
  open: RunSummary,
  { event: { sha }, current }: { readonly event: ForgeEvent; readonly current: string | undefined },
): Promise<string | undefined> {
  const head = sha ?? current;
  if (current === undefined || head !== current) return 'the head of the pull request has changed again since';
  const pushed = PUSHED.read((await engine.store.data(open.id, [PUSHED.key])).get(PUSHED.key));
  if (open.origin.head?.from === head || pushed === head) return `run ${open.id} already works on that head`;
  await engine.run(open.id).cancel({ actor: 'pawl', reason: `the pull request has a new head, ${head.slice(0, 12)}` });
  return undefined;
}
