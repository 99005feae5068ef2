// Owns the signatures of deliveries, in the scheme of Standard Webhooks. A signature covers the id, the time and the raw
// body, so that none of them can be changed, and an old delivery cannot be replayed.

import { createHmac, timingSafeEqual } from 'node:crypto';

/** The headers of a signed delivery. */
export const SIGNED_HEADERS = { id: 'webhook-id', time: 'webhook-timestamp', signature: 'webhook-signature' } as const;

interface SignedDelivery {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** Signs a delivery: `v1,` and the HMAC-SHA256 in base64. */
export function signDelivery(secret: string, { id, timestamp, body }: SignedDelivery): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Why a delivery is not accepted, for the log; undefined if it is accepted. */
export function signatureProblem(
  secret: string,
  delivery: SignedDelivery & { readonly signature: string },
  { now, windowMs }: { readonly now: number; readonly windowMs: number },
): string | undefined {
  const { id, timestamp, signature } = delivery;
  // Anybody can sign with an empty secret.
  if (keyOf(secret).length === 0) return 'the secret of the hook is empty';
  if (!/^[\w.:-]{1,200}$/.test(id)) return `its ${SIGNED_HEADERS.id} must be 1 to 200 letters, digits and ". : _ -"`;
  if (!/^\d{1,12}$/.test(timestamp)) return `its ${SIGNED_HEADERS.time} must be a time in seconds`;
  // While a sender rotates its secret, it may sign with both the old and the new one.
  const signatures = signature.split(' ').slice(0, SIGNATURES_MAX);
  const expected = Buffer.from(signDelivery(secret, delivery));
  const isRight = signatures.map((candidate) => isSame(Buffer.from(candidate), expected)).includes(true);
  if (!isRight) return 'its signature does not match';
  const offMs = Math.abs(now - Number(timestamp) * 1000);
  return offMs > windowMs ? `its time is ${Math.round(offMs / 1000)} s off, more than ${Math.round(windowMs / 1000)} s` : undefined;
}

const SIGNATURES_MAX = 5;

function isSame(actual: Buffer, expected: Buffer): boolean {
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** A secret that begins with `whsec_` is base64, as libraries of Standard Webhooks write it; any other is text. */
function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret, 'utf8');
}
