// Owns the keys of people: an ed25519 key pair, the text form of a public key, and the encrypted private key. Node's own
// encrypted export uses 2,048 rounds of PBKDF2, which is far too few for a passphrase, so the private key is encrypted
// here: AES-256-GCM with a key from scrypt.
//
// - A private key is on disk only in encrypted form, and in memory only for signing.
// - A key file whose name, public key or parameters were changed cannot be decrypted: they are authenticated with it.

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  randomBytes,
  scrypt,
  sign,
  verify,
} from 'node:crypto';
import { EngineError } from '../base/error.ts';
import { canonicalJson, type Json } from '../base/json.ts';
import { isPasskey, PASSKEY_PREFIX } from './passkey.ts';

/** A public key and the person it belongs to. */
export interface PublicKey {
  readonly name: string;
  /** The 32 bytes of the key, in base64url; for a passkey the site and the key (`passkey.ts`). */
  readonly key: string;
}

/** The content of a key file: only the private key is encrypted with the passphrase. */
export interface LockedKey extends PublicKey {
  readonly version: 1;
  readonly kdf: { readonly name: 'scrypt'; readonly n: number; readonly r: number; readonly p: number; readonly salt: string };
  readonly cipher: { readonly name: 'aes-256-gcm'; readonly iv: string; readonly tag: string; readonly data: string };
}

/** A key that can sign. */
export interface UnlockedKey extends PublicKey {
  readonly fingerprint: string;
  /** The signature of a text, in base64url. */
  sign(text: string): string;
}

const KDF = { name: 'scrypt', n: 2 ** 17, r: 8, p: 1 } as const;
/** The maximum of scrypt's N in a key file: a larger one would block the machine. */
const N_MAX = 2 ** 20;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const PUBLIC_PREFIX = 'pawl-ed25519';
const NAME = /^[A-Za-z0-9_][\w.@-]{0,63}$/;
/** The minimum length of a passphrase. */
const PASSPHRASE_MIN = 12;
/** How many characters of a fingerprint are shown. */
const FINGERPRINT_SHOWN = 16;

/** Throws if a name is not valid for a person. */
export function assertName(name: string): void {
  if (!NAME.test(name)) throw new EngineError('USAGE', `an identity name must be at most 64 letters, digits and ". - _ @", not "${name}"`);
}

/** Throws if a passphrase is too short. */
export function assertPassphrase(passphrase: string): void {
  if ([...passphrase].length < PASSPHRASE_MIN)
    throw new EngineError('USAGE', `the passphrase must have at least ${PASSPHRASE_MIN} characters; several words are easiest to remember`);
}

/** The SHA-256 of a public key, in hex. */
export function fingerprintOf({ key }: Pick<PublicKey, 'key'>): string {
  return hash('sha256', isPasskey(key) ? key : Buffer.from(key, 'base64url'));
}

/** A shortened fingerprint for people. */
export function shownFingerprint(fingerprint: string): string {
  return fingerprint.slice(0, FINGERPRINT_SHOWN);
}

/** A public key as one line of text. */
export function publicKeyText({ name, key }: PublicKey): string {
  return `${isPasskey(key) ? PASSKEY_PREFIX : PUBLIC_PREFIX} ${key} ${name}`;
}

/** Parses a public key from a line of text; undefined if it is not one. */
export function parsePublicKey(line: string): PublicKey | undefined {
  const [prefix, key = '', name = '', ...more] = line.trim().split(/\s+/);
  const isOurs = prefix === PUBLIC_PREFIX ? isKey(key) : prefix === PASSKEY_PREFIX && isPasskey(key);
  return isOurs && more.length === 0 && NAME.test(name) ? { name, key } : undefined;
}

/** True for 32 bytes in canonical base64url. */
function isKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === KEY_BYTES && bytes.toString('base64url') === text;
}

/** A new key, which can sign and be encrypted for storage. */
interface NewKey extends UnlockedKey {
  lock(passphrase: string): Promise<LockedKey>;
}

/** Generates a key pair. */
export function generateKey(name: string): NewKey {
  assertName(name);
  const { x: key = '', d: secret = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { ...unlockedOf({ name, key }, secret), lock: (passphrase) => lock({ name, key }, secret, passphrase) };
}

async function lock({ name, key }: PublicKey, secret: string, passphrase: string): Promise<LockedKey> {
  assertPassphrase(passphrase);
  const kdf = { ...KDF, salt: randomBytes(SALT_BYTES).toString('base64url') };
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', await derive(passphrase, kdf), iv);
  cipher.setAAD(additionalData({ name, key, kdf }));
  const data = Buffer.concat([cipher.update(Buffer.from(secret, 'base64url')), cipher.final()]);
  const sealed = { iv: iv.toString('base64url'), tag: cipher.getAuthTag().toString('base64url'), data: data.toString('base64url') };
  return { version: 1, name, key, kdf, cipher: { name: 'aes-256-gcm', ...sealed } };
}

/** Decrypts a key; throws PASSPHRASE_WRONG for a wrong passphrase. */
export async function unlockKey(locked: LockedKey, passphrase: string): Promise<UnlockedKey> {
  const { name, key, kdf, cipher } = locked;
  const iv = Buffer.from(cipher.iv, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', await derive(passphrase, kdf), iv, { authTagLength: 16 });
  decipher.setAAD(additionalData({ name, key, kdf }));
  decipher.setAuthTag(Buffer.from(cipher.tag, 'base64url'));
  let secret: string;
  try {
    secret = Buffer.concat([decipher.update(Buffer.from(cipher.data, 'base64url')), decipher.final()]).toString('base64url');
  } catch (cause) {
    throw new EngineError('PASSPHRASE_WRONG', `this is not the passphrase of "${name}", or its key file was changed; nothing was signed`, {
      cause,
    });
  }
  return unlockedOf({ name, key }, secret);
}

function unlockedOf({ name, key }: PublicKey, secret: string): UnlockedKey {
  const privateKey = createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: key, d: secret } });
  return {
    name,
    key,
    fingerprint: fingerprintOf({ key }),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

/** Whether a signature of a text is valid for a public key. */
export function isSigned({ key }: Pick<PublicKey, 'key'>, text: string, signature: string): boolean {
  try {
    const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: key } });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    // A malformed key or signature is not valid.
    return false;
  }
}

/** Parses a key file; undefined if it is not one. */
export function parseLockedKey(text: string): LockedKey | undefined {
  try {
    const file = JSON.parse(text) as LockedKey;
    const { n, r, p, salt } = file.kdf;
    const { iv, tag, data } = file.cipher;
    const areTexts = [salt, iv, tag, data].every((part) => typeof part === 'string');
    const isCostValid = Number.isInteger(n) && n >= KDF.n && n <= N_MAX && r === KDF.r && p === KDF.p;
    const isOurs = file.version === 1 && file.kdf.name === 'scrypt' && file.cipher.name === 'aes-256-gcm';
    return isOurs && areTexts && isCostValid && NAME.test(file.name) && isKey(file.key) ? file : undefined;
  } catch {
    return undefined;
  }
}

function additionalData(fields: Pick<LockedKey, 'name' | 'key' | 'kdf'>): Buffer {
  return Buffer.from(canonicalJson(fields as unknown as Json));
}

/** Normalises a passphrase, because keyboards may compose the same characters differently. */
function derive(passphrase: string, { n, r, p, salt }: LockedKey['kdf']): Promise<Buffer> {
  // These parameters need more memory than the default limit.
  const cost = { N: n, r, p, maxmem: 256 * n * r };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64url'), KEY_BYTES, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
