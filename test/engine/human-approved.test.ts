// The check `human_approved` on a whole engine: it goes by what the run recorded of a person's decision, and by nothing that
// a worker wrote.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineWorkflow } from '../../src/compat/index.ts';
import { step, workflow } from '../../src/index.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const gate = {
  id: 'gate',
  gate: { checks: [{ check: 'human_approved', step: 'ask' }] },
  next: { ok: null, fail: null },
} as const;

describe('at a step that does work and then asks', () => {
  const options = [{ label: 'approve' }, { label: 'no', outcome: 'refused' }];

  async function outcomeAfter(output: object, option: string): Promise<string | null | undefined> {
    const asking = defineWorkflow({
      name: 'asking',
      steps: [{ id: 'ask', handler: () => output, humanGate: { prompt: 'Fine?', options }, next: { ok: 'gate', refused: 'gate' } }, gate],
    });
    const engine = await rig.open({ workflows: [asking] });
    const run = await engine.start(asking);
    await run.wait('idle');
    await run.decide({ option, actor: 'ann' });
    return (await run.wait()).steps.find(({ step }) => step === 'gate')?.outcome;
  }

  test('a worker cannot write the approval', async () => {
    expect(await outcomeAfter({ option: 'approve', actor: 'nobody' }, 'no')).toBe('fail');
  });

  test('an approval counts, whatever the worker wrote', async () => {
    expect(await outcomeAfter({ option: 'no', actor: 'nobody' }, 'approve')).toBe('ok');
  });
});

test('an option that sends the work back is no approval', async () => {
  let built = 0;
  const definition = defineWorkflow({
    name: 'back',
    steps: [
      {
        id: 'build',
        handler: () => {
          built += 1;
          return { built };
        },
        next: { ok: { condition: 'result.built > 1', onTrue: 'gate', onFalse: 'ask' } },
      },
      {
        id: 'ask',
        human: {
          prompt: 'Fine?',
          options: [
            { label: 'ship', nextStep: 'gate' },
            { label: 'rework', nextStep: 'build' },
          ],
        },
      },
      gate,
    ],
  });
  const engine = await rig.open({ workflows: [definition] });
  const run = await engine.start(definition);
  await run.wait('idle');
  await run.decide({ option: 'rework', actor: 'ann' });
  expect((await run.wait()).steps.find(({ step }) => step === 'gate')).toMatchObject({ outcome: 'fail' });
});

test('the vote of one person is no approval where two are needed, even if somebody then takes the step as done', async () => {
  const definition = defineWorkflow({
    name: 'two',
    steps: [{ id: 'ask', human: { prompt: 'Fine?', count: 2, from: 'maintainers' }, timeout: '1s', next: 'gate' }, gate],
  });
  const clock = createVirtualClock();
  const engine = await rig.open({ workflows: [definition], groups: { maintainers: ['ann', 'bob'] }, clock });
  const run = await engine.start(definition);
  await run.wait('idle');
  await run.decide({ option: 'approve', actor: 'ann' });
  clock.advance(2000);
  await run.wait('idle');
  await run.resume({ actor: 'cid', choice: { how: 'accept' } });
  expect((await run.wait()).steps.find(({ step }) => step === 'gate')).toMatchObject({ outcome: 'fail' });
});

test('the step that it names must ask a person', async () => {
  const naming = (named: string) => () =>
    defineWorkflow({
      name: 'naming',
      steps: [
        { id: 'work', handler: () => null, next: 'ask' },
        { id: 'ask', human: { prompt: 'Fine?' }, next: 'gate' },
        { ...gate, gate: { checks: [{ check: 'any_of', checks: [{ check: 'human_approved', step: named }] }] } },
      ],
    });
  expect(naming('ask')).not.toThrow();
  expect(naming('work')).toThrow('its check "human_approved" requires an approval at step "work", which does not ask a person');
  expect(naming('aks')).toThrow('requires an approval at step "aks", which does not exist (did you mean "ask"?)');
});

describe('in a flow', () => {
  const judged = (first: boolean) =>
    workflow('flow', function* () {
      if (first) yield* step('tests').gate({ checks: ['true'] });
      yield* step('ask').human({ prompt: 'Fine?', options: ['approve', 'later'] });
      yield* step('pause').signal('go');
      try {
        yield* step('gate').gate({ checks: [{ check: 'human_approved', step: 'ask' }] });
        return 'passed';
      } catch (error) {
        return (error as Error).message;
      }
    });

  async function approved(flow: ReturnType<typeof judged>, meanwhile = (): void => {}): Promise<unknown> {
    const engine = await rig.open({ workflows: [flow] });
    const run = await engine.start(flow);
    await run.wait('idle');
    await run.decide({ option: 'approve', actor: 'ann' });
    meanwhile();
    await run.signal('go');
    return (await run.wait()).output;
  }

  test('an approval counts', async () => {
    expect(await approved(judged(true))).toBe('passed');
    expect(await approved(judged(false))).toBe('passed');
  });

  test('in a flow, an approval does not count any more when the files have changed since', async () => {
    execFileSync('git', ['init', '--quiet', rig.directory]);
    const output = await approved(judged(true), () => writeFileSync(rig.path('new.txt'), 'sneaked in\n'));
    expect(output).toContain('the files have changed since ann approved them at "ask"');
  });

  test('in a flow, an approval does not count if the files that it was about are not known', async () => {
    execFileSync('git', ['init', '--quiet', rig.directory]);
    expect(await approved(judged(false))).toContain('it is not known which files ann approved at "ask"');
  });
});
