// Measures how events of GitHub are handled: `npm run build && node --no-warnings bench/github.ts [DELIVERIES]`.
// - The time from a webhook to the first step of its run.
// - A burst of deliveries.
// - The number of API requests for one merged pull request.
// GitHub is simulated in this process, `pawl serve` runs from `dist` in another. `CHRT=1` gives both real-time priority; that
// needs the program `chrt` and the right to use it.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { HOOK_SECRET, labelItem, payloadFor, type Webhook, webhookRequest } from '../test/github/events.ts';
import { TOKEN } from '../test/github/server.ts';
import { type GitHubStage, openGitHubStage } from '../test/github/stage.ts';
import type { Item } from '../test/github/state.ts';
import { addressOf, cpuMsOf } from './served-process.ts';

const PAWL = join(import.meta.dirname, '..', 'bin', 'pawl.js');
const STARTS = 60;
const LANES = 16;
/** One in 10 deliveries is sent twice, one in 100 starts a run. */
const TWICE = 10;
const STARTING = 100;
const PATIENCE_MS = 600_000;

const AGENT = `import { writeFileSync } from 'node:fs';
const output = process.env.PAWL_STEP === 'pull_request' ? { pr: { title: 'Add search', body: '' } } : {};
if (process.env.PAWL_STEP === 'implement') writeFileSync('search.txt', 'found');
console.log(JSON.stringify({ success: true, output }));
`;

/** A project with its state folder and a server, in a temporary folder. */
class Served {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-bench-github-')));
  readonly project = join(this.folder, 'project');
  readonly state = join(this.folder, 'state');
  readonly stage: GitHubStage;
  private child: ChildProcess | undefined;
  url = '';

  constructor(stage: GitHubStage) {
    this.stage = stage;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.project, path)), { recursive: true });
    writeFileSync(join(this.project, path), text);
  }

  async open(): Promise<void> {
    const forge = `forge: { kind: github, repository: octo/project, auth: { token: GITHUB_TOKEN }, base_url: "${this.stage.hub.url}", poll: 1h, webhook_secret: GITHUB_HOOK }`;
    this.write(
      '.pawl/config.yaml',
      `${forge}\nsecrets: { GITHUB_TOKEN: { env: GITHUB_TOKEN }, GITHUB_HOOK: { env: GITHUB_HOOK } }\ngroups: { maintainers: [ann] }\nproject: { default_branch: main }\nroles: { dev: { driver: command, argv: [node, .pawl/agent.mjs] } }\n`,
    );
    this.write('.pawl/agent.mjs', AGENT);
    this.write(
      '.pawl/workflows/first.yaml',
      workflow('first', `  - { id: note, type: command, run: 'date +%s%N >> "${this.folder}/began"' }`),
    );
    this.write('.pawl/workflows/search.yaml', workflow('search', SEARCH));
    const git = (...words: string[]): string =>
      execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@example.com', ...words], { cwd: this.project, encoding: 'utf8' });
    git('init', '--quiet', '--initial-branch=main');
    git('add', '--all');
    git('commit', '--quiet', '-m', 'begin');
    git('push', '--quiet', '--force', join(this.stage.folder, 'octo', 'project.git'), 'main:main');
    mkdirSync(this.state, { mode: 0o700 });
    // Only a person can trust a workflow with `pawl trust`, so the benchmark writes the file itself.
    writeFileSync(join(this.state, 'trust.json'), JSON.stringify({ version: 1, folders: { [this.project]: '' }, files: {} }));
    const { PATH = '' } = process.env;
    const env = { PATH, HOME: this.folder, PAWL_STATE: this.state, GITHUB_TOKEN: TOKEN, GITHUB_HOOK: HOOK_SECRET };
    const argv = [...ahead, process.execPath, PAWL, 'serve', '--port', '0', '--json'];
    this.child = spawn(argv[0] as string, argv.slice(1), { cwd: this.project, env });
    this.url = await addressOf(this.child);
  }

  /** Sends a webhook. Returns the status of the delivery and the time until the response. */
  async send(webhook: Webhook): Promise<{ readonly status: string; readonly ms: number }> {
    const began = performance.now();
    const response = await fetch(webhookRequest(this.url, webhook));
    const { status } = (await response.json()) as { status: string };
    return { status, ms: performance.now() - began };
  }

  /** Reads rows from the database of the runs, or from that of the server. */
  read(sql: string, ending: '' | '.server' = '.server'): Record<string, unknown>[] {
    const folder = readdirSync(this.state).find((name) => existsSync(join(this.state, name, 'runs.db'))) ?? '';
    const database = new DatabaseSync(join(this.state, folder, `runs.db${ending}`), { readOnly: true, timeout: 5000 });
    try {
      return database.prepare(sql).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !isSo(); await pause(20))
      if (Date.now() > end) throw new Error(`timed out waiting for ${what}`);
  }

  cpuMs(): number {
    return cpuMsOf(this.child?.pid ?? 0);
  }

  async close(): Promise<void> {
    const { child } = this;
    if (child?.exitCode === null) {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('close', resolve));
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const ahead = process.env.CHRT === '1' ? ['chrt', '-f', '50'] : [];

const SEARCH = `  - { id: implement, type: agent, agent: dev, action: implement }
  - { id: pull_request, type: agent, agent: dev, action: open_pr, outputs: [{ name: pr_number, type: pr, required: true }] }
  - { id: approval, type: gate, conditions: [{ check: pr_approval, from: maintainers, count: 1 }], on_pass: merge }
  - { id: merge, type: action, action: merge_pr, method: squash, delete_branch: true, on_success: complete }
on_complete:
  - close_issue: "{{ context.issue_number }}"
  - comment: { target: issue, message: "Merged." }`;

function workflow(name: string, stages: string): string {
  return `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: ${name} }\ntrigger: { event: issues.labeled, conditions: { label: ${name} } }\nstages:\n${stages}\n`;
}

function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] as number;
}

const shown = (ms: number): string => `${Math.round(ms)} ms`;

/** Sends webhooks one after the other, and measures the time until the program of the first step runs. */
async function firstSteps(served: Served): Promise<void> {
  const { state } = served.stage.hub;
  const began = (): string[] => {
    const file = join(served.folder, 'began');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  const times: number[] = [];
  for (let turn = 0; turn < STARTS + 3; turn += 1) {
    const webhook = labelItem(state, state.add({ title: `Issue ${turn}`, body: '', user: 'ann' }), { label: 'first', sender: 'ann' });
    const sentAt = Date.now();
    await served.send(webhook);
    await served.until('the first step', () => began().length > turn);
    // The first three also load code, and are not counted.
    if (turn >= 3) times.push(Number(began()[turn]) / 1e6 - sentAt);
  }
  console.log(
    `webhook to first step, ${STARTS} runs: p50 ${shown(share(times, 0.5))}, p95 ${shown(share(times, 0.95))}, target: p95 < 500 ms`,
  );
}

/** Sends many deliveries at once, some of them twice. All must be stored, and each handled once. */
async function burst(served: Served, count: number): Promise<void> {
  const { state } = served.stage.hub;
  const before = Number(served.read('SELECT max(number) AS n FROM deliveries')[0]?.n ?? 0);
  const webhooks = Array.from({ length: count }, (_, index): Webhook => {
    const item = state.add({ title: `Burst ${index}`, body: '', user: 'ann' });
    return { ...labelItem(state, item, { label: index % STARTING === 0 ? 'first' : 'noise', sender: 'ann' }), id: randomUUID() };
  });
  const sent = webhooks.flatMap((webhook, index) => (index % TWICE === 0 ? [webhook, webhook] : [webhook]));
  const answers: { status: string; ms: number }[] = [];
  const cpu = served.cpuMs();
  const began = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < sent.length) {
      next += 1;
      answers.push(await served.send(sent[next - 1] as Webhook));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const tookMs = performance.now() - began;
  const open = (): number => Number(served.read("SELECT count(*) AS n FROM deliveries WHERE status = 'received'")[0]?.n);
  await served.until('the handling of all deliveries', () => open() === 0);
  const actedMs = performance.now() - began;
  const times = answers.map(({ ms }) => ms);
  const [row] = served.read(
    `SELECT count(*) AS n, count(DISTINCT delivery) AS ids, sum(run IS NOT NULL) AS runs FROM deliveries WHERE number > ${before}`,
  );
  const stored = answers.filter(({ status }) => status === 'stored').length;
  console.log(
    `burst of ${count} deliveries, ${sent.length - count} of them sent twice, ${LANES} at a time: ${stored} stored, ${answers.length - stored} recognised as duplicates; in the database ${row?.n} with ${row?.ids} ids, ${row?.runs} runs started of ${Math.ceil(count / STARTING)}`,
  );
  console.log(
    `  answered: p50 ${shown(share(times, 0.5))}, p95 ${shown(share(times, 0.95))}, longest ${shown(Math.max(...times))}, target: < 1 s; all answered after ${(tookMs / 1000).toFixed(1)} s, all handled after ${(actedMs / 1000).toFixed(1)} s; CPU time of the server ${((served.cpuMs() - cpu) / 1000).toFixed(1)} s`,
  );
}

/** Counts the requests of one run, from a label to a merged pull request, without polling. */
async function requests(served: Served): Promise<void> {
  const { stage } = served;
  const { state, log } = stage.hub;
  const issue = state.add({ title: 'Add search', body: '', user: 'ann' });
  const from = log.length;
  await served.send(labelItem(state, issue, { label: 'search', sender: 'ann' }));
  const pull = (): Item | undefined => [...state.items.values()].find((item) => item.pull !== undefined);
  await served.until('the pull request', () => pull() !== undefined);
  const status = (): unknown => served.read('SELECT status FROM workflow_runs ORDER BY issue_number DESC LIMIT 1', '')[0]?.status;
  await served.until('the gate', () => status() === 'waiting');
  const item = pull() as Item;
  await stage.review(item.number, 'ann', 'approved');
  const review = { id: 1, state: 'approved', user: { login: 'ann', type: 'User' }, commit_id: item.pull?.headSha };
  await served.send({ event: 'pull_request_review', payload: payloadFor(item, { action: 'submitted', sender: 'ann', review }) });
  await served.until('the merge', () => item.pull?.merged === true && !issue.open);
  await served.until('the comment', () => state.comments.some(({ number }) => number === issue.number));
  const lines = log.slice(from);
  const api = lines.filter((line) => !line.includes('.git/'));
  const free = api.filter((line) => line.endsWith(' 304')).length;
  const writes = api.filter((line) => !line.startsWith('GET ')).length;
  console.log(
    `requests for one merged pull request: ${api.length} to the API, of which ${writes} writes and ${free} answered with 304, which do not count; ${lines.length - api.length} of git`,
  );
}

const stage = await openGitHubStage();
const served = new Served(stage);
try {
  if (ahead.length > 0) execFileSync('chrt', ['-f', '-p', '50', String(process.pid)]);
  await served.open();
  console.log(`load ${loadavg()[0]?.toFixed(1)}${ahead.length > 0 ? ', this process and the server at real-time priority' : ''}`);
  await requests(served);
  await firstSteps(served);
  await burst(served, Number(process.argv[2] ?? 10_000));
} finally {
  await served.close();
  await stage.close();
}
