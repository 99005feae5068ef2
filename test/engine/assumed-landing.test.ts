// What agents assumed holds up a landing: a merge waits, and so does the approval that leads to it, until people have
// answered what is grave.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type LocalForge, openLocalForge } from '../../src/forge/local/local-forge.ts';
import { runKey } from '../../src/forge/run-key.ts';
import type { Engine } from '../../src/index.ts';
import { valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createRepository, git } from '../git.ts';
import { childIn, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
let project: string;
let forge: LocalForge;
let severity: string;
beforeEach(async () => {
  rig = createRig();
  project = rig.path('project');
  severity = 'MUST';
  createRepository(project, { 'answer.txt': 'broken\n' });
  git(project, 'checkout', '--quiet', '-b', 'work');
  forge = await openLocalForge({ repository: project, state: rig.path('forge.db') });
});
afterEach(async () => {
  await rig.close();
  await forge.close();
});

const openPr = async ({ runId }: { readonly runId: string }) => {
  writeFileSync(join(project, 'answer.txt'), 'fixed\n');
  git(project, 'commit', '--quiet', '--all', '--allow-empty', '-m', 'work');
  const { number } = valueIn(await forge.openPullRequest({ title: 'Mend it', body: '', head: 'work', base: 'main' }, runId));
  return { pr_number: number };
};
const ask = { id: 'ask', human: { prompt: 'Merge?' }, next: 'land' } as const;
const land = { id: 'land', forge: { action: 'merge_pr' }, next: null } as const;
const plain = defineWorkflow({
  name: 'plain',
  steps: [{ id: 'plan', agent: 'dev', prompt: 'Plan.', next: 'open' }, { id: 'open', handler: openPr, next: 'land' }, land],
});
const approved = defineWorkflow({
  name: 'approved',
  steps: [{ id: 'plan', agent: 'dev', prompt: 'Plan.', next: 'open' }, { id: 'open', handler: openPr, next: 'ask' }, ask, land],
});
const child = defineWorkflow({ name: 'child', steps: [{ id: 'plan', agent: 'dev', prompt: 'Plan.', next: null }] });
const parent = defineWorkflow({
  name: 'parent',
  steps: [{ id: 'sub', workflow: 'child', next: 'open' }, { id: 'open', handler: openPr, next: 'land' }, land],
});

const asking = defineWorkflow({
  name: 'asking',
  steps: [
    { id: 'plan', agent: 'dev', prompt: 'Plan.', next: 'look' },
    { id: 'look', human: { prompt: 'Good?' }, next: null },
  ],
});
const without = (fail: 'open' | { to: string; maxIterations: number }) =>
  defineWorkflow({
    name: 'without',
    steps: [{ id: 'sub', workflow: 'asking', next: { ok: 'open', fail } }, { id: 'open', handler: openPr, next: 'land' }, land],
  });

function open(): Promise<Engine> {
  const driver = createScriptedDriver(({ attempt }) => [
    { do: 'answer', assumptions: attempt === 1 ? ([{ question: 'Which?', assumed: 'this', severity }] as never) : [] },
  ]);
  return rig.open({
    cwd: project,
    forge,
    roles: { dev: { driver: 'scripted' } },
    drivers: { scripted: driver },
    workflows: [child, parent, asking],
  });
}
const isMerged = (): boolean => git(project, 'show', 'main:answer.txt').trim() === 'fixed';

test('a merge waits for the answer to a grave assumption, and goes on when it is confirmed', async () => {
  const run = await (await open()).start(plain);
  const view = await run.wait('idle');
  expect(view.waits).toMatchObject([{ kind: 'assumptions', step: 'land' }]);
  expect([view.status, isMerged()]).toEqual(['waiting', false]);
  await run.answerAssumption({ agree: true, actor: 'ann' });
  expect([(await run.wait()).status, isMerged()]).toEqual(['completed', true]);
});

test('a grave assumption notifies the person who started the run, once and without what the agent wrote', async () => {
  const engine = await open();
  const run = await engine.start(plain, {}, { origin: { actor: 'ann' } });
  await run.wait('idle');
  await engine.close();
  expect(forge.control.notifications()).toMatchObject([
    { target: 'ann', people: ['ann'], message: expect.stringContaining(`pawl assumptions ${run.id}`) },
  ]);
  // By its key the comment counts as the run's, so that it starts nothing (FT5).
  expect(valueIn(await forge.done(runKey(run.id, 'assumed'))).map(({ action }) => action)).toEqual(['notify']);
});

test('an answer that differs runs the work again before anything lands', async () => {
  const run = await (await open()).start(plain);
  await run.wait('idle');
  await run.answerAssumption({ answer: 'that', actor: 'ann' });
  const end = await run.wait();
  expect([end.status, end.steps.filter(({ step }) => step === 'plan').length, isMerged()]).toEqual(['completed', 2, true]);
});

test('a merge does not wait for what is less grave', async () => {
  severity = 'SHOULD';
  const run = await (await open()).start(plain);
  expect([(await run.wait()).status, isMerged()]).toEqual(['completed', true]);
  expect((await run.assumptions()).map(({ state }) => state)).toEqual(['open']);
});

test('an approval that leads to a merge is refused until then; a rejection is not', async () => {
  const run = await (await open()).start(approved);
  await run.wait('idle');
  expect(await errorOf(run.decide({ option: 'approve', actor: 'ann' }))).toMatchObject({
    code: 'ASSUMPTION_OPEN',
    message: expect.stringContaining(`"pawl assumptions ${run.id}"`),
  });
  await run.answerAssumption({ agree: true, actor: 'ann' });
  await run.decide({ option: 'approve', actor: 'ann' });
  expect([(await run.wait()).status, isMerged()]).toEqual(['completed', true]);
});

test('a run waits for what the runs that it started assumed', async () => {
  const engine = await open();
  const run = await engine.start(parent);
  const view = await run.wait('idle');
  expect([view.waits.map(({ kind }) => kind), isMerged()]).toEqual([['assumptions'], false]);
  const below = view.steps.find(({ step }) => step === 'sub')?.child ?? '';
  await engine.run(below).answerAssumption({ agree: true, actor: 'ann' });
  expect([(await run.wait()).status, isMerged()]).toEqual(['completed', true]);
});

test.each([
  ['was cancelled', 'open' as const],
  ['was cancelled and started again', { to: 'sub', maxIterations: 3 }],
])('a run waits for what a run assumed that %s', async (_, fail) => {
  const engine = await open();
  const run = await engine.start(without(fail));
  const childOf = async () => engine.run(childIn(await run.wait('idle')));
  const first = await childOf();
  severity = 'COULD';
  await first.cancel({ actor: 'agent' });
  if (fail !== 'open') await (await childOf()).decide({ option: 'approve', actor: 'ann' });
  expect((await run.wait('idle')).waits).toMatchObject([{ kind: 'assumptions', step: 'land' }]);
  expect(isMerged()).toBe(false);
  await first.answerAssumption({ agree: true, actor: 'ann' });
  expect([(await run.wait()).status, isMerged()]).toEqual(['completed', true]);
});

test('a fork that would reuse the work of a run is refused while something grave is open there', async () => {
  const engine = await open();
  const run = await engine.start(parent);
  await run.wait('idle');
  expect(await errorOf(run.fork({ from: 'land', actor: 'ann' }))).toMatchObject({ code: 'ASSUMPTION_OPEN' });
  expect(isMerged()).toBe(false);
});
