// Attacks on files and fields: paths that lead out, and fields that only the server sets.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { AccessRig } from './access-rig.ts';

const SECRET = 'not for readers';
let rig: AccessRig;
let token: string;
beforeAll(async () => {
  const folder = tempFolder();
  const pages = join(folder, 'pages');
  mkdirSync(join(pages, 'assets'), { recursive: true });
  writeFileSync(join(pages, 'index.html'), '<!doctype html>the app');
  writeFileSync(join(pages, 'assets', 'app-abcdefgh.js'), 'the code');
  writeFileSync(join(folder, 'secret.txt'), SECRET);
  mkdirSync(join(folder, 'pages-other'));
  writeFileSync(join(folder, 'pages-other', 'x.js'), SECRET);
  symlinkSync(join(folder, 'secret.txt'), join(pages, 'assets', 'link.js'));
  symlinkSync(folder, join(pages, 'assets', 'up'));
  rig = await AccessRig.open({ server: { pages } });
  writeFileSync(join(rig.folder, 'outside.1.jsonl'), `${JSON.stringify({ at: 'x', kind: 'output', text: SECRET })}\n`);
  token = rig.token('ann');
});
afterAll(() => rig.close());

/** Asks for a path as it is, which a client would have made shorter. */
function get(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const head = [`GET ${path} HTTP/1.1`, `Host: localhost:${rig.port}`, `Authorization: Bearer ${token}`, 'Connection: close'];
    const socket = connect(rig.port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
    socket.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    socket.on('close', () => resolve(said)).on('error', reject);
  });
}

const WAYS_OUT = [
  ...['../secret.txt', '..%2fsecret.txt', '%2e%2e/secret.txt', '%2e%2e%2fsecret.txt', '..%5csecret.txt', '....//secret.txt'],
  ...['..%252fsecret.txt', '%00../secret.txt', 'app-abcdefgh.js%00', '..;/secret.txt', '..%c0%afsecret.txt', '../pages-other/x.js'],
];

test('only files of the folder are served, by their exact names', async () => {
  expect(await get('/assets/app-abcdefgh.js')).toContain('the code');
  for (const way of [...WAYS_OUT, 'link.js', 'up/secret.txt', 'up/pages-other/x.js'])
    for (const path of [`/assets/${way}`, `/assets/../${way}`, `/${way}`]) {
      const said = await get(path);
      expect([path, said.includes(SECRET)]).toEqual([path, false]);
      expect([path, /^HTTP\/1.1 (?:200|400|404) /.test(said)]).toEqual([path, true]);
      expect(said.toLowerCase()).toContain(said.startsWith('HTTP/1.1 400') ? '400' : 'x-content-type-options: nosniff');
    }
});

test('files of a run are found only in that run: no path, step or digest leads elsewhere', async () => {
  const { id } = await rig.parked();
  for (const way of ['../outside', '..%2foutside', '..%2f..%2foutside', '%2e%2e%2foutside', '__proto__', 'constructor']) {
    for (const path of [
      `/api/v1/runs/${id}/steps/${way}/log?attempt=1`,
      `/api/v1/runs/${way}/steps/draft%231/log`,
      `/api/v1/runs/${id}/artifacts/${way}`,
      `/api/v1/runs/${id}/steps/${way}`,
      `/api/v1/runs/${id}/diff?step=${way}`,
      `/api/v1/workflows/${way}`,
    ]) {
      const said = await get(path);
      expect([path, said.includes(SECRET), said.startsWith('HTTP/1.1 500')]).toEqual([path, false, false]);
    }
  }
});

test('files of another run are not shown as those of this one', async () => {
  const [one, other] = [await rig.parked('this draft'), await rig.parked('that draft')];
  const digestOf = async (run: string): Promise<string> => {
    const { links } = (await rig.send('GET', `/api/v1/runs/${run}/steps/draft%231`, { token })).json<{
      links: { artifacts: { digest: string }[] };
    }>();
    return links.artifacts[0]?.digest ?? '';
  };
  const digest = await digestOf(other.id);
  expect(await rig.code('GET', `/api/v1/runs/${other.id}/artifacts/${digest}`, { token })).toBe('ok');
  expect(await rig.code('GET', `/api/v1/runs/${one.id}/artifacts/${digest}`, { token })).toBe('RESOURCE_UNKNOWN');
});

test.each([
  ['/api/v1/runs', { workflow: 'publish', origin: { actor: 'bob' } }],
  ['/api/v1/runs', { workflow: 'publish', actor: 'bob' }],
  ['/api/v1/runs', { workflow: 'publish', facts: { $trigger: {} } }],
  ['/api/v1/runs', { workflow: 'publish', file: '/etc/passwd' }],
  ['/api/v1/runs', { workflow: 'publish', from: 'publish' }],
  ['/api/v1/runs', { workflow: 'publish', signing: {} }],
  ['/api/v1/runs/x/decide', { digest: 'a'.repeat(12), option: 'approve', actor: 'bob' }],
  ['/api/v1/runs/x/cancel', { actor: 'bob' }],
  ['/api/v1/runs/x/resume', { budget: { usd: 9 } }],
  ['/api/v1/runs/x/resume', { acceptChanges: true }],
  ['/api/v1/runs/x/fork', { from: 'ask', actor: 'bob' }],
])('fields that only the server sets are not accepted in the body of %s: %j', async (path, body) => {
  expect(await rig.code('POST', path, { token, body })).toBe('REQUEST_INVALID');
});
