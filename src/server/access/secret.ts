// Owns secrets: how they are created, and the form in which they are stored. A secret has 256 random bits, so a plain hash
// is enough: a slow hash would only protect secrets that can be guessed. Rows are found by the hash, so the time of a
// search depends on the hash of what was sent, and reveals nothing about any secret.

import { randomBytes } from 'node:crypto';
import { digestText } from '../../base/digest.ts';

/** What a secret is for. The prefix shows it, so that a leaked secret can be recognised. */
type SecretUse = 'session' | 'page' | 'token' | 'link';

const PREFIX = { session: 'pawls_', page: 'pawlp_', token: 'pawlt_', link: 'pawll_' } as const;
const SECRET_BYTES = 32;
const ID_BYTES = 9;

/** A new secret, which is shown once, and the hash that is stored. */
export function createSecret(use: SecretUse): { readonly secret: string; readonly hash: string } {
  const secret = `${PREFIX[use]}${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { secret, hash: digestText(secret) };
}

/** Whether a text can be a secret for this use; anything else needs no database lookup. */
export function isSecret(use: SecretUse, text: string): boolean {
  return text.startsWith(PREFIX[use]) && /^\w+_[\w-]{43}$/.test(text);
}

/** The id of a row, which is no secret. */
export function createId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}
