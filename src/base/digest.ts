// Owns content addresses. One algorithm everywhere, so that a digest in a record can be checked by hand
// (`sha256sum` of the canonical text).

import { canonicalJson, type Json } from './json.ts';
import { nodeCrypto } from './node-crypto.ts';
import { sha256 } from './sha256.ts';

/** How many characters are digested in plain code: many more take longer than loading `node:crypto`. */
const PLAIN_MAX = 16_384;

/** How many were, so far. */
let plain = 0;

/** The SHA-256 of a text, in hex. */
export function digestText(text: string): string {
  if (plain <= PLAIN_MAX) plain += text.length;
  return plain > PLAIN_MAX ? nodeCrypto().hash('sha256', text, 'hex') : sha256(text).toString('hex');
}

/** The digest of data: equal data has an equal digest, whatever the order of its keys. */
export function digestJson(value: Json): string {
  return digestText(canonicalJson(value));
}
