// Events of GitHub that start workflows: webhooks and polling, and who may start what.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { compiledOf } from '../../src/api/workflow-source.ts';
import type { TriggerModel } from '../../src/definition/trigger/trigger.ts';
import { step, workflow } from '../../src/index.ts';
import { EventRig, type Opened } from '../server/event-rig.ts';
import { HOOK_SECRET, labelItem, payloadFor, type Webhook, webhookRequest } from './events.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';
import type { Item } from './state.ts';

let stage: GitHubStage;
let rig: EventRig;
beforeEach(async () => {
  stage = await openGitHubStage();
  rig = new EventRig();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

const ON: TriggerModel = { event: 'issues.labeled', labels: [], baseBranches: [] };
const waits = (name: string, trigger?: TriggerModel): AnyWorkflow => {
  const one = workflow(name, function* () {
    return yield* step('hear').signal('go');
  });
  return trigger === undefined ? one : { ...compiledOf(one), trigger };
};
const FEATURE = waits('feature', { ...ON, label: 'feature' });

/** Opens a server whose forge is watched by polling, or that only takes webhooks. */
async function open(
  workflows: readonly AnyWorkflow[] = [FEATURE],
  { polls = false, forks }: { readonly polls?: boolean; readonly forks?: readonly string[] } = {},
): Promise<Opened> {
  const forge = polls ? stage.forge : { ...stage.forge, watch: () => () => undefined };
  return rig.open({
    workflows,
    events: {
      forge: { forge, webhook: { secret: 'HOOK', repository: 'octo/project' }, ...(forks === undefined ? {} : { forks }) },
      secret: async () => HOOK_SECRET,
    },
  });
}

interface Listed {
  readonly number: number;
  readonly event: string;
  readonly status: string;
  readonly reason: string | null;
  readonly run: string | null;
}
const list = async ({ ask }: Opened) => ((await ask('GET', '/api/v1/deliveries')).body as { deliveries: Listed[] }).deliveries;
const send = async ({ server }: Opened, webhook: Webhook) => {
  const response = await server.fetch(webhookRequest('http://127.0.0.1', webhook));
  return [response.status, ((await response.json()) as { status?: string; code?: string }).status];
};
/** Sends a webhook and waits until it was acted on. */
async function sent(opened: Opened, webhook: Webhook): Promise<Listed> {
  expect(await send(opened, webhook)).toEqual([202, 'stored']);
  await expect.poll(async () => (await list(opened))[0]?.status).not.toBe('received');
  return (await list(opened))[0] as Listed;
}
const runs = async ({ engine }: Opened) =>
  (await engine.list()).map(({ workflow: name, origin }) => [name, origin.issue ?? origin.pr, origin.actor]);
const issue = (more: Partial<Item> = {}): Item => Object.assign(stage.hub.state.add({ title: 'Search', body: '', user: 'ann' }), more);
const label = (item: Item, name: string, sender = 'ann'): Webhook => labelItem(stage.hub.state, item, { label: name, sender });
const comment = (item: Item, body: string, more: Record<string, unknown> = {}): Webhook => ({
  event: 'issue_comment',
  payload: payloadFor(item, { action: 'created', sender: 'ann', comment: { id: 77, body, user: { login: 'ann', type: 'User' }, ...more } }),
});

test('a webhook starts the workflow of its label once, with the issue, the person who labelled it and the payload', async () => {
  const opened = await open();
  const webhook = { ...label(issue(), 'feature'), id: 'a-1' };
  expect(await sent(opened, webhook)).toMatchObject({ event: 'issues.labeled', status: 'done', run: expect.any(String) });
  expect(await send(opened, webhook)).toEqual([202, 'duplicate']);
  expect(await runs(opened)).toEqual([['feature', 1, 'ann']]);
  const [{ id } = { id: '' }] = await opened.engine.list();
  const data = await opened.engine.store.data(id, ['issue_number', 'labels', '$trigger']);
  expect([data.get('issue_number'), data.get('labels')]).toEqual([1, ['feature']]);
  expect(data.get('$trigger')).toMatchObject({ issue: { number: 1, title: 'Search' }, label: { name: 'feature' } });
});

test('a webhook that is sent again with another id is recognised: GitHub signs only the body', async () => {
  const opened = await open();
  const webhook = label(issue(), 'feature');
  await sent(opened, { ...webhook, id: 'a-1' });
  expect(await send(opened, { ...webhook, id: 'a-2' })).toEqual([202, 'duplicate']);
});

test('a webhook with a wrong signature, or headers that GitHub does not send, is rejected and not stored', async () => {
  const opened = await open();
  const webhook = label(issue(), 'feature');
  for (const difference of [{ secret: 'wrong' }, { body: '{"action":"labeled"}' }, { id: '../x' }, { event: 'Issues!' }])
    expect([difference, (await send(opened, { ...webhook, ...difference }))[0]]).toEqual([difference, 401]);
  expect(await list(opened)).toEqual([]);
  expect(rig.warnings).toHaveLength(4);
});

test('a webhook about another repository, or about an event that no workflow starts on, does nothing and says why', async () => {
  const opened = await open();
  const item = issue();
  const { payload } = label(item, 'feature');
  const other = { ...payload, repository: { full_name: 'evil/project' } };
  expect((await sent(opened, { event: 'issues', payload: other })).reason).toContain('evil/project');
  expect((await sent(opened, { event: 'ping', payload: { zen: 'Keep it logically awesome.' } })).reason).toBe('no workflow starts on ping');
  expect((await sent(opened, label(item, 'bug'))).reason).toBe('"feature": it starts when the label "feature" is added, but "bug" was');
  expect(await runs(opened)).toEqual([]);
});

test('a webhook waits while GitHub does not respond, and is handled later', async () => {
  const opened = await open();
  stage.hub.limitedUntil = Date.now() + 3_600_000;
  await send(opened, label(issue(), 'feature'));
  await expect.poll(async () => (await list(opened))[0]?.reason).toContain('the forge does not answer');
  stage.hub.limitedUntil = 0;
  await opened.ask('POST', '/api/v1/deliveries/1/resend');
  expect((await list(opened))[0]).toMatchObject({ status: 'done', reason: null });
});

test('FT1: a webhook that was stored when the server died starts one run on the next server', async () => {
  const before = await open();
  await sent(before, label(issue(), 'feature'));
  before.server.services.database.run("UPDATE deliveries SET status = 'received', run = NULL");
  await before.close();
  const after = await open();
  await expect.poll(async () => (await list(after))[0]?.status).toBe('done');
  expect(await runs(after)).toHaveLength(1);
});

test('FT2: a workflow has one open run for an issue, and others for other issues', async () => {
  const opened = await open();
  const item = issue();
  await sent(opened, label(item, 'feature'));
  const again = label(item, 'feature');
  // Within the same second it would be the same event, which comes by the webhooks of the repository and of the App.
  Object.assign(again.payload.issue as object, { updated_at: '2100-01-01T00:00:00Z' });
  expect(await sent(opened, again)).toMatchObject({
    status: 'ignored',
    reason: expect.stringContaining('is already open for issue #1'),
  });
  await sent(opened, label(issue(), 'feature'));
  expect((await runs(opened)).map(([, number]) => number).sort()).toEqual([1, 2]);
});

test('a workflow is started by name with a label or a command, whatever its trigger; no other workflow starts', async () => {
  const opened = await open([waits('any', ON), waits('named')]);
  await sent(opened, label(issue(), 'workflow:named'));
  await sent(opened, comment(issue(), 'please\n@pawl-user workflow:named\nthanks'));
  expect((await runs(opened)).map(([name]) => name)).toEqual(['named', 'named']);
  expect(await sent(opened, label(issue(), 'workflow:nothing'))).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('no workflow "nothing"'),
  });
});

test('a workflow is not started by a command in a sentence, a quotation or code, for another login, or by a program', async () => {
  const opened = await open([waits('named')]);
  const command = '@pawl-user workflow:named';
  const bodies = [
    `try ${command}`,
    `> ${command}`,
    `\`\`\`\n${command}\n\`\`\``,
    '@pawl-users workflow:named',
    `${command}\n<!-- pawl:x -->`,
  ];
  for (const body of bodies) expect([body, (await sent(opened, comment(issue(), body))).status]).toEqual([body, 'ignored']);
  const bot = { user: { login: 'ci[bot]', type: 'Bot' } };
  expect((await sent(opened, comment(issue(), command, bot))).status).toBe('ignored');
  expect((await sent(opened, comment(issue(), command, { edited: true }))).status).toBe('ignored');
});

test('a workflow starts only if its conditions hold: labels, the milestone, a bot as assignee', async () => {
  const on = (more: Partial<TriggerModel>): TriggerModel => ({ ...ON, ...more });
  const opened = await open([
    waits('both', on({ labels: ['a', 'security'] })),
    waits('milestone', on({ label: 'b', milestone: 'v1' })),
    waits('bot', on({ label: 'c', assigneeIsBot: true })),
  ]);
  const cases: readonly [string, Partial<Item>, Partial<Item>][] = [
    ['a', { labels: ['security'] }, {}],
    ['b', { milestone: 'v1' }, { milestone: 'v2' }],
    ['c', { assignees: ['helper[bot]'] }, { assignees: ['ann'] }],
  ];
  for (const [name, right, wrong] of cases) {
    expect([name, (await sent(opened, label(issue(wrong), name))).status]).toEqual([name, 'ignored']);
    expect([name, (await sent(opened, label(issue(right), name))).status]).toEqual([name, 'done']);
  }
  expect((await runs(opened)).map(([name]) => name).sort()).toEqual(['bot', 'both', 'milestone']);
});

test('a workflow starts on issues, comments, reviews, finished checks, pushes and dispatches', async () => {
  const events: readonly [string, string, Record<string, unknown>][] = [
    ['issues.opened', 'issues', { action: 'opened' }],
    ['issue_comment.created', 'issue_comment', { action: 'created', comment: { id: 5, body: 'hello' } }],
    ['pull_request_review.submitted', 'pull_request_review', { action: 'submitted', review: { id: 5, state: 'approved' } }],
    ['check_suite.completed', 'check_suite', { action: 'completed', check_suite: { id: 5, head_sha: 'a'.repeat(40) } }],
    ['push', 'push', { ref: 'refs/heads/main', after: 'a'.repeat(40) }],
    ['workflow_dispatch', 'workflow_dispatch', { ref: 'refs/heads/main', workflow: '.github/workflows/x.yml' }],
  ];
  const opened = await open(events.map(([event, header]) => waits(header, { ...ON, event })));
  const about = { repository: { full_name: 'octo/project' }, sender: { login: 'ann' } };
  for (const [event, header, payload] of events)
    expect([event, (await sent(opened, { event: header, payload: { ...payload, ...about } })).status]).toEqual([event, 'done']);
  expect((await runs(opened)).map(([name]) => name).sort()).toEqual(events.map(([, header]) => header).sort());
});

test('a workflow starts for pull requests to its base branches only', async () => {
  const opened = await open([waits('w', { ...ON, event: 'pull_request.opened', baseBranches: ['release'] })]);
  const opening = (base: string) => ({
    event: 'pull_request',
    payload: { action: 'opened', pull_request: { number: 9, base: { ref: base } }, sender: { login: 'ann' } },
  });
  expect((await sent(opened, opening('main'))).reason).toContain('but this one goes to "main"');
  expect((await sent(opened, opening('release'))).status).toBe('done');
});

describe('a trigger with limits', () => {
  const PULL: TriggerModel = { ...ON, event: 'pull_request.opened' };
  const opening = (number: number): Webhook => ({
    event: 'pull_request',
    payload: { action: 'opened', pull_request: { number, base: { ref: 'main' } }, sender: { login: 'ann' } },
  });
  const pull = async (branch: string, file: string): Promise<number> => {
    await stage.commit(branch, { [file]: 'one' });
    const pr = await stage.forge.openPullRequest({ title: branch, body: '', head: branch, base: 'main' }, `key/${branch}`);
    return pr.result === 'ok' ? pr.value.number : 0;
  };

  test('a trigger with `paths` starts only on changes to them, without those that it ignores', async () => {
    const opened = await open([waits('shop', { ...PULL, paths: ['services/shop/**'], pathsIgnore: ['**/*.md'] })]);
    expect((await sent(opened, opening(await pull('one', 'services/bank/a.ts')))).reason).toContain('none of these files changed');
    expect((await sent(opened, opening(await pull('two', 'services/shop/README.md')))).reason).toContain(
      'none of the changed files match its paths',
    );
    expect((await sent(opened, opening(await pull('three', 'services/shop/a.ts')))).status).toBe('done');
  });

  test('a trigger with `paths` knows the files of a push', async () => {
    const opened = await open([waits('shop', { ...ON, event: 'push', paths: ['shop/**'] })]);
    const push = (path: string): Webhook => ({
      event: 'push',
      payload: { ref: 'refs/heads/main', commits: [{ added: [], modified: [path], removed: [] }], sender: { login: 'ann' } },
    });
    expect((await sent(opened, push('bank/a.ts'))).status).toBe('ignored');
    expect((await sent(opened, push('shop/a.ts'))).status).toBe('done');
  });

  test('a trigger with an age starts nothing when a server has known it for that long, also after a restart', async () => {
    const aged = (days: number): AnyWorkflow => waits('aged', { ...ON, label: 'feature', stopAfterMs: days * 86_400_000 });
    const before = await open([aged(30)]);
    await expect.poll(() => before.server.services.database.get('SELECT since FROM trigger_ages')).toBeDefined();
    await before.close();
    rig.clock.advance(29 * 86_400_000);
    const after = await open([aged(30)]);
    expect((await sent(after, label(issue(), 'feature'))).status).toBe('done');
    rig.clock.advance(2 * 86_400_000);
    expect((await sent(after, label(issue(), 'feature'))).reason).toMatch(/^"aged": it starts nothing after .* \(stop_after\)$/);
    await after.close();
    const longer = await open([aged(60)]);
    expect((await sent(longer, label(issue(), 'feature'))).status).toBe('done');
  });

  test('a trigger starts nothing after its end, unless a person names the workflow', async () => {
    const opened = await open([waits('old', { ...ON, label: 'feature', stopAfter: rig.clock.now() - 1 })]);
    const item = issue();
    expect((await sent(opened, label(item, 'feature'))).reason).toMatch(/^"old": it starts nothing after \d{4}-/);
    expect((await sent(opened, label(item, 'workflow:old'))).status).toBe('done');
  });
});

describe('a trigger that follows the head of a pull request', () => {
  const REVIEW: TriggerModel = { ...ON, event: 'pull_request.synchronize', followsHead: true };
  const push = (number: number, sha: string): Webhook => ({
    event: 'pull_request',
    payload: { action: 'synchronize', pull_request: { number, base: { ref: 'main' }, head: { sha } }, sender: { login: 'ann' } },
  });
  const statuses = async ({ engine }: Opened) => (await engine.list()).map(({ status }) => status).sort();

  test('a trigger that follows the head of a pull request ends an open run for an earlier head and starts another; a late event of an earlier head ends nothing', async () => {
    const first = await stage.commit('topic', { 'a.txt': 'one' });
    const pr = await stage.forge.openPullRequest({ title: 'Topic', body: '', head: 'topic', base: 'main' }, 'key/open');
    const number = pr.result === 'ok' ? pr.value.number : 0;
    const opened = await open([waits('review', REVIEW)]);
    expect((await sent(opened, push(number, first))).status).toBe('done');
    const second = await stage.commit('topic', { 'a.txt': 'two' });
    expect(await sent(opened, push(number, second))).toMatchObject({ status: 'done', run: expect.any(String) });
    expect(await statuses(opened)).toEqual(['cancelled', 'waiting']);
    const late = push(number, first);
    expect((await sent(opened, { ...late, payload: { ...late.payload, before: second } })).reason).toContain('changed again since');
    expect(await statuses(opened)).toEqual(['cancelled', 'waiting']);
  });
});

test('FT3: a person without write permission starts nothing, until a maintainer names the workflow', async () => {
  await stage.account('carol', { permission: 'read' });
  const opened = await open([waits('triage', { ...ON, event: 'issues.opened' })]);
  const item = issue();
  expect(await sent(opened, { event: 'issues', payload: payloadFor(item, { action: 'opened', sender: 'carol' }) })).toMatchObject({
    status: 'ignored',
    reason: '"carol" may not start workflows (permission: read); someone with write permission can add the label "workflow:triage"',
  });
  expect((await sent(opened, label(item, 'workflow:triage', 'carol'))).status).toBe('ignored');
  expect((await sent(opened, label(item, 'workflow:triage'))).status).toBe('done');
  expect(await runs(opened)).toEqual([['triage', 1, 'ann']]);
});

test('FT4: a pull request from a fork starts nothing by itself, and nothing that reads secrets', async () => {
  const { number } = await stage.openFromFork('theirs');
  const item = stage.hub.state.items.get(number) as Item;
  const reading = compiledOf(waits('secret-review'));
  const definition = { ...reading.definition, description: '{{ secrets.API_TOKEN }}' };
  const opened = await open([waits('review', { ...ON, event: 'pull_request' }), { ...reading, definition }]);
  const opening = { event: 'pull_request', payload: payloadFor(item, { action: 'opened', sender: 'ann' }) };
  expect((await sent(opened, opening)).reason).toContain(`pull request #${number} comes from a fork`);
  expect((await sent(opened, label(item, 'workflow:secret-review'))).reason).toContain('"secret-review" reads secrets');
  expect((await sent(opened, label(item, 'workflow:review'))).status).toBe('done');
});

describe('FT4: a label on a pull request from a fork counts for the commits that were there', () => {
  /** A person pushes to the fork. */
  const push = async ({ pull }: Item): Promise<void> => {
    Object.assign(pull as object, { headSha: (await stage.openFromFork('later')).head });
  };
  const NEWER = expect.stringContaining('review it, then add the label again');

  test('a webhook', async () => {
    const item = stage.hub.state.items.get((await stage.openFromFork('theirs')).number) as Item;
    const opened = await open([waits('review')]);
    const webhook = label(item, 'workflow:review');
    await push(item);
    expect(await sent(opened, webhook)).toMatchObject({ status: 'ignored', reason: NEWER });
    expect(await runs(opened)).toEqual([]);
    const payload = payloadFor(item, { action: 'labeled', sender: 'ann', label: { name: 'workflow:review' } });
    Object.assign(payload.pull_request as object, { updated_at: '2100-01-01T00:00:00Z' });
    const seen = { event: 'pull_request', payload };
    expect(await sent(opened, seen)).toMatchObject({ status: 'done', run: expect.any(String) });
  });

  test('polling, which cannot tell which of them was first', async () => {
    const item = stage.hub.state.items.get((await stage.openFromFork('theirs')).number) as Item;
    const first = await open([waits('review')], { polls: true });
    const { database } = first.server.services;
    await expect.poll(() => database.get('SELECT cursor FROM forge_cursors')?.cursor).toBeDefined();
    await first.close();
    label(item, 'workflow:review');
    await push(item);
    const second = await open([waits('review')], { polls: true });
    const labelled = async () =>
      (await list(second)).find(({ event, status }) => event === 'pull_request.labeled' && status !== 'received');
    await expect.poll(labelled).toMatchObject({ status: 'ignored', reason: NEWER });
    expect(await runs(second)).toEqual([]);
  });
});

const reads = (name: string, trigger: TriggerModel): AnyWorkflow => {
  const one = compiledOf(waits(name, trigger));
  return { ...one, trigger, definition: { ...one.definition, description: '{{ secrets.API_TOKEN }}' } };
};
const byCarol = (item: Item, action: string): Webhook => ({
  event: 'pull_request',
  payload: payloadFor(item, { action, sender: 'carol' }),
});
const fromFork = async (): Promise<Item> => {
  stage.hub.state.accounts.set('carol', { permission: 'read', bot: false });
  return stage.hub.state.items.get((await stage.openFromFork('theirs')).number) as Item;
};

test.each([['carol'], ['Carol/Project']])(
  'FT4: a listed fork starts what its pull request triggers, without write permission: %s',
  async (fork) => {
    const item = await fromFork();
    const opened = await open([waits('review', { ...ON, event: 'pull_request.opened' })], { forks: ['acme', fork] });
    expect(await sent(opened, byCarol(item, 'opened'))).toMatchObject({ status: 'done', run: expect.any(String) });
  },
);

test('FT4: a fork that is not listed starts nothing, even if its name or the beginning of its owner is the same', async () => {
  const item = await fromFork();
  const opened = await open([waits('review', { ...ON, event: 'pull_request.opened' })], {
    forks: ['caro', 'carol/other', 'acme/project'],
  });
  expect((await sent(opened, byCarol(item, 'opened'))).reason).toContain('"carol" may not start workflows');
});

test('FT4: a listed fork cannot read secrets or name a workflow, and no one else can start anything there', async () => {
  const item = await fromFork();
  stage.hub.state.accounts.set('mallory', { permission: 'read', bot: false });
  const opened = await open(
    [reads('secret-review', { ...ON, event: 'pull_request.opened' }), waits('chat', { ...ON, event: 'issue_comment' }), waits('deploy')],
    { forks: ['carol'] },
  );
  expect((await sent(opened, byCarol(item, 'opened'))).reason).toContain('"secret-review" reads secrets');
  expect((await sent(opened, label(item, 'workflow:deploy', 'carol'))).reason).toContain('"carol" may not start workflows');
  const said = (sender: string, id: number, body: string): Webhook => {
    const { event, payload } = comment(item, body, { id, user: { login: sender, type: 'User' } });
    return { event, payload: { ...payload, sender: { login: sender, type: 'User' } } };
  };
  expect((await sent(opened, said('carol', 78, '@pawl-user workflow:deploy'))).reason).toContain('"carol" may not start workflows');
  expect((await sent(opened, said('mallory', 79, 'hello'))).reason).toContain('"mallory" may not start workflows');
  expect(await runs(opened)).toEqual([]);
});

test('polling finds events from before the server started, and starts each once even if the webhook arrives too', async () => {
  const first = await open([FEATURE], { polls: true });
  const { database } = first.server.services;
  await expect.poll(() => database.get('SELECT cursor FROM forge_cursors')?.cursor).toBeDefined();
  await first.close();
  const item = issue();
  const webhook = label(item, 'feature');
  const second = await open([FEATURE], { polls: true });
  await expect.poll(() => runs(second)).toEqual([['feature', 1, 'ann']]);
  const [{ id } = { id: '' }] = await second.engine.list();
  await second.engine.run(id).signal('go', { payload: {} });
  await second.engine.run(id).wait();
  expect((await sent(second, webhook)).reason).toMatch(/^the same event arrived as delivery \d+$/);
  expect(await runs(second)).toHaveLength(1);
});
