// Measures a server without other load: `npm run build && node --no-warnings bench/server.ts [RUNS]`.
// - The time and CPU time until it answers, and its memory, as a separate process from `dist`.
// - The first page of a list of runs, with every filter, and `/metrics`, in this process.

import { spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../src/api/engine.ts';
import { LOGIN_SCOPES } from '../src/authority/rights.ts';
import { START_AT } from '../src/proof/store-suite/deltas.ts';
import { openServer } from '../src/server/app-server.ts';
import { fillMixed, park } from './parked-runs.ts';
import { addressOf, cpuMsOf, rssMbOf } from './served-process.ts';

const TURNS = 15;
const PAWL = join(import.meta.dirname, '..', 'bin', 'pawl.js');

/** Starts `pawl serve`, measures the time until it answers, and ends it. */
async function serve(folder: string, db: string, isMemoryWanted = false): Promise<{ readyMs: number; cpuMs: number; rssMb: number }> {
  const env = { ...process.env, PAWL_STATE: join(folder, 'state'), HOME: folder };
  const began = performance.now();
  const child = spawn(process.execPath, [PAWL, 'serve', '--port', '0', '--json', '--db', db, '--project', folder], { cwd: folder, env });
  const url = await addressOf(child);
  await fetch(`${url}/readyz`);
  const readyMs = performance.now() - began;
  const cpuMs = cpuMsOf(child.pid as number);
  const rssMb = isMemoryWanted ? await settledMemory(child.pid as number) : 0;
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('close', resolve));
  return { readyMs, cpuMs, rssMb };
}

/** The memory of an idle process: the lowest of five readings, one second apart. */
async function settledMemory(pid: number): Promise<number> {
  const seen: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    seen.push(rssMbOf(pid));
  }
  return Math.min(...seen);
}

/** The median time of a GET request, with server and client in this process, and the CPU time of both. */
async function requestMs(db: string, path: string): Promise<string> {
  const engine = await createEngine({ db, drives: 'own' });
  const server = openServer(engine, {
    identify: () => ({ kind: 'person', name: 'bench', groups: [], scopes: new Set(LOGIN_SCOPES), via: 'token' }),
  });
  const { url } = await server.listen({ port: 0 });
  const times: number[] = [];
  const used = process.cpuUsage();
  for (let turn = 0; turn < TURNS; turn += 1) {
    const began = performance.now();
    await (await fetch(`${url}${path}`)).text();
    times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(used);
  await server.close();
  await engine.close();
  const median = times.sort((a, b) => a - b)[Math.floor(TURNS / 2)] as number;
  return `${median.toFixed(1)} ms, ${((user + system) / 1000 / TURNS).toFixed(1)} ms of CPU time, client included`;
}

/** Queries with every filter of the list: with values of many runs, of only the oldest, and of none. */
function queriesFor(runs: number): readonly string[] {
  const time = (n: number): string => new Date(START_AT + n * 1000).toISOString();
  return [
    ...['', 'limit=100', 'workflow=workflow-3', 'workflow=rare', 'workflow=none'],
    ...['status=completed', 'status=failed', 'status=rejected', 'status=waiting&limit=200'],
    ...['text=workflow-3', 'text=orders', 'text=run00000001', 'text=nowhere'],
    ...[`since=${time(runs / 2)}`, `until=${time(10)}`, `since=${time(100)}&until=${time(110)}`, `since=${time(runs + 10)}`],
    ...['tag=nightly', 'tag=old', 'tag=none', 'param.issue=7', `param.issue=${runs - 5}`, 'param.issue=none'],
    ...['workflow=workflow-3&status=failed', 'tag=nightly&param.issue=100'],
  ];
}

const many = Number(process.argv[2] ?? 100_000);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-bench-server-')));
try {
  const [empty, parked, large] = ['empty.db', 'parked.db', 'large.db'].map((name) => join(folder, name)) as [string, string, string];
  // The server creates the file first, so that this user owns the database.
  await serve(folder, parked);
  await park(parked, 10_000);
  await fillMixed(large, many);
  const starts: Awaited<ReturnType<typeof serve>>[] = [];
  for (let turn = 0; turn < 7; turn += 1) starts.push(await serve(folder, empty));
  const sorted = (pick: 'readyMs' | 'cpuMs'): string =>
    starts
      .map((one) => one[pick])
      .sort((a, b) => a - b)
      .map((ms) => ms.toFixed(0))
      .join(' / ');
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);
  console.log(`ready: ${sorted('readyMs')} ms, CPU ${sorted('cpuMs')} ms`);
  const { readyMs, cpuMs, rssMb } = await serve(folder, parked, true);
  console.log(`10,000 parked runs: ready in ${readyMs.toFixed(0)} ms, CPU ${cpuMs} ms, ${rssMb.toFixed(0)} MB`);
  for (const query of queriesFor(many)) console.log(`list of ${many} runs, "${query}": ${await requestMs(large, `/api/v1/runs?${query}`)}`);
  console.log(`/metrics at ${many} runs: ${await requestMs(large, '/metrics')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
