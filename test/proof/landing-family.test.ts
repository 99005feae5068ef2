// What lands was judged, also in flows and where one run starts another: whole runs on real git with a local forge. The
// test edits files while a run waits for a signal, as somebody would behind its back.

import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { type Engine, type FlowCall, type RunHandle, type RunView, StepFailed, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { createRepository, git } from '../git.ts';

let rig: Rig;
let project: string;
let forge: LocalForge;
let engine: Engine;
/** What the agent of a step does. */
let scripts: Readonly<Record<string, (request: AgentRequest) => readonly ScriptedMove[]>>;
beforeEach(async () => {
  rig = createRig();
  project = rig.path('project');
  createRepository(project, { 'answer.txt': 'broken\n', 'check.sh': 'grep -q fixed answer.txt\n' });
  // A local forge moves no branch that is checked out.
  git(project, 'checkout', '--quiet', '-b', 'desk');
  forge = await openLocalForge({ repository: project, state: rig.path('forge.db') });
  scripts = { work: write('answer.txt', 'fixed\n') };
});
afterEach(async () => {
  await rig.close();
  await forge.close();
});

const write = (path: string, text: string) => (): readonly ScriptedMove[] => [{ do: 'write', path, text }];
const onMain = (path: string): string => git(project, 'show', `main:${path}`);

interface Edit {
  readonly path: string;
  readonly text: string;
}

/** Runs a workflow for an issue until it waits; edits change files of its worktree then, and it goes on. */
async function played(given: readonly AnyWorkflow[], ...edits: readonly Edit[]): Promise<RunView> {
  const driver = createScriptedDriver((request) => scripts[request.step]?.(request) ?? []);
  engine = await rig.open({
    ...{ cwd: project, workflows: [...given], forge, worktrees: { folder: rig.path('worktrees') } },
    ...{ roles: { dev: { driver: 'scripted' } }, drivers: { scripted: driver } },
  });
  const run = await engine.start(given[0] as AnyWorkflow, {}, { origin: { issue: 1 } });
  const view = await run.wait('idle');
  if (edits.length === 0) return view;
  for (const { path, text } of edits) writeFileSync(join(rig.path(`worktrees/${run.id}`), path), text);
  await (await waiting(run)).signal('go');
  return await run.wait('idle');
}

/** The run that waits for the signal: the run itself, or the one that it started. */
async function waiting(run: RunHandle): Promise<RunHandle> {
  const [child] = await engine.list({ parent: run.id, status: ['waiting'] });
  return child === undefined ? run : engine.run(child.id);
}

const worktree = (): string => join(rig.path('worktrees'), readdirSync(rig.path('worktrees'))[0] ?? '');

describe('in a flow', () => {
  /** Two gates, with what happens between them. */
  const between = (middle: () => FlowCall<unknown>) =>
    workflow('flow', function* () {
      yield* step('work').agent({ agent: 'dev', prompt: 'Fix it.' });
      yield* step('first').gate({ checks: ['sh check.sh'] });
      yield* middle();
      yield* step('second').gate({ checks: ['test -e answer.txt'] });
      try {
        yield* step('land').action({ action: 'merge_pr' });
      } catch (error) {
        return error instanceof StepFailed ? { outcome: error.outcome, ...(error.output as object) } : String(error);
      }
      return 'landed';
    });
  const pause = between(() => step('pause').signal('go'));

  test('an earlier gate must have checked what is merged, if no step of the flow changed it since', async () => {
    const view = await played([pause], { path: 'answer.txt', text: 'broken again\n' });
    expect(view.output).toMatchObject({ outcome: 'stale_tree', stale: ['first'], files: ['answer.txt (changed)'] });
    expect(onMain('answer.txt')).toBe('broken');
  });

  test('a flow merges if nothing was changed', async () => {
    expect([(await played([pause], { path: 'answer.txt', text: 'fixed\n' })).output, onMain('answer.txt')]).toEqual(['landed', 'fixed']);
  });

  test.each([
    ['an agent', () => step('more').agent({ agent: 'dev', prompt: 'More.' })],
    ['a function', () => step('more').task(() => writeFileSync(join(worktree(), 'more.txt'), 'more\n'))],
    ['a command', () => step('more').command('echo more > more.txt')],
  ])('an earlier gate is replaced when %s changed files after it', async (_who, more) => {
    scripts = { ...scripts, more: write('more.txt', 'more\n') };
    const view = await played([between(more)]);
    expect([view.output, onMain('more.txt')]).toEqual(['landed', 'more']);
  });
});

describe('with a child run', () => {
  const gate = { id: 'inner', gate: { checks: ['sh check.sh'] }, next: null } as const;
  const child = defineWorkflow({ name: 'child', steps: [gate] });
  const work = { id: 'work', agent: 'dev', prompt: 'Fix it.', next: 'child' } as const;
  const land = { id: 'land', forge: { action: 'merge_pr' }, next: null } as const;
  const pause = { id: 'pause', signal: 'go', next: 'land' } as const;
  const parent = defineWorkflow({ name: 'parent', steps: [work, { id: 'child', workflow: child, next: 'pause' }, pause, land] });

  test('a parent merges what the gate of its child checked', async () => {
    const view = await played([parent], { path: 'answer.txt', text: 'fixed\n' });
    expect([view.status, onMain('answer.txt')]).toEqual(['completed', 'fixed']);
  });

  test('a parent merges nothing that the gate of its child did not check', async () => {
    const view = await played([parent], { path: 'answer.txt', text: 'not checked\n' });
    expect([view.status, view.steps.at(-1)?.outcome]).toEqual(['escalated', 'stale_tree']);
    expect(view.steps.at(-1)?.output).toMatchObject({ error: expect.stringContaining('gate "inner" of another run of its tree checked') });
    expect(onMain('answer.txt')).toBe('broken');
  });

  test('the loop back can lead through the child, which checks again', async () => {
    const reviewing = defineWorkflow({ name: 'child', steps: [{ id: 'inner', agent: 'dev', prompt: 'Review it.', next: null }] });
    scripts = { ...scripts, inner: () => [{ do: 'answer', verdict: 'approve' }] };
    const looping = defineWorkflow({
      name: 'looping',
      steps: [
        work,
        { id: 'child', workflow: reviewing, next: 'pause' },
        pause,
        { ...land, next: { ok: null, stale_tree: { to: 'child', maxIterations: 1 } } },
      ],
    });
    const view = await played([looping], { path: 'answer.txt', text: 'fixed again\n' });
    expect([view.status, view.steps.at(-1)?.path]).toEqual(['waiting', 'pause#2']);
    await engine.run(view.id).signal('go');
    expect([(await engine.run(view.id).wait()).status, onMain('answer.txt')]).toEqual(['completed', 'fixed again']);
  });

  test('a merge in the child is subject to a gate of its parent', async () => {
    const landing = defineWorkflow({
      name: 'landing',
      steps: [{ ...pause, next: 'second' }, { id: 'second', gate: { checks: ['test -e answer.txt'] }, next: 'land' }, land],
    });
    const judging = defineWorkflow({
      name: 'judging',
      steps: [
        { ...work, next: 'first' },
        { ...gate, id: 'first', next: 'child' },
        { id: 'child', workflow: landing, next: null },
      ],
    });
    const view = await played([judging, landing], { path: 'answer.txt', text: 'not checked\n' });
    const [inner] = await engine.list({ parent: view.id });
    expect([inner?.status, onMain('answer.txt')]).toEqual(['escalated', 'broken']);
  });

  test.each([
    [false, 'completed'],
    [true, 'escalated'],
  ])('a gate of the parent counts after the child changed files, unless it is not rerun (%s)', async (rerunAtMerge, status) => {
    const editing = defineWorkflow({ name: 'editing', steps: [{ id: 'more', command: 'echo more > more.txt', next: null }] });
    const judging = defineWorkflow({
      name: 'judging',
      steps: [
        { ...work, next: 'first' },
        { id: 'first', gate: { checks: ['test ! -e more.txt'], rerunAtMerge }, next: 'child' },
        { id: 'child', workflow: editing, next: 'second' },
        { id: 'second', gate: { checks: ['sh check.sh'] }, next: 'land' },
        land,
      ],
    });
    expect((await played([judging, editing])).status).toBe(status);
    expect(git(project, 'ls-tree', '--name-only', 'main').includes('more.txt')).toBe(status === 'completed');
  });
});

test('a gate that is repeated at a merge does not run a script that changed outside the run', async () => {
  const graph = defineWorkflow({
    name: 'graph',
    steps: [
      { id: 'work', agent: 'dev', prompt: 'Fix it.', next: 'tests' },
      { id: 'tests', gate: { checks: ['sh check.sh'] }, next: 'pause' },
      { id: 'pause', signal: 'go', next: 'land' },
      { id: 'land', forge: { action: 'merge_pr' }, next: null },
    ],
  });
  const view = await played([graph], { path: 'answer.txt', text: 'not checked\n' }, { path: 'check.sh', text: 'true\n' });
  expect(view.steps.at(-1)).toMatchObject({ outcome: 'stale_tree', output: { error: expect.stringContaining('check.sh (changed)') } });
  expect(onMain('answer.txt')).toBe('broken');
});
