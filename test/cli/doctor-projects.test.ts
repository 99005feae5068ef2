// `pawl doctor` on the projects of `serve.projects`: each is checked like the one that lists it, and every finding names its project.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TOKEN } from '../github/server.ts';
import { type GitHubStage, openGitHubStage } from '../github/stage.ts';
import { CliRig } from './rig.ts';

interface Row {
  readonly id: string;
  readonly status: string;
  readonly what: string;
  readonly hint?: string;
  readonly project?: string;
}

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const folderOf = (name: string): string => join(rig.folder, name);

function write(name: string, config: string): string {
  mkdirSync(join(folderOf(name), '.pawl'), { recursive: true });
  writeFileSync(join(folderOf(name), '.pawl', 'config.yaml'), config);
  return folderOf(name);
}

const trust = async (root: string): Promise<void> => void (await rig.run(['trust', '--folder', '--yes', '--project', root]));

async function list(projects: string, more = ''): Promise<void> {
  rig.write('.pawl/config.yaml', `serve: { ${more}projects: ${projects} }\n`);
  await rig.run(['trust', '--folder', '--yes']);
}

/** The findings about listed projects. */
async function findings(): Promise<Row[]> {
  const { checks } = await rig.json<{ checks: readonly Row[] }>(['doctor']);
  // How much room a disk has is not a matter of the project.
  return checks.filter(({ project, id }) => project !== undefined && id !== 'disk');
}

const briefly = ({ id, status }: Row): string => `${id} ${status}`;

test('doctor reports a listed project that is missing, not trusted, or the same as another', async () => {
  const bank = write('bank', 'forge: { kind: github, repository: octo/bank, auth: { token: KEY } }\nsecrets: { KEY: { env: NOT_SET } }\n');
  await list('[../nowhere, ../bank, .]');
  const found = await findings();
  const of = (root: string): Row[] => found.filter(({ project }) => project === root);
  expect(of(folderOf('nowhere')).map(briefly)).toEqual(['project problem']);
  expect(of(folderOf('nowhere'))[0]?.what).toContain(`${folderOf('nowhere')}: `);
  expect(of(bank).map(briefly)).toEqual(['project ok', 'secret warning', 'trust problem', 'database ok']);
  expect(of(bank)[2]).toMatchObject({
    what: `${bank}: its settings are not trusted, so "pawl serve" does not start and its forge was not checked`,
    hint: `in ${bank}: run "pawl trust .pawl/config.yaml", then this again`,
  });
  expect(of(rig.project)).toMatchObject([{ id: 'project', status: 'problem', what: expect.stringContaining('have the same database') }]);
  const { code, stdout } = await rig.run(['doctor']);
  expect([code, stdout]).toEqual([1, expect.stringContaining(`${bank}: its settings are not trusted`)]);
});

test('doctor finds wrong settings and a damaged database in listed projects, and exits with the code of the worse one', async () => {
  const bank = write('bank', 'forge: { kind: githib }\n');
  await list('[../bank]');
  expect((await findings()).map(briefly)).toEqual(['project problem']);
  write('bank', 'db: runs.db\n');
  writeFileSync(join(bank, 'runs.db'), 'this is no database');
  await trust(bank);
  const broken = (await findings()).find(({ id, status }) => id === 'database' && status === 'problem');
  expect(broken?.what).toContain(`${bank}: ${join(bank, 'runs.db')}`);
  expect(broken?.hint).toContain(`in ${bank}: "pawl doctor --repair"`);
  expect((await rig.run(['doctor'])).code).toBe(6);
  rmSync(join(bank, 'runs.db'));
  expect((await findings()).map(({ status }) => status)).not.toContain('problem');
});

test('a project that lists no others has no findings about projects', async () => {
  expect(await findings()).toEqual([]);
});

test('each listed project has its own login and webhooks, which may arrive at the address of the main one', async () => {
  const stage: GitHubStage = await openGitHubStage();
  try {
    stage.hub.state.accounts.set('pawl-user', { permission: 'admin', bot: false });
    writeFileSync(folderOf('token'), TOKEN);
    const forge = `kind: github, repository: octo/project, auth: { token: KEY }, base_url: "${stage.hub.url}", webhook_secret: HOOK`;
    const secrets = `secrets: { KEY: { file: ${folderOf('token')} }, HOOK: { file: ${folderOf('token')} } }`;
    const shop = write('shop', `forge: { ${forge} }\n${secrets}\n`);
    await trust(shop);
    await list('[../shop]', 'public_url: https://pawl.example.com, ');
    const forgeRows = async (): Promise<string[]> =>
      (await findings()).filter(({ id }) => id.startsWith('forge')).map(({ status, what }) => `${status}: ${what}`);
    const target = 'https://pawl.example.com/hooks/github';
    expect(await forgeRows()).toEqual([
      `ok: ${shop}: octo/project at GitHub: as pawl-user, permission admin; checks are shown as commit statuses`,
      `problem: ${shop}: no webhook at GitHub sends to ${target}`,
    ]);
    stage.hub.state.hooks.push({ id: 1, url: target, contentType: 'json', active: true, events: ['*'], deliveries: [] });
    const taken = `ok: ${shop}: webhooks are received at ${target}; none of the last 0 deliveries failed`;
    expect((await forgeRows())[1]).toBe(taken);
    write('shop', `forge: { ${forge} }\n${secrets}\nserve: { public_url: https://shop.example.com }\n`);
    await trust(shop);
    expect((await forgeRows())[1]).toBe(taken);
    writeFileSync(folderOf('token'), 'wrong');
    expect(await forgeRows()).toEqual([
      expect.stringMatching(/^problem: .*shop: GitHub answered 401 to GET .*octo\/project: Bad credentials/),
    ]);
  } finally {
    await stage.close();
  }
});
