// `pawl actions run` as jobs run it: each in a fresh clone and without anything of the job before it, against the GitHub of the
// tests, whose git keeps the state.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CliRig, type Ended, type Running } from '../cli/rig.ts';
import { git } from '../git.ts';
import { labelItem, payloadFor } from '../github/events.ts';
import { type GitHubStage, openGitHubStage } from '../github/stage.ts';
import type { Item } from '../github/state.ts';

const BOT = 'github-actions[bot]';
const TOKEN = 'ghs_of-the-job';
const SECRET = 'a-secret-value-of-the-settings';
const REF = 'refs/pawl/state';

let stage: GitHubStage;
let rig: CliRig;
let jobs = 0;

const WORKFLOW = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: fix }
trigger: { event: issues.labeled, conditions: { label: bug } }
stages:
  - id: repair
    type: agent
    agent: developer
    outputs: [{ name: plan, type: comment, required: true }]
    recovery: rerun
  - id: review
    type: gate
    conditions: [{ check: pr_approval, from: maintainers, count: 1 }]
    timeout: 7d
  - { id: merge, type: action, action: merge_pr, method: squash }
`;

const config = (): string => `forge: { kind: github, repository: octo/project, base_url: "${stage.hub.url}" }
project: { default_branch: main }
groups: { maintainers: [ann] }
secrets: { API: { env: API_SECRET } }
roles: { developer: { driver: command, argv: [node, .pawl/agent.mjs] } }
`;

// The agent says its secret too, and waits while the file "hold" is there.
const AGENT = `import { existsSync, writeFileSync } from 'node:fs';
writeFileSync(process.env.HOME + '/begun', '');
while (existsSync(process.env.HOME + '/hold')) await new Promise((done) => setTimeout(done, 20));
writeFileSync('fixed.txt', 'fixed');
console.log(JSON.stringify({ success: true, output: { outputs: { plan: 'First the index.' }, said: ${JSON.stringify(SECRET)} } }));
`;

beforeEach(async () => {
  stage = await openGitHubStage();
  stage.hub.state.tokens.set(TOKEN, BOT);
  rig = new CliRig();
  jobs = 0;
  await stage.commit('main', {
    '.pawl/workflows/fix.yaml': WORKFLOW,
    '.pawl/config.yaml': config(),
    '.pawl/agent.mjs': AGENT,
  });
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

interface JobOptions {
  /** Where its checkout is. */
  readonly machine?: string;
  /** It begins while another job works. */
  readonly isSecond?: boolean;
  readonly id?: string;
  readonly ref?: string;
  readonly hold?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a job on a fresh machine. */
function start(
  event: string,
  payload: object,
  { id, ref = 'main', machine = 'machine', isSecond = false, hold = '4s', env = {} }: JobOptions = {},
): Running {
  jobs += 1;
  const folder = join(rig.folder, machine);
  // The folder of the state has the same name on every machine, and is empty on a fresh one.
  const state = join(rig.folder, 'state-of-job');
  for (const old of isSecond ? [folder] : [folder, state]) rmSync(old, { recursive: true, force: true });
  mkdirSync(folder);
  const checkout = join(folder, 'project');
  git(folder, 'clone', '--quiet', '--branch', ref, join(stage.folder, 'octo', 'project.git'), checkout);
  writeFileSync(join(folder, 'event.json'), JSON.stringify(payload));
  return rig.start(['actions', 'run', '--json', '--state', state, '--hold', hold], {
    cwd: checkout,
    env: {
      ...{ GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'octo/project', GITHUB_RUN_ID: id ?? String(jobs), GITHUB_EVENT_NAME: event },
      ...{ GITHUB_EVENT_PATH: join(folder, 'event.json'), GITHUB_TOKEN: TOKEN, API_SECRET: SECRET, ...env },
    },
  });
}
const job = async (event: string, payload: object, options: JobOptions = {}) => told(await start(event, payload, options).ended);
function told({ code, stdout, stderr }: Ended) {
  if (code !== 0) throw new Error(`the job ended with ${code}: ${stderr}`);
  return { runs: (JSON.parse(stdout) as { runs: { run: string; workflow: string; status: string }[] }).runs, stderr };
}
const issue = (): Item => stage.hub.state.add({ title: 'Search', body: '', user: 'ann' });
const label = (item: Item, name = 'bug') => labelItem(stage.hub.state, item, { label: name, sender: 'ann' }).payload;
const pulls = (): Item[] => [...stage.hub.state.items.values()].filter(({ pull }) => pull !== undefined);
const review = (item: Item) => payloadFor(item, { action: 'submitted', sender: 'ann', review: { id: 5, state: 'approved' } });
const planned = (): number => stage.hub.state.comments.filter(({ body }) => body.includes('First the index')).length;
const stateText = (): string => {
  const bare = join(stage.folder, 'octo', 'project.git');
  const names = git(bare, 'ls-tree', '--name-only', REF)
    .split('\n')
    .filter((name) => name !== '');
  return names.map((name) => Buffer.from(git(bare, 'cat-file', 'blob', `${REF}:${name}`), 'base64').toString('latin1')).join('\n');
};

describe('jobs in a row', () => {
  test('jobs in a row go from a label to a merge: the first ends while the run waits, and the job of the review continues it', async () => {
    const first = await job('issues', label(issue()));
    expect(first.stderr).toBe('');
    expect(first.runs).toMatchObject([{ workflow: 'fix', status: 'waiting' }]);
    const [pull] = pulls() as [Item];
    expect(pull).toMatchObject({ title: 'Search', user: BOT, pull: { head: `pawl/${first.runs[0]?.run}` } });
    await stage.review(pull.number, 'ann', 'approved');
    const second = await job('pull_request_review', review(pull));
    expect(second.stderr).toBe('');
    expect(second.runs).toEqual([]);
    expect([pulls().length, pull.pull?.merged]).toEqual([1, true]);
    expect(await stage.read('main', 'fixed.txt')).toBe('fixed');
    expect(planned()).toBe(1);
    const saved = stateText();
    expect(saved).toContain('runs.db');
    for (const secret of [TOKEN, SECRET]) expect([secret, saved.includes(secret)]).toEqual([secret, false]);
  });

  test('jobs in a row find events for which no job was started, and handle each event once', async () => {
    const [one, two] = [issue(), issue()];
    const payload = label(one);
    await job('issues', payload, { id: '1' });
    label(two);
    const { runs } = await job('schedule', {});
    expect([runs.length, pulls().length]).toEqual([2, 2]);
    expect((await job('issues', payload, { id: '1' })).runs).toHaveLength(2);
    expect(pulls()).toHaveLength(2);
  });
});

describe('a job ends as soon as only the forge, people or a later time continue its runs', () => {
  const MERGED_BY = 'github-merge-queue[bot]';
  const queue = (): number[] => stage.hub.state.queues.get('main') ?? [];
  const looks = (): number => stage.hub.log.filter((line) => line.includes('PawlQueue')).length;
  /** A run whose merge is in the queue, after a job that ended. */
  const queued = async (): Promise<Item> => {
    stage.hub.state.queues.set('main', []);
    await job('issues', label(issue()));
    const [pull] = pulls() as [Item];
    await stage.review(pull.number, 'ann', 'approved');
    const { runs, stderr } = await job('pull_request_review', review(pull));
    expect([stderr, runs.map(({ status }) => status), queue()]).toEqual(['', ['waiting'], [pull.number]]);
    // A job that stayed for the next look, in 15 seconds, would have asked more often.
    expect(looks()).toBeLessThanOrEqual(2);
    return pull;
  };

  test('a merge in the queue: the job does not stay for the next look, and the job of the merge ends the run', async () => {
    const pull = (await queued()) as Item & { pull: NonNullable<Item['pull']> };
    const base = stage.hub.state.headOf('main') as string;
    const built = await stage.hub.state.git.build({ method: 'merge', base, head: pull.pull.headSha, message: 'Merge' });
    if (built.kind !== 'merged') throw new Error(built.kind);
    await stage.hub.state.git.advance('main', { from: base, to: built.sha });
    Object.assign(pull.pull, { merged: true, mergeSha: built.sha, baseSha: base });
    Object.assign(pull, { open: false });
    queue().splice(0);
    stage.hub.state.record(pull, 'closed', { actor: MERGED_BY });
    const { runs, stderr } = await job('pull_request_target', payloadFor(pull, { action: 'closed', sender: 'ann' }));
    expect([stderr, runs]).toEqual(['', []]);
  });

  test('a merge that the queue removed: the job of that event continues the run', async () => {
    const pull = await queued();
    queue().splice(0);
    stage.hub.state.record(pull, 'removed_from_merge_queue', { actor: MERGED_BY });
    const { runs } = await job('pull_request_target', payloadFor(pull, { action: 'dequeued', sender: 'ann' }));
    expect(runs).toMatchObject([{ status: 'escalated' }]);
  });

  test('a gate that waits for reviews beside a question to people', async () => {
    const both = WORKFLOW.replace(
      / {2}- id: review\n[\s\S]*?timeout: 7d\n/,
      `  - id: both
    type: parallel
    branches:
      - { id: review, type: gate, conditions: [{ check: pr_approval, from: maintainers, count: 1 }], timeout: 7d }
      - { id: told, type: human, prompt: "Told everybody?", from: maintainers, timeout: 7d }
`,
    );
    await stage.commit('main', { '.pawl/workflows/fix.yaml': both });
    const { runs, stderr } = await job('issues', label(issue()));
    expect([stderr, runs.map(({ status }) => status)]).toEqual(['', ['waiting']]);
  }, 240_000);
});

const stop = (): string => join(rig.home, 'hold');
const begun = (): Promise<unknown> => expect.poll(() => existsSync(join(rig.home, 'begun')), { timeout: 200_000 }).toBe(true);

describe('jobs that get into each other\u2019s way', () => {
  test('JB1, JB3: two at the same time: the second waits until the first has ended, and both do their work', async () => {
    writeFileSync(stop(), '');
    const first = start('issues', label(issue()), { hold: '90s' });
    await begun();
    const second = start('issues', label(issue()), { machine: 'second', isSecond: true, hold: '90s' });
    await second.until(/holds the state/);
    expect(pulls()).toEqual([]);
    rmSync(stop());
    told(await first.ended);
    const { runs, stderr } = told(await second.ended);
    expect([runs.map(({ status }) => status), stderr.replace(/^pawl: job .*\n/gm, '')]).toEqual([['waiting', 'waiting'], '']);
    expect(pulls()).toHaveLength(2);
  });

  test('the work of one that was killed while an agent was running is repeated by the next', async () => {
    writeFileSync(stop(), '');
    const payload = label(issue());
    const first = start('issues', payload, { id: '1' });
    await begun();
    first.process.kill('SIGKILL');
    await first.ended;
    rmSync(stop());
    expect((await job('issues', payload, { id: '1', env: { GITHUB_RUN_ATTEMPT: '2' } })).runs).toHaveLength(1);
    expect([pulls().length, planned()]).toEqual([1, 1]);
  });

  test('JB2: one that was killed right after it opened a pull request opens no second one', async () => {
    const payload = label(issue());
    const first = start('issues', payload);
    await expect.poll(() => pulls().length, { timeout: 200_000, interval: 1 }).toBe(1);
    first.process.kill('SIGKILL');
    await first.ended;
    // Another event, another job: nobody runs the killed one again.
    const { runs } = await job('schedule', {});
    expect([runs.length, pulls().length, planned()]).toEqual([1, 1, 1]);
    const [pull] = pulls() as [Item];
    await stage.review(pull.number, 'ann', 'approved');
    expect((await job('pull_request_review', review(pull))).runs).toEqual([]);
    expect(pull.pull?.merged).toBe(true);
  });
});

const ASKING = WORKFLOW.replace(
  / {2}- id: review\n[\s\S]*?timeout: 7d\n/,
  '  - { id: approve, type: human, prompt: "Ship it?", from: maintainers, timeout: 7d }\n',
).replace('required: true }]', 'required: true }, { name: work, type: pr, required: true }]');
const OPENING = AGENT.replace("plan: 'First the index.'", "plan: 'First the index.', work: { title: 'Search', body: 'Fixed.' }");
const comments = (number: number, part: string) =>
  stage.hub.state.comments.filter((comment) => comment.number === number && comment.body.includes(part));
const reactions = (id: string): string[] =>
  stage.hub.state.reactions.filter(({ comment }) => comment === Number(id)).map(({ content }) => content);
/** The event of a comment on a pull request: GitHub sends it about the issue of that number. */
const commented = (item: Item, { id, by, body }: { readonly id: string; readonly by: string; readonly body: string }) => ({
  ...payloadFor({ ...item, pull: undefined } as never, { action: 'created', sender: by }),
  issue: { number: item.number, pull_request: {}, title: item.title, body: '', state: 'open', labels: [], user: { login: item.user } },
  comment: { id: Number(id), body, user: { login: by, type: 'User' }, updated_at: new Date().toISOString() },
});

describe('what people see of jobs, and how they decide there', () => {
  /** A run that waits for a decision at its pull request. */
  const asked = async (): Promise<{ readonly pull: Item; readonly run: string; readonly item: Item }> => {
    await stage.commit('main', { '.pawl/workflows/fix.yaml': ASKING, '.pawl/agent.mjs': OPENING });
    const item = issue();
    const { runs, stderr } = await job('issues', label(item));
    expect([stderr, runs.map(({ status }) => status)]).toEqual(['', ['waiting']]);
    return { pull: pulls()[0] as Item, run: runs[0]?.run as string, item };
  };

  test('a run of jobs has one comment, and one check per gate; a command counts once, and not from strangers and programs', async () => {
    const { pull, run, item } = await asked();
    expect(comments(pull.number, '/pawl approve')).toHaveLength(1);
    expect(comments(item.number, `#${pull.number}`).length).toBeLessThanOrEqual(1);
    const checks = () =>
      stage.hub.state.checks.filter(({ name }) => name === 'pawl: fix / approve').map(({ status, conclusion }) => [status, conclusion]);
    expect(checks()).toEqual([['in_progress', null]]);
    await stage.account('mallory', { permission: 'read' });
    await stage.account('helper[bot]', { permission: 'write', bot: true });
    const body = '/pawl approve';
    const [stranger, program] = [await stage.comment(pull.number, 'mallory', body), await stage.comment(pull.number, 'helper[bot]', body)];
    const refused = await job('issue_comment', commented(pull, { id: stranger, by: 'mallory', body }));
    expect(refused.runs).toMatchObject([{ run, status: 'waiting' }]);
    expect([reactions(stranger), reactions(program)]).toEqual([['-1'], []]);
    const id = await stage.comment(pull.number, 'ann', body);
    const event = commented(pull, { id, by: 'ann', body });
    const done = await job('issue_comment', event, { id: 'ann' });
    expect([done.stderr, done.runs, pull.pull?.merged, reactions(id)]).toEqual(['', [], true, ['eyes', '+1']]);
    await job('issue_comment', event, { id: 'ann', env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect(reactions(id)).toEqual(['eyes', '+1']);
    // The comment of the run, and the message to the group.
    expect(comments(pull.number, run).map(({ body: text }) => text.includes('waits for your decision'))).toEqual([false, true]);
    expect(checks()).toEqual([['completed', 'success']]);
  });

  test('a job that was killed after it received a command is repeated: one decision, one merge', async () => {
    const { pull } = await asked();
    const id = await stage.comment(pull.number, 'ann', '/pawl approve');
    const first = start('issue_comment', commented(pull, { id, by: 'ann', body: '/pawl approve' }));
    await expect.poll(() => reactions(id), { timeout: 200_000, interval: 1 }).toContain('eyes');
    first.process.kill('SIGKILL');
    await first.ended;
    const { runs } = await job('schedule', {});
    expect([runs, pull.pull?.merged, [...new Set(reactions(id))]]).toEqual([[], true, ['eyes', '+1']]);
    expect(pulls()).toHaveLength(1);
  });
});

describe('commands that jobs take', () => {
  /** A run that waits for a decision at its pull request. */
  const asked = async (): Promise<{ readonly pull: Item; readonly run: string }> => {
    await stage.commit('main', { '.pawl/workflows/fix.yaml': ASKING, '.pawl/agent.mjs': OPENING });
    const { runs, stderr } = await job('issues', label(issue()));
    expect([stderr, runs.map(({ status }) => status)]).toEqual(['', ['waiting']]);
    return { pull: pulls()[0] as Item, run: runs[0]?.run as string };
  };
  /** A person comments, and the job of that comment ends. */
  const command = async (item: Item, body: string, by = 'ann') => {
    const id = await stage.comment(item.number, by, body);
    const event = item.pull === undefined ? payloadFor(item, { action: 'created', sender: by }) : commented(item, { id, by, body });
    const { runs, stderr } = await job('issue_comment', {
      ...{ ...event, comment: { id: Number(id), body, user: { login: by, type: 'User' }, updated_at: new Date().toISOString() } },
    });
    expect(stderr).toBe('');
    return { id, runs };
  };
  const written = (number: number): string[] => stage.hub.state.comments.filter((one) => one.number === number).map(({ body }) => body);

  test('"/pawl reject" ends the run as its workflow says, with the reason, and nothing is merged', async () => {
    const { pull, run } = await asked();
    const { id, runs } = await command(pull, '/pawl reject -- the index is missing');
    expect([runs, reactions(id), pull.pull?.merged]).toEqual([[], ['eyes', '+1'], false]);
    expect(comments(pull.number, run).some(({ body }) => body.includes('rejected'))).toBe(true);
    expect((await job('schedule', {})).runs).toEqual([]);
    expect(pull.pull?.merged).toBe(false);
  });

  test('"/pawl status" is answered and changes nothing; what is no command is said to be none', async () => {
    const { pull, run } = await asked();
    const { id, runs } = await command(pull, '/pawl status');
    expect([runs, reactions(id)]).toMatchObject([[{ run, status: 'waiting' }], ['eyes', '+1']]);
    const answers = written(pull.number).filter((body) => body.startsWith(`Run ${run}: `));
    expect(answers.map((body) => body.split('\n', 1)[0])).toEqual([`Run ${run}: waiting for a person to decide at approve.`]);
    const wrong = await command(pull, '/pawl aprove');
    expect([wrong.runs, reactions(wrong.id)]).toMatchObject([[{ run, status: 'waiting' }], ['confused']]);
  });

  test('"/pawl cancel" ends the run; a later job has nothing to do with it', async () => {
    const { pull, run } = await asked();
    const { id, runs } = await command(pull, '/pawl cancel -- not wanted any more');
    expect([runs, reactions(id)]).toEqual([[], ['eyes', '+1']]);
    expect(comments(pull.number, run).some(({ body }) => body.includes('cancelled'))).toBe(true);
    const late = await command(pull, '/pawl approve');
    expect([late.runs, reactions(late.id), pull.pull?.merged]).toEqual([[], ['eyes', '-1'], false]);
  });

  test('"/pawl retry" has a run go on that stopped, with the work that it had', async () => {
    const failing = OPENING.replace(
      "writeFileSync('fixed.txt'",
      "if (existsSync(process.env.HOME + '/broken')) process.exit(1);\nwriteFileSync('fixed.txt'",
    );
    await stage.commit('main', { '.pawl/workflows/fix.yaml': ASKING, '.pawl/agent.mjs': failing });
    writeFileSync(join(rig.home, 'broken'), '');
    const item = issue();
    const { runs } = await job('issues', label(item));
    expect(runs).toMatchObject([{ status: 'escalated' }]);
    rmSync(join(rig.home, 'broken'));
    const retried = await command(item, '/pawl retry');
    expect([retried.runs, reactions(retried.id)]).toMatchObject([[{ run: runs[0]?.run, status: 'waiting' }], ['eyes', '+1']]);
    expect(pulls()).toHaveLength(1);
    const approved = await command(pulls()[0] as Item, '/pawl approve');
    expect([approved.runs, pulls()[0]?.pull?.merged]).toEqual([[], true]);
  });

  test('"/pawl answer" answers the questions of an agent, which goes on with them', async () => {
    const question = { question: 'Which index?', options: [{ label: 'hash' }, { label: 'tree' }] };
    const asking = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const prompt = readFileSync(0, 'utf8');
if (!prompt.includes('tree, please')) {
  console.log('<needs_user_input>\\n' + ${JSON.stringify(JSON.stringify([question]))} + '\\n</needs_user_input>');
  process.exit(0);
}
writeFileSync('fixed.txt', 'tree');
console.log(JSON.stringify({ success: true, output: { outputs: { plan: 'First the index.', work: { title: 'Search', body: 'Fixed.' } } } }));
`;
    const workflow = ASKING.replace('    recovery: rerun\n', '    recovery: rerun\n    supports_questions: true\n');
    await stage.commit('main', { '.pawl/workflows/fix.yaml': workflow, '.pawl/agent.mjs': asking });
    const item = issue();
    const { runs } = await job('issues', label(item));
    expect(runs).toMatchObject([{ status: 'waiting' }]);
    expect(written(item.number).filter((body) => body.includes('Which index?'))).toHaveLength(1);
    const short = await command(item, '/pawl answer');
    expect([short.runs, reactions(short.id)]).toMatchObject([[{ status: 'waiting' }], ['eyes', '-1']]);
    const answered = await command(item, '/pawl answer -- tree, please');
    expect([answered.runs, reactions(answered.id), pulls().length]).toMatchObject([[{ status: 'waiting' }], ['eyes', '+1'], 1]);
    const merged = await command(pulls()[0] as Item, '/pawl approve');
    expect([merged.runs, await stage.read('main', 'fixed.txt')]).toEqual([[], 'tree']);
  });

  test('a comment that was changed commands nothing, neither as it was nor as it is', async () => {
    const { pull, run } = await asked();
    const id = await stage.comment(pull.number, 'ann', 'I am looking at it.');
    const comment = stage.hub.state.comments.find((one) => one.id === Number(id));
    if (comment === undefined) throw new Error('the comment is gone');
    Object.assign(comment, { body: '/pawl approve', updatedAt: new Date(Date.now() + 5000).toISOString().replace(/\.\d+/, '') });
    const event = commented(pull, { id, by: 'ann', body: '/pawl approve' });
    // An edit, and a job of the first version that begins only after it.
    const edited = await job('issue_comment', { ...event, action: 'edited', changes: { body: { from: 'I am looking at it.' } } });
    const first = await job('issue_comment', event);
    for (const { runs } of [edited, first]) expect(runs).toMatchObject([{ run, status: 'waiting' }]);
    expect([reactions(id), pull.pull?.merged]).toEqual([['-1'], false]);
  });
});

describe('what a job refuses', () => {
  test('the workflows and settings of a pull request', async () => {
    await stage.commit('evil', { '.pawl/workflows/fix.yaml': WORKFLOW.replace('name: fix', 'name: evil') });
    const { code, stderr } = await start('issues', label(issue()), { ref: 'evil' }).ended;
    expect([code, stderr]).toEqual([4, expect.stringMatching(/is not on the default branch "main".*NOT_TRUSTED/s)]);
  });

  test('an event of a fork, whose job has no secrets and may only read', async () => {
    const { number } = await stage.openFromFork('theirs');
    const payload = payloadFor(stage.hub.state.items.get(number) as Item, { action: 'opened', sender: 'carol' });
    const pull = { ...(payload.pull_request as object), head: { repo: { full_name: 'carol/project' } } };
    const { code, stdout } = await start('pull_request', { ...payload, pull_request: pull }).ended;
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ skipped: 'read-only', runs: [] })]);
    expect(stage.hub.state.items.size).toBe(1);
  });

  test('the command for jobs refuses to run outside a job', async () => {
    const { code, stderr } = await rig.run(['actions', 'run']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('GITHUB_EVENT_NAME is not set')]);
  });
});
