// Reads the deliveries of a forge: the event, its payload, and whether two deliveries are the same event. A webhook
// contains its payload; for an event that was found by polling, it is read from the forge when the delivery is handled.

import { omitUndefined } from '../../base/fields.ts';
import { invariant } from '../../base/invariant.ts';
import { fieldOf, isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { payloadOfEvent } from '../../control/trigger/forge-payload.ts';
import { subjectOf } from '../../control/trigger/subject.ts';
import type { ForgeAnswer, ForgeEvent, ForgeReader } from '../../forge/forge.ts';
import type { ReceivedDelivery, StoredDelivery } from '../events/deliveries.ts';

/** How an event arrived: as a webhook, by polling the forge, or from a person at the command line. */
type DeliverySource = 'webhook' | 'watch' | 'manual';

/** The header in which the source of a delivery is stored. */
export const SOURCE_HEADER = 'x-pawl-source';

/** An event with its payload. */
export interface ReceivedEvent {
  readonly event: ForgeEvent;
  readonly payload: JsonObject;
}

const ACTOR_HEADER = 'x-pawl-actor';

/** A string in a payload; undefined if it is empty or no string. */
export function textIn(value: Json | undefined, field: string): string | undefined {
  const text = fieldOf(value, field);
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** The delivery of an event that a person replays. That person counts as its actor, whatever actor the payload names. */
export function manualDelivery({ route, id, event, payload, actor }: ManualEvent): ReceivedDelivery {
  return { route, id, event, headers: { [SOURCE_HEADER]: 'manual', [ACTOR_HEADER]: actor }, body: payload };
}

interface ManualEvent {
  readonly route: string;
  readonly id: string;
  readonly event: string;
  readonly payload: JsonObject;
  readonly actor: string;
}

/** How a delivery arrived. */
export function sourceOf({ headers }: Pick<StoredDelivery, 'headers'>): DeliverySource {
  return (headers[SOURCE_HEADER] as DeliverySource | undefined) ?? 'webhook';
}

/** The event of a delivery, without its payload. */
export function eventOf(delivery: Pick<StoredDelivery, 'headers' | 'body' | 'delivery' | 'event' | 'receivedAt'>): ForgeEvent {
  const { delivery: id, event } = delivery;
  invariant(event !== null, 'a delivery of a forge has the name of its event', id);
  const payload = isJsonObject(delivery.body) ? delivery.body : {};
  if (sourceOf(delivery) === 'watch') return { id, event, ...watchedFacts(payload, delivery.receivedAt) };
  const { issue, pr } = subjectOf(payload);
  const commentId = fieldOf(payload.comment, 'id');
  const { check_suite, check_run, merge_group, workflow_run } = payload;
  const tested = [check_suite, check_run, merge_group, workflow_run].map((part) => textIn(part, 'head_sha'));
  const shas = [textIn(fieldOf(payload.pull_request, 'head'), 'sha'), ...tested, textIn(payload, 'sha'), textIn(payload, 'after')];
  const sha = shas.find((text) => text !== undefined);
  return {
    ...{ id, event, at: timeOf(payload) ?? delivery.receivedAt },
    ...omitUndefined({ actor: sourceOf(delivery) === 'manual' ? textIn(delivery.headers, ACTOR_HEADER) : textIn(payload.sender, 'login') }),
    ...omitUndefined({ issue, pr, sha, branch: branchOf(payload), label: textIn(payload.label, 'name') }),
    ...omitUndefined({ comment: commentId === undefined ? undefined : String(commentId) }),
  };
}

/** The fields of an event that was found by polling, as its delivery stores them. */
function watchedFacts(stored: JsonObject, receivedAt: number): Omit<ForgeEvent, 'id' | 'event'> {
  const { at, issue, pr } = stored;
  const [actor, label, sha, branch, comment] = ['actor', 'label', 'sha', 'branch', 'comment'].map((field) => textIn(stored, field));
  return {
    at: numberIn(at) ?? receivedAt,
    ...omitUndefined({ actor, label, sha, branch, comment, issue: numberIn(issue), pr: numberIn(pr) }),
  };
}

function numberIn(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The prefix of the branches on which GitHub tests a merge queue. */
const QUEUE = 'gh-readonly-queue/';

/**
 * The branch that was pushed to, or that a merge queue tests. The branches of other checks are left out: they may belong to a
 * fork, and the commit is more precise.
 */
function branchOf({ ref, merge_group, check_suite, check_run, workflow_run, branches }: JsonObject): string | undefined {
  const pushed = typeof ref === 'string' ? ref : fieldOf(merge_group, 'head_ref');
  if (typeof pushed === 'string' && pushed.startsWith('refs/heads/')) return pushed.slice('refs/heads/'.length);
  const tested = [
    ...[fieldOf(check_suite, 'head_branch'), fieldOf(fieldOf(check_run, 'check_suite'), 'head_branch')],
    ...[fieldOf(workflow_run, 'head_branch'), ...(Array.isArray(branches) ? branches.map((branch) => fieldOf(branch, 'name')) : [])],
  ];
  return tested.find((name): name is string => typeof name === 'string' && name.startsWith(QUEUE));
}

/** The event of a delivery with its payload. */
export async function receivedEvent(forge: ForgeReader, delivery: StoredDelivery): Promise<ForgeAnswer<ReceivedEvent>> {
  const event = eventOf(delivery);
  if (sourceOf(delivery) !== 'watch') return { result: 'ok', value: { event, payload: delivery.body as JsonObject } };
  const payload = await payloadOfEvent(forge, event);
  return payload.result === 'ok' ? { result: 'ok', value: { event, payload: payload.value } } : payload;
}

/** A key that is equal for the same event from different sources. */
export function keyOfEvent({ event, issue, pr, label, comment, actor, sha }: ForgeEvent): string {
  // Polling shows the author of a pull request where a webhook names who pushed, and not who set a status.
  const isOfCommit = event === 'pull_request.synchronize' || event === 'status' || event.startsWith('check_');
  const who = isOfCommit ? sha : actor?.toLowerCase();
  return JSON.stringify([event, pr ?? issue ?? null, label ?? null, comment ?? null, who ?? null]);
}

/** How far apart the times of the same event from two sources can be. */
const SAME_MS = 120_000;

/** Whether two deliveries with the same key are one event: from two sources, or from the webhooks of the repository and the App. */
export function isSameEvent(one: StoredDelivery, other: StoredDelivery): boolean {
  const sources = [sourceOf(one), sourceOf(other)];
  if (sources.every((source) => source === 'webhook')) return identityOf(one) !== undefined && identityOf(one) === identityOf(other);
  return sources.includes('webhook') && sources.includes('watch') && Math.abs(eventOf(one).at - eventOf(other).at) <= SAME_MS;
}

/** The time and the subject of a webhook, equal for the same event. Undefined if the payload has no time. */
function identityOf({ body }: StoredDelivery): string | undefined {
  const payload = isJsonObject(body) ? body : {};
  const at = timeOf(payload);
  const { comment, review, check_run, check_suite } = payload;
  const ids = [comment, review, check_run, check_suite].map((object) => fieldOf(object, 'id') ?? null);
  return at === undefined ? undefined : JSON.stringify([at, ids]);
}

/** When the event happened; undefined if the payload has no time. */
function timeOf(payload: JsonObject): number | undefined {
  const { comment, review, check_run, check_suite, pull_request, issue, action } = payload;
  // A dismissed review still has the time of its submission.
  const reviewed = action === 'dismissed' ? undefined : fieldOf(review, 'submitted_at');
  const times = [
    ...[fieldOf(comment, 'updated_at'), reviewed, fieldOf(check_run, 'completed_at')],
    ...[fieldOf(check_suite, 'updated_at'), fieldOf(pull_request, 'updated_at'), fieldOf(issue, 'updated_at')],
  ];
  return times.flatMap((time) => (typeof time === 'string' && Number.isFinite(Date.parse(time)) ? [Date.parse(time)] : []))[0];
}
