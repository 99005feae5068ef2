// Owns content addresses. There is one algorithm everywhere, so that a digest in a record can be checked manually
// (`sha256sum` of the canonical text).

import { hash } from 'node:crypto';
import { canonicalJson, type Json } from './json.ts';

/** A reference to a stored value by the digest of its content. */
export interface Ref {
  readonly digest: string;
  readonly bytes: number;
}

/** Returns the SHA-256 of a string, in hex. */
export function digestText(text: string): string {
  return hash('sha256', text);
}

/** Returns the SHA-256 of bytes, in hex. The UTF-8 bytes of a string have the same digest as the string. */
export function digestBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** Returns the digest of data: equal data has an equal digest, whatever the order of its keys. */
export function digestJson(value: Json): string {
  return digestText(canonicalJson(value));
}
