// Compares the cost of requests with few and with many ended runs in the store: `npm run build && node --no-warnings
// bench/server-growth.ts [--runs 500,20000] [--turns 200]`. Prints a row for each kind of request, with the CPU time of the server
// at each number of runs. The rows of starting and deciding a run include the work that follows. Only the cost of a text search and
// of the usage may grow.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProject, Served } from '../test/browser/served-project.ts';
import { fillEnded } from './parked-runs.ts';
import { cpuMsOf } from './served-process.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '500,20000' }, turns: { type: 'string', default: '200' } } });
const SIZES = values.runs.split(',').map(Number);
const TURNS = Number(values.turns);
const OPEN = 20;

const FILES = {
  '.pawl/config.yaml': 'db: .pawl/runs.db\n',
  '.pawl/workflows/ask.yaml': `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ask }
params: { note: { type: string, required: true } }
stages:
  - { id: sign, type: human, prompt: Continue?, options: [{ label: approve }, { label: reject, outcome: reject }] }
`,
};

interface Shown {
  readonly run: { readonly id: string };
  readonly waits: readonly { readonly digest?: string }[];
}

/** Calls the API of a server with a token. */
function caller(url: string, token: string) {
  return async <T>(path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return (path.startsWith('/api') ? JSON.parse(text) : text) as T;
  };
}

/** The server's CPU time for each kind of request, at a number of runs that have ended. */
async function measure(runs: number): Promise<ReadonlyMap<string, number>> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-growth-')));
  const served = new Served(createProject(home, join(import.meta.dirname, '../bin/pawl.js'), FILES));
  try {
    await served.start();
    const scopes = ['view', 'operate', 'decide'].flatMap((scope) => ['--scope', scope]);
    const [token = ''] = /pawlt_[\w-]{43}/.exec(await served.command('access', 'token', 'create', 'growth', ...scopes)) ?? [];
    await served.stop();
    await fillEnded(join(served.place.project, '.pawl/runs.db'), runs);
    await served.start();
    return await measureAll(served, caller(served.url, token));
  } finally {
    await served.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureAll(served: Served, call: ReturnType<typeof caller>): Promise<ReadonlyMap<string, number>> {
  const start = (n: number): Promise<Shown> => call('/api/v1/runs', { workflow: 'ask', params: { note: `turn ${n}` } });
  const waiting: Shown[] = [];
  for (let n = 0; n < OPEN; n += 1) waiting.push(await start(n));
  const id = waiting[0]?.run.id as string;
  const started: Shown[] = [];
  const decide = async (): Promise<unknown> => {
    const { run, waits } = started.pop() as Shown;
    return call(`/api/v1/runs/${run.id}/decide`, { option: 'approve', digest: waits[0]?.digest });
  };
  const requests: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
    'start a run': async (n) => started.push(await start(n)),
    'decide a run': decide,
    'first page of all runs': () => call('/api/v1/runs?limit=100'),
    'a run': () => call(`/api/v1/runs/${id}`),
    'graph of a run': () => call(`/api/v1/runs/${id}/graph`),
    'timeline of a run': () => call(`/api/v1/runs/${id}/timeline`),
    'history of a run': () => call(`/api/v1/runs/${id}/history`),
    inbox: () => call('/api/v1/inbox'),
    'open runs': () => call('/api/v1/runs?status=waiting'),
    health: () => call('/healthz'),
    metrics: () => call('/metrics'),
    'usage of an hour': () => call(`/api/v1/usage?bucket=hour&since=${new Date(Date.now() - 3_600_000).toISOString()}`),
    'search by text': (n) => call(`/api/v1/runs?text=turn ${n}`),
  };
  const cpu = new Map<string, number>();
  for (const [name, request] of Object.entries(requests)) {
    for (let n = 0; n < 30; n += 1) if (name !== 'decide a run') await request(n);
    // By then the server has processed everything that was written before.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    const before = cpuMsOf(served.pid);
    for (let n = 0; n < TURNS; n += 1) await request(n);
    if (name === 'start a run' || name === 'decide a run') await new Promise((resolve) => setTimeout(resolve, 4000));
    cpu.set(name, (cpuMsOf(served.pid) - before) / TURNS);
  }
  return cpu;
}

const measured: ReadonlyMap<string, number>[] = [];
for (const runs of SIZES) measured.push(await measure(runs));
console.log(`| request | ${SIZES.map((runs) => `${runs} runs`).join(' | ')} | |`);
console.log(`|---|${SIZES.map(() => '---|').join('')}---|`);
for (const name of measured[0]?.keys() ?? []) {
  const row = measured.map((cpu) => cpu.get(name) ?? 0);
  console.log(`| ${name} | ${row.map((ms) => `${ms.toFixed(1)} ms`).join(' | ')} | ${((row.at(-1) ?? 0) / (row[0] ?? 1)).toFixed(1)}× |`);
}
