// Owns what a delivery of a forge says: the event, its payload, and what makes two deliveries the same event. A webhook brings
// its payload; for an event that was found by watching, the facts are read from the forge when it is acted on.

import { present } from '../../base/fields.ts';
import { fieldOf, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { payloadOfEvent } from '../../control/trigger/forge-payload.ts';
import { subjectOf } from '../../control/trigger/subject.ts';
import type { ForgeAnswer, ForgeEvent, ForgeReader } from '../../forge/forge.ts';
import type { ReceivedDelivery, StoredDelivery } from '../events/deliveries.ts';

/** By which way an event came: a webhook, by watching the forge, or from a person at the command line. */
type DeliverySource = 'webhook' | 'watch' | 'hand';

/** The header under which a delivery keeps its way. */
export const SOURCE_HEADER = 'x-pawl-way';

/** An event with its payload. */
export interface ForgeOccasion {
  readonly event: ForgeEvent;
  readonly payload: JsonObject;
}

const ACTOR_HEADER = 'x-pawl-actor';

/** A text in a payload; undefined if it is empty or not a text. */
export function textIn(value: Json | undefined, field: string): string | undefined {
  const text = fieldOf(value, field);
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** The delivery of an event that a person replays. The run is theirs, whoever the payload names. */
export function handDelivery({ route, id, event, payload, actor }: HandEvent): ReceivedDelivery {
  return { route, id, event, headers: { [SOURCE_HEADER]: 'hand', [ACTOR_HEADER]: actor }, body: payload };
}

interface HandEvent {
  readonly route: string;
  readonly id: string;
  readonly event: string;
  readonly payload: JsonObject;
  readonly actor: string;
}

/** By which way a delivery came. */
export function sourceOf({ headers }: Pick<StoredDelivery, 'headers'>): DeliverySource {
  return (headers[SOURCE_HEADER] as DeliverySource | undefined) ?? 'webhook';
}

/** The event of a delivery, as forges tell it; without facts. */
export function eventOf(delivery: Pick<StoredDelivery, 'headers' | 'body' | 'delivery' | 'event' | 'receivedAt'>): ForgeEvent {
  if (sourceOf(delivery) === 'watch') return delivery.body as unknown as ForgeEvent;
  const payload = isJsonObject(delivery.body) ? delivery.body : {};
  const { issue, pr } = subjectOf(payload);
  const commentId = fieldOf(payload.comment, 'id');
  const { check_suite, check_run, merge_group, workflow_run } = payload;
  const tested = [check_suite, check_run, merge_group, workflow_run].map((one) => textIn(one, 'head_sha'));
  const shas = [textIn(fieldOf(payload.pull_request, 'head'), 'sha'), ...tested, textIn(payload, 'sha'), textIn(payload, 'after')];
  const sha = shas.find((one) => one !== undefined);
  return {
    ...{ id: delivery.delivery, cursor: '', event: delivery.event ?? '', at: timeOf(payload) ?? delivery.receivedAt },
    actor: textIn(delivery.headers, ACTOR_HEADER) ?? textIn(payload.sender, 'login') ?? '',
    ...present({ issue, pr, sha, branch: branchOf(payload), label: textIn(payload.label, 'name') }),
    ...present({ comment: commentId === undefined ? undefined : String(commentId) }),
  };
}

/** What the branches begin with on which GitHub tests what is in a merge queue. */
const QUEUE = 'gh-readonly-queue/';

/**
 * The branch that was pushed to, or that a merge queue tests. The branches of other checks are left out: they may be those of a
 * fork, and the commit says more.
 */
function branchOf({ ref, merge_group, check_suite, check_run, workflow_run, branches }: JsonObject): string | undefined {
  const pushed = typeof ref === 'string' ? ref : fieldOf(merge_group, 'head_ref');
  if (typeof pushed === 'string' && pushed.startsWith('refs/heads/')) return pushed.slice('refs/heads/'.length);
  const tested = [
    ...[fieldOf(check_suite, 'head_branch'), fieldOf(fieldOf(check_run, 'check_suite'), 'head_branch')],
    ...[fieldOf(workflow_run, 'head_branch'), ...(Array.isArray(branches) ? branches.map((one) => fieldOf(one, 'name')) : [])],
  ];
  return tested.find((name): name is string => typeof name === 'string' && name.startsWith(QUEUE));
}

/** The event of a delivery with its payload. */
export async function occasionOf(forge: ForgeReader, delivery: StoredDelivery): Promise<ForgeAnswer<ForgeOccasion>> {
  const event = eventOf(delivery);
  if (sourceOf(delivery) !== 'watch') return { result: 'ok', value: { event, payload: delivery.body as JsonObject } };
  const payload = await payloadOfEvent(forge, event);
  return payload.result === 'ok' ? { result: 'ok', value: { event, payload: payload.value } } : payload;
}

/** What an event by one way has in common with the same one by another. */
export function keyOfEvent({ event, issue, pr, label, comment, actor, sha }: ForgeEvent): string {
  // Polling shows the author of a pull request where a webhook names who pushed, and not who set a status.
  const isOfCommit = event === 'pull_request.synchronize' || event === 'status' || event.startsWith('check_');
  const who = isOfCommit ? sha : actor.toLowerCase();
  return JSON.stringify([event, pr ?? issue ?? null, label ?? null, comment ?? null, who ?? null]);
}

/** How far apart the times of one event can be that came by two ways. */
const SAME_MS = 120_000;

/** Whether two deliveries with the same key are one event that came by two ways, or by two webhooks: the repository's and the App's. */
export function isSameEvent(one: StoredDelivery, other: StoredDelivery): boolean {
  const ways = [sourceOf(one), sourceOf(other)];
  if (ways.every((way) => way === 'webhook')) return identityOf(one) !== undefined && identityOf(one) === identityOf(other);
  return ways.includes('webhook') && ways.includes('watch') && Math.abs(eventOf(one).at - eventOf(other).at) <= SAME_MS;
}

/** What a webhook is about, to the second; two with the same are the same event. Undefined if the payload names no time. */
function identityOf({ body }: StoredDelivery): string | undefined {
  const payload = isJsonObject(body) ? body : {};
  const at = timeOf(payload);
  const { comment, review, check_run, check_suite } = payload;
  const ids = [comment, review, check_run, check_suite].map((object) => fieldOf(object, 'id') ?? null);
  return at === undefined ? undefined : JSON.stringify([at, ids]);
}

/** When it happened, as far as the payload says. */
function timeOf(payload: JsonObject): number | undefined {
  const { comment, review, check_run, check_suite, pull_request, issue, action } = payload;
  // A review that is dismissed still says when it was submitted.
  const reviewed = action === 'dismissed' ? undefined : fieldOf(review, 'submitted_at');
  const times = [
    ...[fieldOf(comment, 'updated_at'), reviewed, fieldOf(check_run, 'completed_at')],
    ...[fieldOf(check_suite, 'updated_at'), fieldOf(pull_request, 'updated_at'), fieldOf(issue, 'updated_at')],
  ];
  return times.flatMap((time) => (typeof time === 'string' && Number.isFinite(Date.parse(time)) ? [Date.parse(time)] : []))[0];
}
