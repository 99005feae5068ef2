// Where stages lead: the lines of the specification about transitions, delays, branches and time, each on a real engine.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ScriptedMove } from '../../src/agents/scripted.ts';
import { entryOf, membersOf } from '../../src/definition/model.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { openLocalForgeStage } from '../forge/local-stage.ts';
import { createPlay, errorsOf, type Play, settled, storyOf, warningsOf, workflowOf } from './yaml-play.ts';

let play: Play;
beforeEach(() => {
  play = createPlay();
});
afterEach(() => play.close());

const REJECT: readonly ScriptedMove[] = [{ do: 'answer', verdict: 'reject', output: { feedback: 'no' } }];
const FAIL: readonly ScriptedMove[] = [{ do: 'answer', success: false, message: 'could not' }];
const CRASH: readonly ScriptedMove[] = [{ do: 'fail', failure: 'crash' }];
const HANG: readonly ScriptedMove[] = [{ do: 'hang' }];

describe('Defaults', () => {
  test('success goes to the next stage in the file, the last to complete', async () => {
    const view = await play.run(`
stages:
  - { id: a, type: agent, agent: dev }
  - { id: b, type: gate, conditions: [{ check: command, run: "true" }] }
  - { id: c, type: command, run: "true" }
`);
    expect(storyOf(view)).toEqual(['completed', 'a#1 ok', 'b#1 ok', 'c#1 ok']);
  });

  test.each(['on_complete', 'on_pass'])('success goes where %s of a gate says', async (key) => {
    const view = await play.run(`
stages:
  - { id: a, type: gate, conditions: [{ check: command, run: "true" }], ${key}: c }
  - { id: b, type: command, run: "true", on_success: complete }
  - { id: c, type: command, run: "true", on_success: b }
`);
    expect(storyOf(view)).toEqual(['completed', 'a#1 ok', 'c#1 ok', 'b#1 ok']);
  });

  test.each([
    ['', ['completed', 'a#1 skip', 'b#1 ok', 'c#1 ok']],
    [', skip_to: c', ['completed', 'a#1 skip', 'c#1 ok']],
  ])('a skipped stage goes to skip_to, else to the next one: %s', async (way, story) => {
    const view = await play.run(`
stages:
  - { id: a, type: command, run: "true", condition: "false"${way} }
  - { id: b, type: command, run: "true" }
  - { id: c, type: command, run: "true" }
`);
    expect(storyOf(view)).toEqual(story);
  });

  test('a rejection ends the run as rejected', async () => {
    expect(storyOf(await play.run('stages: [{ id: a, type: agent, agent: dev }]', { script: () => REJECT }))).toEqual([
      'rejected',
      'a#1 reject',
    ]);
  });

  test.each([
    ['fail', FAIL],
    ['error', CRASH],
    ['timeout', HANG],
  ])('%s goes where on_error leads, else the run escalates', async (outcome, moves) => {
    const stages = (way: string) => `
stages:
  - { id: a, type: agent, agent: dev, timeout: 600ms${way} }
  - { id: b, type: command, run: "true", on_success: complete }
  - { id: mend, type: command, run: "true", on_success: b }
`;
    const script = () => moves;
    expect(storyOf(await play.run(stages(', on_error: mend'), { script }))).toEqual(['completed', `a#1 ${outcome}`, 'mend#1 ok', 'b#1 ok']);
    const alone = 'stages: [{ id: a, type: agent, agent: dev, timeout: 600ms }]';
    expect(storyOf(await play.run(alone, { script }))).toEqual(['escalated', `a#1 ${outcome}`]);
  });

  test('max_iterations lets its edge be taken so often, and without then the next time escalates', async () => {
    const view = await play.run(`
stages:
  - { id: a, type: command, run: "true" }
  - { id: b, type: gate, conditions: [{ check: command, run: "false" }], on_fail: { goto: a, max_iterations: 2 } }
`);
    expect(storyOf(view)).toEqual(['escalated', 'a#1 ok', 'b#1 fail', 'a#2 ok', 'b#2 fail', 'a#3 ok', 'b#3 fail']);
  });

  test.each([
    ['agent', 'agent: dev'],
    ['gate', 'conditions: [{ check: command, run: "true" }]'],
    ['parallel', 'branches: [{ id: x, agent: dev }]'],
    ['delay', 'duration: 1s'],
    ['action', 'action: notify, target: ann'],
    ['webhook', 'request: { url: "https://example.org" }'],
    ['human', 'prompt: "Go on?"'],
    ['workflow', 'workflow: other'],
    ['command', 'run: "true"'],
  ])('a stage of type %s accepts on_timeout, on_error and on_enter', (type, fields) => {
    const { definition } = workflowOf(
      `stages: [{ id: a, type: ${type}, ${fields}, on_timeout: fail, on_error: fail, on_enter: { notify: ann } }]`,
    );
    const step = definition.steps.find(({ id }) => id === 'a');
    expect([step?.next.timeout, step?.next.error, entryOf(definition)]).toEqual([
      { to: { end: 'fail' } },
      { to: { end: 'fail' } },
      'a.enter',
    ]);
  });

  test.each(['complete', 'fail', 'escalate'])('%s is no id of a stage', (id) => {
    expect(errorsOf(`stages:\n  - { id: ${id}, type: command, run: "true" }\n`)).toEqual([
      `5:5 STEP_RESERVED stage "${id}": this id is reserved for an end of the run`,
    ]);
  });

  test('a timeout with retries is tried again so often, then goes to then', async () => {
    const view = await play.run(
      `
stages:
  - { id: a, type: agent, agent: dev, timeout: 600ms, on_timeout: { retry: 2, then: mend } }
  - { id: b, type: command, run: "true", on_success: complete }
  - { id: mend, type: command, run: "true" }
`,
      { script: () => HANG },
    );
    expect(storyOf(view)).toEqual(['completed', 'a#1 undefined', 'a#1 undefined', 'a#1 timeout', 'mend#1 ok']);
    expect(play.asked.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  test('a timeout without a way of its own is retried as an error is, and one with a way is not', async () => {
    const stage = (way: string) => `stages: [{ id: a, type: agent, agent: dev, timeout: 600ms, on_error: { retry: 1 }${way} }]`;
    const script = () => HANG;
    expect((await play.run(stage(''), { script })).steps.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect((await play.run(stage(', on_timeout: fail'), { script })).steps.map(({ attempt }) => attempt)).toEqual([1]);
  });

  test('retries of errors and timeouts are counted together, so they are one number', () => {
    expect(
      errorsOf('stages:\n  - { id: a, type: agent, agent: dev, timeout: 1m, on_error: { retry: 1 }, on_timeout: { retry: 2 } }\n'),
    ).toEqual(['5:97 FIELD_CONFLICT "on_error" and "on_timeout" retry the stage in different ways, but its retries are counted together']);
  });
});

describe('A back edge without a bound', () => {
  test.each([
    ['{ goto: a, context: { note: again } }', ['b#1', 'a#2', 'b#2', 'a#3', 'b#3']],
    ['{ spawn: mender, then: a }', ['b#1', 'b.on_error.spawn#1', 'a#2', 'b#2', 'b.on_error.spawn#2', 'a#3', 'b#3']],
  ])('%s is taken limits.max_iterations times, then the run escalates', async (way, paths) => {
    const view = await play.run(`
limits: { max_iterations: 2 }
stages:
  - { id: a, type: command, run: "true" }
  - { id: b, type: webhook, request: { url: "http://127.0.0.1:9" }, on_error: ${way} }
`);
    expect([view.status, ...view.steps.map(({ path }) => path)]).toEqual(['escalated', 'a#1', ...paths]);
  });

  test('A back edge without a bound is bounded by 10 where the file says nothing, and is warned of', () => {
    const lines = `stages:
  - { id: a, type: command, run: "true" }
  - { id: b, type: command, run: "true", on_failure: { goto: a, context: { note: x } } }
`;
    expect(workflowOf(lines).definition.steps[1]?.next.fail).toMatchObject({ to: { step: 'a' }, max: 10, then: { end: 'escalate' } });
    expect(warningsOf(lines)).toEqual([
      '6:54 LOOP_UNBOUNDED stage "b": the loop from "b" to "a" has no limit; after 10 iterations the run escalates',
    ]);
  });
});

describe('delay', () => {
  test('delay settles ok at its duration, not before', async () => {
    const clock = createVirtualClock();
    const { run, engine } = await play.start('stages: [{ id: a, type: delay, duration: 30s }]', { clock });
    await run.wait('idle');
    clock.advance(29_999);
    expect((await engine.run(run.id).get()).status).toBe('waiting');
    clock.advance(1);
    expect(storyOf(await run.wait())).toEqual(['completed', 'a#1 ok']);
  });

  test.each(['', ', on_ready: skip_remaining_delay'])('settles ok when its poll is true%s', async (ready) => {
    const clock = createVirtualClock();
    const lines = `
context: { go: true }
stages: [{ id: a, type: delay, duration: 1h, poll: { interval: 5s, condition: "{{ context.go }}"${ready} } }]
`;
    const { run } = await play.start(lines, { clock });
    await run.wait('idle');
    const begun = clock.now();
    clock.advance(5000);
    const view = await run.wait();
    expect([...storyOf(view), view.updatedAt - begun]).toEqual(['completed', 'a#1 ok', 5000]);
  });

  test('delay knows no other on_ready', () => {
    const errors = errorsOf(`stages:
  - { id: a, type: delay, duration: 1h, poll: { interval: 5s, condition: "true", on_ready: next } }
`);
    expect(errors).toEqual([expect.stringMatching(/^5:92 FIELD_INVALID /)]);
  });

  test('delay on a transition stands before its target', async () => {
    const clock = createVirtualClock();
    const { run } = await play.start(
      `
stages:
  - { id: a, type: command, run: "true", on_complete: { delay: 30s, then: b } }
  - { id: b, type: command, run: "true" }
`,
      { clock },
    );
    const waiting = await run.wait('idle');
    expect(waiting.waits.map(({ kind }) => kind)).toEqual(['delay']);
    clock.advance(30_000);
    expect(storyOf(await run.wait())).toEqual(['completed', 'a#1 ok', 'a.on_complete.delay#1 ok', 'b#1 ok']);
  });
});

describe('spawn', () => {
  const LINES = `
stages:
  - { id: a, type: agent, agent: dev, on_fail: { spawn: mender, then: b } }
  - { id: b, type: command, run: "true" }
`;

  test('spawn runs the role, waits for it, and goes to then', async () => {
    const view = await play.run(LINES, { script: ({ role }) => (role === 'dev' ? FAIL : []) });
    expect(storyOf(view)).toEqual(['completed', 'a#1 fail', 'a.on_fail.spawn#1 ok', 'b#1 ok']);
    expect(play.asked.map(({ role }) => role)).toEqual(['dev', 'mender']);
  });

  test.each([
    ['fail', FAIL],
    ['error', CRASH],
    ['reject', REJECT],
  ])('a spawned role that ends with %s escalates the run', async (outcome, moves) => {
    const view = await play.run(LINES, { script: ({ role }) => (role === 'dev' ? FAIL : moves) });
    expect(storyOf(view)).toEqual(['escalated', 'a#1 fail', `a.on_fail.spawn#1 ${outcome}`]);
  });
});

describe('Branches', () => {
  const three = (more: string) => `
stages:
  - id: review
    type: parallel
${more}
    branches:
      - { id: one, agent: dev }
      - { id: two, agent: dev }
      - { id: three, agent: dev, condition: "{{ params.third }}" }
params: { third: { description: whether there is a third, default: true } }
`;
  const rejecting =
    (...ids: string[]) =>
    ({ step }: { step: string }) =>
      ids.some((id) => step.endsWith(id)) ? REJECT : [];

  test('Branches are agents where they do not say what they are', () => {
    const [step] = workflowOf(three('    join: all')).definition.steps;
    expect(step && membersOf(step).map(({ kind }) => kind)).toEqual(['agent', 'agent', 'agent']);
  });

  test('M of N-of-M is how many branches there are', () => {
    expect(errorsOf(three('    join: 2-of-4'))).toEqual(['8:11 FIELD_CONFLICT "join" is for 4 branches, but there are 3']);
  });

  test('2-of-3 goes on with two, and not with one', async () => {
    expect((await play.run(three('    join: 2-of-3'), { script: rejecting('one') })).status).toBe('completed');
    expect((await play.run(three('    join: 2-of-3'), { script: rejecting('one', 'two') })).status).toBe('rejected');
  });

  test('on_all_reject is taken under 2-of-3 when all reject, and on_any_reject when only two do', async () => {
    const lines = three('    join: 2-of-3\n    on_any_reject: fail\n    on_all_reject: escalate');
    expect((await play.run(lines, { script: rejecting('one', 'two', 'three') })).status).toBe('escalated');
    expect((await play.run(lines, { script: rejecting('one', 'two') })).status).toBe('failed');
  });

  test('a skipped branch counts for neither side', async () => {
    const params = { third: false };
    expect((await play.run(three('    join: all'), { params })).status).toBe('completed');
    expect((await play.run(three('    join: 2-of-3'), { params, script: rejecting('one') })).status).toBe('rejected');
    const all = await play.run(three('    join: all\n    on_any_reject: fail\n    on_all_reject: escalate'), {
      params,
      script: rejecting('one', 'two'),
    });
    expect(all.status).toBe('escalated');
  });

  test('if every branch is skipped, so is the stage', async () => {
    const view = await play.run(`
stages:
  - { id: all, type: parallel, branches: [{ id: x, agent: dev, condition: "false" }], condition: "true", skip_to: c }
  - { id: b, type: command, run: "true" }
  - { id: c, type: command, run: "true" }
`);
    expect(view.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual(['all#1/x skip', 'all#1 skip', 'c#1 ok']);
  });
});

describe('on_timeout', () => {
  const ASK = `
stages:
  - id: ask
    type: gate
    conditions: [{ check: ask_somebody }]
    timeout: 24h
    on_timeout: { notify: { target: maintainers, message: "still waiting" }, extend: 24h, max_extensions: 2, then: late }
  - { id: end, type: command, run: "true", on_success: complete }
  - { id: late, type: command, run: "true" }
`;
  const DAY = 86_400_000;

  test('on_timeout tells somebody and extends, at most max_extensions times, then goes to then', async () => {
    const clock = createVirtualClock();
    const stage = await openLocalForgeStage();
    try {
      const checks = {
        ask_somebody: { name: 'ask_somebody', run: () => ({ passed: null, why: 'pending' as const, result: null, error: 'not yet' }) },
      };
      const { run, engine } = await play.start(ASK, { clock, checks, forge: stage.forge, groups: { maintainers: ['ann'] } });
      await run.wait('idle');
      clock.advance(DAY - 1);
      expect(stage.forge.control.notifications()).toEqual([]);
      clock.advance(1);
      await settled(engine, run.id, 'ask.on_timeout.notify#1');
      // The gate looks again when it is extended; time goes on when it has.
      await run.wait('idle');
      clock.advance(DAY);
      await settled(engine, run.id, 'ask.on_timeout.notify#2');
      expect((await run.wait('idle')).status).toBe('waiting');
      clock.advance(DAY);
      const view = await run.wait();
      expect(view.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
        'ask.on_timeout.notify#1 ok',
        'ask.on_timeout.notify#2 ok',
        'ask#1 timeout',
        'late#1 ok',
      ]);
      expect(stage.forge.control.notifications().map(({ message }) => message)).toEqual(['still waiting', 'still waiting']);
    } finally {
      await play.rig.close();
      await stage.close();
    }
  });

  test('on_timeout reminds once, however many periods passed while nobody was awake', async () => {
    const clock = createVirtualClock();
    const stage = await openLocalForgeStage();
    try {
      let looks = 0;
      const look = () => {
        looks += 1;
        return { passed: null, why: 'pending' as const, result: null, error: 'not yet' };
      };
      const checks = { ask_somebody: { name: 'ask_somebody', run: look } };
      const options = { clock, checks, forge: stage.forge, groups: { maintainers: ['ann'] } };
      const { run, engine } = await play.start(ASK, options);
      await run.wait('idle');
      await engine.close();
      clock.advance(10 * DAY);
      const later = await play.rig.open({ ...options, workflows: [workflowOf(ASK)] });
      await settled(later, run.id, 'ask.on_timeout.notify#1');
      await later.run(run.id).wait('idle');
      const before = looks;
      clock.advance(60_000);
      await expect.poll(() => looks).toBeGreaterThan(before);
      const view = await later.run(run.id).wait('idle');
      expect([view.status, view.waits.map(({ kind }) => kind)]).toEqual(['waiting', ['checks']]);
      expect(stage.forge.control.notifications()).toHaveLength(1);
    } finally {
      await play.rig.close();
      await stage.close();
    }
  });
});
