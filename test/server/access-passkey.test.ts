import { afterEach, beforeEach, expect, test } from 'vitest';
import { changeKeyList } from '../../src/authority/key-files.ts';
import { generateKey } from '../../src/authority/keys.ts';
import { tempFolder } from '../temp-folder.ts';
import { AccessRig, cookieIn } from './access-rig.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

let rig: AccessRig;
let ann: string;
let state: string;
const owner = generateKey('olga');

beforeEach(async () => {
  state = tempFolder();
  changeKeyList(state, (list) => list.enrol(owner, owner, 1));
  rig = await AccessRig.open({ decisions: 'signed', identities: state, server: { identities: state } });
  ann = await rig.login('ann');
});
afterEach(() => rig.close());

interface Options {
  readonly options: {
    readonly challenge: string;
    readonly rp?: { readonly id: string };
    readonly allowCredentials?: readonly { readonly id: string }[];
  };
}

const challengeAt = async (path: string, asked: { readonly cookie?: string; readonly body?: unknown } = {}): Promise<string> =>
  (await rig.send('POST', path, { headers: { 'x-pawl': '1' }, body: {}, ...asked })).json<Options>().options.challenge;

/** Registers a passkey of ann. */
async function register(phone: SoftwareAuthenticator, faults: object = {}): Promise<{ readonly status: number; readonly code?: unknown }> {
  const challenge = await challengeAt('/api/v1/passkeys/options', { cookie: ann });
  const body = { response: phone.register(challenge, faults), title: 'phone' };
  const reply = await rig.send('POST', '/api/v1/passkeys', { cookie: ann, body });
  return { status: reply.status, code: reply.json().code };
}

const login = (response: unknown) => rig.send('POST', '/auth/passkey', { headers: { 'x-pawl': '1' }, body: { response } });

test('a passkey is registered in the browser and logs its person in', async () => {
  const phone = new SoftwareAuthenticator(rig.url);
  expect(await register(phone)).toMatchObject({ status: 201 });
  const reply = await login(phone.assert(await challengeAt('/auth/passkey/options')));
  expect(reply.status).toBe(200);
  const cookie = cookieIn(reply);
  expect(await rig.code('GET', '/api/v1/runs', { cookie })).toBe('ok');
  const listed = (await rig.send('GET', '/api/v1/passkeys', { cookie })).json<{ passkeys: readonly object[] }>();
  expect(listed.passkeys).toMatchObject([{ person: 'ann', title: 'phone', isEnrolled: false, publicKey: `pawl-passkey ${phone.key} ann` }]);
});

test.each([
  ['another origin', { origin: 'https://evil.example' }],
  ['another site', { site: 'evil.example' }],
  ['a touch only', { isVerified: false }],
])('a passkey with %s is not registered and does not log in', async (_, faults) => {
  expect(await register(new SoftwareAuthenticator(rig.url), faults)).toEqual({ status: 403, code: 'PASSKEY_INVALID' });
  const phone = new SoftwareAuthenticator(rig.url);
  await register(phone);
  const reply = await login(phone.assert(await challengeAt('/auth/passkey/options'), faults));
  expect([reply.status, reply.headers['set-cookie']]).toEqual([403, undefined]);
});

test('a passkey answers a challenge of this server once, in time, and only for its purpose', async () => {
  const phone = new SoftwareAuthenticator(rig.url);
  await register(phone);
  const answered = phone.assert(await challengeAt('/auth/passkey/options'));
  expect((await login(answered)).status).toBe(200);
  expect((await login(answered)).json()).toMatchObject({ code: 'PASSKEY_INVALID' });
  expect((await login(phone.assert('AAAA'))).json()).toMatchObject({ code: 'PASSKEY_INVALID' });
  const forRegistration = await challengeAt('/api/v1/passkeys/options', { cookie: ann });
  expect((await login(phone.assert(forRegistration))).json()).toMatchObject({ code: 'PASSKEY_INVALID' });
  const late = phone.assert(await challengeAt('/auth/passkey/options'));
  rig.wait(5 * 60_000);
  expect((await login(late)).json()).toMatchObject({ code: 'PASSKEY_INVALID' });
});

test('a passkey that is not registered, or was revoked, cannot log in', async () => {
  const phone = new SoftwareAuthenticator(rig.url);
  expect((await login(phone.assert(await challengeAt('/auth/passkey/options')))).status).toBe(403);
  await register(phone);
  expect(await rig.code('DELETE', `/api/v1/passkeys/${phone.id}`, { cookie: ann })).toBe('ok');
  expect((await login(phone.assert(await challengeAt('/auth/passkey/options')))).status).toBe(403);
});

/** The signature of ann's passkey for a decision. */
async function signed(phone: SoftwareAuthenticator, made: object): Promise<Record<string, unknown>> {
  const challenge = await challengeAt('/api/v1/signatures/options', { cookie: ann, body: made });
  const reply = await rig.send('POST', '/api/v1/signatures', { cookie: ann, body: { response: phone.assert(challenge) } });
  return reply.json<{ signature: Record<string, unknown> }>().signature;
}

/** Decides over HTTP in the name of ann; returns the status of the run, or the code of the failure. */
const decide = async (run: string, decision: object): Promise<string> => {
  const code = await rig.code('POST', `/api/v1/runs/${run}/decide`, { cookie: ann, body: decision });
  return code === 'ok' ? (await rig.engine.run(run).wait()).status : code;
};

test('a decision that must be signed is signed only with a passkey that an enrolled key has enrolled', async () => {
  const phone = new SoftwareAuthenticator(rig.url);
  await register(phone);
  const { id, digest } = await rig.parked();
  const made = { run: id, digest, option: 'approve' };
  expect(await decide(id, { option: 'approve', digest })).toBe('SIGNATURE_REQUIRED');
  expect(await decide(id, { option: 'approve', digest, signature: await signed(phone, made) })).toBe('SIGNATURE_INVALID');
  changeKeyList(state, (list) => list.enrol({ name: 'ann', key: phone.key }, owner, 2));
  const signature = await signed(phone, made);
  expect(await decide(id, { option: 'rework', input: 'x', digest, signature })).toBe('SIGNATURE_INVALID');
  expect(await decide(id, { option: 'approve', digest, input: 'other', signature })).toBe('SIGNATURE_INVALID');
  expect(await decide(id, { option: 'approve', digest, signature })).toBe('completed');
});

test('a decision that must be signed accepts an assertion once: neither the challenge nor the signature can be reused', async () => {
  const phone = new SoftwareAuthenticator(rig.url);
  await register(phone);
  changeKeyList(state, (list) => list.enrol({ name: 'ann', key: phone.key }, owner, 2));
  const [one, two] = [await rig.parked(), await rig.parked()];
  const challenge = await challengeAt('/api/v1/signatures/options', {
    cookie: ann,
    body: { run: one.id, digest: one.digest, option: 'approve' },
  });
  const body = { response: phone.assert(challenge) };
  const { signature } = (await rig.send('POST', '/api/v1/signatures', { cookie: ann, body })).json<{ signature: object }>();
  expect(await rig.code('POST', '/api/v1/signatures', { cookie: ann, body })).toBe('PASSKEY_INVALID');
  expect(await decide(two.id, { option: 'approve', digest: two.digest, signature })).toBe('SIGNATURE_INVALID');
  expect(await decide(one.id, { option: 'approve', digest: one.digest, signature })).toBe('completed');
});

test('a decision that must be signed gets no challenge for other content, nor for the passkey of another person', async () => {
  const phone = new SoftwareAuthenticator(rig.url);
  await register(phone);
  const { id, digest } = await rig.parked();
  const asked = { run: id, digest: 'f'.repeat(64), option: 'approve' };
  expect(await rig.code('POST', '/api/v1/signatures/options', { cookie: ann, body: asked })).toBe('CONTENT_CHANGED');
  const bob = await rig.login('bob');
  expect(await rig.code('POST', '/api/v1/signatures/options', { cookie: bob, body: { ...asked, digest } })).toBe('SIGNATURE_REQUIRED');
  const challenge = await challengeAt('/api/v1/signatures/options', { cookie: ann, body: { ...asked, digest } });
  const body = { response: phone.assert(challenge) };
  expect(await rig.code('POST', '/api/v1/signatures', { cookie: bob, body })).toBe('PASSKEY_INVALID');
});
