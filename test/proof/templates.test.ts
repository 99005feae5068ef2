// Every template of `pawl init`, as it is written, from its event to its end on the local forge, with the stand-in it ships.

import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TEMPLATES } from '../../src/cli/init/template.ts';
import type { ToldRun } from '../cli/forge-project.ts';
import { CliRig } from '../cli/rig.ts';
import { git } from '../git.ts';

let rig: CliRig;
beforeEach(() => {
  rig = new CliRig();
  git(rig.project, 'init', '--quiet', '--initial-branch=main');
  rig.write('README.md', '# Project\n');
});
afterEach(() => rig.close());

const person = userInfo().username;
const commit = (): void => {
  git(rig.project, 'add', '--all');
  git(rig.project, 'commit', '--quiet', '-m', 'begin');
};
/** Runs `pawl init` at a terminal, as a person does. */
async function init(template: string): Promise<void> {
  const terminal = rig.terminal(['init', '--template', template]);
  expect([await terminal.ended, terminal.text()]).toEqual([0, expect.stringContaining(`.pawl/workflows/${template}.yaml`)]);
  commit();
}
const approve = async (): Promise<void> => {
  const terminal = rig.terminal(['forge', 'review', '2', '--approve', '--as', person]);
  expect([await terminal.ended, terminal.text()]).toEqual([0, expect.any(String)]);
};
const labels = (template: keyof typeof TEMPLATES): string[] => TEMPLATES[template].label.flatMap((label) => ['--label', label]);

describe.each(['feature-development', 'bug-fix', 'security-sensitive', 'custom'] as const)('%s', (template) => {
  test('goes from an issue to a merged pull request, once a person has approved it', async () => {
    await init(template);
    expect((await rig.run(['validate', '--strict'])).stderr).toContain('1 file, 0 errors');
    await rig.run(['forge', 'issue', 'create', '--title', 'A trial', ...labels(template)]);
    const waiting = await rig.json<ToldRun>(['run', template, '--issue', '1']);
    expect([waiting.code, waiting.run.status]).toEqual([3, 'waiting']);
    expect(existsSync(join(rig.project, 'trial'))).toBe(false);
    await approve();
    const told = await rig.json<ToldRun>(['resume', waiting.run.id]);
    expect([told.code, told.run.status]).toEqual([0, 'completed']);
    expect(readFileSync(join(rig.project, 'trial/trial.mjs'), 'utf8')).toContain('The work of the stand-in');
    expect((await rig.run(['forge', 'pr', 'show', '2'])).stdout).toContain('merged');
    if (template !== 'custom') expect((await rig.run(['forge', 'issue', 'show', '1'])).stdout).toMatch(/closed/);
  });
});

test('review-pipeline reviews a pull request and says so in a comment; people merge', async () => {
  await init('review-pipeline');
  git(rig.project, 'switch', '--quiet', '--create', 'topic');
  rig.write('trial/one.test.mjs', "import { test } from 'node:test';\ntest('one', () => undefined);\n");
  commit();
  git(rig.project, 'switch', '--quiet', 'main');
  await rig.run(['forge', 'pr', 'create', '--head', 'topic', '--title', 'One']);
  const told = await rig.json<ToldRun>(['run', 'review-pipeline', '--pr', '1']);
  expect([told.code, told.run.status]).toEqual([0, 'completed']);
  expect((await rig.run(['forge', 'pr', 'show', '1'])).stdout).toContain('all reviews approve');
});

test('review-pipeline rejects a pull request whose tests fail', async () => {
  await init('review-pipeline');
  git(rig.project, 'switch', '--quiet', '--create', 'topic');
  rig.write('trial/one.test.mjs', "import { test } from 'node:test';\ntest('one', () => { throw new Error('broken'); });\n");
  commit();
  git(rig.project, 'switch', '--quiet', 'main');
  await rig.run(['forge', 'pr', 'create', '--head', 'topic', '--title', 'One']);
  const told = await rig.json<ToldRun>(['run', 'review-pipeline', '--pr', '1']);
  expect(told.run.status).toBe('failed');
  expect((await rig.run(['forge', 'pr', 'show', '1'])).stdout).toContain('The tests fail');
});
