// Owns a software authenticator: it registers passkeys and signs challenges like that of a phone, so that tests need no
// browser.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { passkeyText } from '../../src/authority/passkey.ts';

/** A possible fault of an answer. */
interface Faults {
  /** The origin that the browser says it is on. */
  readonly origin?: string;
  /** The site that the authenticator answers for. */
  readonly site?: string;
  /** False if only a touch was asked for, and no PIN or fingerprint. */
  readonly isVerified?: boolean;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

/** One passkey in its authenticator. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;
  private readonly site: string;
  private readonly origin: string;
  private counter = 0;

  constructor(origin: string) {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.publicKey = pair.publicKey;
    this.privateKey = pair.privateKey;
    this.origin = origin;
    this.site = new URL(origin).hostname;
  }

  /** The public key as it is enrolled. */
  get key(): string {
    return passkeyText(this.site, this.publicKey);
  }

  /** The result of `navigator.credentials.create`, as JSON. */
  register(challenge: string, faults: Faults = {}): Record<string, unknown> {
    const { x = '', y = '' } = this.publicKey.export({ format: 'jwk' });
    const cose = cborMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cose]);
    const authData = Buffer.concat([this.head(faults, HAS_KEY), attested]);
    const attestationObject = cborMap([
      ['fmt', 'none'],
      ['attStmt', new Map<string, string>()],
      ['authData', authData],
    ]);
    return this.reply({
      clientDataJSON: this.client('webauthn.create', challenge, faults).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The result of `navigator.credentials.get`, as JSON. */
  assert(challenge: string, faults: Faults = {}): { readonly response: Record<string, string> } & Record<string, unknown> {
    this.counter += 1;
    const client = this.client('webauthn.get', challenge, faults);
    const data = this.head(faults, 0);
    const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), this.privateKey);
    return this.reply({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  private reply<R>(response: R): { readonly response: R } & Record<string, unknown> {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  private client(type: string, challenge: string, { origin = this.origin }: Faults): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  private head({ site = this.site, isVerified = true }: Faults, more: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | more;
    return Buffer.concat([createHash('sha256').update(site).digest(), Buffer.from([flags]), counter]);
  }
}

type Cbor = number | string | Buffer | Map<string, string>;

function cborMap(entries: readonly (readonly [number | string, Cbor])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, value]) => [cbor(key), cbor(value)])]);
}

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  return value instanceof Map ? head(5, 0) : Buffer.concat([head(2, value.length), value]);
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  return count < 256 ? Buffer.from([(major << 5) | 24, count]) : Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
}
