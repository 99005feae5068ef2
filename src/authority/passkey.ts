// Owns passkeys as signing keys: the text form of their public key, and whether an assertion signs a challenge. It is
// verified here and not by a library of the server, because every process that reads a log must be able to verify it,
// synchronously and for as long as the log exists.
//
// - The authenticator must have verified the person (PIN, fingerprint, face): a touch only proves that someone was present.
// - The value has only one encoding, so that an assertion cannot be used twice under two encodings.

import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { parseJsonObject } from '../base/json.ts';

/** The response of an authenticator to a challenge; every part is in base64url. */
interface Assertion {
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
}

/** The prefix of the line that enrols a passkey. */
export const PASSKEY_PREFIX = 'pawl-passkey';

const KEY = /^([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?):([\w-]{40,1400})$/;
const RP_HASH_BYTES = 32;
const DATA_BYTES_MIN = 37;
const PERSON_PRESENT = 0x01;
const PERSON_VERIFIED = 0x04;

/** The text form of a passkey's public key: the name of the site it belongs to, and the key as SPKI in base64url. */
export function passkeyText(site: string, key: KeyObject): string {
  return `${site}:${key.export({ format: 'der', type: 'spki' }).toString('base64url')}`;
}

/** True for the public key of a passkey that can be verified. */
export function isPasskey(text: string): boolean {
  return partsOf(text) !== undefined;
}

/** The signature value that a log carries. */
export function assertionText({ authenticatorData, clientDataJSON, signature }: Assertion): string {
  return [authenticatorData, clientDataJSON, signature].join('.');
}

/** Whether this passkey signed this challenge, which is in base64url. */
export function isAssertionOf(key: string, challenge: string, value: string): boolean {
  const passkey = partsOf(key);
  const parts = value.split('.').map((part) => bytesOf(part));
  const [data, client, signature] = parts;
  if (passkey === undefined || parts.length !== 3 || data === undefined || client === undefined || signature === undefined) return false;
  if (data.length < DATA_BYTES_MIN || !isFor(passkey.site, { data, client, challenge })) return false;
  const signed = Buffer.concat([data, hash('sha256', client, 'buffer')]);
  try {
    return verify(passkey.key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, passkey.key, signature);
  } catch {
    // A malformed signature is not valid.
    return false;
  }
}

/** Whether the data is for this site and challenge, and the authenticator verified the person. */
function isFor(
  site: string,
  { data, client, challenge }: { readonly data: Buffer; readonly client: Buffer; readonly challenge: string },
): boolean {
  const flags = data[RP_HASH_BYTES] ?? 0;
  if ((flags & PERSON_PRESENT) === 0 || (flags & PERSON_VERIFIED) === 0) return false;
  if (!data.subarray(0, RP_HASH_BYTES).equals(hash('sha256', site, 'buffer'))) return false;
  const { type, challenge: signed, origin, crossOrigin } = parseJsonObject(client.toString('utf8')) ?? {};
  return type === 'webauthn.get' && signed === challenge && crossOrigin !== true && isOriginOf(site, origin);
}

function isOriginOf(site: string, origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  const { hostname, protocol } = new URL(origin);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && /^(?:.+\.)?localhost$/.test(hostname));
  return isSecure && (hostname === site || hostname.endsWith(`.${site}`));
}

function partsOf(text: string): { readonly site: string; readonly key: KeyObject } | undefined {
  const [, site = '', spki = ''] = KEY.exec(text) ?? [];
  const der = bytesOf(spki);
  if (der === undefined || der.length === 0) return undefined;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
    const isKnown = type === 'ed25519' || type === 'rsa' || (type === 'ec' && details?.namedCurve === 'prime256v1');
    return isKnown && passkeyText(site, key) === text ? { site, key } : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of canonical base64url; undefined for any other encoding. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
