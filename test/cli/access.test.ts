import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestOf, parkRun, RUN } from './decision-runs.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const ME = userInfo().username;

/** What a command prints in a terminal that belongs to a person. */
async function atTerminal(words: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  const terminal = rig.terminal(words, { columns: 300 });
  const code = await terminal.ended;
  return { code, text: terminal.text() };
}

interface People {
  readonly people: readonly { readonly name: string; readonly groups: readonly string[]; readonly revokedAt: string | null }[];
}

test('reading creates no database, and says how people get in', async () => {
  for (const what of ['people', 'groups', 'sessions', 'passkeys', 'audit']) expect((await rig.run(['access', what])).code).toBe(0);
  expect((await rig.run(['access', 'people'])).stdout).toContain('"pawl access login" creates a link for you');
  expect(await rig.json(['access', 'people'])).toEqual({ code: 0, schemaVersion: 1, people: [] });
});

test('people are invited, listed with their groups, and revoked', async () => {
  rig.write('.pawl/config.local.yaml', 'groups: { maintainers: [Bob] }\n');
  await rig.run(['trust', '--yes'], {});
  const invited = await atTerminal(['access', 'invite', 'bob', '--scope', 'decide']);
  expect(invited).toMatchObject({ code: 0, text: expect.stringMatching(/http:\/\/localhost:7411\/auth\/link\/pawll_[\w-]{43}/) });
  expect(invited.text).toContain('Scopes: view, decide.');
  expect((await rig.json<People>(['access', 'people'])).people).toMatchObject([
    { name: 'bob', scopes: ['view', 'decide'], revokedAt: null },
  ]);
  expect((await atTerminal(['access', 'invite', 'BOB'])).text).toContain('can already log in');
  expect(await rig.run(['access', 'revoke', 'bob'])).toMatchObject({ code: 0, stdout: expect.stringContaining('bob is revoked') });
  expect((await rig.json<People>(['access', 'people'])).people).toMatchObject([{ name: 'bob', revokedAt: expect.any(String) }]);
  expect(await rig.run(['access', 'revoke', 'bob'])).toMatchObject({ code: 2, stderr: expect.stringContaining('PERSON_UNKNOWN') });
});

test('a token is shown once, and revoked by its name', async () => {
  const made = await atTerminal(['access', 'token', 'create', 'ci', '--scope', 'operate', '--expires', '30d']);
  const [secret = ''] = /pawlt_[\w-]{43}/.exec(made.text) ?? [];
  expect([made.code, secret]).toEqual([0, expect.stringMatching(/^pawlt_/)]);
  const listed = await rig.run(['access', 'token', 'list', '--json']);
  expect(JSON.parse(listed.stdout).tokens).toMatchObject([{ person: ME, name: 'ci', scopes: ['view', 'operate'], isExpired: false }]);
  expect(listed.stdout).not.toContain(secret);
  expect((await atTerminal(['access', 'token', 'create', 'ci'])).text).toContain('already has a token "ci"');
  expect((await atTerminal(['access', 'token', 'create', 'x', '--expires', '20y'])).text).toContain('--expires must be a duration');
  expect(await rig.run(['access', 'token', 'revoke', 'ci'])).toMatchObject({ code: 0 });
  expect(await rig.run(['access', 'token', 'revoke', 'ci'])).toMatchObject({ code: 2 });
});

test('a mistake in "pawl access" is an error that says what to do', async () => {
  expect((await rig.run(['access', 'token', 'make', 'x'])).stderr).toContain('must be followed by create, list or revoke, not "make"');
  expect((await rig.run(['access', 'people', 'bob'])).stderr).toContain('unexpected argument "bob"');
  expect((await rig.run(['access', 'revoke'])).stderr).toContain('NAME is missing: pawl access revoke NAME');
  expect((await rig.run(['access', 'audit', '--limit', '0'])).stderr).toContain('--limit must be');
  expect((await atTerminal(['access', 'link', RUN])).text).toContain('--for is missing');
});

describe('the server', () => {
  test('at a terminal "pawl serve" prints a login link that works once, and revoked sessions end immediately', async () => {
    await parkRun(rig);
    const serving = rig.terminal(['serve', '--port', '0'], { columns: 300 });
    await serving.until(/auth\/link\/pawll_[\w-]{43}/);
    const [, url = '', secret = ''] = /(http:\/\/localhost:\d+)\/auth\/link\/(pawll_[\w-]{43})/.exec(serving.text()) ?? [];
    const login = async (): Promise<Response> =>
      fetch(`${url}/auth/link`, { method: 'POST', redirect: 'manual', headers: { origin: url }, body: new URLSearchParams({ secret }) });
    const cookie = (await login()).headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await login()).status).toBe(410);
    expect((await fetch(`${url}/api/v1/runs`, { headers: { cookie } })).status).toBe(200);

    const link = await atTerminal(['access', 'link', RUN, '--for', ME]);
    const [page = ''] = new RegExp(`${url}/d/pawll_[\\w-]{43}`).exec(link.text) ?? [];
    expect(await (await fetch(page)).text()).toContain('Publish?');
    const body = new URLSearchParams({ option: 'yes', digest: await digestOf(rig) });
    const decided = await fetch(page, { method: 'POST', headers: { origin: url }, body });
    expect([decided.status, await decided.text()]).toEqual([200, expect.stringContaining('Decided: yes')]);

    expect(await rig.run(['access', 'revoke', ME])).toMatchObject({ code: 0 });
    expect((await fetch(`${url}/api/v1/runs`, { headers: { cookie } })).status).toBe(401);
    const audit = await rig.json<{ entries: readonly { readonly action: string; readonly via: string }[] }>(['access', 'audit']);
    expect(audit.entries.map(({ action, via }) => `${action} ${via}`)).toEqual([
      'revoke terminal',
      'decide link',
      'decide link terminal',
      'login none',
      'login link',
    ]);
    serving.type('\u0003');
    await serving.ended;
  });

  test('"pawl serve --open" keeps the login link out of the arguments, which every user of the machine sees', async () => {
    const opener = rig.write('bin/xdg-open', '#!/bin/sh\necho "$@" > "$HOME/opened"; cp "$1" "$HOME/page"; ls -l "$1" > "$HOME/mode"\n');
    chmodSync(opener, 0o755);
    const serving = rig.terminal(['serve', '--port', '0', '--open'], {
      columns: 300,
      env: { PATH: `${dirname(opener)}:${process.env.PATH}` },
    });
    await serving.until(/auth\/link\/pawll_[\w-]{43}/);
    const [link = ''] = /http:\/\/localhost:\d+\/auth\/link\/pawll_[\w-]{43}/.exec(serving.text()) ?? [];
    await expect.poll(() => existsSync(join(rig.home, 'mode'))).toBe(true);
    const opened = readFileSync(join(rig.home, 'opened'), 'utf8').trim();
    expect(opened).not.toContain('pawll_');
    expect(readFileSync(join(rig.home, 'page'), 'utf8')).toContain(`url=${link}"`);
    expect(readFileSync(join(rig.home, 'mode'), 'utf8')).toMatch(/^-rw-------/);
    serving.type('\u0003');
    await serving.ended;
    expect(existsSync(opened)).toBe(false);
  });

  test('"pawl serve" prints no login link without a person at a terminal', async () => {
    const serving = rig.start(['serve', '--port', '0']);
    const told = await serving.until(/log in/);
    expect(told).toContain('"pawl access login" prints a link to log in');
    expect(told).not.toContain('pawll_');
    serving.process.kill('SIGTERM');
    await serving.ended;
  });

  test('"pawl serve" does not listen for other machines without TLS', async () => {
    expect(await rig.run(['serve', '--host', '0.0.0.0', '--port', '0'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('without TLS logins would cross the network unencrypted'),
    });
    expect(await rig.run(['serve', '--tls-cert', 'cert.pem'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--tls-key is missing'),
    });
  });
});
