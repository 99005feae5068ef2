// `pawl init --template` and `--github-actions`: what they write, for a local forge and for GitHub.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { TEMPLATES } from '../../src/cli/init/template.ts';
import { CliRig } from './rig.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
});
afterEach(() => rig.close());

const read = (path: string): string => readFileSync(join(rig.project, path), 'utf8');

describe.each(Object.keys(TEMPLATES))('--template %s', (template) => {
  test('the template has no findings, for this machine and for GitHub', async () => {
    expect((await rig.run(['init', '--template', template, '--repo', 'octo/project'])).code).toBe(0);
    expect((await rig.run(['validate', '--strict'])).stderr).toBe('pawl: 1 file, 0 errors\n');
    expect(parse(read('.pawl/config.yaml'))).toMatchObject({
      forge: { kind: 'github', repository: 'octo/project' },
      groups: { maintainers: ['octo'], 'security-team': ['octo'] },
    });
    expect(read('.pawl/stand-in.mjs')).toMatch(/^\/\/ STAND-IN, NOT AN AGENT/);
    expect(await rig.json(['list'])).toMatchObject({ workflows: [{ name: template }], problems: [] });
  });
});

test('the stand-in changes something in each run, so that a second trial works as well', async () => {
  await rig.run(['init', '--template', 'bug-fix']);
  const trial = (run: string): string[] => {
    const env = { ...process.env, PAWL_STEP: 'implement', PAWL_RUN: run };
    execFileSync(process.execPath, ['.pawl/stand-in.mjs'], { cwd: rig.project, env, input: '' });
    return ['trial/trial.mjs', 'trial/trial.test.mjs'].map(read);
  };
  const [first, second] = [trial('one'), trial('two')];
  expect(first.map((text, index) => text.replaceAll('one', 'two') === second[index])).toEqual([true, true]);
  expect(first.map((text, index) => text === second[index])).toEqual([false, false]);
});

test('a workflow from a template has the chosen name and the test command of the project', async () => {
  rig.write('package.json', '{"scripts":{"test":"vitest"}}');
  rig.write('package-lock.json', '{}');
  await rig.run(['init', 'repair', '--template', 'bug-fix']);
  const { metadata, stages } = parse(read('.pawl/workflows/repair.yaml')) as {
    metadata: object;
    stages: { id: string; conditions?: object[] }[];
  };
  expect(metadata).toMatchObject({ name: 'repair' });
  expect(stages.find(({ id }) => id === 'verify')?.conditions).toEqual([{ check: 'command', run: 'npm ci && npm test' }]);
  expect(parse(read('.pawl/config.yaml'))).toMatchObject({ forge: { kind: 'local' } });
});

test('--template does not change existing settings, and prints those that are needed', async () => {
  rig.write('.pawl/config.yaml', '# mine\n');
  const { stdout } = await rig.run(['init', '--template', 'custom']);
  expect(read('.pawl/config.yaml')).toBe('# mine\n');
  expect(stdout).toMatch(/config\.yaml exists and was not changed[\s\S]*kind: local[\s\S]*stand-in\.mjs/);
});

test('only someone with the right to trust trusts the settings of a template, because they name programs and people', async () => {
  await rig.run(['init', '--template', 'custom']);
  expect((await rig.run(['forge', 'issue', 'list'])).stderr).toContain('NOT_TRUSTED');
});

test.each([
  [['--template', 'bug-fix', '--repo', 'a b/c'], '--repo must be owner/name'],
  [['--template', 'bug-fix', '--repo', 'octo/x\nforge: evil'], '--repo must be owner/name'],
  [['--template', 'nonsense'], 'nonsense'],
  [['--template', 'bug-fix', '--js'], '--template writes YAML'],
  [['--repo', 'octo/project'], '--repo needs --template'],
  [['--template', 'bug-fix', '--github-actions'], 'needs the repository'],
])('init %j is rejected', async (words, message) => {
  const { code, stderr } = await rig.run(['init', ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync(join(rig.project, '.pawl'))).toBe(false);
});

test('--github-actions pins the version, keeps tokens out of the checkout, and runs one job at a time', async () => {
  const { stdout } = await rig.run(['init', '--github-actions']);
  expect(stdout).toContain('wrote       .github/workflows/pawl.yml');
  const file = parse(read('.github/workflows/pawl.yml')) as {
    on: Record<string, { types?: string[] } | null>;
    concurrency: object;
    jobs: { pawl: { steps: { run?: string; with?: object }[] } };
  };
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string };
  expect(file.jobs.pawl.steps.at(-1)?.run).toBe(`npx --yes pawl@${version} actions run`);
  expect(file.jobs.pawl.steps[0]?.with).toMatchObject({ 'persist-credentials': false, 'fetch-depth': 0 });
  expect(file.concurrency).toEqual({ group: 'pawl', 'cancel-in-progress': false });
  // The code of a pull request is not what judges it.
  expect(Object.keys(file.on)).not.toContain('pull_request');
  // A merge that waits in the queue ends with one of these; that a queue begins to check starts no job.
  expect(file.on.pull_request_target?.types).toEqual(expect.arrayContaining(['closed', 'dequeued']));
  expect(Object.keys(file.on)).not.toContain('merge_group');
});
