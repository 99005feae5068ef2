// Gates of a whole engine: which events make a check look again, whether a person's approval still holds, and which of
// several pull requests an action is about.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import type { ForgeEvent } from '../../src/forge/forge.ts';
import { relayForge } from '../../src/forge/relay.ts';
import { defineCheck } from '../../src/index.ts';
import { openSample } from '../../src/proof/forge-suite/stage.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let stage: LocalForgeStage;
beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

const event = (name: string, id: string): ForgeEvent => ({ id, event: name, at: 0, actor: 'ann' });

test.each(['named', 'contained'])(
  'a check of an application that is %s looks again at the events that it names, and at no others',
  async (how) => {
    let looks = 0;
    const counting = defineCheck<object>({
      name: 'counting',
      reactiveEvents: ['release'],
      parse: (fields) => fields as object,
      run: () => {
        looks += 1;
        return looks < 3 ? { passed: null, why: 'pending', result: null, error: 'not yet' } : { passed: true, result: null };
      },
    });
    const { forge, publish } = relayForge(stage.forge);
    const check = how === 'named' ? ({ check: 'counting' } as never) : counting({});
    const gated = defineWorkflow({ name: 'gated', steps: [{ id: 'gate', gate: { checks: [check] }, next: null }] });
    const checks = how === 'named' ? { counting } : {};
    // Time stands still: only events make it look.
    const engine = await rig.open({ workflows: [gated], forge, checks, clock: createVirtualClock() });
    const run = await engine.start(gated);
    await run.wait('idle');
    publish(event('issues.labeled', 'one'));
    publish(event('release.published', 'two'));
    await expect.poll(() => looks).toBe(2);
    publish(event('release.published', 'three'));
    expect((await run.wait()).status).toBe('completed');
    expect(looks).toBe(3);
  },
);

test('a check with an event that GitHub does not have is refused', () => {
  const define = () =>
    defineCheck({ name: 'x', reactiveEvents: ['isues'], parse: () => ({}), run: () => ({ passed: true, result: null }) });
  expect(define).toThrow(/did you mean "issues"/);
});

test('human_approved holds for an approval, and not any more when the files have changed', async () => {
  execFileSync('git', ['init', '--quiet', rig.directory]);
  const approved = defineWorkflow({
    name: 'approved',
    steps: [
      { id: 'ask', human: { prompt: 'Fine?' }, next: 'pause' },
      { id: 'pause', signal: 'go', next: 'gate' },
      { id: 'gate', gate: { checks: [{ check: 'human_approved', step: 'ask' }] }, next: { ok: null, fail: 'pause' } },
    ],
  });
  const engine = await rig.open({ workflows: [approved] });
  const run = await engine.start(approved);
  await run.wait('idle');
  await run.decide({ option: 'approve', actor: 'ann' });
  writeFileSync(rig.path('new.txt'), 'sneaked in\n');
  await run.signal('go');
  await run.wait('idle');
  const gate = (await run.get()).steps.find(({ step }) => step === 'gate');
  expect(gate?.outcome).toBe('fail');
  execFileSync('rm', [rig.path('new.txt')]);
  await run.signal('go');
  expect((await run.wait()).status).toBe('completed');
});

test('an action is about the pull request of the step that it names', async () => {
  const [first, second] = [await openSample(stage, 'feature'), await openSample(stage, 'docs')];
  const labelling = defineWorkflow({
    name: 'labelling',
    facts: ['pr_number', 'pr_numbers'],
    steps: [
      { id: 'one', forge: { action: 'label', add: ['seen'], remove: [], pr: 'open-docs' }, next: 'two' },
      { id: 'two', forge: { action: 'comment', message: 'hello', pr: 'open-code' }, next: 'three' },
      { id: 'three', forge: { action: 'label', add: ['x'], remove: [], pr: 'open-dcs' }, next: null },
    ],
  });
  const engine = await rig.open({ workflows: [labelling], forge: relayForge(stage.forge).forge });
  const facts = { pr_number: second.number, pr_numbers: { 'open-code': first.number, 'open-docs': second.number } };
  const run = await engine.start(labelling, {}, { facts });
  const { status } = await run.wait();
  expect(status).toBe('escalated');
  expect((await engine.store.load(run.id)).state.halt?.message).toContain('did you mean "open-docs"');
  expect(await stage.forge.pullRequest(second.number)).toMatchObject({ value: { labels: ['seen'] } });
  expect(await stage.forge.comments(first.number)).toMatchObject({ value: [{ body: 'hello' }] });
});
