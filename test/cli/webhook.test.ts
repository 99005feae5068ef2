// Webhooks and secrets at the command line, as docs/guides/webhooks.md describes them, against a real server.

import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guides/webhooks.md'), 'utf8');
const [SETTINGS = '', WORKFLOW = ''] = [...GUIDE.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
const SEED = readFileSync(join(import.meta.dirname, '../seeds/002/stage-webhook.yaml'), 'utf8');

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let rig: CliRig;
let server: Server;
let host: string;
let received: Received[];
let answer: (headers: IncomingHttpHeaders) => { status: number; body: unknown; headers?: Record<string, string> };

beforeEach(async () => {
  rig = new CliRig();
  received = [];
  answer = () => ({ status: 200, body: { approved: true } });
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push({ headers: request.headers, body });
    const { status, body: said, headers } = answer(request.headers);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(said));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await rig.close();
  await new Promise((done) => server.close(done));
});

const write = (path: string, text: string): string => rig.write(path, text.replaceAll('127.0.0.1:8080', host));
const run = (name: string, env: Record<string, string> = {}) =>
  rig.json<{ run: { id: string; status: string; error?: string } }>(['run', name], { env });

/** Everything that is on disk of the rig, as one text. */
function stored(folder = rig.folder): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => (entry.isDirectory() ? stored(join(folder, entry.name)) : readFileSync(join(folder, entry.name), 'latin1')))
    .join('\n');
}

test('the workflow of the guide sends changed files with a secret, and the secret is nowhere on disk', async () => {
  answer = ({ authorization }) => ({ status: 200, body: { approved: true, echo: authorization } });
  write('.pawl/config.yaml', SETTINGS);
  write('.pawl/workflows/validated-change.yaml', WORKFLOW);
  expect((await rig.run(['validate'])).code).toBe(0);
  expect((await run('validated-change', { VALIDATOR_TOKEN: 'tok-123456' })).code).toBe(4);
  expect((await rig.run(['trust', '--yes'])).code).toBe(0);
  const { code, run: ended } = await run('validated-change', { VALIDATOR_TOKEN: 'tok-123456' });
  expect([code, ended.status, ended.error]).toEqual([0, 'completed', null]);
  expect(received).toMatchObject([{ headers: { authorization: 'Bearer tok-123456' }, body: '{"pr_number":7,"files":["src/answer.ts"]}' }]);
  expect((await rig.run(['show', ended.id, '--json'])).stdout).toContain('Bearer [redacted:API_TOKEN]');
  expect(stored()).not.toContain('tok-123456');
});

test('the webhook stage of the examples is answered by a real server', async () => {
  const stage = SEED.replace('https://api.example.com', `http://${host}`).replace('next_stage', 'complete');
  const before = `  - id: implement\n    type: command\n    run: echo 1 > a.py\n    outputs: [{ name: changed_files, type: file, pattern: "*.py" }]\n`;
  const head = 'apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: seed }\ncontext: { pr_number: 3 }\nstages:\n';
  rig.write('.pawl/workflows/seed.yaml', head + before + stage.replace(/^/gm, '  '));
  rig.write('.pawl/config.yaml', `secrets: { API_TOKEN: { env: T } }\nwebhooks: { allow: ["${host}"] }\n`);
  await rig.run(['trust', '--yes']);
  expect(await run('seed', { T: 'tok-123456' })).toMatchObject({ code: 0, run: { status: 'completed' } });
  expect(received.map(({ body }) => JSON.parse(body))).toEqual([{ pr_number: 3, files: ['a.py'] }]);
});

const ASK = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ask }
stages:
  - id: ask
    type: webhook
    request: { url: "http://127.0.0.1:8080/", headers: { Authorization: "{{ secrets.TOKEN }}" } }
    on_failure: escalate
`;

async function setUp(secret: string, more = ''): Promise<void> {
  write('.pawl/workflows/ask.yaml', ASK);
  write('.pawl/config.yaml', `secrets: { TOKEN: ${secret} }\nwebhooks: { allow: ["127.0.0.1:8080"] }\n${more}`);
  await rig.run(['trust', '--yes']);
}

test('a secret can come from a file and from a command, and a rotated one is used from the next request on', async () => {
  const file = rig.write('token.txt', 'first-token\n');
  await setUp('{ file: token.txt }');
  answer = () => ({ status: 500, body: {} });
  const { run: halted } = await run('ask');
  expect(halted.status).toBe('escalated');
  rig.write('token.txt', 'second-token\n');
  answer = () => ({ status: 200, body: {} });
  expect((await rig.run(['retry', halted.id])).code).toBe(0);
  const script = rig.write('token.sh', `#!/bin/sh\ncat ${file}\n`);
  chmodSync(script, 0o700);
  await setUp(`{ command: [${script}] }`);
  expect((await run('ask')).code).toBe(0);
  expect(received.map(({ headers }) => headers.authorization)).toEqual(['first-token', 'second-token', 'second-token']);
});

test.each([
  ['{ env: NOT_SET }', 'the secret "TOKEN" cannot be read: the environment variable NOT_SET is not set'],
  ['{ file: none.txt }', /the secret "TOKEN" cannot be read: ENOENT.*none\.txt/],
  ['{ file: . }', /must be a file of at most 65536 bytes/],
  ['{ command: [sh, -c, "echo half-of-it; echo no entry >&2; exit 3"] }', /cannot be read: "sh" exited with 3: no entry/],
  ['{ command: ["true"] }', 'the secret "TOKEN" is empty'],
  ['{ env: T, hosts: [api.example.com] }', /is not sent to a service at 127\.0\.0\.1, which is not among its hosts/],
])('a secret from %s is not sent', async (source, message) => {
  await setUp(source);
  const { run: ended } = await run('ask', { T: 'tok-123456' });
  expect(ended.error).toMatch(message);
  expect(ended.error).not.toContain('half-of-it');
  expect(received).toEqual([]);
});

test('a value that cannot be masked is warned about once', async () => {
  await setUp('{ env: T }');
  const { code, stderr } = await rig.run(['run', 'ask'], { env: { T: '1234' } });
  expect([code, stderr.split('is not masked').length]).toEqual([0, 2]);
  expect(stderr).toContain('the secret "TOKEN" is not masked in output, because its value is shorter than 6 characters');
});

test('doctor reports secrets that cannot be read or masked, without running a program', async () => {
  await setUp('{ env: T }', '');
  write('.pawl/config.yaml', `secrets: { A: { env: NONE }, B: { file: nope }, C: { env: T }, D: { command: [touch, ran] } }\n`);
  await rig.run(['trust', '--yes']);
  const { checks } = await rig.json<{ checks: { id: string; status: string; what: string }[] }>(['doctor'], { env: { T: 'abc' } });
  expect(checks.filter(({ id }) => id === 'secret').map(({ status, what }) => `${status} ${what}`)).toEqual([
    'warning secret A: the environment variable NONE is not set',
    expect.stringMatching(/^warning secret B: ENOENT/),
    'warning secret C: it is not masked in output, because its value is shorter than 6 characters',
    'ok secret D: from the command "touch"',
  ]);
  expect(readdirSync(rig.project)).not.toContain('ran');
});

const later = (seconds: number): Record<string, string> => ({ 'retry-after': String(seconds) });

test('a rate limit is a wait until its time, also across processes, and uses up no attempt', async () => {
  await setUp('{ env: T }');
  answer = () => ({ status: 429, body: {}, headers: later(3600) });
  const { code, run: waiting } = await run('ask', { T: 'tok-123456' });
  expect([code, waiting.status]).toEqual([5, 'waiting']);
  const shown = await rig.json<{ waits: { kind: string; due: string; message: string }[] }>(['show', waiting.id]);
  const hours = (Date.parse(shown.waits[0]?.due ?? '') - Date.now()) / 3_600_000;
  expect([shown.waits[0]?.kind, Math.round(hours)]).toEqual(['capacity', 1]);
  expect(shown.waits[0]?.message).toContain('the service answered with 429, because it gets too many requests');
  expect((await rig.run(['show', waiting.id])).stdout).toContain('too many requests');
  answer = () => ({ status: 200, body: {} });
  const again = await rig.run(['resume', waiting.id], { env: { T: 'tok-123456' } });
  expect([again.code, received.length]).toEqual([0, 2]);
});

test('a short rate limit of a gate passes while the command drives the run', async () => {
  write(
    '.pawl/workflows/ask.yaml',
    ASK.replace(/ {2}- id: ask[\s\S]*/, '  - { id: ask, type: gate, conditions: [{ check: webhook, url: "http://127.0.0.1:8080/" }] }\n'),
  );
  write('.pawl/config.yaml', 'webhooks: { allow: ["127.0.0.1:8080"] }\n');
  await rig.run(['trust', '--yes']);
  answer = () =>
    received.length === 1
      ? { status: 403, body: {}, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 1) } }
      : { status: 200, body: {} };
  expect((await run('ask')).code).toBe(0);
  expect(received).toHaveLength(2);
});
