// Applies an event of a forge to open runs: each run that it is about reacts as its workflow says.
//
// FR3. A run reacts to an event once per reaction, no matter how and how often it is delivered.
// FR4. An event that anyone can cause (a comment, a review) cancels, restarts and wakes nothing unless its actor has write
//      permission and is no program. Any event makes gates check again and notifies people: neither relies on its payload.
// FR5. An event that a person replays manually cancels, restarts and wakes nothing: they can write anything into its payload.

import { omitUndefined } from '../../base/fields.ts';
import { type ReactionModel, reactionMismatch } from '../../definition/trigger/reaction.ts';
import type { ReactionRequest } from '../../engine/request/reactions.ts';
import type { ForgeReader } from '../../forge/forge.ts';
import { membersOf } from '../../forge/people.ts';
import { runKey } from '../../forge/run-key.ts';
import type { StoredDelivery } from '../events/deliveries.ts';
import type { ForgeEventSettings } from '../events/event-settings.ts';
import type { EventServices } from '../events/events.ts';
import { assertAvailable, valueIn } from './forge-unavailable.ts';
import { DefinitionCache, isAbout, type OpenRun, openRunOf, openRunsAbout, subjectOfEvent } from './open-runs.ts';
import { isOwnEvent } from './own-action.ts';
import { type ReceivedEvent, sourceOf, textIn } from './received-event.ts';

/** What reactions act with. */
export interface ReactionParts {
  readonly services: EventServices;
  readonly settings: ForgeEventSettings;
}

interface DeliveredEvent {
  readonly delivery: Pick<StoredDelivery, 'route' | 'delivery' | 'headers'>;
  readonly received: ReceivedEvent;
}

/** The runs that reacted to an event, and why others did not. */
export interface ReactionResult {
  readonly runs: readonly string[];
  readonly reasons: readonly string[];
}

/** Has every open run that an event is about react to it. */
export async function reactTo(parts: ReactionParts, event: DeliveredEvent): Promise<ReactionResult> {
  const { store } = parts.services.engine;
  const runs: string[] = [];
  const reasons: string[] = [];
  const about = await subjectOfEvent(parts.settings.forge, event.received.event);
  for (const { id, origin } of await openRunsAbout(store, about)) {
    const rules = await RULES.get(store, id);
    const matching = rules.flatMap((rule, index) =>
      reactionMismatch(rule, { event: event.received.event.event, payload: event.received.payload }) === undefined ? [{ rule, index }] : [],
    );
    if (matching.length === 0) continue;
    const found = await openRunOf(store, { id, origin });
    if (!isAbout(found, about)) continue;
    if (await isOwnEvent(parts.settings.forge, event.received.event, found)) {
      reasons.push(`run ${id} does not react: it caused the event itself`);
      continue;
    }
    for (const { rule, index } of matching) {
      const refusal = await refusalOf(parts, rule, event);
      if (refusal !== undefined) {
        reasons.push(`run ${id} does not react: ${refusal}`);
        continue;
      }
      await react(parts, { run: found, rule, index, ...event });
      runs.push(id);
    }
  }
  return { runs: [...new Set(runs)], reasons };
}

/** The reactions of each run. */
const RULES = new DefinitionCache(({ onEvents }) => onEvents ?? []);

/** The events that everyone with read access to the repository can cause. */
const OPEN_TO_ALL =
  /^(?:issue_comment|commit_comment|discussion|discussion_comment|pull_request_review\w*)\.|\.(?:opened|edited|reopened)$/;

/** Why a run does not react to an event (FR4, FR5). */
async function refusalOf(
  { settings: { forge } }: ReactionParts,
  { do: action }: ReactionModel,
  { delivery, received }: DeliveredEvent,
): Promise<string | undefined> {
  if (action === 'reevaluate_gates' || action === 'notify') return undefined;
  if (sourceOf(delivery) === 'manual') return 'it was replayed by hand; use "pawl cancel", "pawl resume" or the dashboard';
  return OPEN_TO_ALL.test(received.event.event) ? actorRefusal(forge, received) : undefined;
}

/** Why an event does not count: its actor is not known, is a program, or has no write permission. */
export async function actorRefusal(forge: ForgeReader, { event: { actor }, payload }: ReceivedEvent): Promise<string | undefined> {
  if (actor === undefined) return 'the forge does not say who caused it';
  if (textIn(payload.sender, 'type') === 'Bot' || actor.endsWith('[bot]')) return `"${actor}" is a program`;
  const found = await forge.permission(actor);
  const permission = found.result === 'not_found' ? 'none' : valueIn(found);
  if (permission === 'admin' || permission === 'write') return undefined;
  return `"${actor}" has no write permission (permission: ${permission})`;
}

interface Reaction extends DeliveredEvent {
  readonly run: OpenRun;
  readonly rule: ReactionModel;
  readonly index: number;
}

async function react(parts: ReactionParts, reaction: Reaction): Promise<void> {
  const { run, rule, index, delivery, received } = reaction;
  const { event } = received.event;
  const actor = actorOf(received);
  await parts.services.engine.run(run.id).react({
    action: actionOf(reaction),
    reaction: { rule: index, do: rule.do, event, eventId: `${delivery.route}/${delivery.delivery}` },
    actor,
  });
  if (rule.do === 'notify') await notify(parts, reaction, actor);
}

/** Who caused an event, as it is recorded and shown. Not to be compared with people. */
function actorOf({ event: { actor } }: ReceivedEvent): string {
  return actor ?? 'forge';
}

function actionOf({ rule, index, received }: Reaction): ReactionRequest['action'] {
  const { step, max = 1, do: action } = rule;
  const back = step === undefined ? undefined : { step, rule: index, max };
  if (action === 'cancel') return { do: 'cancel', reason: `${received.event.event} at the forge` };
  if (action === 'invalidate_and_restart' && back !== undefined) return { do: 'back', ...back };
  if (action !== 'wake_agent') return { do: 'recheckGates' };
  return { do: 'wake', note: { event: received.event.event, text: factsOf(received) }, ...omitUndefined({ back }) };
}

/** What happened, as quoted data for the agent. */
function factsOf(received: ReceivedEvent): string {
  const { event, payload } = received;
  const { issue, pr, label, sha } = event;
  const state = textIn(payload.review, 'state');
  const about = [
    ...(pr === undefined ? [] : [`pull request #${pr}`]),
    ...(issue === undefined ? [] : [`issue #${issue}`]),
    ...(label === undefined ? [] : [`label ${JSON.stringify(label)}`]),
    ...(state === undefined ? [] : [`review: ${state.toLowerCase()}`]),
    ...(sha === undefined ? [] : [`commit ${sha}`]),
  ];
  const body = textIn(payload.review, 'body') ?? textIn(payload.comment, 'body');
  return [`${event.event} by ${actorOf(received)}: ${about.join(', ')}`, ...(body === undefined ? [] : ['', body])].join('\n');
}

/** Notifies people at the forge, once. */
async function notify({ settings }: ReactionParts, { run, rule, index, delivery, received }: Reaction, actor: string): Promise<void> {
  const target = rule.notify ?? '';
  const groups = settings.groups?.() ?? {};
  const people = Object.hasOwn(groups, target) ? membersOf(groups, target) : [target];
  const { event, pr, issue } = received.event;
  const message = rule.message ?? `Run ${run.id}: ${event} by ${actor}.`;
  const number = pr ?? issue ?? run.prs[0] ?? run.issue;
  const key = runKey(run.id, 'event', delivery.route, delivery.delivery, index);
  const answer = await settings.forge.notify({ target, people, message, ...omitUndefined({ number }) }, key);
  assertAvailable(answer);
}
