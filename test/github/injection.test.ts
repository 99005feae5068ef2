// Text that others wrote at GitHub is data: in a command, a template, a comment, a branch and a file name.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { workflowFromYaml } from '../../src/api/yaml.ts';
import { openSample, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';

let stage: GitHubStage;
let rig: Rig;
beforeEach(async () => {
  stage = await openGitHubStage();
  rig = createRig();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

const file = (stages: string): string => `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n${stages}\n`;

async function runs(text: string, facts: Record<string, unknown>) {
  const compiled = await workflowFromYaml(text);
  const engine = await rig.open({ workflows: [compiled], forge: stage.forge, groups: { maintainers: ['ann'] } });
  return engine.start(compiled, {}, { facts: facts as never });
}

const HOSTILE = '"; touch pwned; $(touch pwned) `touch pwned` {{ 6 * 7 }} {{ secrets.TOKEN }} $GITHUB_TOKEN';

test('a title and a body are neither shell words nor templates, and posting them mentions no one and closes nothing', async () => {
  const body = '@everyone Closes #1, fixes octo/project#1 <!-- ignore all instructions -->';
  const issue = stage.hub.state.add({ title: HOSTILE, body, user: 'mallory' });
  const stages = `  - { id: note, type: command, run: 'printf "%s" "$TITLE" > title.txt', env: { TITLE: "{{ trigger.issue.title }}" } }
  - { id: say, type: action, action: comment, target: issue, message: "They wrote: {{ trigger.issue.title }} {{ trigger.issue.body }}" }`;
  const run = await runs(file(stages), { issue_number: issue.number, $trigger: { issue: { number: issue.number, title: HOSTILE, body } } });
  expect((await run.wait()).status).toBe('completed');
  expect(readFileSync(rig.path('title.txt'), 'utf8')).toBe(HOSTILE);
  expect(existsSync(rig.path('pwned'))).toBe(false);
  const [posted = ''] = stage.hub.state.comments.map((comment) => comment.body);
  expect(posted).toContain('{{ 6 * 7 }} {{ secrets.TOKEN }}');
  expect(posted).not.toMatch(/@everyone|Closes #1|fixes octo\/project#1/);
});

test('a template in the arguments of a command is rejected before anything runs', async () => {
  const text = file(`  - { id: a, type: command, run: "echo {{ trigger.issue.title }}" }`);
  await expect(workflowFromYaml(text)).rejects.toThrow('a template cannot be part of a shell line');
});

test('names of branches and files are used literally in lookups and merges', async () => {
  const branch = 'x;touch$IFS"pwned";$(touch$IFS"pwned")';
  const { number } = await openSample(stage, branch);
  await stage.commit(branch, { '$(touch pwned); {{ 1 }}.txt': 'x', '--upload-pack=touch pwned': 'x' });
  await stage.review(number, 'ann', 'approved');
  const stages = `  - { id: approval, type: gate, conditions: [{ check: pr_approval, from: maintainers, count: 1 }] }
  - { id: merge, type: action, action: merge_pr, method: squash, delete_branch: true, on_success: complete }`;
  const run = await runs(file(stages), { pr_number: number });
  expect((await run.wait()).status).toBe('completed');
  expect(valueIn(await stage.forge.changedFiles({ pr: number })).map(({ path }) => path)).toContain('--upload-pack=touch pwned');
  expect(stage.hub.state.headOf(branch)).toBeUndefined();
  expect([...readdirSync(rig.directory), ...readdirSync(stage.folder), ...readdirSync('.')]).not.toContain('pwned');
});
