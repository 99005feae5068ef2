// `serve.projects`: one process serves several projects, each with a database and an address of its own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

/** A project beside the one of the rig. */
async function other(name: string, config: string, { trusted = true } = {}): Promise<string> {
  const root = join(rig.folder, name);
  mkdirSync(join(root, '.pawl'), { recursive: true });
  writeFileSync(join(root, '.pawl', 'config.yaml'), config);
  if (trusted) await rig.run(['trust', '--folder', '--yes', '--project', root]);
  return root;
}

/** What `pawl serve` says about a project that lists others. */
async function refused(projects: string, more = ''): Promise<string> {
  rig.write('.pawl/config.yaml', `${more}serve: { projects: ${projects} }\n`);
  await rig.run(['trust', '--folder', '--yes']);
  const { code, stderr } = await rig.run(['serve', '--port', '0']);
  expect(code).not.toBe(0);
  return stderr;
}

const GITHUB = 'forge: { kind: github, repository: octo/project, auth: { token: KEY } }\nsecrets: { KEY: { env: KEY } }\n';

test('served projects must be trusted, and have different databases and repositories', async () => {
  expect(await refused('[.]')).toContain('have the same database');
  expect(await refused('[../nowhere]')).toMatch(/nowhere/);
  await other('shop', GITHUB.replace('octo/project', 'Octo/Project'));
  expect(await refused('[../shop]', GITHUB)).toContain('are for the same repository, https://github.com/octo/project');
  await other('bank', GITHUB.replace('octo/project', 'octo/bank'), { trusted: false });
  expect(await refused('[../bank]')).toMatch(/bank.*trust/s);
  expect(await refused('[1]')).toContain('a list of folders of other projects');
});

test('each project is served at its own address, and one signal stops them all', async () => {
  const root = await other('shop', 'groups: { maintainers: [ann] }\n');
  rig.write('.pawl/config.yaml', 'serve: { projects: [../shop] }\n');
  await rig.run(['trust', '--folder', '--yes']);
  const serving = rig.start(['serve', '--port', '0', '--json']);
  const told = JSON.parse(await serving.until(/\n\}\n/)) as { url: string; projects: { project: string; url: string }[] };
  expect(told.projects).toMatchObject([{ project: root, url: expect.stringMatching(/^http/) }]);
  const urls = [told.url, ...told.projects.map(({ url }) => url)];
  expect(new Set(urls).size).toBe(2);
  for (const url of urls) expect((await fetch(`${url}/api/v1/runs`)).status).toBe(401);
  serving.process.kill('SIGTERM');
  expect((await serving.ended).code).toBe(0);
});

test('a person who is logged in to one project sees the others by name and address, and logs in to each', async () => {
  await other('shop', 'groups: { maintainers: [ann] }\n');
  await other('bank', 'groups: { maintainers: [ann] }\n');
  rig.write('.pawl/config.yaml', 'serve: { projects: [../shop, ../bank] }\n');
  await rig.run(['trust', '--folder', '--yes']);
  const serving = rig.terminal(['serve', '--port', '0'], { columns: 300 });
  await serving.until(/(?:[\s\S]*?auth\/link\/pawll_[\w-]{43}){3}/);
  const links = [...serving.text().matchAll(/(http:\/\/localhost:\d+)\/auth\/link\/(pawll_[\w-]{43})/g)];
  const urls = links.map(([, url = '']) => url);
  const names = [basename(rig.project), 'shop', 'bank'];
  // All cookies of one browser: they belong to the machine, whatever the port.
  const cookies: string[] = [];
  for (const [, url = '', secret = ''] of links) {
    const answer = await fetch(`${url}/auth/link`, {
      ...{ method: 'POST', redirect: 'manual', headers: { origin: url }, body: new URLSearchParams({ secret }) },
    });
    cookies.push(answer.headers.get('set-cookie')?.split(';')[0] ?? '');
  }
  for (const [index, url] of urls.entries()) {
    const session = await fetch(`${url}/api/v1/session`, { headers: { cookie: cookies.join('; ') } });
    const { project, projects } = (await session.json()) as { project: { name: string }; projects: { name: string; url: string }[] };
    expect(project.name).toBe(names[index]);
    expect(projects).toEqual(names.flatMap((name, at) => (at === index ? [] : [{ name, url: urls[at] }])));
  }
  serving.kill('SIGTERM');
  await serving.ended;
});
