// Where runs work: one that was triggered in a worktree of its own, everything else in place.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { createRepository, git } from '../git.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let project: string;
beforeEach(() => {
  rig = createRig();
  project = rig.path('project');
  createRepository(project, { readme: 'hello' });
});
afterEach(() => rig.close());

const who = '-c user.name=Ann -c user.email=ann@example.org -c commit.gpgsign=false';
const child = defineWorkflow({ name: 'child', steps: [{ id: 'inner', command: 'pwd > inner', next: null }] });
const work = defineWorkflow({
  name: 'work',
  steps: [
    { id: 'write', command: 'cat readme && pwd > where', next: 'below' },
    { id: 'below', workflow: child, next: 'ask' },
    { id: 'ask', human: { prompt: 'Commit?' }, next: 'keep' },
    { id: 'keep', command: `git ${who} add . && git ${who} commit --quiet -m work`, next: null },
  ],
});

const open = () => rig.open({ cwd: project, worktrees: { folder: rig.path('worktrees') }, workflows: [work] });

test('a triggered run and its children work in a worktree, and another process continues there', async () => {
  const engine = await open();
  const run = await engine.start(work, {}, { origin: { event: 'issues.labeled', issue: 3 } });
  await run.wait('idle');
  const folder = rig.path(`worktrees/${run.id}`);
  expect([readFileSync(join(folder, 'where'), 'utf8').trim(), readFileSync(join(folder, 'inner'), 'utf8').trim()]).toEqual([
    folder,
    folder,
  ]);
  expect([existsSync(join(project, 'where')), git(project, 'status', '--short')]).toEqual([false, '']);
  await engine.close();
  const other = await open();
  await other.run(run.id).decide({ option: 'approve', actor: 'ann' });
  expect((await other.run(run.id).wait()).status).toBe('completed');
  await other.close();
  expect(existsSync(folder)).toBe(false);
  expect(git(project, 'log', '--format=%s', '-1', `pawl/${run.id}`)).toBe('work');
});

test('uncommitted changes are kept when a run ends', async () => {
  const engine = await open();
  const run = await engine.start(work, {}, { origin: { issue: 3 } });
  await run.wait('idle');
  await engine.run(run.id).decide({ option: 'reject', actor: 'ann' });
  expect((await engine.run(run.id).wait()).status).toBe('rejected');
  await engine.close();
  expect(existsSync(rig.path(`worktrees/${run.id}/where`))).toBe(true);
});

test.each([
  ['by hand', {}, {}],
  ['attended', { issue: 3 }, { $attended: true }],
])('a run that was started %s works in place', async (_how, origin, facts) => {
  const engine = await open();
  const run = await engine.start(work, {}, { origin, facts });
  await run.wait('idle');
  expect(existsSync(join(project, 'where'))).toBe(true);
});

test('a fork of a run that has ended finds its worktree again, with what was committed', async () => {
  const engine = await open();
  const run = await engine.start(work, {}, { origin: { issue: 3 } });
  await run.wait('idle');
  await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
  await engine.run(run.id).wait();
  const fork = await engine.run(run.id).fork({ from: 'below', actor: 'ann' });
  await fork.wait('idle');
  expect(existsSync(rig.path(`worktrees/${run.id}/where`))).toBe(true);
});
