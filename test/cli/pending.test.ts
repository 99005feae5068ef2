// A gate that waits for CI and reviews, as a user sees it: what it waits for, when it looks again, and what it does not
// do twice.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { ForgeProject, type ToldRun } from './forge-project.ts';

const project = new ForgeProject();
const { rig } = project;
afterAll(() => project.close());

const made = (): number => readFileSync(join(rig.folder, 'made'), 'utf8').split('\n').length - 1;

interface Waits {
  readonly waits: readonly { readonly kind: string; readonly message: string; readonly due: string; readonly command: string }[];
}

test('a pending gate says what it waits for, and does not repeat a check that passed', async () => {
  await project.open({});
  rig.write(
    '.pawl/workflows/checked.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: checked }
trigger: { event: pull_request.opened }
stages:
  - id: gate
    type: gate
    conditions:
      - { check: command, run: "echo made >> '${join(rig.folder, 'made')}'" }
      - { check: ci_status, workflows: [test] }
      - { check: pr_approval, from: maintainers }
`,
  );
  await project.pawl('trust', '--yes');
  project.git('switch', '--quiet', '--create', 'topic');
  rig.write('topic.txt', 'the work');
  project.git('add', 'topic.txt');
  project.git('commit', '--quiet', '-m', 'topic');
  project.git('switch', '--quiet', 'main');
  await project.pawl('forge', 'pr', 'create', '--head', 'topic', '--title', 'Topic');
  const started = await project.json<ToldRun & Waits>('run', 'checked', '--pr', '1');
  expect([started.code, started.run.status, started.waits[0]?.kind]).toEqual([3, 'waiting', 'checks']);
  const { id } = started.run;
  expect(started.waits[0]?.message).toMatch(
    /^ci_status: it waits for test \(not started\); pr_approval: it waits for maintainers: 0 of 1 approvals of \w{12}$/,
  );
  expect(Date.parse(started.waits[0]?.due ?? '')).toBeGreaterThan(Date.now());
  expect((await rig.run(['show', id])).stdout).toMatch(/the checks of gate#1: ci_status: it waits for test .*next check in /);
  expect((await rig.run(['inbox'])).stdout).toMatch(/gate#1 .*\(pending\) ci_status: it waits for test/);
  expect((await rig.run(['inbox', id])).stdout).toMatch(
    /^Gate gate#1 of run \w+ is pending: ci_status: it waits.*\nnext check in .*\npawl resume/,
  );
  expect(await rig.json(['inbox'])).toMatchObject({ pending: [{ run: id, path: 'gate#1', nextLook: expect.any(String) }] });

  await project.person('check', '1', '--name', 'test', '--conclusion', 'success');
  const resumed = await rig.run(['resume', id]);
  expect([resumed.code, resumed.stdout + resumed.stderr]).toEqual([
    3,
    expect.stringMatching(/is pending: pr_approval: it waits for maintainers.*\n.*next check in .*\n.*pawl resume/),
  ]);
  await project.person('review', '1', '--approve', '--as', 'ann');
  const ended = await project.json<ToldRun>('resume', id);
  expect([ended.code, ended.run.status, made()]).toEqual([0, 'completed', 1]);

  const folder = readdirSync(rig.state).find((name) => existsSync(join(rig.state, name, 'runs.db'))) as string;
  const database = new DatabaseSync(join(rig.state, folder, 'runs.db'), { readOnly: true });
  const rows = database.prepare('SELECT check_type, passed FROM workflow_gate_checks ORDER BY id').all();
  database.close();
  expect(rows.map(({ check_type, passed }) => `${check_type} ${passed}`)).toEqual([
    'ci_status null',
    'pr_approval null',
    'command 1',
    'ci_status 1',
    'pr_approval 1',
  ]);
}, 120_000);
