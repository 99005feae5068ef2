import { expect, test } from 'vitest';
import { KeyList } from '../../src/authority/enrolment.ts';
import { fingerprintOf, generateKey, parsePublicKey, publicKeyText } from '../../src/authority/keys.ts';
import { assertionText } from '../../src/authority/passkey.ts';
import { challengeOf, type DecisionStatement, sign } from '../../src/authority/statement.ts';
import { verifySignature } from '../../src/authority/verification.ts';
import { SoftwareAuthenticator } from './software-authenticator.ts';

const AT = 1_000;
const statement: DecisionStatement = {
  about: 'decision',
  run: 'aaaaaaaaaaaaaaaa',
  path: 'ask#1',
  digest: 'd1',
  option: 'approve',
  input: null,
  actor: 'ann',
};

const owner = generateKey('olga');
const phone = new SoftwareAuthenticator('http://localhost:4100');
const line = `pawl-passkey ${phone.key} ann`;
const list = KeyList.none.enrol(owner, owner, 1).enrol({ name: 'ann', key: phone.key }, owner, 2);
const key = fingerprintOf({ key: phone.key });

type Asserted = ReturnType<SoftwareAuthenticator['assert']>;
const signatureOf = ({ response }: Asserted) => ({
  key,
  at: AT,
  value: assertionText(response as unknown as Parameters<typeof assertionText>[0]),
});
const verified = (asserted: Asserted, about: DecisionStatement = statement, at = AT) =>
  verifySignature(list, { statement: about, signature: signatureOf(asserted), keys: undefined, at });

test('a passkey signs a decision once an enrolled key has enrolled it', () => {
  const asserted = phone.assert(challengeOf(statement, AT));
  expect(verified(asserted)).toMatchObject({ isValid: true, by: { name: 'ann' } });
  const without = KeyList.none.enrol(owner, owner, 1);
  expect(verifySignature(without, { statement, signature: signatureOf(asserted), at: AT })).toMatchObject({ isValid: false });
});

test('an assertion is valid for exactly its run, question, digest, option, text and person', () => {
  const asserted = phone.assert(challengeOf(statement, AT));
  const others: Partial<DecisionStatement>[] = [{ run: 'b' }, { path: 'ask#2' }, { digest: 'd2' }, { option: 'reject' }, { input: 'x' }];
  for (const other of others)
    expect(verified(asserted, { ...statement, ...other }), JSON.stringify(other)).toMatchObject({ isValid: false });
  expect(verified(asserted, { ...statement, actor: 'olga' })).toMatchObject({ isValid: false });
});

test.each([
  ['a touch without PIN or fingerprint', { isVerified: false }],
  ['another site', { site: 'example.com' }],
  ['a page of another site', { origin: 'https://localhost.example.com' }],
  ['an insecure page of another host', { origin: 'http://127.0.0.1:4100' }],
])('an assertion from %s does not count', (_, faults) => {
  expect(verified(phone.assert(challengeOf(statement, AT), faults))).toMatchObject({ isValid: false });
});

test('a passkey has one form: another encoding of a key or an assertion does not count', () => {
  expect(parsePublicKey(line)).toEqual({ name: 'ann', key: phone.key });
  expect(publicKeyText({ name: 'ann', key: phone.key })).toBe(line);
  expect(parsePublicKey(line.replace('pawl-passkey', 'pawl-ed25519'))).toBeUndefined();
  expect(parsePublicKey(`pawl-passkey ${phone.key}A ann`)).toBeUndefined();
  const { value } = signatureOf(phone.assert(challengeOf(statement, AT)));
  const signature = { key, at: AT, value: `${value}=` };
  expect(verifySignature(list, { statement, signature, at: AT })).toMatchObject({ isValid: false });
});

test('a person can have passkeys and a key with a passphrase, and revoking the person revokes all of them', () => {
  const ann = generateKey('ann');
  const both = list.enrol(ann, owner, 3);
  expect(both.active.map(({ name }) => name)).toEqual(['olga', 'ann', 'ann']);
  expect(() => both.enrol(generateKey('ann'), owner, 4)).toThrow('"ann" already has an enrolled key');
  expect(() => list.enrol({ name: 'Ann', key: new SoftwareAuthenticator('http://localhost').key }, owner, 4)).toThrow('already has');
  expect(both.revoke('ann', owner, 5).active.map(({ name }) => name)).toEqual(['olga']);
  expect(both.revoke('ann', ann, 5).active.map(({ name }) => name)).toEqual(['olga']);
  expect(() => list.revoke('olga', owner, 5)).toThrow('the only enrolled key');
});

test('a revoked passkey signs nothing more, and what it signed before stays valid', () => {
  const revoked = list.revoke('ann', owner, 500);
  const signature = signatureOf(phone.assert(challengeOf(statement, AT)));
  expect(verifySignature(revoked, { statement, signature, at: AT })).toMatchObject({ isValid: false });
  expect(verifySignature(revoked, { statement, signature, at: 400 })).toMatchObject({ isValid: true });
});

test('a signature with a passphrase is not accepted as one with a passkey, nor vice versa', () => {
  const asserted = signatureOf(phone.assert(challengeOf(statement, AT)));
  const signed = sign(owner, { ...statement, actor: 'olga' }, AT);
  expect(verifySignature(list, { statement, signature: { ...signed, key }, at: AT })).toMatchObject({ isValid: false });
  expect(
    verifySignature(list, { statement: { ...statement, actor: 'olga' }, signature: { ...asserted, key: owner.fingerprint }, at: AT }),
  ).toMatchObject({ isValid: false });
});
