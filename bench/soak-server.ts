// An hour of load on the real `pawl serve`: `npm run build && node --no-warnings bench/soak-server.ts [--minutes 60] [--lanes 4]`.
// Concurrent lanes start runs, follow and decide them, read lists and pages, and open and close streams, with a pause after each
// turn. Each minute prints a line: memory, open handles, runs, the CPU time of the server per request and per run, and the times of
// requests. At the end, the last third is compared with the second, since the first is the warm-up. It fails if memory or CPU time
// grew by more than a tenth, if there are more open handles, or if a request failed. The times of requests do not count, because
// they depend on what else the machine does. There are no text searches and no requests for the usage of agents: these read many
// runs, so they cost more as the number of runs grows (bench/server-growth.ts).

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProject, Served } from '../test/browser/served-project.ts';
import { median } from './measure.ts';
import { cpuMsOf, handlesOf, rssMbOf } from './served-process.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' }, lanes: { type: 'string', default: '4' } } });
const MINUTES = Number(values.minutes);
const LANES = Number(values.lanes);
const PAUSE_MS = 150;
const MINUTE_MS = 60_000;
const GROWTH_MAX = 1.1;
const HANDLES_SPARE = 4;

const HEAD = 'apiVersion: pawl.dev/v1\nkind: Workflow\n';
const FILES = {
  '.pawl/workflows/ask.yaml': `${HEAD}metadata: { name: ask }
params: { note: { type: string, required: true } }
stages:
  - { id: sign, type: human, prompt: Continue?, options: [{ label: approve }, { label: reject, outcome: reject }] }
`,
  '.pawl/workflows/think.ts': `import { defineWorkflow } from 'pawl';
export default defineWorkflow({
  name: 'think',
  steps: {
    list: { handler: () => ({ items: [1, 2, 3, 4, 5] }), next: 'each' },
    each: { each: { items: 'items', step: { handler: ({ item }: { item: number }) => ({ twice: item * 2 }) } }, next: null },
  },
});
`,
};

/** The figures of one minute. */
interface Minute {
  readonly rssMb: number;
  readonly handles: number;
  readonly requests: number;
  /** The server's CPU time for one request. */
  readonly requestCpuMs: number;
  /** The server's CPU time for one run, with all requests about it. */
  readonly runCpuMs: number;
  readonly p50: number;
  readonly p95: number;
  /** Runs started so far. */
  readonly runs: number;
  readonly failures: number;
}

/** Calls the API with a token, and records the time of each call. */
class Client {
  readonly url: string;
  readonly token: string;
  times: number[] = [];
  failures = 0;
  runs = 0;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  async call<T>(path: string, body?: object): Promise<T | undefined> {
    const began = performance.now();
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    try {
      const answer = await fetch(`${this.url}/api/v1${path}`, init);
      const parsed = (await answer.json()) as T;
      this.times.push(performance.now() - began);
      if (answer.ok) return parsed;
      throw new Error(JSON.stringify(parsed));
    } catch (thrown) {
      this.failures += 1;
      if (this.failures <= 3) console.error(`${path}: ${String(thrown)}`);
      return undefined;
    }
  }

  /** Opens the stream of all runs, reads its first chunk and closes it. */
  async glance(): Promise<void> {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${this.token}`, accept: 'text/event-stream' };
    try {
      const answer = await fetch(`${this.url}/api/v1/events`, { headers, signal: stop.signal });
      await answer.body?.getReader().read();
    } finally {
      stop.abort();
    }
  }
}

interface Shown {
  readonly run: { readonly id: string };
  readonly waits: readonly { readonly digest?: string }[];
}

/** One turn of a lane: the requests of a person and a program about two runs. */
async function turn(client: Client, n: number): Promise<void> {
  const asked = await client.call<Shown>('/runs', { workflow: 'ask', params: { note: `turn ${n}` }, tags: ['soak'] });
  await client.call('/runs', { workflow: 'think', params: {} });
  client.runs += 2;
  await client.call('/runs?limit=100');
  await client.call('/runs?status=waiting');
  if (asked === undefined) return;
  const { id } = asked.run;
  const shown = await client.call<Shown>(`/runs/${id}`);
  for (const part of ['graph', 'timeline', 'history']) await client.call(`/runs/${id}/${part}`);
  await client.glance();
  // One in ten is cancelled instead of decided.
  if (n % 10 === 0) await client.call('/runs/bulk', { action: 'cancel', ids: [id] });
  else await client.call(`/runs/${id}/decide`, { option: 'approve', digest: shown?.waits[0]?.digest });
  if (n % 5 === 0) await client.call('/inbox');
}

async function lane(client: Client, number: number, until: number): Promise<void> {
  for (let n = number; Date.now() < until; n += LANES) {
    await turn(client, n);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Reads the figures of each minute, since the last reading. */
class Observer {
  private readonly pid: number;
  private readonly client: Client;
  private cpuMs: number;
  private runs = 0;

  constructor(pid: number, client: Client) {
    this.pid = pid;
    this.client = client;
    this.cpuMs = cpuMsOf(pid);
  }

  read(): Minute {
    const { pid, client } = this;
    const { failures, runs } = client;
    const times = client.times.sort((a, b) => a - b);
    client.times = [];
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
    const cpuMs = cpuMsOf(pid);
    const [used, started] = [cpuMs - this.cpuMs, runs - this.runs];
    [this.cpuMs, this.runs] = [cpuMs, runs];
    const cpu = { requestCpuMs: used / Math.max(1, times.length), runCpuMs: used / Math.max(1, started) };
    return { rssMb: rssMbOf(pid), handles: handlesOf(pid), requests: times.length, ...cpu, p50: at(0.5), p95: at(0.95), runs, failures };
  }
}

const HEADS = ['minute', 'RSS', 'handles', 'runs so far', 'requests', 'CPU a request', 'CPU a run', 'p50', 'p95', 'failed'];
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

function line(name: string, { rssMb, handles, requests, requestCpuMs, runCpuMs, p50, p95, runs, failures }: Minute): string {
  return row([name, `${rssMb.toFixed(0)} MB`, handles, runs, requests, ms(requestCpuMs), ms(runCpuMs), ms(p50), ms(p95), failures]);
}

/** True if the figures of the last third are like those of the second. */
function isStable(minutes: readonly Minute[]): boolean {
  const third = Math.floor(minutes.length / 3);
  const [middle, last] = [minutes.slice(third, 2 * third), minutes.slice(-third)];
  const growth = (pick: (minute: Minute) => number): number => median(last.map(pick)) / median(middle.map(pick));
  const rss = growth(({ rssMb }) => rssMb);
  const cpu = growth(({ requestCpuMs }) => requestCpuMs);
  const run = growth(({ runCpuMs }) => runCpuMs);
  const p95 = growth((minute) => minute.p95);
  const handles = median(last.map((minute) => minute.handles)) - median(middle.map((minute) => minute.handles));
  const failed = minutes.at(-1)?.failures ?? 0;
  const shown = `memory ${rss.toFixed(2)}×, CPU a request ${cpu.toFixed(2)}×, CPU a run ${run.toFixed(2)}×`;
  const others = `handles ${handles >= 0 ? '+' : ''}${handles}, p95 ${p95.toFixed(2)}×; ${failed} failed`;
  console.log(`last third against the second: ${shown}, ${others}`);
  return Math.max(rss, cpu, run) <= GROWTH_MAX && handles <= HANDLES_SPARE && failed === 0;
}

const home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-soak-')));
const served = new Served(createProject(home, join(import.meta.dirname, '../bin/pawl.js'), FILES));
try {
  await served.start();
  const scopes = ['view', 'operate', 'decide'].flatMap((scope) => ['--scope', scope]);
  const [token = ''] = /pawlt_[\w-]{43}/.exec(await served.command('access', 'token', 'create', 'soak', ...scopes)) ?? [];
  const client = new Client(served.url, token);
  const observer = new Observer(served.pid, client);
  const until = Date.now() + MINUTES * MINUTE_MS;
  const lanes = Array.from({ length: LANES }, (_, n) => lane(client, n, until));
  console.log(`${MINUTES} minutes, ${LANES} lanes, from ${new Date().toISOString()}`);
  console.log(row(HEADS));
  console.log(row(HEADS.map(() => '---')));
  const minutes: Minute[] = [];
  while (Date.now() + MINUTE_MS / 2 < until) {
    await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
    const minute = observer.read();
    minutes.push(minute);
    console.log(line(String(minutes.length), minute));
  }
  await Promise.all(lanes);
  if (!isStable(minutes)) process.exitCode = 1;
} finally {
  await served.stop();
  rmSync(home, { recursive: true, force: true });
}
