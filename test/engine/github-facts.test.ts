// `github.*` in conditions, polls, templates and texts: read through the forge before each evaluation, and kept on record.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EngineOptions } from '../../src/index.ts';
import { type ForgeRig, openForgeRig, told } from './forge-rig.ts';

let rig: ForgeRig;
beforeEach(async () => {
  rig = await openForgeRig();
});
afterEach(() => rig.close());

function started(stages: string, options?: EngineOptions) {
  return rig.start(`apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: facts }\nstages:\n${stages}`, options);
}

test('the condition of a first stage sees the current pull request, and what it saw is recorded', async () => {
  const { engine, run } = await started(`
  - { id: a, type: command, run: "true", condition: "github.pr.state == 'open'" }
  - { id: b, type: command, run: "true", condition: "github.pr.state == 'merged'" }`);
  expect(told(await run.wait())).toEqual(['a#1 ok', 'b#1 skip']);
  const data = new Map(await engine.store.data(run.id));
  expect(data.get('$github')).toMatchObject({ pr: { state: 'open', head_branch: 'feature' } });
});

test('each evaluation reads the forge again, so a change between two stages is seen', async () => {
  const { engine, run, number } = await started(`
  - { id: a, type: command, run: "true", condition: "github.pr.labels | length == 0" }
  - { id: ask, type: human, prompt: "Go on?" }
  - { id: b, type: command, run: "true", condition: "github.pr.labels | contains('ready')" }`);
  await run.wait('idle');
  await rig.stage.forge.addLabels({ number, labels: ['ready'] }, 'label');
  await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
  expect(told(await run.wait())).toEqual(['a#1 ok', 'ask#1 ok', 'b#1 ok']);
});

test('a poll waits while the value at the forge is null, and continues when it is known', async () => {
  rig.stage.forge.control.delayMergeability(2);
  const { run } = await started(`
  - { id: wait, type: delay, duration: 1h, poll: { interval: 100ms, condition: "github.pr.mergeable != null" } }`);
  const view = await run.wait();
  expect(told(view)).toEqual(['wait#1 ok']);
  expect(view.steps[0]?.evidence).toMatchObject({ github: { pr: { mergeable: true } } });
});

test('templates of a step are filled with what the forge says at that time', async () => {
  const { run } = await started(`
  - { id: say, type: command, run: "printf %s \\"$TITLE\\"", env: { TITLE: "{{ github.pr.title }} by {{ github.pr.author }}" } }`);
  expect((await run.wait()).steps[0]?.output).toMatchObject({ stdout: expect.stringContaining(' by ') });
});

test('without a forge, reading from it is an error that says what to do, and nothing passes', async () => {
  const { run } = await started('\n  - { id: a, type: command, run: "true", condition: "github.pr.state == \'open\'" }', {});
  const view = await run.wait();
  expect(view.status).toBe('escalated');
  expect(view.steps[0]?.error).toContain('github.* cannot be read because no forge is configured; set one up');
});
