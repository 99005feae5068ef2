// Owns run ids. Ids are random from the first character, so that a short prefix is already unique, and use an alphabet
// without look-alikes (no i, l, o, u), so that they can be read aloud.

import { hash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;

/** Creates a run id: 16 characters, 80 bits of randomness. */
export function createRunId(): string {
  return encode(randomBytes(LENGTH));
}

/** Returns the id of a child run: always the same for the same parent and path. */
export function deriveRunId(parent: string, path: string): string {
  return encode(hash('sha256', `${parent}\n${path}`, 'buffer'));
}

/** True for text that could be a run id or a prefix of one. */
export function isRunIdPrefix(text: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{1,16}$/.test(text);
}

/** The rule for run ids that callers choose, for messages. */
export const RUN_ID_RULE = 'at most 64 letters, digits, ".", "_" and "-", beginning with a letter or digit';

/** True for text that can be the id of a run. */
export function isRunId(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9][\w.-]{0,63}$/.test(text);
}

function encode(bytes: Uint8Array): string {
  let id = '';
  for (let index = 0; index < LENGTH; index += 1) id += ALPHABET.charAt((bytes[index] as number) & 31);
  return id;
}
