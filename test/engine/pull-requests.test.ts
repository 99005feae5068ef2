// How the work of a run gets to the forge: it is on the branch of the run, or on the head of the pull request that the run is
// about, and nothing else is opened, approved or landed. The forge is a bare repository, the project a clone of it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { Engine, RunView } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { openSample, type StageClone, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { git } from '../git.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let stage: LocalForgeStage;
let clone: StageClone;
beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
  clone = await stage.clone();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

type Script = (request: AgentRequest) => readonly ScriptedMove[] | Promise<readonly ScriptedMove[]>;
type Origin = { readonly issue?: number; readonly pr?: number };

function fileOf(stages: string): AnyWorkflow {
  const { compiled, errors } = checkYaml(
    'w.yaml',
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n${stages}`,
    REGISTRY,
  );
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

/** Runs a workflow for an issue or a pull request until it ends or waits. */
async function play(workflow: AnyWorkflow, script: Script, origin: Origin): Promise<{ view: RunView; engine: Engine }> {
  const engine = await rig.open({
    ...{ workflows: [workflow], cwd: clone.folder, forge: stage.forge, groups: { team: ['ann'] } },
    worktrees: { folder: rig.path('worktrees') },
    roles: { dev: { driver: 'scripted' } },
    drivers: { scripted: createScriptedDriver(script) },
  });
  const facts = {
    ...(origin.issue === undefined ? {} : { issue_number: origin.issue }),
    ...(origin.pr === undefined ? {} : { pr_number: origin.pr }),
  };
  const run = await engine.start(workflow, {}, { origin, facts });
  return { view: await run.wait('idle'), engine };
}

const write = (path: string, text: string): ScriptedMove => ({ do: 'write', path, text });
const issue = async (): Promise<number> =>
  valueIn(await stage.forge.createIssue({ title: 'Search', body: '', labels: [] }, 'issue')).number;
const pullRequest = async (number: number) => valueIn(await stage.forge.pullRequest(number));
const WORK = '  - { id: work, type: agent, agent: dev }\n';
const APPROVAL = '  - { id: ask, type: gate, conditions: [{ check: pr_approval, from: team }] }\n';
const MERGE = '  - { id: merge, type: action, action: merge_pr, delete_branch: true }\n';

describe('a run about a pull request', () => {
  test('a run about a pull request pushes its work to the head that it was started for, and that is what is approved and merged', async () => {
    const { number, head } = await openSample(stage, 'topic');
    const { view, engine } = await play(fileOf(WORK + APPROVAL + MERGE), () => [write('more.txt', 'more\n')], { pr: number });
    const { headBranch, headSha } = await pullRequest(number);
    expect([view.status, headBranch, await stage.read('topic', 'more.txt')]).toEqual(['waiting', 'topic', 'more\n']);
    expect(headSha).not.toBe(head);
    await stage.review(number, 'ann', 'approved');
    const done = await engine.run(view.id).wait();
    expect([done.status, await stage.read('main', 'more.txt'), await stage.read('main', 'topic.txt')]).toEqual([
      ...['completed', 'more\n', 'topic\n'],
    ]);
    expect(stage.forge.control.list('pr')).toHaveLength(1);
  });

  test('a run about a pull request whose head is in a fork says that it cannot push there, and pushes nothing', async () => {
    const { number, head } = await stage.openFromFork('topic');
    const { view } = await play(fileOf(WORK), () => [write('more.txt', 'more')], { pr: number });
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining(`the head of pull request #${number} is in a fork`)]);
    expect([(await pullRequest(number)).headSha, await stage.git('branch', '--list')]).toEqual([head, '* main\n']);
  });

  test('a run about a pull request that changes nothing, such as a review, needs no right to push', async () => {
    const { number, head } = await stage.openFromFork('topic');
    const { view } = await play(fileOf(WORK), () => [], { pr: number });
    expect([view.status, (await pullRequest(number)).headSha]).toEqual(['completed', head]);
  });

  test('a run about a pull request does not overwrite what somebody pushed to the head meanwhile', async () => {
    const { number } = await openSample(stage, 'topic');
    const script: Script = async () => {
      await stage.commit('topic', { 'theirs.txt': 'theirs\n' });
      return [write('more.txt', 'more')];
    };
    const { view } = await play(fileOf(WORK), script, { pr: number });
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('pushing it would lose work')]);
    expect(await stage.read('topic', 'theirs.txt')).toBe('theirs\n');
  });
});

describe('the pull request of a run', () => {
  const OPEN = '  - { id: open, type: agent, agent: dev, outputs: [{ name: pull, type: pr, required: true }] }\n';
  const asking =
    (pr: { readonly title: string; readonly head?: string }): Script =>
    ({ step }) =>
      step === 'work' ? [write('src/a.txt', 'tested\n')] : [{ do: 'answer', output: { pr } }];

  test('the pull request of a run comes from its branch, which the engine commits and pushes', async () => {
    const { view } = await play(fileOf(WORK + OPEN), asking({ title: 'Search' }), { issue: await issue() });
    expect([view.status, (await pullRequest(2)).headBranch]).toEqual(['completed', `pawl/${view.id}`]);
    expect(await stage.read(`pawl/${view.id}`, 'src/a.txt')).toBe('tested\n');
  });

  test('the pull request of a run is not opened while the login for the push is refused; nothing of the work is lost, and a retry continues with it', async () => {
    let worked = 0;
    const script: Script = (request) => {
      if (request.step === 'work') worked += 1;
      return asking({ title: 'Search' })(request);
    };
    const number = await issue();
    const { push } = stage.forge;
    const refused = { result: 'denied', message: 'the login is not valid (any more): renew the token' } as const;
    Object.assign(stage.forge, { push: async () => refused });
    const { view, engine } = await play(fileOf(WORK + OPEN), script, { issue: number });
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('renew the token')]);
    expect(stage.forge.control.list('pr')).toEqual([]);
    Object.assign(stage.forge, { push });
    await engine.run(view.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect((await engine.run(view.id).wait()).status).toBe('completed');
    expect([worked, await stage.read(`pawl/${view.id}`, 'src/a.txt')]).toEqual([1, 'tested\n']);
  });

  test('the pull request of a run from another branch is refused, and is neither opened nor landed', async () => {
    await stage.commit('untested', { 'evil.txt': 'evil' });
    const { view } = await play(fileOf(WORK + OPEN + MERGE), asking({ title: 'Search', head: 'untested' }), { issue: await issue() });
    expect([view.status, view.error]).toEqual([
      'escalated',
      expect.stringContaining('its head is "untested", but the work of this run is on'),
    ]);
    expect([stage.forge.control.list('pr'), await stage.read('main', 'evil.txt')]).toEqual([[], undefined]);
  });

  test('the pull request of a run does not come from a branch that the agent switched its worktree to', async () => {
    const script: Script = ({ step, cwd }) => {
      if (step === 'work') git(cwd, 'switch', '--quiet', '--create', 'elsewhere');
      return asking({ title: 'Search' })({ step, cwd } as AgentRequest) as readonly ScriptedMove[];
    };
    const { view } = await play(fileOf(WORK + OPEN), script, { issue: await issue() });
    expect(view.error).toContain("the worktree is on elsewhere, not on the run's branch");
  });

  test('the pull request of a run includes commits that the agent amended after they were pushed', async () => {
    const stages = `${WORK}${OPEN}  - { id: again, type: agent, agent: dev }\n`;
    const script: Script = (request) => {
      if (request.step !== 'again') return asking({ title: 'Search' })(request);
      writeFileSync(join(request.cwd, 'src/a.txt'), 'amended\n');
      git(request.cwd, 'commit', '--quiet', '--all', '--amend', '-m', 'amended');
      return [];
    };
    const { view } = await play(fileOf(stages), script, { issue: await issue() });
    expect([view.status, await stage.read(`pawl/${view.id}`, 'src/a.txt')]).toEqual(['completed', 'amended\n']);
  });

  test('the pull request of a run is opened for the people who are to approve it, under the title of the issue, once', async () => {
    const { view, engine } = await play(fileOf(WORK + APPROVAL + MERGE), asking({ title: '' }), { issue: await issue() });
    expect([view.status, await pullRequest(2)]).toMatchObject([
      'waiting',
      { title: 'Search', headBranch: `pawl/${view.id}`, state: 'open' },
    ]);
    await stage.review(2, 'ann', 'approved');
    expect((await engine.run(view.id).wait()).status).toBe('completed');
    expect([await stage.read('main', 'src/a.txt'), stage.forge.control.list('pr')]).toMatchObject(['tested\n', [{ number: 2 }]]);
  });

  test('the pull request of a run is not opened if it is not needed, and nothing is pushed', async () => {
    const { view } = await play(fileOf(WORK), asking({ title: '' }), { issue: await issue() });
    expect([view.status, stage.forge.control.list('pr'), await stage.git('branch', '--list')]).toEqual(['completed', [], '* main\n']);
  });

  test('the pull request of a run cannot be chosen by a step that only names it: a merge of another branch is refused', async () => {
    const { number } = await openSample(stage, 'untested');
    const land = defineWorkflow({
      name: 'land',
      steps: [
        { id: 'claim', handler: () => ({ pr_number: number }), next: 'merge' },
        { id: 'merge', forge: { action: 'merge_pr' }, next: null },
      ],
    });
    const { view } = await play(land, () => [], { issue: 9 });
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining(`#${number} is from "untested"`)]);
    expect((await pullRequest(number)).state).toBe('open');
  });
});
