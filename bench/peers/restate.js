// Restate: a service whose handler does one `ctx.run` per step, served by this process, driven by the server of
// @restatedev/restate-server on loopback. Durability: the server's default, a log that is synced to disk before a step
// is acknowledged (`rocksdb-disable-wal-fsync` is false for it); one node, so nothing is replicated.
// When it starts, it asks GitHub once for its newest release, which no setting prevents; it makes no other request to the
// network.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { createRequire } from 'node:module';
import { createServer as createTcpServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createEndpointHandler, RestatePromise, service } from '@restatedev/restate-sdk';

const HOST = '127.0.0.1';
const STARTING_MS = 30_000;

const bench = service({
  name: 'bench',
  handlers: {
    chain: async (ctx, steps) => {
      for (let n = 0; n < steps; n += 1) await ctx.run('step', () => null);
    },
    fan: async (ctx, count) => {
      await RestatePromise.all(Array.from({ length: count }, () => ctx.run('step', () => null)));
    },
  },
});

/** Starts the server that the peer needs. */
export async function serve(folder) {
  const [ingress, admin, fabric] = await freePorts(3);
  const resolve = createRequire(import.meta.url).resolve;
  const program = join(
    dirname(resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/package.json`)),
    'bin/restate-server',
  );
  const server = spawn(program, ['--no-logo', '--base-dir', join(folder, 'restate'), '--listen-mode', 'tcp', '--bind-ip', HOST], {
    stdio: 'ignore',
    env: {
      ...process.env,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_NODE_NAME: 'bench',
      RESTATE_ADVERTISED_HOST: HOST,
      RESTATE_BIND_PORT: String(fabric),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
    },
  });
  await healthy(server, [`http://${HOST}:${ingress}/restate/health`, `http://${HOST}:${admin}/health`]);
  return {
    address: { ingress: `http://${HOST}:${ingress}`, admin: `http://${HOST}:${admin}` },
    close: async () => {
      server.kill('SIGKILL');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    },
  };
}

/** Opens the peer on its server. */
export async function open(_folder, { ingress, admin }) {
  const endpoint = createServer(createEndpointHandler({ services: [bench], logger: () => undefined }));
  endpoint.listen(0, HOST);
  await once(endpoint, 'listening');
  await post(`${admin}/deployments`, { uri: `http://${HOST}:${endpoint.address().port}` });
  return {
    sequential: (steps) => post(`${ingress}/bench/chain`, steps),
    branches: (count) => post(`${ingress}/bench/fan`, count),
    close: async () => endpoint.close(),
  };
}

async function post(url, body) {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
}

async function healthy(server, urls) {
  const deadline = Date.now() + STARTING_MS;
  for (const url of urls) {
    while (
      !(await fetch(url).then(
        (response) => response.ok,
        () => false,
      ))
    ) {
      if (server.exitCode !== null) throw new Error(`the Restate server ended with ${server.exitCode}`);
      if (Date.now() > deadline) throw new Error(`the Restate server is not healthy after ${STARTING_MS / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createTcpServer().listen(0, HOST));
  await Promise.all(probes.map((probe) => once(probe, 'listening')));
  const ports = probes.map((probe) => probe.address().port);
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}
