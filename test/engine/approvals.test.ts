// Approvals: by how many people, of which groups, about what, and what happens when that changes under their eyes.

import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { changeSince } from '../../src/control/approval-change.ts';
import { findApproval } from '../../src/control/decision.ts';
import { type OpenApproval, openApprovals } from '../../src/engine/request/approvals.ts';
import { type Engine, type EngineOptions, step, workflow } from '../../src/index.ts';
import { type Activation, humanWaitOf } from '../../src/kernel/activation.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { openSample, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { openLocalForgeStage } from '../forge/local-stage.ts';
import { codeOf, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const groups = { maintainers: ['Ann', 'bob'], owners: ['cid'] };

function asking(human: object, more: object = {}) {
  return defineWorkflow({
    name: 'ask',
    steps: [
      { id: 'ask', human: { prompt: 'Ship it?', ...human }, next: 'ship', ...more },
      { id: 'ship', handler: () => ({ shipped: true }), next: null },
    ],
  });
}

async function parked(
  definition: ReturnType<typeof asking>,
  options: EngineOptions = {},
  facts = {},
): Promise<{ engine: Engine; id: string }> {
  const engine = await rig.open({ groups, ...options });
  const run = await engine.start(definition, {}, { facts });
  await run.wait('idle');
  return { engine, id: run.id };
}

/** A run as it is before the subjects of its question were observed. */
function notAsked(loaded: Awaited<ReturnType<Engine['store']['load']>>): typeof loaded {
  const live = Object.entries(loaded.state.live).map(([path, activation]): [string, Activation] => {
    const wait = humanWaitOf(activation);
    if (wait?.outside === undefined || activation.state !== 'waiting') return [path, activation];
    const {
      digest: _,
      outside: { question },
      ...rest
    } = wait;
    return [path, { ...activation, wait: { ...rest, outside: { question } } }];
  });
  return { ...loaded, state: { ...loaded.state, live: Object.fromEntries(live) } };
}

const yes = (actor: string) => ({ option: 'approve', actor });

describe('a question that takes two people', () => {
  const two = asking({ from: 'maintainers', count: 2 });

  test('a question that takes two people continues when two have approved, and not before; its result names them', async () => {
    const { engine, id } = await parked(two);
    expect((await engine.run(id).decide(yes('bob'))).status).toBe('waiting');
    expect((await engine.run(id).approvals())[0]).toMatchObject({ votes: [{ option: 'approve', actor: 'bob' }] });
    expect((await engine.run(id).decide(yes('ann'))).status).not.toBe('waiting');
    const view = await engine.run(id).wait();
    expect(view.status).toBe('completed');
    expect(view.steps[0]?.output).toMatchObject({ option: 'approve', people: ['bob', 'Ann'] });
  });

  test('one person counts once, however often they say it and however they write their name', async () => {
    const { engine, id } = await parked(two);
    await engine.run(id).decide(yes('ann'));
    expect((await engine.run(id).decide(yes('ANN'))).status).toBe('waiting');
    expect((await engine.run(id).approvals())[0]?.votes).toEqual([{ option: 'approve', actor: 'Ann' }]);
  });

  test('one rejection is enough for a question that takes two people', async () => {
    const { engine, id } = await parked(two);
    await engine.run(id).decide(yes('ann'));
    await engine.run(id).decide({ option: 'reject', actor: 'bob' });
    expect((await engine.run(id).wait()).status).toBe('rejected');
  });

  test('one request for changes is enough for a question that takes two people, in YAML and TypeScript', async () => {
    const { compiled } = checkYaml(
      'ship.yaml',
      `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: ship }
stages:
  - { id: build, type: command, run: echo built }
  - id: approve
    type: human
    prompt: Ship this?
    from: maintainers
    count: 2
    options:
      - { label: Ship }
      - { label: Rework, goto: build, requires_input: true }
  - { id: ship, type: command, run: echo shipped }
`,
      REGISTRY,
    );
    const graph = defineWorkflow({
      name: 'ship',
      steps: [
        { id: 'build', handler: () => null, next: 'approve' },
        {
          id: 'approve',
          human: {
            prompt: 'Ship this?',
            from: 'maintainers',
            count: 2,
            options: [
              { label: 'Ship', nextStep: 'ship' },
              { label: 'Rework', nextStep: 'build', requiresInput: true },
            ],
          },
        },
        { id: 'ship', handler: () => null, next: null },
      ],
    });
    for (const definition of [compiled as NonNullable<typeof compiled>, graph]) {
      const { engine, id } = await parked(definition as never);
      await engine.run(id).decide({ option: 'Ship', actor: 'ann' });
      await engine.run(id).decide({ option: 'Rework', actor: 'bob', input: 'the title' });
      await engine.run(id).wait('idle');
      expect((await engine.run(id).approvals()).map(({ path, votes }) => [path, votes])).toEqual([['approve#2', undefined]]);
      for (const actor of ['bob', 'ann']) await engine.run(id).decide({ option: 'Ship', actor });
      expect((await engine.run(id).wait()).status).toBe('completed');
      await engine.close();
    }
  });

  const either = asking({
    from: ['maintainers', 'owners'],
    count: 2,
    options: [{ label: 'now' }, { label: 'later' }, { label: 'never', outcome: 'reject' }],
  });

  test('a question that takes two people is asked again when two choose different options, and says who chose what', async () => {
    const { engine, id } = await parked(either);
    await engine.run(id).decide({ option: 'now', actor: 'ann' });
    expect((await engine.run(id).decide({ option: 'later', actor: 'bob' })).status).toBe('waiting');
    const [approval] = await engine.run(id).approvals();
    expect([approval?.votes, approval?.split]).toEqual([
      undefined,
      {
        times: 1,
        votes: [
          { option: 'now', actor: 'Ann' },
          { option: 'later', actor: 'bob' },
        ],
      },
    ]);
    // The same people say the same thing again, and one of them gives in.
    await engine.run(id).decide({ option: 'now', actor: 'ann' });
    await engine.run(id).decide({ option: 'now', actor: 'bob' });
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('a question that takes two people escalates when they disagree three times', async () => {
    const { engine, id } = await parked(either);
    for (let time = 0; time < 3; time += 1)
      for (const [actor, option] of [
        ['cid', 'now'],
        ['bob', 'later'],
      ] as const)
        await engine.run(id).decide({ option, actor });
    expect((await engine.run(id).wait()).status).toBe('escalated');
  });

  test('a question that takes two people lets a person change their vote any number of times', async () => {
    const { engine, id } = await parked(either);
    for (const option of ['now', 'later', 'now', 'later', 'now', 'later']) await engine.run(id).decide({ option, actor: 'ann' });
    expect((await engine.run(id).approvals())[0]?.votes).toEqual([{ option: 'later', actor: 'Ann' }]);
    await engine.run(id).decide({ option: 'later', actor: 'bob' });
    expect((await engine.run(id).wait()).steps[0]?.output).toMatchObject({ option: 'later', people: ['Ann', 'bob'] });
  });

  test('a question that takes two people counts a person once without groups too, however they write their name', async () => {
    const { engine, id } = await parked(asking({ count: 2 }));
    await engine.run(id).decide(yes('ann'));
    expect((await engine.run(id).decide(yes('ANN'))).status).toBe('waiting');
  });

  test('a question that takes two people continues a flow after every answer but a rejection', async () => {
    const flow = workflow('ship', function* () {
      return yield* step('ask').human({ prompt: 'Ship it?', count: 2, options: ['ship', 'hold', 'reject'] });
    });
    const { engine, id } = await parked(flow as never);
    await engine.run(id).decide({ option: 'ship', actor: 'ann' });
    await engine.run(id).decide({ option: 'hold', actor: 'bob' });
    expect((await engine.run(id).approvals())[0]?.split?.times).toBe(1);
    for (const actor of ['ann', 'bob']) await engine.run(id).decide({ option: 'hold', actor });
    expect((await engine.run(id).wait()).output).toMatchObject({ option: 'hold', people: ['ann', 'bob'] });
  });

  test('a question that takes two people is not approved by a timeout, with one approval or none', async () => {
    const { clock, turn } = virtual();
    const { engine, id } = await parked(asking({ from: 'maintainers', count: 2 }, { timeout: '1h' }), { clock });
    await engine.run(id).decide(yes('ann'));
    await turn(3_600_000);
    const view = await engine.run(id).wait();
    expect([view.status, view.steps.map(({ path, outcome }) => `${path} ${outcome}`)]).toEqual(['escalated', ['ask#1 timeout']]);
  });

  test('a question that takes two people survives the end of the process between the two votes', async () => {
    const { engine, id } = await parked(two);
    await engine.run(id).decide(yes('ann'));
    await engine.close({ abort: true });
    const next = await rig.open({ groups, workflows: [two] });
    await next.run(id).decide(yes('bob'));
    expect((await next.run(id).wait()).status).toBe('completed');
  });
});

function virtual() {
  const clock = createVirtualClock(1_700_000_000_000);
  return { clock, turn: (ms: number) => clock.advance(ms) };
}

describe('who may decide', () => {
  test('a member of any of the groups may decide', async () => {
    const { engine, id } = await parked(asking({ from: ['maintainers', 'owners'] }));
    await engine.run(id).decide(yes('cid'));
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('a person outside the groups may not decide, and the run keeps waiting', async () => {
    const { engine, id } = await parked(asking({ from: 'owners' }));
    const error = await errorOf(engine.run(id).decide(yes('bob')));
    expect([error.code, error.message]).toEqual(['NOT_ALLOWED', 'approval "ask" can only be decided by owners, and "bob" is not a member']);
    expect((await engine.run(id).get()).status).toBe('waiting');
  });

  test('an undefined group is an error, not an empty group', async () => {
    const { engine, id } = await parked(asking({ from: 'maintaners' }));
    expect((await errorOf(engine.run(id).decide(yes('ann')))).message).toContain('did you mean "maintainers"');
  });

  test('a count below one, a group without a name and a pattern that leads out are refused when it is defined', () => {
    expect(() => asking({ count: 0 })).toThrow(/`human.count` must be a positive integer, not 0/);
    expect(() => asking({ from: [] })).toThrow(/`from` must name at least one group/);
    expect(() => asking({ subjects: { files: ['../secret'] } })).toThrow(/leads out of the workspace/);
  });
});

describe('a question about files', () => {
  const about = asking({ subjects: { files: ['docs/**', 'plan.md'] } });

  test('a change after it was shown voids the decision, names the change, and asks again', async () => {
    writeFileSync(rig.path('plan.md'), 'one');
    const { engine, id } = await parked(about);
    const [before] = await engine.run(id).approvals();
    expect(before?.subjects).toMatchObject({ files: { 'plan.md': expect.any(String) } });
    writeFileSync(rig.path('plan.md'), 'two');
    const error = await errorOf(engine.run(id).decide({ ...yes('ann'), digest: before?.digest as string }));
    expect(error.code).toBe('CONTENT_CHANGED');
    expect(error.message).toContain('changed since it was shown: plan.md changed');
    const [after] = await engine.run(id).approvals();
    expect(after?.digest).not.toBe(before?.digest);
    expect((await engine.run(id).get()).decision).toBeUndefined();
    await engine.run(id).decide({ ...yes('ann'), digest: after?.digest as string });
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('a question about files is not asked, and cannot be decided, until the files were read', async () => {
    const { engine, id } = await parked(about);
    const store: typeof engine.store = Object.create(engine.store, {
      load: { value: async (run: string) => notAsked(await engine.store.load(run)) },
    });
    const [waiting] = await openApprovals({ store }, id);
    expect(waiting).toMatchObject({ path: 'ask#1', question: { prompt: 'Ship it?' } });
    expect(waiting).not.toHaveProperty('digest');
    const error = await errorOf(findApproval(store, id, {}));
    expect(error.code).toBe('WAIT_NOT_FOUND');
    expect(error.message).toContain(`"pawl resume ${id}"`);
  });

  test('a person who looks again is shown the current files, and can decide on them immediately', async () => {
    writeFileSync(rig.path('plan.md'), 'one');
    const { engine, id } = await parked(about);
    const [before] = await engine.run(id).approvals();
    expect((await engine.run(id).approvals({ fresh: true }))[0]?.digest).toBe(before?.digest);
    writeFileSync(rig.path('plan.md'), 'two');
    expect((await engine.run(id).approvals())[0]?.digest).toBe(before?.digest);
    const [now] = await engine.run(id).approvals({ fresh: true });
    expect(now?.digest).not.toBe(before?.digest);
    expect(await changeSince(engine.store, id, { approval: now as OpenApproval, digest: before?.digest ?? '' })).toMatchObject({
      note: expect.stringContaining('plan.md changed'),
    });
    await engine.run(id).decide({ ...yes('ann'), digest: now?.digest as string });
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('a file that was changed back can be decided on', async () => {
    writeFileSync(rig.path('plan.md'), 'one');
    const { engine, id } = await parked(about);
    for (const text of ['two', 'one']) {
      writeFileSync(rig.path('plan.md'), text);
      expect(await codeOf(engine.run(id).decide(yes('ann')))).toBe('CONTENT_CHANGED');
    }
    await engine.run(id).decide(yes('ann'));
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('approvals of the earlier content do not count for the current one', async () => {
    writeFileSync(rig.path('plan.md'), 'one');
    const { engine, id } = await parked(asking({ from: 'maintainers', count: 2, subjects: { files: ['plan.md'] } }));
    await engine.run(id).decide(yes('ann'));
    writeFileSync(rig.path('plan.md'), 'two');
    expect(await codeOf(engine.run(id).decide(yes('bob')))).toBe('CONTENT_CHANGED');
    expect((await engine.run(id).decide(yes('bob'))).status).toBe('waiting');
    expect((await engine.run(id).approvals())[0]?.votes).toEqual([{ option: 'approve', actor: 'bob' }]);
  });

  test('unchanged files do not cause another question', async () => {
    writeFileSync(rig.path('plan.md'), 'one');
    const { engine, id } = await parked(about);
    writeFileSync(rig.path('other.md'), 'not asked about');
    await engine.run(id).decide(yes('ann'));
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('a question after the work of a step, and one in a flow, are bound to the files, too', async () => {
    writeFileSync(rig.path('plan.md'), 'one');
    const behind = defineWorkflow({
      name: 'behind',
      steps: [{ id: 'work', handler: () => ({ a: 1 }), humanGate: { prompt: 'Good?', subjects: { files: ['plan.md'] } }, next: null }],
    });
    const flow = workflow('flow', {}, function* () {
      return yield* step('ask').human({ prompt: 'Good?', subjects: { files: ['plan.md'] } });
    });
    for (const [index, definition] of [behind, flow].entries()) {
      const engine = await rig.open();
      const run = await engine.start(definition);
      await run.wait('idle');
      writeFileSync(rig.path('plan.md'), `changed ${index}`);
      expect(await codeOf(engine.run(run.id).decide(yes('ann')))).toBe('CONTENT_CHANGED');
      await engine.run(run.id).decide(yes('ann'));
      expect((await engine.run(run.id).wait()).status).toBe('completed');
    }
  });
});

describe('a question about a pull request', () => {
  test('a moved head causes a new question, and only the approved head is merged', async () => {
    const stage = await openLocalForgeStage();
    const { number } = await openSample(stage, 'feature');
    const land = defineWorkflow({
      name: 'land',
      steps: [
        { id: 'ask', human: { prompt: 'Merge?', subjects: { pr: true } }, next: 'merge' },
        { id: 'merge', forge: { action: 'merge_pr', method: 'squash' }, next: null },
      ],
    });
    const { engine, id } = await parked(land, { forge: stage.forge }, { pr_number: number });
    const head = await stage.commit('feature', { 'more.txt': 'more\n' });
    const error = await errorOf(engine.run(id).decide(yes('ann')));
    expect(error.message).toContain(`the head of pull request ${number} changed`);
    await engine.run(id).decide(yes('ann'));
    const view = await engine.run(id).wait();
    expect([view.status, view.steps[0]?.output]).toMatchObject(['completed', { approved_head: head }]);
    expect(valueIn(await stage.forge.pullRequest(number)).state).toBe('merged');
    await engine.close();
    await stage.close();
  });
});

describe('the head that people approved', () => {
  test.each([
    ['a question', { id: 'ask', human: { prompt: 'Merge?', subjects: { pr: true } }, next: 'work' }],
    ['a gate', { id: 'ask', gate: { checks: [{ check: 'pr_approval', from: 'maintainers' }] }, next: 'work' }],
  ] as const)('at %s is merged and no other, whatever a worker wrote', async (_where, ask) => {
    const stage = await openLocalForgeStage();
    const { number } = await openSample(stage, 'feature');
    const land = defineWorkflow({
      name: 'land',
      steps: [
        ask,
        { id: 'work', handler: async () => ({ approved_head: await stage.commit('feature', { 'more.txt': 'more\n' }) }), next: 'merge' },
        { id: 'merge', forge: { action: 'merge_pr', method: 'squash' }, next: { ok: null, stale_head: 'reject' } },
      ],
    });
    await stage.review(number, 'ann', 'approved');
    const engine = await rig.open({ groups, forge: stage.forge });
    const run = await engine.start(land, {}, { facts: { pr_number: number } });
    await run.wait('idle');
    if ('human' in ask) await run.decide(yes('ann'));
    await run.wait();
    expect(valueIn(await stage.forge.pullRequest(number)).state).toBe('open');
    await engine.close();
    await stage.close();
  });
});

describe('after a rejection', () => {
  test('the checks between the rework and the question run again before anybody is asked', async () => {
    const rework = defineWorkflow({
      name: 'rework',
      steps: [
        { id: 'work', handler: () => ({}), next: 'check' },
        { id: 'check', gate: { checks: [{ check: 'command', run: 'test ! -e broken' }] }, next: { ok: 'ask', fail: null } },
        {
          id: 'ask',
          human: {
            prompt: 'Good?',
            options: [
              { label: 'yes', nextStep: null, ends: 'completed' },
              { label: 'again', nextStep: 'work' },
            ],
          },
          next: null,
        },
      ],
    });
    const { engine, id } = await parked(rework);
    writeFileSync(rig.path('broken'), '');
    await engine.run(id).decide({ option: 'again', actor: 'ann' });
    const view = await engine.run(id).wait('idle');
    expect(view.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'work#1 ok',
      'check#1 ok',
      'ask#1 ok',
      'work#2 ok',
      'check#2 fail',
    ]);
  });
});
