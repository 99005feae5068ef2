// Receives GitHub's webhooks at `/hooks/github`: the signature of the raw body is checked before anything is read from it.
// GitHub signs the body and not the id, so the same body under another id is also a repetition.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { digestBytes } from '../../base/digest.ts';
import { EngineError } from '../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ReceivedDelivery } from '../events/deliveries.ts';
import { eventOf, keyOfEvent, SOURCE_HEADER } from './received-event.ts';

/** The largest payload that GitHub sends. */
export const GITHUB_BODY_MAX = 25 * 1024 * 1024;

/** The request of a webhook. */
export interface GitHubRequest {
  readonly body: Uint8Array;
  readonly header: (name: string) => string | undefined;
}

/** Why a request is not accepted, for the log; undefined if it is accepted. */
export function githubProblem(secret: string, { body, header }: GitHubRequest): string | undefined {
  // Anybody can sign with an empty secret.
  if (secret === '') return 'the secret of the webhook is empty';
  const signature = Buffer.from(header('x-hub-signature-256') ?? '');
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return 'its X-Hub-Signature-256 does not match';
  if (!/^[\w-]{1,100}$/.test(header('x-github-delivery') ?? '')) return 'its X-GitHub-Delivery is not an id';
  if (!/^[a-z_]{1,60}$/.test(header('x-github-event') ?? '')) return 'its X-GitHub-Event is not an event';
  return undefined;
}

/** The delivery of a request that was verified. */
export function githubDelivery({ body: bytes, header }: GitHubRequest, body: Json, now: number): ReceivedDelivery {
  if (!isJsonObject(body)) throw new EngineError('REQUEST_INVALID', 'the body must be a JSON object, as GitHub sends it');
  const id = header('x-github-delivery') ?? '';
  const event = eventName(header('x-github-event') ?? '', body);
  const headers = { [SOURCE_HEADER]: 'webhook' };
  const key = keyOfEvent(eventOf({ headers, body, delivery: id, event, receivedAt: now }));
  return { route: 'github', id, event, headers, body, key, digest: digestBytes(bytes) };
}

/** The name of an event as triggers write it: `issues.labeled`, `push`. */
function eventName(event: string, { action }: JsonObject): string {
  return typeof action === 'string' ? `${event}.${action}` : event;
}
