// Evidence from before a change does not count after it: what CI and people said of another head, what a reviewer was
// shown before files changed, and a validation that rewrote files. Whole runs on a local forge with a clone.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentAnswer, AgentRequest } from '../../src/agents/driver.ts';
import { createScriptedDriver, type ScriptedMove } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { Engine, RunHandle, RunView } from '../../src/index.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createRig, type Rig } from '../engine/rig.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';

let rig: Rig;
let stage: LocalForgeStage;
let scripts: Readonly<Record<string, (request: AgentRequest) => AgentAnswer | readonly ScriptedMove[]>>;
beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
  await stage.commit('main', { 'answer.txt': 'broken\n', 'check.sh': 'grep -q fixed answer.txt\n', 'format.sh': 'true\n' });
  scripts = { work: write('fixed\n'), more: write('spoiled\n') };
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

const write = (text: string) => (): readonly ScriptedMove[] => [{ do: 'write', path: 'answer.txt', text }];
const onMain = (): Promise<string | undefined> => stage.read('main', 'answer.txt');
const pull = (): number => stage.forge.control.list('pr')[0]?.number as number;
const branch = async (): Promise<string> => valueIn(await stage.forge.pullRequest(pull())).headBranch;

interface Played {
  readonly engine: Engine;
  readonly run: RunHandle;
  readonly view: RunView;
  readonly folder: string;
}

async function played(given: AnyWorkflow, more: Parameters<Rig['open']>[0] = {}): Promise<Played> {
  const clone = await stage.clone();
  const issue = valueIn(await stage.forge.createIssue({ title: 'Fix it', body: '', labels: [] }, 'issue')).number;
  const engine = await rig.open({
    ...{ workflows: [given], cwd: clone.folder, forge: stage.forge, groups: { security: ['ann'], team: ['bob'] } },
    worktrees: { folder: rig.path('worktrees') },
    roles: { dev: { driver: 'scripted' }, reviewer: { driver: 'attended' } },
    drivers: { scripted: createScriptedDriver((request) => scripts[request.step]?.(request) ?? []) },
    ...more,
  });
  const run = await engine.start(given, {}, { origin: { issue }, facts: { issue_number: issue } });
  return { engine, run, view: await run.wait('idle'), folder: rig.path(`worktrees/${run.id}`) };
}

/** Lets a run look again at what it waits for. */
async function goOn({ engine, run }: Played): Promise<RunView> {
  await engine.run(run.id).resume();
  return await run.wait('idle');
}

const work = { id: 'work', agent: 'dev', prompt: 'Fix it.' } as const;
const more = { id: 'more', agent: 'dev', prompt: 'More.' } as const;
const land = { id: 'land', forge: { action: 'merge_pr' }, next: null } as const;

describe('what the forge says about an earlier head', () => {
  test('CI of an earlier head does not allow a later one to be merged', async () => {
    const ci = { id: 'ci', gate: { checks: [{ check: 'ci_status', workflows: ['build'] }] }, next: 'more' } as const;
    const going = await played(defineWorkflow({ name: 'w', steps: [{ ...work, next: 'ci' }, ci, { ...more, next: 'land' }, land] }));
    await stage.check(await branch(), { name: 'build', status: 'completed', conclusion: 'success' });
    const view = await goOn(going);
    expect(view.steps.at(-1)).toMatchObject({
      outcome: 'stale_tree',
      output: { stale: ['ci'], error: expect.stringContaining('it waits for build') },
    });
    expect(await onMain()).toBe('broken\n');
    await stage.check(await branch(), { name: 'build', status: 'completed', conclusion: 'success' });
    await going.engine.run(going.run.id).resume({ actor: 'ann', choice: { how: 'retry' } });
    expect([(await going.run.wait('idle')).steps.at(-1)?.outcome, await onMain()]).toEqual(['ok', 'spoiled\n']);
  });

  test('the approval of an earlier head by one group is not replaced by that of another group for a later one', async () => {
    const asks = (id: string, from: string, next: string) => ({ id, gate: { checks: [{ check: 'pr_approval', from }] }, next }) as const;
    const steps = [
      { ...work, next: 'security' },
      asks('security', 'security', 'more'),
      { ...more, next: 'team' },
      asks('team', 'team', 'land'),
      land,
    ] as const;
    const going = await played(defineWorkflow({ name: 'w', steps }));
    await stage.review(pull(), 'ann', 'approved');
    await goOn(going);
    await stage.review(pull(), 'bob', 'approved');
    const view = await goOn(going);
    expect(view.steps.at(-1)).toMatchObject({ outcome: 'stale_tree', output: { stale: ['security'] } });
    expect(await onMain()).toBe('broken\n');
  });
});

describe('a review is about the files that it started with', () => {
  const steps = (agent: string) =>
    [
      { ...work, next: 'review' },
      { id: 'review', agent, prompt: 'Review it.', supportsQuestions: true, next: 'land' },
      { ...land, next: { ok: null, stale_tree: { to: 'review', maxIterations: 1 } } },
    ] as const;

  test('an attended review is about the files that it started with', async () => {
    const { engine, run, folder } = await played(defineWorkflow({ name: 'w', steps: steps('reviewer') }));
    const [openStep] = await engine.run(run.id).openSteps();
    writeFileSync(join(folder, 'answer.txt'), 'not reviewed\n');
    await engine.run(run.id).report({ token: openStep?.token ?? '', result: { verdict: 'approve' } });
    const view = await run.wait('idle');
    expect([view.steps.at(-1)?.path, await onMain()]).toEqual(['review#2', 'broken\n']);
  });

  test('a review is about the files that it started with, also when the reviewer asked a question in the meantime', async () => {
    const question = { question: 'Is it urgent?', options: [{ label: 'yes' }, { label: 'no' }] };
    let visits = 0;
    scripts = {
      ...scripts,
      review: () => {
        visits += 1;
        return visits === 1 ? { kind: 'asks', questions: [question] } : [{ do: 'answer', verdict: 'approve' }];
      },
    };
    const { engine, run, folder } = await played(defineWorkflow({ name: 'w', steps: steps('dev') }));
    writeFileSync(join(folder, 'answer.txt'), 'not reviewed\n');
    await engine.run(run.id).answer({ answers: ['yes'], actor: 'ann' });
    const view = await run.wait('idle');
    expect(view.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toContain('land#1 stale_tree');
  });
});

test('an agent whose step is not a review does not replace the reviewer', async () => {
  // The review saw "fixed"; "more" spoils it, and "notes", which changes nothing, claims a verdict.
  scripts = { ...scripts, review: () => [{ do: 'answer', verdict: 'approve' }], notes: () => [{ do: 'answer', verdict: 'approve' }] };
  const review = { id: 'review', agent: 'dev', prompt: 'Review it.', next: { ok: 'more', reject: 'work' } } as const;
  const notes = { id: 'notes', agent: 'dev', prompt: 'Write the notes.', next: 'land' } as const;
  const { view } = await played(
    defineWorkflow({ name: 'w', steps: [{ ...work, next: 'review' }, review, { ...more, next: 'notes' }, notes, land] }),
  );
  expect(view.steps.at(-1)).toMatchObject({ outcome: 'stale_tree', output: { stale: ['review'] } });
  expect(await onMain()).toBe('broken\n');
});

test('a validation that rewrote files runs again before later changes are merged', async () => {
  const check = { id: 'check', validate: { stages: ['format', 'tests'] }, next: 'more' } as const;
  const given = defineWorkflow({ name: 'w', steps: [{ ...work, next: 'check' }, check, { ...more, next: 'land' }, land] });
  const stages = { format: 'test -e done.txt || echo formatted > done.txt', tests: 'sh check.sh' };
  const { view } = await played(given, { stages });
  expect([view.steps.at(-1)?.outcome, await onMain()]).toEqual(['stale_tree', 'broken\n']);
});

test('each item of a fan-out is checked again as that item', async () => {
  const gate = { id: 'tests', gate: { checks: ['test "$PAWL_ITEM" != "" && sh check.sh'] } } as const;
  const given = defineWorkflow({
    name: 'w',
    steps: [
      { ...work, next: 'list' },
      { id: 'list', handler: () => ({ names: ['a', 'b'] }), next: 'all' },
      { id: 'all', each: { items: 'outputs.list.names', step: gate }, next: 'more' },
      { ...more, next: 'land' },
      land,
    ],
  } as never);
  scripts = { ...scripts, more: write('fixed more\n') };
  const { view } = await played(given);
  expect([view.steps.at(-1)?.outcome, await onMain()]).toEqual(['ok', 'fixed more\n']);
});
