// What lands is what was tested, reviewed and approved: whole runs on real git, with a local forge, agents that commit
// one thing and show another, people who edit between a gate and a merge, and work that goes on in a checkout of theirs.

import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { readRunReport } from '../../src/control/run/report.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { type Engine, type RunHandle, type RunView, step, workflow } from '../../src/index.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { commitAll, createRepository, git } from '../git.ts';
import { createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
let project: string;
let forge: LocalForge;
/** What the agent of a step does in its workspace. */
let scripts: Readonly<Record<string, (request: AgentRequest) => readonly ScriptedMove[]>>;
beforeEach(async () => {
  rig = createRig();
  project = rig.path('project');
  createRepository(project, { 'answer.txt': 'broken\n', 'check.sh': 'grep -q fixed answer.txt\n' });
  // A local forge moves no branch that is checked out.
  git(project, 'checkout', '--quiet', '-b', 'desk');
  forge = await openLocalForge({ repository: project, state: rig.path('forge.db') });
  scripts = {};
});
afterEach(async () => {
  await rig.close();
  await forge.close();
});

function put(path: string, text: string, folder = project): void {
  writeFileSync(join(folder, path), text);
}
const commitAsAgent = (folder: string): string => git(folder, 'commit', '--quiet', '--all', '--allow-empty', '-m', 'by the agent');

const openPr = async ({ runId, workflowParams }: { readonly runId: string; readonly workflowParams: object }) => {
  const head = (workflowParams as { head?: string }).head ?? `pawl/${runId}`;
  const { number } = valueIn(await forge.openPullRequest({ title: 'Mend it', body: '', head, base: 'main' }, runId));
  return { pr_number: number };
};

const landing = defineWorkflow({
  name: 'landing',
  params: { head: { description: 'the branch of the pull request', type: 'string', required: false } },
  steps: [
    { id: 'implement', agent: 'dev', prompt: 'Mend it.', next: 'tests' },
    { id: 'tests', gate: { checks: ['sh check.sh'] }, next: 'open' },
    { id: 'open', handler: openPr, next: 'ask' },
    { id: 'ask', human: { prompt: 'Merge?' }, next: 'land' },
    { id: 'land', forge: { action: 'merge_pr' }, next: { ok: null, stale_tree: { to: 'tests', maxIterations: 1 } } },
  ],
});

async function open(more: Parameters<Rig['open']>[0] = {}): Promise<Engine> {
  const driver = createScriptedDriver((request) => scripts[request.step]?.(request) ?? []);
  return await rig.open({
    cwd: project,
    worktrees: { folder: rig.path('worktrees') },
    workflows: [landing],
    forge,
    roles: { dev: { driver: 'scripted' } },
    drivers: { scripted: driver },
    ...more,
  });
}

/** Starts the workflow for an issue, in a worktree of its own, and waits for the question. */
async function started(given: AnyWorkflow = landing): Promise<{ engine: Engine; run: RunHandle; view: RunView; folder: string }> {
  const engine = await open();
  const run = await engine.start(given, {}, { origin: { issue: 1 } });
  return { engine, run, view: await run.wait('idle'), folder: rig.path(`worktrees/${run.id}`) };
}

const told = ({ steps }: RunView): string[] => steps.map(({ path, outcome }) => `${path} ${outcome}`);
const onMain = (path: string): string => git(project, 'show', `main:${path}`);
const evidenceOf = (view: RunView, path: string) =>
  view.steps.find((one) => one.path === path)?.evidence as { tree?: string; head?: string };

describe('a run in a worktree of its own', () => {
  test('a run in a worktree of its own merges what its gate saw, although the agent committed a bug and not the fix', async () => {
    scripts = {
      implement: ({ cwd }) => {
        put('answer.txt', 'worse\n', cwd);
        commitAsAgent(cwd);
        return [
          { do: 'write', path: 'answer.txt', text: 'fixed\n' },
          { do: 'write', path: 'new.txt', text: 'new\n' },
        ];
      },
    };
    const { engine, run, view, folder } = await started();
    expect(git(folder, 'status', '--short')).toBe('');
    expect(git(folder, 'log', '-1', '--format=%an %ae')).toBe('Pawl pawl@localhost');
    const seen = evidenceOf(view, 'tests#1');
    expect(seen).toEqual({ tree: git(folder, 'rev-parse', 'HEAD^{tree}'), head: git(folder, 'rev-parse', 'HEAD') });
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    const done = await run.wait();
    expect(done.status).toBe('completed');
    expect([onMain('answer.txt'), onMain('new.txt')]).toEqual(['fixed', 'new']);
    expect(evidenceOf(done, 'land#1')).toEqual(seen);
  });

  test('a run in a worktree of its own commits past hooks, includes files marked assume-unchanged, and leaves out ignored files', async () => {
    mkdirSync(join(project, '.git/hooks'), { recursive: true });
    writeFileSync(join(project, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    scripts = {
      implement: ({ cwd }) => {
        git(cwd, 'update-index', '--assume-unchanged', 'answer.txt');
        put('.gitignore', '*.log\n', cwd);
        put('debug.log', 'x', cwd);
        mkdirSync(join(cwd, '__pycache__'));
        put('__pycache__/a.pyc', 'x', cwd);
        return [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }];
      },
    };
    const { folder } = await started();
    expect(git(folder, 'ls-tree', '--name-only', 'HEAD').split('\n')).toEqual(['.gitignore', 'answer.txt', 'check.sh']);
    expect(git(folder, 'show', 'HEAD:answer.txt')).toBe('fixed');
  });

  test('a run in a worktree of its own does not pass a gate while it contains another repository', async () => {
    scripts = {
      implement: ({ cwd }) => {
        git(cwd, 'init', '--quiet', 'hidden');
        put('hidden/answer.txt', 'fixed\n', cwd);
        return [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }];
      },
    };
    const { view } = await started();
    expect(view).toMatchObject({ status: 'escalated', error: expect.stringContaining('hidden/ is a separate git repository') });
  });

  test('a run in a worktree of its own does not merge a pull request of another branch, and names that branch', async () => {
    git(project, 'checkout', '--quiet', '-b', 'other', 'main');
    put('answer.txt', 'untested\n');
    git(project, 'commit', '--quiet', '--all', '-m', 'untested');
    git(project, 'checkout', '--quiet', 'desk');
    scripts = { implement: () => [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }] };
    const engine = await open();
    const run = await engine.start(landing, { head: 'other' }, { origin: { issue: 1 } });
    await run.wait('idle');
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    const view = await run.wait('idle');
    expect([view.status, view.error]).toEqual(['escalated', expect.stringContaining('is from "other", and the work of this run is on')]);
    expect(onMain('answer.txt')).toBe('broken');
  });
});

describe('a file that is edited after the gate', () => {
  test('a file that is edited between the gate and the question is shown in the question, and is not merged without the checks', async () => {
    const editing = defineWorkflow({
      name: 'editing',
      steps: [
        { id: 'implement', agent: 'dev', prompt: 'Mend it.', next: 'tests' },
        { id: 'tests', gate: { checks: ['sh check.sh'] }, next: 'open' },
        { id: 'open', handler: openPr, next: 'polish' },
        { id: 'polish', agent: 'dev', prompt: 'Polish it.', next: 'ask' },
        { id: 'ask', human: { prompt: 'Merge?' }, next: 'land' },
        { id: 'land', forge: { action: 'merge_pr' }, next: null },
      ],
    });
    scripts = {
      implement: () => [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }],
      polish: () => [{ do: 'write', path: 'answer.txt', text: 'spoiled\n' }],
    };
    const { engine, run } = await started(editing);
    const [asked] = await engine.run(run.id).approvals();
    expect(asked?.subjects).toMatchObject({ tree: { stale: [{ step: 'tests', files: ['answer.txt (changed)'] }] } });
    // "pawl show" tells it as well.
    const { steps } = await readRunReport(engine.store, run.id);
    expect(steps.filter(({ staleSince }) => staleSince !== undefined).map(({ path }) => path)).toEqual(['tests#1']);
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    const view = await run.wait('idle');
    expect(told(view).at(-1)).toBe('land#1 stale_tree');
    expect(view.steps.at(-1)?.output).toMatchObject({ error: expect.stringContaining('checked again, it does not pass: sh check.sh') });
    expect(onMain('answer.txt')).toBe('broken');
  });

  test('a file that a later step edits is merged when the gate passes on it again', async () => {
    const documented = defineWorkflow({
      name: 'documented',
      steps: [
        { id: 'implement', agent: 'dev', prompt: 'Mend it.', next: 'tests' },
        { id: 'tests', gate: { checks: ['sh check.sh'] }, next: 'document' },
        { id: 'document', agent: 'dev', prompt: 'Document it.', next: 'open' },
        { id: 'open', handler: openPr, next: 'land' },
        { id: 'land', forge: { action: 'merge_pr' }, next: null },
      ],
    });
    scripts = {
      implement: () => [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }],
      document: () => [{ do: 'write', path: 'README', text: 'It is fixed.\n' }],
    };
    const { view } = await started(documented);
    expect(view.status).toBe('completed');
    expect(view.steps.at(-1)?.evidence).toMatchObject({ again: ['tests'] });
    expect([onMain('answer.txt'), onMain('README')]).toEqual(['fixed', 'It is fixed.']);
  });

  test('a file that is edited while the question waits causes a new question: a decision on what was shown does not count', async () => {
    scripts = { implement: () => [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }] };
    const { engine, run, folder } = await started();
    const [before] = await engine.run(run.id).approvals();
    put('answer.txt', 'spoiled\n', folder);
    const error = await errorOf(engine.run(run.id).decide({ option: 'approve', actor: 'ann', digest: before?.digest ?? '' }));
    expect(error.message).toContain('the files of the workspace changed (since "tests": answer.txt (changed))');
    expect(error.message).toContain('the question was asked again');
    const [after] = await engine.run(run.id).approvals();
    expect(after?.digest).not.toBe(before?.digest);
    expect(after?.subjects).toMatchObject({ tree: { stale: [{ step: 'tests', files: ['answer.txt (changed)'] }] } });
    expect((await engine.run(run.id).get()).status).toBe('waiting');
  });

  test('a file that is edited after the approval leads back to the gate, and is merged only when it was tested and approved again', async () => {
    const late = defineWorkflow({
      name: 'late',
      steps: [
        { id: 'implement', agent: 'dev', prompt: 'Mend it.', next: 'tests' },
        { id: 'tests', gate: { checks: ['sh check.sh'] }, next: 'ask' },
        { id: 'ask', human: { prompt: 'Merge?' }, next: 'pause' },
        { id: 'pause', signal: 'go', next: 'open' },
        { id: 'open', handler: openPr, next: 'land' },
        { id: 'land', forge: { action: 'merge_pr' }, next: { ok: null, stale_tree: { to: 'tests', maxIterations: 3 } } },
      ],
    });
    scripts = { implement: () => [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }] };
    const { engine, run, folder } = await started(late);
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    await run.wait('idle');
    put('answer.txt', 'fixed and more\n', folder);
    commitAsAgent(folder);
    await engine.run(run.id).signal('go');
    const view = await run.wait('idle');
    expect(told(view).slice(-3)).toEqual(['land#1 stale_tree', 'tests#2 ok', 'ask#2 undefined']);
    expect(onMain('answer.txt')).toBe('broken');
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    await engine.run(run.id).signal('go');
    expect((await run.wait()).status).toBe('completed');
    expect(onMain('answer.txt')).toBe('fixed and more');
  });
});

test('a merge is held to what a validation passed', async () => {
  const validated = defineWorkflow({
    name: 'validated',
    steps: [
      { id: 'implement', agent: 'dev', prompt: 'Fix it.', next: 'check' },
      { id: 'check', validate: { stages: ['tests'] }, next: 'open' },
      { id: 'open', handler: openPr, next: 'wait' },
      { id: 'wait', signal: 'go', next: 'land' },
      { id: 'land', forge: { action: 'merge_pr' }, next: { ok: null, stale_tree: { to: 'check', maxIterations: 1 } } },
    ],
  });
  scripts = { implement: () => [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }] };
  const engine = await open({ workflows: [validated], stages: { tests: 'sh check.sh' } });
  const run = await engine.start(validated, {}, { origin: { issue: 1 } });
  await run.wait('idle');
  const folder = rig.path(`worktrees/${run.id}`);
  put('answer.txt', 'spoiled\n', folder);
  commitAsAgent(folder);
  await run.signal('go');
  const done = await run.wait('idle');
  expect(told(done)).toContain('land#1 stale_tree');
  expect([onMain('answer.txt'), done.status]).toEqual(['broken', 'escalated']);
});

test('a flow is held to it as well', async () => {
  const flow = workflow('flowing', function* () {
    yield* step('tests').gate({ checks: ['test -e answer.txt'] });
    yield* step('ask').human({ prompt: 'Merge?' });
  });
  const engine = await open();
  const run = await engine.start(flow);
  await run.wait('idle');
  const [asked] = await engine.run(run.id).approvals();
  expect(asked?.subjects).toEqual({ tree: { id: git(project, 'rev-parse', 'HEAD^{tree}') } });
  put('answer.txt', 'spoiled');
  const error = await errorOf(engine.run(run.id).decide({ option: 'approve', actor: 'ann', digest: asked?.digest ?? '' }));
  expect(error.code).toBe('CONTENT_CHANGED');
  expect((await engine.run(run.id).get()).status).toBe('waiting');
});

describe('a gate of a flow', () => {
  const flow = (mayChange: readonly string[]) =>
    workflow('steering', function* () {
      yield* step('implement').agent({ agent: 'dev', prompt: 'Mend it.', mayChange });
      yield* step('tests').gate({ checks: ['sh check.sh'] });
    });
  const steered = async (mayChange: readonly string[]): Promise<RunView> => {
    scripts = { implement: () => [{ do: 'write', path: 'check.sh', text: 'true\n' }] };
    const engine = await open();
    return await (await engine.start(flow(mayChange))).wait('idle');
  };

  test('a gate of a flow checks with a .gitattributes that a step was allowed to change, and with no other', async () => {
    const played = async (mayChange: readonly string[]): Promise<string> => {
      scripts = {
        implement: ({ cwd }) => {
          put('answer.txt', 'fixed\n', cwd);
          return [{ do: 'write', path: '.gitattributes', text: '*.png binary\n' }];
        },
      };
      const engine = await open();
      return (await (await engine.start(flow(mayChange))).wait('idle')).status;
    };
    expect(await played(['.gitattributes'])).toBe('completed');
    git(project, 'clean', '--quiet', '--force');
    expect(await played([])).toBe('escalated');
  });

  test('a gate of a flow is not passed by an agent that rewrites what the gate runs', async () => {
    expect(await steered([])).toMatchObject({ status: 'failed', error: expect.stringContaining('check.sh (by "implement")') });
  });

  test('a gate of a flow lets a step change what it may change', async () => {
    expect((await steered(['check.sh'])).status).toBe('completed');
  });
});

describe('a run in the checkout of people', () => {
  async function inPlace(): Promise<{ engine: Engine; run: RunHandle; view: RunView }> {
    const engine = await open();
    const run = await engine.start(landing, { head: 'desk' });
    return { engine, run, view: await run.wait('idle') };
  }

  test('a run in the checkout of people commits nothing there, and does not merge what they did not commit', async () => {
    put('notes.txt', 'mine\n');
    git(project, 'add', 'notes.txt');
    scripts = {
      implement: ({ cwd }) => {
        commitAsAgent(cwd);
        return [{ do: 'write', path: 'answer.txt', text: 'fixed\n' }];
      },
    };
    const { engine, run, view } = await inPlace();
    const index = git(project, 'status', '--short');
    expect(index).toBe('M answer.txt');
    expect(evidenceOf(view, 'tests#1').tree).toMatch(/^[0-9a-f]{40}$/);
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    await run.wait('idle');
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    const done = await run.wait('idle');
    expect(told(done).at(-1)).toBe('land#2 stale_tree');
    expect(done.steps.at(-1)?.output).toMatchObject({ error: expect.stringContaining('these files differ: answer.txt (changed)') });
    expect([git(project, 'status', '--short'), onMain('answer.txt')]).toEqual([index, 'broken']);
  });

  test('a run in the checkout of people merges what they committed', async () => {
    scripts = {
      implement: ({ cwd }) => {
        put('answer.txt', 'fixed\n', cwd);
        commitAsAgent(cwd);
        return [];
      },
    };
    const { engine, run } = await inPlace();
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    expect((await run.wait()).status).toBe('completed');
    expect(onMain('answer.txt')).toBe('fixed');
  });
});

test('a daemon that writes the fix only while the gate looks leaves it without a verdict', async () => {
  // The check itself waits for the daemon, so that it always sees the fix.
  put(
    'check.sh',
    'touch .git-look; until grep -q fixed answer.txt; do :; done; rm -f .git-look; until grep -q broken answer.txt; do :; done\n',
  );
  appendFileSync(join(project, '.gitignore'), '.git-look\n');
  commitAll(project, 'second');
  const script =
    'while :; do if [ -e .git-look ]; then echo fixed > answer.txt; elif grep -q fixed answer.txt; then echo broken > answer.txt; fi; done';
  const daemon = spawn('sh', ['-c', script], { cwd: project, stdio: 'ignore' });
  const engine = await open();
  const gate = defineWorkflow({ name: 'gate', steps: [{ id: 'tests', gate: { checks: ['sh check.sh'] }, next: null }] });
  const run = await engine.start(gate);
  const view = await run.wait('idle');
  daemon.kill('SIGKILL');
  expect(readFileSync(join(project, 'answer.txt'), 'utf8')).toBe('broken\n');
  expect(view).toMatchObject({ status: 'escalated', error: expect.stringContaining('answer.txt (rewritten)') });
});

test('caches of test tools do not void the second gate', async () => {
  put(
    'check.sh',
    'mkdir -p __pycache__ .pytest_cache; date +%s%N > __pycache__/a.pyc; date +%s%N > .pytest_cache/x; date +%s%N > .coverage\n',
  );
  commitAll(project, 'second');
  const twice = defineWorkflow({
    name: 'twice',
    steps: [
      { id: 'one', gate: { checks: ['sh check.sh'] }, next: 'two' },
      { id: 'two', gate: { checks: ['sh check.sh'] }, next: null },
    ],
  });
  const engine = await open();
  const run = await engine.start(twice);
  expect((await run.wait('idle')).status).toBe('completed');
  rmSync(join(project, '__pycache__'), { recursive: true });
});

describe('a review of several items', () => {
  let late: string | undefined;
  const reviewed = defineWorkflow({
    name: 'reviewed',
    steps: [
      { id: 'implement', agent: 'dev', prompt: 'Mend it.', next: 'quality' },
      {
        id: 'quality',
        review: {
          subject: 'the fix',
          reviewer: 'dev',
          fixer: 'dev',
          items: ['answer', 'names'].map((id) => ({ id, severity: 'MUST', question: `Is the ${id} right?` })),
        },
        next: 'open',
      },
      {
        id: 'open',
        handler: async (ctx) => {
          if (late !== undefined) put(late, 'late\n', rig.path(`worktrees/${ctx.runId}`));
          late = undefined;
          return await openPr(ctx);
        },
        next: 'ask',
      },
      { id: 'ask', human: { prompt: 'Merge?' }, next: 'land' },
      { id: 'land', forge: { action: 'merge_pr' }, next: { ok: null, stale_tree: { to: 'quality', maxIterations: 1 } } },
    ],
  });
  const looks = () => ({
    implement: () => [{ do: 'write' as const, path: 'answer.txt', text: 'fixed\n' }],
    verify: () => {
      verified += 1;
      return [{ do: 'answer' as const, output: { status: 'pass', evidence: 'answer.txt says fixed' } }];
    },
  });
  let verified = 0;
  const approved = async () => {
    const engine = await open({ workflows: [reviewed] });
    const run = await engine.start(reviewed, {}, { origin: { issue: 1 } });
    return { engine, run, folder: rig.path(`worktrees/${run.id}`) };
  };
  /** Approves the question of a visit as soon as it is asked. */
  const approve = async (run: RunHandle, path: string): Promise<void> => {
    for await (const event of run.log())
      if (event.type === 'step.changed' && event.activation.path === path && event.activation.state === 'waiting') break;
    await run.decide({ option: 'approve', actor: 'ann' });
  };

  test('a review of several items allows merging what its reviewers saw', async () => {
    scripts = looks();
    const { run } = await approved();
    await approve(run, 'ask#1');
    expect(told(await run.wait())).toContain('land#1 ok');
    expect(onMain('answer.txt')).toBe('fixed');
  });

  test('a review of several items runs again when a step changed something after it', async () => {
    scripts = looks();
    verified = 0;
    late = 'late.txt';
    const { run } = await approved();
    await approve(run, 'ask#1');
    await approve(run, 'ask#2');
    const done = await run.wait();
    expect(told(done).filter((line) => /land|quality/.test(line))).toEqual([
      'quality#1 ok',
      'land#1 stale_tree',
      'quality#2 ok',
      'land#2 ok',
    ]);
    expect(verified).toBe(4);
    expect(onMain('late.txt')).toBe('late');
  });
});
