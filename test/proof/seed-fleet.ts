// Owns the four workflows of seed 002 under `pawl serve` with the GitHub of the tests: people who label, review and approve,
// agents that write and reject, and a server that is killed at moments that a seed chooses.

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ForgeProject, type ToldRun } from '../cli/forge-project.ts';
import type { Running } from '../cli/rig.ts';
import { HOOK_SECRET, labelItem, payloadFor, type Webhook, webhookRequest } from '../github/events.ts';
import { TOKEN } from '../github/server.ts';
import { type GitHubStage, openGitHubStage } from '../github/stage.ts';
import type { Item } from '../github/state.ts';

const APPROVE = "verdict = 'approve'; output = { feedback: 'fine' }";
const NAME = "const name = 'work_' + process.env.PAWL_RUN.toLowerCase().replace(/[^a-z]/g, '')";

/** What the agents do, by step. The bug fix forgets the code at first, the feature its docstring, until they are told. */
const AGENTS: Readonly<Record<string, string>> = {
  research: "output = { outputs: { implementation_plan: 'First the index.' } }",
  diagnose: "output = { outputs: { root_cause: 'find is missing' } }",
  threat_model: "output = { outputs: { threat_analysis: 'none' } }",
  implement: `${NAME};
    const isFirst = process.env.PAWL_KEY.includes('implement#1/');
    write('tests/test_' + name + '.py', 'def test_it():\\n    assert ' + name + '()\\n');
    const doc = prompt.includes('no docstring') ? '    """Finds."""\\n' : '';
    if (!isFirst || !prompt.includes('Action: fix')) write('src/' + name + '.py', 'def ' + name + '():\\n' + doc + '    return 1\\n')`,
  documentation: "write('docs/search.md', '# Search')",
  pull_request: "output = { pr: { title: 'Add search', body: 'Closes nothing.' } }",
  open_pr: "output = { pr: { title: 'Fix search', body: 'It was missing.' } }",
  code_review: `${NAME};
    const isDone = process.env.PAWL_KEY.includes('security_review') || readFileSync('src/' + name + '.py', 'utf8').includes('"""');
    verdict = isDone ? 'approve' : 'reject'; output = { feedback: isDone ? 'fine' : 'no docstring' }`,
  ...{ test_review: APPROVE, security_audit: APPROVE, test_coverage: APPROVE, review: APPROVE },
};

/** What `pawl show --json` says, as far as it is read here. */
interface ShownRun extends ToldRun {
  readonly waits: readonly { readonly kind: string; readonly path: string }[];
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The project, its GitHub and its people. */
export class SeedFleet {
  readonly project = new ForgeProject();
  readonly stage: GitHubStage;
  /** The steps that a person let run again, because a kill left no record of how they ended. */
  readonly reruns: string[] = [];
  /** What the server refused. */
  readonly refused: string[] = [];
  kills = 0;
  private token = '';
  private serving: { readonly running: Running; readonly url: string } | undefined;
  private readonly approved = new Set<number>();

  private constructor(stage: GitHubStage) {
    this.stage = stage;
  }

  static async open(): Promise<SeedFleet> {
    const fleet = new SeedFleet(await openGitHubStage());
    const { project, stage } = fleet;
    const forge = `forge: { kind: github, repository: octo/project, auth: { token: GITHUB_TOKEN }, base_url: "${stage.hub.url}", poll: 1s, webhook_secret: GITHUB_HOOK }
secrets: { GITHUB_TOKEN: { env: GITHUB_TOKEN }, GITHUB_HOOK: { env: GITHUB_HOOK } }`;
    Object.assign(project.rig.settings, { GITHUB_TOKEN: TOKEN, GITHUB_HOOK: HOOK_SECRET });
    const log = JSON.stringify(fleet.log);
    const logged = `execFileSync('sh', ['-c', 'echo "$PAWL_KEY" >> ' + ${JSON.stringify(log)}])`;
    await project.open(Object.fromEntries(Object.entries(AGENTS).map(([step, code]) => [step, `${logged}; ${code}`])), forge);
    fleet.token = await fleet.createToken();
    project.git('push', '--quiet', '--force', join(stage.folder, 'octo', 'project.git'), 'main:main');
    return fleet;
  }

  /** A person's right to let a step run again, made at a terminal. */
  private async createToken(): Promise<string> {
    const terminal = this.project.rig.terminal(['access', 'token', 'create', 'ann', '--scope', 'operate', '--scope', 'decide'], {
      columns: 300,
    });
    await terminal.ended;
    const [token] = /pawlt_[\w-]{43}/.exec(terminal.text()) ?? [];
    if (token === undefined) throw new Error(terminal.text());
    return token;
  }

  private get log(): string {
    return join(this.project.rig.folder, 'agents.log');
  }

  /** The keys of the attempts that agents began, in order. */
  begun(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').trim().split('\n') : [];
  }

  /** How much has happened: agents that began, and what was written to GitHub. Unlike time, it does not depend on the machine. */
  progress(): number {
    const writes = this.stage.hub.log.filter((line) => !line.startsWith('GET '));
    return new Set(this.begun()).size + writes.length;
  }

  async serve(): Promise<void> {
    const running = this.project.rig.start(['serve', '--port', '0', '--json']);
    const [, url = ''] = /"url": "(.*?)"/.exec(await running.until(/"pid"/)) ?? [];
    this.serving = { running, url };
  }

  async kill(): Promise<void> {
    this.kills += 1;
    await this.end('SIGKILL');
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.serving?.running.process.kill(signal);
    await this.serving?.running.ended;
    this.serving = undefined;
  }

  /** Sends a webhook. Nobody sends it again if no server answers: GitHub does not either. */
  async send(webhook: Webhook): Promise<void> {
    const { url } = this.serving ?? {};
    if (url === undefined) return;
    await fetch(webhookRequest(url, { id: randomUUID(), ...webhook })).then(
      (response) => response.body?.cancel(),
      () => undefined,
    );
  }

  /** What people do to begin with: three issues with labels, and a pull request of their own. */
  async begin(): Promise<void> {
    const { state } = this.stage.hub;
    const issue = (title: string, labels: string[] = []): Item =>
      Object.assign(state.add({ title, body: 'Please.', user: 'ann' }), { labels });
    await this.send(labelItem(state, issue('Add search'), { label: 'feature', sender: 'ann' }));
    await this.send(labelItem(state, issue('find fails'), { label: 'bug', sender: 'ann' }));
    await this.send(labelItem(state, issue('Sign in', ['feature']), { label: 'security', sender: 'ann' }));
    const headSha = await this.stage.commit('topic', { 'topic.txt': 'the work' });
    const baseSha = state.headOf('main') ?? '';
    const pull = {
      head: 'topic',
      base: 'main',
      headSha,
      baseSha,
      from: 'octo',
      draft: false,
      mergeSha: null,
      merged: false,
      reviewers: [],
    };
    const item = state.add({ title: 'Add topic', body: '', user: 'ann', pull });
    await state.git.setRef(`refs/pull/${item.number}/head`, headSha);
    await this.send({ event: 'pull_request', payload: payloadFor(item, { action: 'opened', sender: 'ann' }) });
  }

  /** What people do when they look: they approve where they are waited for, and let interrupted steps run again. */
  async look(): Promise<void> {
    for (const { id, status, workflow } of await this.runs()) {
      if (status === 'escalated') await this.retry(id);
      if (status !== 'waiting') continue;
      const shown = await this.project.json<ShownRun>('show', id);
      for (const { path } of shown.waits.filter((wait) => wait.kind === 'unknown')) await this.rerun(id, path);
      if (shown.waits.some((wait) => wait.path.startsWith('human_approval#')))
        await this.approve(workflow === 'security-feature' ? 'sue' : 'ann', id);
    }
  }

  /** An attempt that was interrupted four times is stopped for a person, who lets it go on. Anything else ends the test. */
  private async retry(run: string): Promise<void> {
    const error = await this.error(run);
    if (!error.includes('was interrupted')) throw new Error(`run ${run} stopped: ${error}`);
    const { waits } = await this.project.json<ShownRun>('show', run);
    if (await this.resume(run, { retry: true })) this.reruns.push(...waits.map(({ path }) => `${run}/${path}`));
  }

  private async rerun(run: string, path: string): Promise<void> {
    if (await this.resume(run, { rerun: [path] })) this.reruns.push(`${run}/${path}`);
  }

  private async resume(run: string, choice: object): Promise<boolean> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
    };
    const request = { method: 'POST', headers, body: JSON.stringify(choice) };
    const response = await fetch(`${this.serving?.url}/api/v1/runs/${run}/resume`, request);
    const text = await response.text();
    if (!response.ok) this.refused.push(`${response.status} ${text}`);
    return response.ok;
  }

  private async approve(user: string, run: string): Promise<void> {
    const item = [...this.stage.hub.state.items.values()].find(({ open, pull }) => open && pull?.head === `pawl/${run}`);
    if (item === undefined || this.approved.has(item.number)) return;
    this.approved.add(item.number);
    await this.stage.review(item.number, user, 'approved');
    const review = { id: 1, state: 'approved', user: { login: user, type: 'User' }, commit_id: item.pull?.headSha };
    await this.send({ event: 'pull_request_review', payload: payloadFor(item, { action: 'submitted', sender: user, review }) });
  }

  async runs(): Promise<{ readonly id: string; readonly workflow: string; readonly status: string }[]> {
    return (await this.project.json<{ runs: { id: string; workflow: string; status: string }[] }>('runs')).runs;
  }

  /** The settled steps of a run, with how each ended. */
  async steps(run: string): Promise<string[]> {
    const { steps } = await this.project.json<ShownRun>('show', run);
    return steps.map(({ path, outcome }) => `${path} ${outcome}`);
  }

  /** Why a run stopped. */
  async error(run: string): Promise<string> {
    return JSON.stringify((await this.project.json<{ run: { error: string | null } }>('show', run)).run.error);
  }

  async close(): Promise<void> {
    if (this.serving !== undefined) await this.end('SIGTERM');
    await this.project.close();
    await this.stage.close();
  }
}
