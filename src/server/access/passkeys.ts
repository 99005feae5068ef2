// Registers passkeys, logs people in with them, and signs decisions with them. The library verifies registrations and
// logins; whether a signature counts is decided in `src/authority`, for every process alike.
//
// - Every challenge is stored, belongs to one purpose, expires after a few minutes and can be used once, so that a recorded
//   response cannot be replayed.
// - A passkey registered here is valid for logging in. For signed decisions it counts once an enrolled key has enrolled it.

import { createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { fingerprintOf } from '../../authority/keys.ts';
import { assertionText, passkeyText } from '../../authority/passkey.ts';
import { challengeOf, type Statement } from '../../authority/statement.ts';
import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import { type Json, parseJsonObject } from '../../base/json.ts';
import type { Signature } from '../../base/signature.ts';
import { jsonOf, nullable, number, oneOf, rowAs, text } from '../../base/sql-row.ts';
import type { Addresses } from './addresses.ts';
import { type Person, requirePerson } from './people.ts';
import type { AccessStore } from './tables.ts';

/** A registered passkey. */
export interface Passkey {
  /** The id that the authenticator gave it. */
  readonly id: string;
  readonly person: string;
  /** The name that its person gave it. */
  readonly title: string;
  /** The public key, as `pawl identity enrol` takes it. */
  readonly key: string;
  readonly createdAt: number;
  readonly seenAt: number | null;
}

/** Where passkeys are stored, and the addresses of the server they belong to. */
export interface PasskeyStore extends AccessStore {
  readonly addresses: () => Addresses;
}

const CHALLENGE_MS = 5 * 60_000;
/** EdDSA, ES256 and RS256, which every process can verify without a library. */
const ALGORITHMS = [-8, -7, -257];
const TITLE_MAX = 60;
const CHALLENGES_MAX = 10_000;

type Purpose = 'register' | 'login' | 'sign';

/** What a browser needs to create a passkey. */
export async function registrationOptions(store: PasskeyStore, person: Person): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: 'Pawl',
    rpID: rpIdOf(store),
    userName: person.name,
    userDisplayName: person.name,
    userID: new Uint8Array(hash('sha256', `pawl person ${person.name}`, 'buffer')),
    attestationType: 'none',
    excludeCredentials: readPasskeys(store, person.name).map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  storeChallenge(store, { challenge: options.challenge, purpose: 'register', person: person.name });
  return options;
}

/** Registers the passkey that the browser created. */
export async function registerPasskey(
  store: PasskeyStore,
  person: Person,
  { response, title }: { readonly response: RegistrationResponseJSON; readonly title: string },
): Promise<Passkey> {
  const { challenge } = consumeChallenge(store, response, { purpose: 'register', person: person.name });
  const { addresses, database, now } = store;
  const [{ verifyRegistrationResponse }, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ]);
  const { registrationInfo } = await verifyOrThrow(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...addresses().origins],
      expectedRPID: rpIdOf(store),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (registrationInfo === undefined) throw notVerified('the authenticator returned no key');
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const key = passkeyText(rpIdOf(store), keyOf(helpers.decodeCredentialPublicKey(publicKey) as unknown as ReadonlyMap<number, unknown>));
  const passkey: Passkey = {
    id,
    person: person.name,
    title: title.trim().slice(0, TITLE_MAX) || 'passkey',
    key,
    createdAt: now(),
    seenAt: null,
  };
  const cose = Buffer.from(publicKey).toString('base64url');
  const { isNew } = database.insert('passkeys', { ...passkey, cose, counter, transports: JSON.stringify(transports) }, 'ignore');
  if (!isNew) throw notVerified('this passkey is already registered');
  return passkey;
}

/** What a browser needs to log in with a passkey; the authenticator knows the person. */
export async function loginOptions(store: PasskeyStore): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({ rpID: rpIdOf(store), userVerification: 'required' });
  storeChallenge(store, { challenge: options.challenge, purpose: 'login', person: undefined });
  return options;
}

/** The person who answered a challenge with their passkey. */
export async function loginWithPasskey(store: PasskeyStore, response: AuthenticationResponseJSON): Promise<Person> {
  const { challenge } = consumeChallenge(store, response, { purpose: 'login' });
  const row = store.database.get('SELECT * FROM passkeys WHERE id = ?', String(response.id));
  if (row === undefined) throw notVerified('this passkey is not registered here, or was revoked');
  const { id, person, cose, counter } = loginRow(row);
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyOrThrow(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...store.addresses().origins],
      expectedRPID: rpIdOf(store),
      requireUserVerification: true,
      credential: {
        id,
        publicKey: new Uint8Array(Buffer.from(cose, 'base64url')),
        counter,
      },
    }),
  );
  if (!verified) throw notVerified('its signature does not match');
  store.database.run('UPDATE passkeys SET counter = ?, seen_at = ? WHERE id = ?', authenticationInfo.newCounter, store.now(), id);
  return requirePerson(store, person);
}

/** What a browser needs to sign a statement with one of the person's passkeys. */
export async function signingOptions(
  store: PasskeyStore,
  person: string,
  statement: Statement,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const keys = readPasskeys(store, person);
  if (keys.length === 0)
    throw new EngineError(
      'SIGNATURE_REQUIRED',
      `this decision requires a signature, and ${person} has no passkey here; register one in the dashboard, or sign with "pawl decide" at a terminal`,
    );
  const at = store.now();
  const challenge = challengeOf(statement, at);
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(store),
    userVerification: 'required',
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    allowCredentials: keys.map(({ id }) => ({ id })),
  });
  storeChallenge(store, { challenge, purpose: 'sign', person, about: { at } });
  return options;
}

/** The signature in the response to such a challenge. Whether it counts is checked when the decision is made. */
export function signatureOf(store: PasskeyStore, person: string, response: AuthenticationResponseJSON): Signature {
  const { about } = consumeChallenge(store, response, { purpose: 'sign', person });
  const row = store.database.get('SELECT key FROM passkeys WHERE id = ? AND person = ?', String(response.id), person);
  if (row === undefined) throw notVerified(`it is not a passkey of ${person}`);
  const { at } = about as { readonly at: number };
  const { authenticatorData, clientDataJSON, signature } = response.response;
  return {
    key: fingerprintOf({ key: text(row.key, 'key') }),
    at,
    value: assertionText({ authenticatorData, clientDataJSON, signature }),
  };
}

/** The passkeys of one person or of all, oldest first. */
export function readPasskeys({ database }: AccessStore, person?: string): readonly Passkey[] {
  const all = database.all('SELECT * FROM passkeys ORDER BY created_at, id').map(passkeyOf);
  return all.filter((passkey) => person === undefined || passkey.person === person);
}

/** Revokes a passkey; true if there was one. */
export function revokePasskey({ database }: AccessStore, id: string): boolean {
  return database.run('DELETE FROM passkeys WHERE id = ?', id) > 0;
}

interface NewChallenge {
  readonly challenge: string;
  readonly purpose: Purpose;
  readonly person: string | undefined;
  readonly about?: Json;
}

function storeChallenge({ database, now }: AccessStore, { challenge, purpose, person, about = {} }: NewChallenge): void {
  database.transaction(() => {
    database.run('DELETE FROM challenges WHERE expires_at <= ?', now());
    // Anybody may request a challenge to log in, so their number is limited; the oldest of the same purpose are deleted.
    database.run(
      'DELETE FROM challenges WHERE challenge IN (SELECT challenge FROM challenges WHERE kind = ? ORDER BY expires_at DESC LIMIT -1 OFFSET ?)',
      purpose,
      CHALLENGES_MAX,
    );
    const row = { challenge, kind: purpose, person, about: JSON.stringify(about), expiresAt: now() + CHALLENGE_MS };
    database.insert('challenges', row, 'replace');
  });
}

/** The challenge of a response. It is used up even if the response is not valid. */
function consumeChallenge(
  { database, now }: AccessStore,
  { response }: { readonly response?: { readonly clientDataJSON?: unknown } },
  { purpose, person }: { readonly purpose: Purpose; readonly person?: string },
): { readonly challenge: string; readonly about: Json } {
  const challenge = challengeIn(response?.clientDataJSON);
  const row = database.get('DELETE FROM challenges WHERE challenge = ? RETURNING *', challenge);
  const found = row === undefined ? undefined : challengeRow(row);
  const isFor = found?.kind === purpose && (person === undefined || found.person === person);
  if (!isFor || found.expiresAt <= now()) throw notVerified('its challenge is unknown, was used before or has expired; try again');
  return { challenge, about: found.about };
}

function challengeIn(clientDataJSON: unknown): string {
  const { challenge } = parseJsonObject(Buffer.from(String(clientDataJSON), 'base64url').toString('utf8')) ?? {};
  return typeof challenge === 'string' ? challenge : '';
}

async function verifyOrThrow<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (cause) {
    if (isEngineError(cause)) throw cause;
    throw notVerified(messageOf(cause));
  }
}

function notVerified(why: string): EngineError {
  return new EngineError('PASSKEY_INVALID', `the passkey was not accepted: ${why}`);
}

/** The relying party of passkeys. Browsers do not allow an IP address. */
function rpIdOf({ addresses }: PasskeyStore): string {
  const { rpId, baseUrl } = addresses();
  if (isIP(rpId.replace(/[[\]]/g, '')) === 0) return rpId;
  throw new EngineError(
    'PASSKEY_INVALID',
    `passkeys need a host name, but the address of this server is ${baseUrl}; set serve.public_url to an address with a host name`,
  );
}

/** Converts a public key in the format of authenticators (COSE) to one of Node. */
function keyOf(cose: ReadonlyMap<number, unknown>): KeyObject {
  const part = (label: number): string => Buffer.from(cose.get(label) as Uint8Array).toString('base64url');
  const jwks: Readonly<Record<string, () => JsonWebKey>> = {
    1: () => ({ kty: 'OKP', crv: 'Ed25519', x: part(-2) }),
    2: () => ({ kty: 'EC', crv: 'P-256', x: part(-2), y: part(-3) }),
    3: () => ({ kty: 'RSA', n: part(-1), e: part(-2) }),
  };
  const jwk = jwks[String(cose.get(1))];
  if (jwk === undefined) throw notVerified('its kind of key is not supported');
  return createPublicKey({ format: 'jwk', key: jwk() });
}

const passkeyOf = rowAs({ id: text, person: text, title: text, key: text, createdAt: number, seenAt: nullable(number) });
const loginRow = rowAs({ id: text, person: text, cose: text, counter: number });
const challengeRow = rowAs({
  ...{ kind: oneOf('register', 'login', 'sign'), person: nullable(text), about: jsonOf<Json>(), expiresAt: number },
});
