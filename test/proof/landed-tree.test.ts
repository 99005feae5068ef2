// Ways to show a gate or a review other files than those that land: the forge is a bare repository, the project a clone
// of it, and the agent may run git in the worktree of the run.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { Engine, RunView } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { type StageClone, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { git } from '../git.ts';

let rig: Rig;
let stage: LocalForgeStage;
let clone: StageClone;
let issue: number;
beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
  await stage.commit('main', { 'answer.txt': 'broken\n', 'check.sh': 'grep -q fixed answer.txt\n', '.gitignore': 'cache/\n' });
  clone = await stage.clone();
  issue = valueIn(await stage.forge.createIssue({ title: 'Mend it', body: '', labels: [] }, 'issue')).number;
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

type Scripts = Readonly<Record<string, (request: AgentRequest) => readonly ScriptedMove[]>>;

function fileOf(stages: string): AnyWorkflow {
  const { compiled, errors } = checkYaml(
    'w.yaml',
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages:\n${stages}`,
    REGISTRY,
  );
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  return compiled;
}

/** Runs a workflow for the issue until it ends or waits. */
async function play(workflow: AnyWorkflow, scripts: Scripts): Promise<{ view: RunView; engine: Engine; folder: string }> {
  const engine = await rig.open({
    ...{ workflows: [workflow], cwd: clone.folder, forge: stage.forge, groups: { team: ['ann'] } },
    worktrees: { folder: rig.path('worktrees') },
    roles: { dev: { driver: 'scripted' } },
    drivers: { scripted: createScriptedDriver((request) => scripts[request.step]?.(request) ?? []) },
  });
  const run = await engine.start(workflow, {}, { origin: { issue }, facts: { issue_number: issue } });
  return { view: await run.wait('idle'), engine, folder: rig.path(`worktrees/${run.id}`) };
}

function put(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const told = ({ steps }: RunView): string[] => steps.map(({ path, outcome }) => `${path} ${outcome}`);
const onMain = (): Promise<string | undefined> => stage.read('main', 'answer.txt');

const WORK = '  - { id: work, type: agent, agent: dev, on_complete: tests }\n';
const TESTS = '  - { id: tests, type: gate, conditions: [{ check: command, run: sh check.sh }], on_pass: merge, on_fail: escalate }\n';
const MERGE = '  - { id: merge, type: action, action: merge_pr, on_success: complete }\n';

test('a commit with a git replacement is merged with the files that were tested, or not at all', async () => {
  const { view } = await play(fileOf(WORK + TESTS + MERGE), {
    work: ({ cwd }) => {
      const commit = (text: string): string => {
        put(cwd, 'answer.txt', text);
        git(cwd, 'commit', '--quiet', '--all', '--allow-empty', '-m', 'by the agent');
        return git(cwd, 'rev-parse', 'HEAD');
      };
      const good = commit('fixed\n');
      git(cwd, 'reset', '--quiet', '--hard', 'HEAD~1');
      const bad = commit('worse\n');
      git(cwd, 'replace', bad, good);
      put(cwd, 'answer.txt', 'fixed\n');
      return [];
    },
  });
  expect([view.status, await onMain()]).toEqual(['completed', 'fixed\n']);
});

describe('reviewers side by side', () => {
  const REVIEWS =
    '  - { id: reviews, type: parallel, join: all, branches: [{ id: one, agent: dev }, { id: two, agent: dev }], on_complete: ask }\n';
  const ASK = '  - { id: ask, type: gate, conditions: [{ check: pr_approval, from: team }], on_pass: merge }\n';
  const approve = (): readonly ScriptedMove[] => [{ do: 'answer', verdict: 'approve' }];
  const workflow = fileOf(`${WORK.replace('tests', 'reviews')}${REVIEWS}${ASK}${MERGE}`);
  const scripts: Scripts = { work: () => [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }], one: approve, two: approve };
  const approved = async (): Promise<void> => {
    const [request] = stage.forge.control.list('pr');
    await stage.review(request?.number as number, 'ann', 'approved');
  };

  test('reviewers side by side review the tree that is merged', async () => {
    const { view, engine } = await play(workflow, scripts);
    await approved();
    expect([(await engine.run(view.id).wait()).status, await onMain()]).toEqual(['completed', 'fixed\n']);
  });

  test('reviewers side by side that saw other files review again before anything is merged, whoever approved the pull request', async () => {
    const { view, engine, folder } = await play(workflow, scripts);
    put(folder, 'answer.txt', 'not reviewed\n');
    await engine.run(view.id).resume();
    await engine.run(view.id).wait('idle');
    await approved();
    await engine.run(view.id).resume();
    const done = await engine.run(view.id).wait('idle');
    // The reviewers look at what would land before it does; the approval was of that head already.
    expect(
      told(done)
        .filter((line) => !line.includes('/'))
        .slice(-4),
    ).toEqual(['merge#1 stale_tree', 'reviews#2 ok', 'ask#2 ok', 'merge#2 ok']);
    expect([done.status, await onMain()]).toEqual(['completed', 'not reviewed\n']);
  });

  test('reviewers side by side are named when the transition back does not reach them', async () => {
    const later = WORK.replace('work,', 'more,').replace('tests', 'again');
    const again = ASK.replace('ask,', 'again,');
    const sent = fileOf(`${WORK.replace('tests', 'reviews')}${REVIEWS.replace('ask', 'more')}${later}${again}${MERGE}`);
    const more = (): readonly ScriptedMove[] => [{ do: 'write', path: 'more.txt', text: 'not reviewed\n' }];
    const { view, engine } = await play(sent, { ...scripts, more });
    await approved();
    await engine.run(view.id).resume();
    const done = await engine.run(view.id).wait('idle');
    expect([done.status, done.error]).toEqual([
      'escalated',
      expect.stringMatching(/the review "(one|two)" is not renewed by the steps from there on/),
    ]);
    expect(await onMain()).toBe('broken\n');
  });
});

describe('a link in the tree of a gate', () => {
  const workflow = fileOf(WORK + TESTS + MERGE);
  const linked = (to: string) => (request: AgentRequest) => {
    rmSync(join(request.cwd, 'answer.txt'));
    symlinkSync(to, join(request.cwd, 'answer.txt'));
    return [];
  };

  test('a link in the tree of a gate that leads out of the workspace leaves it without a verdict', async () => {
    writeFileSync(rig.path('elsewhere.txt'), 'fixed\n');
    const { view } = await play(workflow, { work: linked(rig.path('elsewhere.txt')) });
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('answer.txt leads to')]);
    expect(await onMain()).toBe('broken\n');
  });

  test('a link in the tree of a gate that leads to a file that git ignores also leaves it without a verdict', async () => {
    const { view } = await play(workflow, {
      work: (request) => {
        put(request.cwd, 'cache/answer.txt', 'fixed\n');
        return linked('cache/answer.txt')(request);
      },
    });
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('answer.txt leads to')]);
  });

  test('a link in the tree of a gate that leads to another file of the tree is checked and merged', async () => {
    const { view } = await play(workflow, {
      work: (request) => {
        put(request.cwd, 'answers/latest.txt', 'fixed\n');
        symlinkSync('answers', join(request.cwd, 'all'));
        return linked('all/latest.txt')(request);
      },
    });
    expect([view.status, await stage.read('main', 'answers/latest.txt')]).toEqual(['completed', 'fixed\n']);
  });
});

test('a file that the run removed from git and left on disk leaves a gate without a verdict', async () => {
  const { view } = await play(fileOf(WORK + TESTS + MERGE), {
    work: ({ cwd }) => {
      git(cwd, 'rm', '--quiet', '--cached', 'answer.txt');
      put(cwd, '.gitignore', 'cache/\nanswer.txt\n');
      git(cwd, 'commit', '--quiet', '--all', '-m', 'by the agent');
      put(cwd, 'answer.txt', 'fixed\n');
      return [];
    },
  });
  expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('answer.txt still exists')]);
});

test('an agent cannot make git store other content than a file has', async () => {
  const { view } = await play(fileOf(WORK + TESTS + MERGE), {
    work: ({ cwd }) => {
      put(cwd, '.gitattributes', 'answer.txt ident\n');
      put(cwd, 'answer.txt', '$Id: fixed $\n');
      return [];
    },
  });
  expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('.gitattributes (added)')]);
  expect(await onMain()).toBe('broken\n');
});

test.each([
  ['check.sh', 'check.sh (changed)'],
  ['.npmrc', '.npmrc (added)'],
])('an agent in the worktree of a run must not change %s', async (path, change) => {
  const { view } = await play(fileOf(WORK + TESTS + MERGE), {
    work: ({ cwd }) => {
      put(cwd, path, 'true\n');
      return [];
    },
  });
  expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining(change)]);
  expect(await onMain()).toBe('broken\n');
});
