// A project whose forge is GitHub, from the command line.

import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TOKEN } from '../github/server.ts';
import { type GitHubStage, openGitHubStage } from '../github/stage.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;

beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

describe('the settings of the forge', () => {
  test.each([
    ['a repository that is no name', 'kind: github, repository: project', '"forge.repository" must be owner/name at GitHub'],
    ['no repository', 'kind: github', '"forge.repository" is missing'],
    ['a login that is a value', 'kind: github, repository: o/p, auth: ghp_123', '"forge.auth" must be gh, { token: SECRET } or'],
    ['a login with both', 'kind: github, repository: o/p, auth: { token: A, app: 1 }', '"forge.auth" must be gh'],
    ['a poll that is no duration', 'kind: github, repository: o/p, poll: often', '"forge.poll" must be a duration, such as 60s'],
    ['a login at a local forge', 'kind: local, auth: gh', '"forge.auth" belongs to "kind: github"'],
  ])('%s is an error with its position', async (_what, settings, message) => {
    const file = rig.write('.pawl/config.yaml', `forge: { ${settings} }\n`);
    const { code, stderr } = await rig.run(['runs']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toContain(`${file}:1:`);
  });

  test('the repository at GitHub is a name, not a path', async () => {
    rig.write('.pawl/config.yaml', 'forge: { kind: github, repository: octo/project }\n');
    expect((await rig.run(['config', 'forge.repository'])).stdout).toBe('octo/project\n');
  });
});

describe('at a GitHub', () => {
  let stage: GitHubStage;
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });

  beforeEach(async () => {
    stage = await openGitHubStage();
  });
  afterEach(() => stage.close());

  /** Writes the settings and trusts them. */
  async function configure(auth: string, { repository = 'octo/project', secret = TOKEN } = {}): Promise<void> {
    const file = rig.write('../secret', secret);
    const forge = `{ kind: github, repository: ${repository}, auth: ${auth}, base_url: "${stage.hub.url}" }`;
    rig.write('.pawl/config.yaml', `forge: ${forge}\nsecrets: { KEY: { file: ${file} } }\n`);
    expect((await rig.run(['trust', '--yes'])).code).toBe(0);
  }

  const forgeCheck = async (): Promise<object | undefined> => {
    const { checks } = await rig.json<{ checks: readonly { readonly id: string }[] }>(['doctor']);
    return checks.find(({ id }) => id === 'forge');
  };

  test('"pawl doctor" shows the GitHub login and its permissions', async () => {
    await configure('{ token: KEY }');
    expect(await forgeCheck()).toMatchObject({
      status: 'ok',
      what: 'octo/project at GitHub: as pawl-user, permission write; checks are shown as commit statuses',
    });
  });

  test('"pawl doctor" says what to change at GitHub', async () => {
    await configure('{ token: KEY }', { secret: 'wrong-token-value' });
    expect(await forgeCheck()).toMatchObject({
      status: 'problem',
      hint: expect.stringContaining('personal-access-tokens/new with Contents'),
    });
    await configure('{ token: KEY }', { repository: 'octo/other' });
    expect(await forgeCheck()).toMatchObject({ status: 'problem', hint: expect.stringContaining('check "forge.repository"') });
    await configure('{ token: KEY }');
    stage.hub.state.accounts.set('pawl-user', { permission: 'read', bot: false });
    expect(await forgeCheck()).toMatchObject({ status: 'problem', hint: expect.stringContaining('octo/project/settings/access') });
    await configure('{ app: 4711, private_key: KEY }', { secret: privateKey });
    expect(await forgeCheck()).toMatchObject({ what: expect.stringContaining('as pawl-test[bot]'), status: 'problem' });
    expect(await forgeCheck()).toMatchObject({ what: expect.stringContaining('the App lacks statuses: read, actions: read') });
  });

  test('"pawl doctor" checks the default branch, the groups and the webhook, and says what to change at GitHub', async () => {
    await configure('{ token: KEY }');
    const file = join(rig.project, '.pawl/config.yaml');
    const forge = readFileSync(file, 'utf8').replace(' }\n', ', webhook_secret: HOOK }\n');
    const more = 'project: { default_branch: trunk }\ngroups: { maintainers: [ann, ghost], team: [ghost] }\n';
    rig.write('.pawl/config.yaml', `${forge}${more}`);
    await stage.account('ghost', { permission: 'none' });
    await rig.run(['trust', '--yes']);
    const found = async () => {
      const { checks } = await rig.json<{ checks: readonly { id: string; status: string; what: string; hint: string }[] }>(['doctor']);
      return checks.filter(({ id }) => id.startsWith('forge-')).map(({ id, status, what, hint }) => `${id} ${status}: ${what} > ${hint}`);
    };
    const first = await found();
    expect(first).toHaveLength(4);
    expect(first[0]).toMatch(/^forge-branch problem: .*"main" at GitHub.*"trunk" > set "project\.default_branch: main"/);
    expect(first[1]).toMatch(/^forge-groups warning: the approval of ghost \(group "maintainers"\) does not count.*settings\/access/);
    expect(first[2]).toMatch(/^forge-groups problem: .*group "team"/);
    expect(first[3]).toMatch(/^forge-webhook problem: .*"HOOK", which is not set/);
    const secrets = forge.replace('secrets: {', 'secrets: { HOOK: { file: ../secret },');
    rig.write('.pawl/config.yaml', `${secrets}groups: { maintainers: [ann] }\nserve: { public_url: https://pawl.example.com }\n`);
    await rig.run(['trust', '--yes']);
    const [group, hook] = await found();
    expect(group).toMatch(/^forge-groups ok:/);
    expect(hook).toMatch(/^forge-webhook warning: this login may not see.* > .*must have https:\/\/pawl\.example\.com\/hooks\/github/);
  });

  const TARGET = 'https://pawl.example.com/hooks/github';

  /** What doctor says about a webhook that the login may see. */
  async function hookCheck(): Promise<string | undefined> {
    const { checks } = await rig.json<{ checks: readonly { id: string; status: string; what: string; hint?: string }[] }>(['doctor']);
    const found = checks.find(({ id }) => id === 'forge-webhook');
    return found && `${found.status}: ${found.what}${found.hint === undefined ? '' : ` > ${found.hint}`}`;
  }

  async function configureHook(auth: string, secret: string): Promise<void> {
    await configure(auth, { secret });
    const file = join(rig.project, '.pawl/config.yaml');
    const settings = readFileSync(file, 'utf8')
      .replace(' }\n', ', webhook_secret: HOOK }\n')
      .replace('secrets: {', 'secrets: { HOOK: { file: ../secret },');
    rig.write('.pawl/config.yaml', `${settings}serve: { public_url: https://pawl.example.com }\n`);
    await rig.run(['trust', '--yes']);
  }

  const delivery = (id: number, guid: string, status_code: number) => ({
    ...{ id, guid, event: 'issues', status_code, status: status_code === 202 ? 'OK' : 'Invalid HTTP Response' },
    delivered_at: `2026-01-01T00:00:${String(id).padStart(2, '0')}Z`,
  });

  test.each([
    ['a token', { auth: '{ token: KEY }', secret: TOKEN, page: 'octo/project/settings/hooks' }],
    ['an App', { auth: '{ app: 4711, private_key: KEY }', secret: privateKey, page: 'the settings of the App' }],
  ])('"pawl doctor" asks GitHub, with the login of %s, what its webhook could not deliver', async (_, { auth, secret, page }) => {
    stage.hub.state.accounts.set('pawl-user', { permission: 'admin', bot: false });
    await configureHook(auth, secret);
    expect(await hookCheck()).toMatch(new RegExp(`^problem: no webhook at GitHub sends to ${TARGET} > add ${TARGET}.*${page}`));
    const hook = { id: 1, url: TARGET, contentType: 'form', active: true, events: ['*'], deliveries: [delivery(1, 'a', 202)] };
    stage.hub.state.hooks.push(hook);
    expect(await hookCheck()).toMatch(/^problem: .*content type "form" > choose application\/json/);
    hook.contentType = 'json';
    expect(await hookCheck()).toContain(`ok: webhooks are received at ${TARGET}; none of the last 1 deliveries failed`);
    hook.deliveries.push(delivery(2, 'b', 502), delivery(3, 'c', 401), delivery(4, 'b', 202));
    expect(await hookCheck()).toMatch(
      /^warning: 1 of the last 3 deliveries .* the latest, issues at 2026-01-01T00:00:03Z: 401 .* > give the webhook the same secret.*Recent Deliveries/,
    );
  });

  test('a login of untrusted settings is sent nowhere', async () => {
    await configure('{ token: KEY }');
    rig.write('.pawl/config.yaml', `forge: { kind: github, repository: octo/other, auth: { token: KEY }, base_url: "${stage.hub.url}" }\n`);
    stage.hub.log.length = 0;
    expect(await forgeCheck()).toMatchObject({ status: 'warning', what: expect.stringContaining('not trusted') });
    expect(stage.hub.log).toEqual([]);
  });

  test('a run is started for an issue at GitHub, whose facts it reads', async () => {
    stage.hub.state.add({ title: 'Crash on start', body: 'It crashes.', user: 'ann' });
    await configure('{ token: KEY }');
    rig.write(
      '.pawl/workflows/look.yaml',
      `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: look }
trigger: { event: issues.opened }
stages:
  - { id: tell, type: action, action: comment, target: issue, message: "Seen: {{ github.issue.title }}" }
`,
    );
    expect((await rig.run(['trust', '--yes'])).code).toBe(0);
    const { code, stderr } = await rig.run(['run', 'look', '--issue', '1']);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stage.hub.state.comments.map(({ user, body }) => [user, body.split('\n')[0]])).toEqual([['pawl-user', 'Seen: Crash on start']]);
  });

  test('"pawl forge" acts on local forges only', async () => {
    await configure('{ token: KEY }');
    const { code, stderr } = await rig.run(['forge', 'issue', 'list']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('this project is at GitHub (octo/project)')]);
  });

  test('a secret is sent only to its hosts', async () => {
    const file = rig.write('../secret', TOKEN);
    const forge = `{ kind: github, repository: octo/project, auth: { token: KEY }, base_url: "${stage.hub.url}" }`;
    rig.write('.pawl/config.yaml', `forge: ${forge}\nsecrets: { KEY: { file: ${file}, hosts: [api.github.com] } }\n`);
    await rig.run(['trust', '--yes']);
    stage.hub.log.length = 0;
    expect(await forgeCheck()).toMatchObject({ status: 'problem', what: expect.stringContaining('may not be sent to 127.0.0.1') });
    expect(stage.hub.log).toEqual([]);
  });
});
