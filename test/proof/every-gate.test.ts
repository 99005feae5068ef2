// A merge is held to every gate that passed, not only to the last one: whole runs on real git with a local forge, in
// which an agent works between a strong gate and a weak one.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { type RunView, StepFailed, step, workflow } from '../../src/index.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { git } from '../git.ts';

let rig: Rig;
let project: string;
let forge: LocalForge;
/** What the agent of a step writes into answer.txt, visit by visit. */
let answers: Record<string, string[]>;
beforeEach(async () => {
  rig = createRig();
  project = rig.path('project');
  git(rig.directory, 'init', '--quiet', '--initial-branch=main', project);
  writeFileSync(join(project, 'answer.txt'), 'broken\n');
  writeFileSync(join(project, 'check.sh'), 'grep -q fixed answer.txt\n');
  git(project, 'add', '.');
  git(project, 'commit', '--quiet', '-m', 'first');
  // A local forge moves no branch that is checked out.
  git(project, 'checkout', '--quiet', '-b', 'desk');
  forge = await openLocalForge({ repository: project, state: rig.path('forge.db') });
  answers = { work: ['fixed\n'], more: ['spoiled\n'] };
});
afterEach(async () => {
  await rig.close();
  await forge.close();
});

async function played(...given: readonly AnyWorkflow[]): Promise<RunView> {
  const driver = createScriptedDriver((request): readonly ScriptedMove[] => {
    const text = answers[request.step]?.shift();
    return text === undefined ? [] : [{ do: 'write', path: 'answer.txt', text }];
  });
  const engine = await rig.open({
    ...{ cwd: project, workflows: [...given], forge, worktrees: { folder: rig.path('worktrees') } },
    ...{ roles: { dev: { driver: 'scripted' } }, drivers: { scripted: driver }, stages: { tests: 'sh check.sh' } },
  });
  const run = await engine.start(given[0] as AnyWorkflow, {}, { origin: { issue: 1 } });
  return await run.wait('idle');
}

const onMain = (): string => git(project, 'show', 'main:answer.txt');

const work = { id: 'work', agent: 'dev', prompt: 'Fix it.', next: 'strong' } as const;
const strong = { id: 'strong', gate: { checks: ['sh check.sh'] }, next: 'more' } as const;
const more = { id: 'more', agent: 'dev', prompt: 'Document it.', next: 'weak' } as const;
const weak = { id: 'weak', gate: { checks: ['test -e answer.txt'] }, next: 'land' } as const;
const land = { id: 'land', forge: { action: 'merge_pr' }, next: null } as const;

describe('an agent between a strong gate and a weak one', () => {
  const graph = defineWorkflow({ name: 'graph', steps: [work, strong, more, weak, land] });

  test('an agent between a strong gate and a weak one merges nothing that fails the strong gate', async () => {
    const view = await played(graph);
    expect(view.steps.at(-1)).toMatchObject({
      outcome: 'stale_tree',
      output: { stale: ['strong'], error: expect.stringContaining('checked again, it does not pass: sh check.sh') },
    });
    expect([view.status, onMain()]).toEqual(['escalated', 'broken']);
  });

  test('an agent between a strong gate and a weak one merges what the strong gate passes again', async () => {
    answers = { ...answers, more: ['fixed and documented\n'] };
    const view = await played(graph);
    expect(view.steps.at(-1)?.evidence).toMatchObject({ again: ['strong'] });
    expect([view.status, onMain()]).toEqual(['completed', 'fixed and documented']);
  });

  test('a merge runs no check twice when the last gate has all checks of the first', async () => {
    const both = { ...weak, gate: { checks: ['test -e answer.txt', 'sh check.sh'] } };
    answers = { ...answers, more: ['fixed and documented\n'] };
    const view = await played(defineWorkflow({ name: 'graph', steps: [work, strong, more, both, land] }));
    expect([view.status, view.steps.at(-1)?.evidence]).toEqual(['completed', expect.not.objectContaining({ again: expect.anything() })]);
  });

  test('an agent between a strong gate and a weak one is not stopped by a gate that its author limited to its own moment', async () => {
    const red = { ...strong, id: 'red', gate: { checks: ['! sh check.sh'], rerunAtMerge: false }, next: 'more' } as const;
    const green = { ...weak, gate: { checks: ['sh check.sh'] } };
    answers = { work: ['a failing test\n'], more: ['fixed\n'] };
    const view = await played(defineWorkflow({ name: 'graph', steps: [{ ...work, next: 'red' }, red, more, green, land] }));
    expect([view.status, onMain()]).toEqual(['completed', 'fixed']);
  });

  test('an agent between a strong gate and a weak one does not hide behind a validation either', async () => {
    const validation = { id: 'strong', validate: { stages: ['tests'] }, next: 'more' } as const;
    const view = await played(defineWorkflow({ name: 'graph', steps: [work, validation, more, weak, land] }));
    expect([view.status, view.steps.at(-1)?.outcome, onMain()]).toEqual(['escalated', 'stale_tree', 'broken']);
    answers = { work: ['fixed\n'], more: ['fixed more\n'] };
    expect((await played(defineWorkflow({ name: 'again', steps: [work, validation, more, weak, land] }))).status).toBe('completed');
  });

  test('a person is asked immediately when the transition back does not reach the failing gate', async () => {
    const looping = { ...land, next: { ok: null, stale_tree: { to: 'weak', maxIterations: 3 } } } as const;
    const view = await played(defineWorkflow({ name: 'graph', steps: [work, strong, more, weak, looping] }));
    expect(view).toMatchObject({
      status: 'escalated',
      error: expect.stringContaining('gate "strong" is not renewed by the steps from there on'),
    });
    expect(view.steps.filter(({ path }) => path.startsWith('weak'))).toHaveLength(1);
  });
});

describe('in a flow', () => {
  const flow = workflow('flow', function* () {
    yield* step('work').agent({ agent: 'dev', prompt: 'Fix it.' });
    yield* step('strong').gate({ checks: ['sh check.sh'] });
    yield* step('more').agent({ agent: 'dev', prompt: 'More.' });
    yield* step('weak').gate({ checks: ['test -e answer.txt'] });
    try {
      yield* step('land').action({ action: 'merge_pr' });
    } catch (error) {
      return error instanceof StepFailed ? error.outcome : String(error);
    }
    return 'landed';
  });

  test('a weak gate does not replace the strong one', async () => {
    expect([(await played(flow)).output, onMain()]).toEqual(['stale_tree', 'broken']);
  });

  test('the strong gate runs again at the merge', async () => {
    answers = { ...answers, more: ['fixed more\n'] };
    expect([(await played(flow)).output, onMain()]).toEqual(['landed', 'fixed more']);
  });
});

describe('a strong gate in a child run', () => {
  const judging = defineWorkflow({ name: 'judging', steps: [{ ...strong, next: null }] });
  const start = { id: 'strong', workflow: judging, next: 'more' } as const;
  const parent = defineWorkflow({ name: 'parent', steps: [work, start, more, weak, land] });

  test('a strong gate in a child run blocks the merge of its parent', async () => {
    const view = await played(parent);
    expect(view.steps.at(-1)).toMatchObject({
      outcome: 'stale_tree',
      output: { error: expect.stringContaining('gate "strong" of another run of its tree checked another tree') },
    });
    expect(onMain()).toBe('broken');
  });

  test('a strong gate in a child run runs again at the merge of its parent', async () => {
    answers = { ...answers, more: ['fixed more\n'] };
    expect([(await played(parent)).status, onMain()]).toEqual(['completed', 'fixed more']);
  });

  test('a strong gate in a child run also counts when the step started another run that did not reach the gate', async () => {
    const stopping = defineWorkflow({
      name: 'judging',
      steps: [
        { id: 'ready', command: 'grep -q fixed answer.txt', next: { ok: 'strong', fail: null, error: null } },
        { ...strong, next: null },
      ],
    });
    const start = { id: 'strong', workflow: stopping, next: 'more' } as const;
    const back = { ...more, next: { ok: { to: 'strong', maxIterations: 1, onExhausted: 'weak' } } } as const;
    const view = await played(defineWorkflow({ name: 'parent', steps: [work, start, back, weak, land] }));
    expect([view.steps.at(-1)?.outcome, onMain()]).toEqual(['stale_tree', 'broken']);
  });
});
