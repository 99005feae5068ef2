// Limited network access of agents and programs, with real processes that try to connect to a real listener outside. A
// machine that cannot enforce it says so; the expectations are chosen by what this one can.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { networkSupport } from '../../src/process/network.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
let outside: Server;
let port: number;
let visits: string[];
beforeEach(async () => {
  rig = new CliRig();
  visits = [];
  outside = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end('from outside');
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  port = (outside.address() as AddressInfo).port;
});
afterEach(async () => {
  rig.close();
  outside.closeAllConnections();
  await new Promise((resolve) => outside.close(resolve));
});

const support = networkSupport();
const isEnforced = support.by !== 'nothing';

// Tries the listener directly, through a tunnel of the proxy, and with a plain request to the proxy.
const PROGRAM = `
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
const url = process.argv[2];
const direct = await new Promise((resolve) => {
  const socket = connect(new URL(url).port, '127.0.0.1', () => { socket.end('GET /direct HTTP/1.0\\r\\n\\r\\n'); resolve('connected'); });
  socket.on('error', (error) => resolve(error.code));
});
const proxied = await fetch(url + '/proxied').then(async (answer) => answer.status + ' ' + (await answer.text()).trim(), (error) => error.cause?.code || error.cause?.message);
const proxy = process.env.HTTP_PROXY && new URL(process.env.HTTP_PROXY);
const plain = proxy && await new Promise((resolve, reject) => get({ agent: new Agent(), host: proxy.hostname, port: proxy.port, path: url + '/plain' }, (answer) => { answer.resume(); resolve(answer.statusCode); }).on('error', reject));
console.log(JSON.stringify({ success: true, output: { direct, proxied, plain, uid: process.getuid() } }));
`;

function project(rule: string): void {
  rig.write('probe.mjs', PROGRAM);
  rig.write(
    '.pawl/config.yaml',
    `roles:\n  dev: { driver: command, argv: [node, probe.mjs, "http://127.0.0.1:${port}"], permissions: { network: ${rule} } }\n`,
  );
  rig.write('.pawl/workflows/work.yaml', workflow('{ id: try, type: agent, agent: dev, prompt: go }'));
}

function workflow(stage: string): string {
  return `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: work }\nstages:\n  - ${stage}\n`;
}

interface Result {
  readonly code: number;
  readonly run: { readonly id: string };
  readonly steps: readonly { readonly error: string; readonly evidence: { readonly network: Record<string, unknown> } }[];
}

async function run(): Promise<Result> {
  await rig.run(['trust', '--yes']);
  return (await rig.json(['run', 'work'])) as unknown as Result;
}

test('an agent whose role has no network cannot connect, and the run says whether that was enforced', async () => {
  project('false');
  const result = await run();
  const output = isEnforced ? { direct: 'ECONNREFUSED', proxied: 'ECONNREFUSED' } : { direct: 'connected', proxied: '200 from outside' };
  expect(result).toMatchObject({ code: 0, steps: [{ output: { ...output, uid: process.getuid?.() } }] });
  expect(visits).toEqual(isEnforced ? [] : ['/direct', '/proxied']);
  const shown = await rig.run(['show', result.run.id]);
  expect(shown.stdout).toContain(isEnforced ? `network: enforced by ${support.by}` : 'network: not enforced here');
});

test('an agent reaches the hosts that its role allows, through the proxy only', async () => {
  project(`["127.0.0.1:${port}"]`);
  const result = await run();
  expect(result).toMatchObject({ code: 0, steps: [{ output: { proxied: '200 from outside' } }] });
  expect(visits).toEqual(isEnforced ? ['/proxied', '/plain'] : ['/direct', '/proxied']);
});

test('a host that is not allowed is denied and recorded; a step narrows what its role allows', async () => {
  project(`["127.0.0.1:${port}", "example.com"]`);
  rig.write(
    '.pawl/workflows/work.yaml',
    workflow('{ id: try, type: agent, agent: dev, prompt: go, network: [example.com, "127.0.0.1:1"] }'),
  );
  const result = await run();
  const output = isEnforced ? { proxied: 'Request was cancelled.', plain: 403 } : { proxied: '200 from outside' };
  expect(result).toMatchObject({ code: 0, steps: [{ output }] });
  const { network } = result.steps[0]?.evidence ?? { network: {} };
  expect(network.denied).toEqual(isEnforced ? [`127.0.0.1:${port}`] : undefined);
  expect(network.enforcedBy).toBe(isEnforced ? support.by : null);
});

test('a command step without network fails to connect, and its exit code and missing programs are reported as usual', async () => {
  rig.write('probe.mjs', PROGRAM);
  const stage = (argv: string) => workflow(`{ id: try, type: command, argv: ${argv}, network: [localhost] }`);
  rig.write('.pawl/workflows/work.yaml', stage('[sh, -c, "echo fine; exit 3"]'));
  const failed = await run();
  expect(failed.steps[0]?.error).toContain('exited with 3');
  rig.write('.pawl/workflows/work.yaml', stage('[no-such-program-anywhere]'));
  expect((await run()).steps[0]?.error).toContain('could not be run');
  rig.write('.pawl/workflows/work.yaml', stage('[sh, -c, "kill -9 $$"]'));
  expect((await run()).steps[0]?.error).toContain('SIGKILL');
});

test('a required rule that cannot be enforced on a worker stops the step before it starts', async () => {
  rig.write('.pawl/config.yaml', 'roles:\n  dev: { driver: attended, permissions: { network: { allow: [], required: true } } }\n');
  rig.write('.pawl/workflows/work.yaml', workflow('{ id: try, type: agent, agent: dev, prompt: go }'));
  const result = await run();
  expect(result.steps[0]?.error).toContain('step "try" was not started: its network access cannot be limited here');
  const doctor = await rig.run(['doctor']);
  expect(doctor.stdout).toContain(
    isEnforced ? `network permissions are enforced by ${support.by}` : 'network permissions are not enforced here',
  );
  expect(doctor.stdout).toContain('role dev: attended, network: none (not enforced here: the driver "attended" starts no program)');
});

test('an invalid network rule is rejected with its position', async () => {
  project('[https://example.com]');
  await rig.run(['trust', '--yes']);
  expect((await rig.run(['run', 'work'])).stderr).toContain('"https://example.com", which is not a host');
  rig.write('.pawl/config.yaml', '{}\n');
  rig.write('.pawl/workflows/work.yaml', workflow('{ id: try, type: command, run: "true", network: ["a b"] }'));
  expect((await rig.run(['validate'])).stdout).toContain('"a b", which is not a host');
});
