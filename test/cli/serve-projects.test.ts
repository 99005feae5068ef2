// `serve.projects`: one process serves several projects, each with a database and an address of its own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('projects that would act on the same runs or the same repository are refused, and so is what is not a trusted project', async () => {
  expect(await refused('[.]')).toContain('have the same database');
  expect(await refused('[../nowhere]')).toMatch(/nowhere/);
  await other('shop', GITHUB.replace('octo/project', 'Octo/Project'));
  expect(await refused('[../shop]', GITHUB)).toContain('are for the same repository, https://github.com/octo/project');
  await other('bank', GITHUB.replace('octo/project', 'octo/bank'), { trusted: false });
  expect(await refused('[../bank]')).toMatch(/bank.*trust/s);
  expect(await refused('[1]')).toContain('a list of folders of other projects');
});

test('each project is served at an address of its own, and one signal stops them all', async () => {
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
