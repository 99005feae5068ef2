import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/temp-folder.ts';
import { type Entry, KeyList, parsePublicKeys } from './enrolment.ts';
import { changeKeyList, readKeyList, readLockedKeys, writeLockedKey } from './key-files.ts';
import { generateKey, type LockedKey, parsePublicKey, publicKeyText, type UnlockedKey, unlockKey } from './keys.ts';
import { type DecisionStatement, sign } from './statement.ts';
import { verifySignature } from './verification.ts';

const PASSPHRASE = 'correct horse battery';
const DECISION: DecisionStatement = { about: 'decision', run: 'r1', path: 'ask#1', digest: 'd1', option: 'yes', input: null, actor: 'ann' };

let lockedAnn: LockedKey;
let ann: UnlockedKey;
let bob: UnlockedKey;
let mallory: UnlockedKey;
let folder: string;

beforeAll(async () => {
  const newKey = generateKey('ann');
  [ann, bob, mallory] = [newKey, generateKey('bob'), generateKey('mallory')];
  lockedAnn = await newKey.lock(PASSPHRASE);
  folder = tempFolder();
});

const root = (): KeyList => KeyList.none.enrol(ann, ann, 1);

describe('a key', () => {
  test('a key is decrypted with its passphrase', async () => {
    const opened = await unlockKey(lockedAnn, PASSPHRASE);
    expect([opened.fingerprint, opened.sign('text')]).toEqual([ann.fingerprint, ann.sign('text')]);
    expect(JSON.stringify(lockedAnn)).not.toContain(PASSPHRASE);
  });

  test('a key is not decrypted with another passphrase', async () => {
    await expect(unlockKey(lockedAnn, `${PASSPHRASE}!`)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  });

  test('a key is not decrypted under another name', async () => {
    await expect(unlockKey({ ...lockedAnn, name: 'bob' }, PASSPHRASE)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  });

  test('a key needs a passphrase of at least 12 characters and the name of a person', async () => {
    await expect(generateKey('ann').lock('too short')).rejects.toMatchObject({ code: 'USAGE' });
    expect(() => generateKey('../ann')).toThrow(/an identity name must be/);
  });

  test('a public key is exchanged as one line', () => {
    expect(parsePublicKey(publicKeyText(ann))).toEqual({ name: 'ann', key: ann.key });
    for (const text of [
      '',
      'ssh-ed25519 AAAA ann',
      `${publicKeyText(ann)} more`,
      `pawl-ed25519 ${ann.key}`,
      `pawl-ed25519 ${ann.key}A ann`,
    ])
      expect(parsePublicKey(text)).toBeUndefined();
    expect(parsePublicKeys(`# people\n\n${publicKeyText(ann)}\n`, 'keys')).toEqual([{ name: 'ann', key: ann.key }]);
    expect(() => parsePublicKeys('hello', 'keys')).toThrow(/line 1 of keys is not a public key/);
  });

  test('a private key is stored in a file that only its owner can read, and never replaced', () => {
    const file = writeLockedKey(folder, lockedAnn);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readLockedKeys(folder)).toEqual([lockedAnn]);
    expect(() => writeLockedKey(folder, lockedAnn)).toThrow(/a key of "ann" already exists/);
    const kept = readFileSync(file, 'utf8');
    rmSync(`${file}.sum`);
    writeFileSync(file, kept.replace('"n": 131072', '"n": 2'));
    expect(() => readLockedKeys(folder)).toThrow(/is not a key/);
    writeFileSync(file, kept);
  });
});

describe('the list of enrolled keys', () => {
  test('the list of enrolled keys begins with a key that signs itself; a valid key signs every other one', () => {
    const list = root().enrol(bob, ann, 2);
    expect(list.active.map(({ name, enrolledBy }) => [name, enrolledBy])).toEqual([
      ['ann', ann.fingerprint],
      ['bob', ann.fingerprint],
    ]);
    expect(() => list.enrol(mallory, mallory, 3)).toThrow(/entry 3: it is signed by a key that is not enrolled/);
    expect(() => KeyList.none.enrol(mallory, ann, 1)).toThrow(/the first key did not sign itself/);
  });

  test('a person has at most one active key, and a key belongs to one person', () => {
    expect(() => root().enrol({ ...bob, name: 'ann' }, ann, 2)).toThrow(/"ann" already has an enrolled key/);
    expect(() => root().enrol({ ...ann, name: 'bob' }, ann, 2)).toThrow(/this key is already enrolled as "ann"/);
  });

  test('a revoked key cannot enrol, and the last key cannot be revoked', () => {
    const list = root().enrol(bob, ann, 2).revoke('bob', ann, 3);
    expect(list.active.map(({ name }) => name)).toEqual(['ann']);
    expect(() => list.enrol(mallory, bob, 4)).toThrow(/signed by the key of "bob", which was revoked before/);
    expect(() => list.revoke('ann', ann, 5)).toThrow(/has the only enrolled key/);
    expect(() => list.revoke('bob', ann, 5)).toThrow(/no enrolled key belongs to "bob"/);
  });

  test('a removed, moved, renamed or forged entry invalidates the whole list of enrolled keys', () => {
    const { entries } = root().enrol(bob, ann, 2).revoke('bob', ann, 3);
    const [first, second, third] = entries as [Entry, Entry, Entry];
    const forged = { ...second, key: mallory.key } as Entry;
    const broken: readonly (readonly Entry[])[] = [
      [first, third],
      [second, third],
      [first, { ...second, name: 'mallory' } as Entry, third],
      [first, forged, third],
      [first, second, second],
      [first, null as unknown as Entry],
    ];
    for (const list of broken) expect(() => KeyList.of(list, 'x')).toThrow(/no key is accepted/);
    expect(KeyList.of(entries, 'x').active.map(({ name }) => name)).toEqual(['ann']);
  });

  test('the list of enrolled keys is stored in a file that only its owner can read; a file that is not a list is an error', () => {
    expect(readKeyList(folder).all).toEqual([]);
    changeKeyList(folder, (list) => list.enrol(ann, ann, 1));
    changeKeyList(folder, (list) => list.enrol(bob, ann, 2));
    const file = join(folder, 'identities.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readKeyList(folder).active.map(({ name }) => name)).toEqual(['ann', 'bob']);
    rmSync(`${file}.sum`);
    writeFileSync(file, '{}');
    expect(() => readKeyList(folder)).toThrow(/is not a list of enrolled keys/);
    chmodSync(file, 0o600);
  });
});

describe('a signature', () => {
  const verified = (
    list: KeyList,
    change: Partial<DecisionStatement> = {},
    more: { keys?: readonly string[]; at?: number; by?: UnlockedKey } = {},
  ) =>
    verifySignature(list, {
      statement: { ...DECISION, ...change },
      signature: sign(more.by ?? ann, DECISION, 5),
      keys: more.keys,
      at: more.at ?? 6,
    });

  test('a signature is valid for exactly the signed statement', () => {
    expect(verified(root())).toMatchObject({ isValid: true, by: { name: 'ann' } });
    for (const change of [{ run: 'r2' }, { path: 'ask#2' }, { digest: 'd2' }, { option: 'no' }, { input: 'text' }])
      expect(verified(root(), change)).toMatchObject({ isValid: false, why: expect.stringContaining('signed something else') });
    expect(verified(root(), { actor: 'bob' })).toMatchObject({ isValid: false, why: expect.stringContaining('not by "bob"') });
  });

  test('a signature is valid under one spelling of the name, so that no one counts as two people', () => {
    expect(verified(root(), { actor: 'Ann' })).toMatchObject({ isValid: false, why: expect.stringContaining('not by "Ann"') });
    expect(() => root().enrol({ ...bob, name: 'ANN' }, ann, 2)).toThrow(/"ann" already has an enrolled key/);
  });

  test('a signature is valid if its key is enrolled and was not revoked when it signed', () => {
    expect(verified(KeyList.none)).toMatchObject({ isValid: false, why: expect.stringContaining('not enrolled here') });
    const revoked = root().enrol(bob, ann, 2).revoke('ann', bob, 10);
    expect(verified(revoked, {}, { at: 9 })).toMatchObject({ isValid: true });
    expect(verified(revoked, {}, { at: 10 })).toMatchObject({ isValid: false, why: expect.stringContaining('was revoked on') });
  });

  test('a signature is valid in a run if the run recorded its key, or one of the recorded keys enrolled it', () => {
    const list = root().enrol(bob, ann, 2);
    const signature = sign(bob, { ...DECISION, actor: 'bob' }, 5);
    const byBob = (keys: readonly string[]) => verifySignature(list, { statement: { ...DECISION, actor: 'bob' }, signature, keys, at: 6 });
    expect(byBob([ann.fingerprint])).toMatchObject({ isValid: true });
    expect(byBob([bob.fingerprint])).toMatchObject({ isValid: true });
    expect(byBob([])).toMatchObject({ isValid: false, why: expect.stringContaining('was not enrolled when the run started') });
    // A new list cannot use the recorded keys of the run.
    const own = KeyList.none.enrol(mallory, mallory, 1);
    expect(
      verifySignature(own, {
        statement: { ...DECISION, actor: 'mallory' },
        signature: sign(mallory, { ...DECISION, actor: 'mallory' }, 5),
        keys: [ann.fingerprint],
        at: 6,
      }),
    ).toMatchObject({ isValid: false });
  });

  test('a signature is not valid for another kind of statement with the same content', () => {
    const signature = sign(ann, { about: 'override', run: 'r1', action: null, actor: 'ann' }, 5);
    expect(verifySignature(root(), { statement: DECISION, signature, at: 6 })).toMatchObject({ isValid: false });
    expect(verifySignature(root(), { statement: DECISION, signature: { ...sign(ann, DECISION, 5), at: 4 }, at: 6 })).toMatchObject({
      isValid: false,
    });
    expect(verifySignature(root(), { statement: DECISION, signature: {} as never, at: 6 })).toMatchObject({
      isValid: false,
      why: 'it is not a signature',
    });
  });
});
