import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestText } from '../../src/base/digest.ts';
import { digestOf, parkRun, RUN, tokenOf } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

interface TokensJson {
  readonly tokens: readonly { readonly name: string; readonly isExpired: boolean }[];
}

const file = (): string => join(rig.state, 'tokens.json');

test('a token is not created without a terminal', async () => {
  const { code, stdout, stderr } = await rig.run(['token', 'create', 'ann']);
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toContain('only a person can run "pawl token create"');
  expect(await rig.json(['token', 'list'])).toEqual({ code: 0, schemaVersion: 1, tokens: [] });
});

test('the secret is shown once; only its digest is stored, for its user only, in a file that is replaced atomically', async () => {
  const secret = await tokenOf(rig, 'ann');
  expect(secret).toMatch(/^pawl_[\w-]{43}$/);
  const kept = readFileSync(file(), 'utf8');
  expect(kept).not.toContain(secret);
  expect(kept).toContain(digestText(secret));
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(readdirSync(rig.state).filter((name) => name.startsWith('tokens'))).toEqual(['tokens.json', 'tokens.json.sum']);
  expect((await rig.run(['token', 'list'])).stdout).not.toContain(secret);
});

test('a name must be valid and can be used once', async () => {
  await tokenOf(rig, 'ann');
  const twice = rig.terminal(['token', 'create', 'ann']);
  expect(await twice.ended).toBe(2);
  expect(twice.text()).toContain('token "ann" already exists');
  expect(await rig.terminal(['token', 'create', 'ann\u001b[2J']).ended).toBe(2);
  expect(await rig.terminal(['token', 'create', 'bob', '--expires', 'soon']).ended).toBe(2);
  expect((await rig.json<TokensJson>(['token', 'list'])).tokens.map(({ name }) => name)).toEqual(['ann']);
});

test('an unknown, a revoked and an expired token cannot decide', async () => {
  await parkRun(rig);
  const digest = await digestOf(rig);
  const [ann, bob] = [await tokenOf(rig, 'ann'), await tokenOf(rig, 'bob')];
  expect(await rig.run(['token', 'revoke', 'ann'])).toMatchObject({ code: 0 });
  const rows = JSON.parse(readFileSync(file(), 'utf8'));
  rmSync(`${file()}.sum`);
  writeFileSync(file(), JSON.stringify({ ...rows, tokens: rows.tokens.map((row: object) => ({ ...row, expiresAt: 1 })) }));
  expect((await rig.json<TokensJson>(['token', 'list'])).tokens).toMatchObject([{ name: 'bob', isExpired: true }]);
  const told = [];
  for (const PAWL_TOKEN of ['pawl_guess', ann, bob]) {
    const { code, stderr } = await rig.run(['approve', RUN, '--digest', digest], { env: { PAWL_TOKEN } });
    expect([code, stderr]).toEqual([4, expect.stringContaining('[TOKEN_INVALID]')]);
    told.push(stderr);
  }
  expect(told[1]).toContain('unknown here or was revoked');
  expect(told[2]).toContain('token "bob" expired on 1970-01-01');
  expect((await rig.json<{ decisions: readonly object[] }>(['show', RUN])).decisions).toEqual([]);
});

test('revoking an unknown token and a damaged token file are errors', async () => {
  expect(await rig.run(['token', 'revoke', 'ann'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('token "ann" does not exist'),
  });
  await tokenOf(rig, 'ann');
  writeFileSync(file(), '{"tokens": [{"name": "ann", "hash": "short"}]}');
  expect(await rig.run(['token', 'list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged, was edited') });
  rmSync(`${file()}.sum`);
  expect(await rig.run(['token', 'list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a list of tokens') });
});
