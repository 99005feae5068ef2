// What is done on a forge: the lines of the specification about hooks, actions, triggers, sessions and outputs, each on a
// real engine and a real local forge.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ScriptedMove } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { openSample, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { createLatch } from '../engine/rig.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createPlay, errorsOf, outputOf, type Play, type PlayOptions, type Script, settled, storyOf } from './yaml-play.ts';

let play: Play;
let stage: LocalForgeStage;
let issue: number;
beforeEach(async () => {
  play = createPlay();
  stage = await openLocalForgeStage();
  issue = valueIn(await stage.forge.createIssue({ title: 'Add search', body: '', labels: ['feature'] }, 'first')).number;
});
afterEach(async () => {
  await play.close();
  await stage.close();
});

/** Runs a file about the issue. */
const run = (lines: string, { facts = {}, ...options }: PlayOptions = {}) =>
  play.run(lines, { forge: stage.forge, groups: { maintainers: ['ann', 'bob'] }, facts: { issue_number: issue, ...facts }, ...options });
const WORK = 'stages: [{ id: work, type: command, run: "true" }]\n';

describe('Hooks and actions', () => {
  test('merge_pr takes method and delete_branch', async () => {
    const { number } = await openSample(stage, 'feature');
    const view = await run('stages: [{ id: merge, type: action, action: merge_pr, method: squash, delete_branch: true }]', {
      facts: { pr_number: number },
    });
    expect(view.status).toBe('completed');
    expect(valueIn(await stage.forge.pullRequest(number)).state).toBe('merged');
    expect([await stage.read('main', 'feature.txt'), await stage.read('feature', 'feature.txt')]).toEqual(['feature\n', undefined]);
  });

  test('create_issue takes title, body and labels', async () => {
    await run(`${WORK}on_complete: [{ create_issue: { title: "After #{{ issue_number }}", body: more, labels: [later] } }]`);
    expect(valueIn(await stage.forge.issue(issue + 1))).toMatchObject({ title: `After #${issue}`, labels: ['later'] });
  });

  test('close_issue closes the issue that it names, and as a stage that of the run', async () => {
    await run(`${WORK}on_complete: [{ close_issue: "{{ context.issue_number }}" }]`);
    expect(valueIn(await stage.forge.issue(issue)).state).toBe('closed');
    const other = valueIn(await stage.forge.createIssue({ title: 'b', body: '', labels: [] }, 'second')).number;
    await run('stages: [{ id: close, type: action, action: close_issue }]', { facts: { issue_number: other } });
    expect(valueIn(await stage.forge.issue(other)).state).toBe('closed');
  });

  test('label adds and removes, and label_issue: x is label{add: [x]}', async () => {
    await run('stages: [{ id: tag, type: action, action: label, add: [a, b], remove: feature }]\non_complete: [{ label_issue: c }]\n');
    expect([...valueIn(await stage.forge.issue(issue)).labels].sort()).toEqual(['a', 'b', 'c']);
  });

  test('comment goes to the issue or to the pull request', async () => {
    const { number } = await openSample(stage, 'feature');
    await run(`${WORK}on_complete: [{ comment: { target: issue, message: one } }, { comment: { target: pr, message: two } }]`, {
      facts: { pr_number: number },
    });
    const said = async (on: number) => valueIn(await stage.forge.comments(on)).map(({ body }) => body);
    expect([await said(issue), await said(number)]).toEqual([['one'], ['two']]);
  });

  test('notify: maintainers has a message of its own, and reaches everybody in the group', async () => {
    await run(`${WORK}on_complete: [{ notify: maintainers }, { notify: { target: maintainers, message: "done" } }]`);
    expect(stage.forge.control.notifications()).toMatchObject([
      { people: ['ann', 'bob'], message: `maintainers: issue #${issue} needs your attention.` },
      { people: ['ann', 'bob'], message: 'done' },
    ]);
  });

  test('on_complete runs once when the run completes', async () => {
    await run(`${WORK}on_complete: [{ label_issue: done }]\non_error: [{ label_issue: needs-human }]\n`);
    expect(valueIn(await stage.forge.issue(issue)).labels).toEqual(['feature', 'done']);
  });

  test.each([
    ['escalated', 'escalate'],
    ['failed', 'fail'],
  ])('on_error runs once when the run has %s', async (status, end) => {
    const lines = `stages: [{ id: work, type: command, run: "false", on_error: ${end} }]
on_complete: [{ label_issue: done }]
on_error: [{ label_issue: needs-human }, { notify: maintainers }]
`;
    const { run: playing, engine } = await play.start(lines, { forge: stage.forge, facts: { issue_number: issue } });
    expect((await playing.wait()).status).toBe(status);
    await settled(engine, playing.id, 'on_error.2#1');
    expect(valueIn(await stage.forge.issue(issue)).labels).toEqual(['feature', 'needs-human']);
    expect(stage.forge.control.notifications()).toHaveLength(1);
  });

  test('each hook is a map with one key', () => {
    expect(errorsOf(`${WORK}on_complete:\n  - { notify: ann, label_issue: x }\n`)).toEqual([
      expect.stringMatching(/^6:\d+ FIELD_UNKNOWN /),
    ]);
  });

  test('a notify that fails never affects the run', async () => {
    const view = await run(
      `stages: [{ id: work, type: command, run: "true", on_enter: { notify: ann } }]\non_complete: [{ notify: ann }, { label_issue: x }]\n`,
      { forge: { ...stage.forge, notify: async () => ({ result: 'unavailable', message: 'down' }) } },
    );
    expect([view.status, valueIn(await stage.forge.issue(issue)).labels]).toEqual(['completed', ['feature', 'x']]);
    const failed = view.steps.filter(({ error }) => error !== undefined).map(({ path, error }) => [path, error]);
    expect(failed).toEqual([
      ['work.enter#1', 'step "work.enter": down'],
      ['on_complete.1#1', 'step "on_complete.1": down'],
    ]);
  });

  test('another hook that fails is tried again, later each time, and then escalates the run', async () => {
    const clock = createVirtualClock();
    let tried = createLatch();
    const addLabels = async () => {
      tried.open();
      return { result: 'unavailable' as const, message: 'down' };
    };
    const { run: playing } = await play.start(`${WORK}on_complete: [{ label_issue: x }]`, {
      clock,
      forge: { ...stage.forge, addLabels },
      facts: { issue_number: issue },
    });
    const pauses: number[] = [];
    for (let retry = 1; retry <= 3; retry += 1) {
      await tried.promise;
      await playing.wait('idle');
      tried = createLatch();
      pauses.push((clock.next() as number) - clock.now());
      clock.advance(pauses.at(-1) as number);
    }
    await tried.promise;
    expect((await playing.wait()).status).toBe('escalated');
    expect(pauses).toEqual([10_000, 30_000, 90_000]);
  });

  test('a hook that goes through at a later try completes the run', async () => {
    let tries = 0;
    const failed = createLatch();
    const clock = createVirtualClock();
    const forge = {
      ...stage.forge,
      addLabels: async (...given: Parameters<typeof stage.forge.addLabels>) => {
        tries += 1;
        failed.open();
        return tries === 1 ? { result: 'unavailable' as const, message: 'down' } : await stage.forge.addLabels(...given);
      },
    };
    const { run: playing } = await play.start(`${WORK}on_complete: [{ label_issue: x }]`, { clock, forge, facts: { issue_number: issue } });
    await failed.promise;
    await playing.wait('idle');
    clock.advance(10_000);
    expect((await playing.wait()).status).toBe('completed');
  });

  test('nobody is notified on entering a stage that is skipped', async () => {
    const view = await run(`stages: [{ id: work, type: command, run: "true", condition: "false", on_enter: { notify: ann } }]`);
    expect([view.status, stage.forge.control.notifications()]).toEqual(['completed', []]);
  });
});

describe('Trigger', () => {
  test('a string is short for an event', () => {
    const triggers = ['trigger: issues.labeled', 'trigger: { event: issues.labeled }'].map(
      (trigger) =>
        checkYaml('w.yaml', `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\n${trigger}\n${WORK}`, REGISTRY).compiled?.hash,
    );
    expect(triggers[0]).toBe(triggers[1]);
  });

  test('a trigger is optional: any workflow can be started manually', async () => {
    expect((await run(WORK)).status).toBe('completed');
  });
});

// Nothing takes what happens on a forge into the run's data yet.
test('context: the facts are refreshed by forge events', async () => {
  const view = await run(
    `stages:
  - { id: tag, type: action, action: label, add: security }
  - { id: work, type: agent, agent: dev, context: { labels: "{{ context.labels }}" } }
`,
    { facts: { labels: ['feature'] } },
  );
  expect([view.status, play.asked[0]?.context]).toMatchObject(['completed', { labels: ['feature', 'security'] }]);
});

describe('continue_session', () => {
  const LINES = `
stages:
  - { id: a, type: agent, agent: dev }
  - { id: other, type: agent, agent: sec }
  - { id: check, type: gate, conditions: [{ check: command, run: "true" }] }
  - { id: b, type: agent, agent: dev, continue_session: true }
  - { id: c, type: agent, agent: dev }
`;
  test('continue_session is the latest session of the same role in this run, across gates', async () => {
    await run(LINES, { script: ({ step }) => [{ do: 'answer', session: `of ${step}` }] });
    expect(play.asked.map(({ step, session }) => [step, session?.id])).toEqual([
      ['a', undefined],
      ['other', undefined],
      ['b', 'of a'],
      ['c', undefined],
    ]);
  });

  test('continue_session goes on across a loop, with the latest one', async () => {
    const loop = `
stages:
  - { id: a, type: agent, agent: dev, continue_session: true }
  - { id: check, type: gate, conditions: [{ check: command, run: "test -e done || { touch done; false; }" }], on_fail: { goto: a, max_iterations: 2 } }
`;
    await run(loop, { script: () => [{ do: 'answer', session: `session ${play.asked.length}` }] });
    expect(play.asked.map(({ session }) => session?.id)).toEqual([undefined, 'session 1']);
  });

  test('continue_session is off where a stage does not ask for it', async () => {
    await run(LINES, { script: () => [{ do: 'answer' }] });
    expect(play.asked.filter(({ step }) => step !== 'b').map(({ session }) => session)).toEqual([undefined, undefined, undefined]);
  });
});

describe('Outputs', () => {
  const AGENT = (output: string) => `stages: [{ id: a, type: agent, agent: dev, outputs: [${output}] }]`;
  const answer =
    (move: ScriptedMove): Script =>
    () => [move];

  test('a comment is asked for by the agent, written by the engine, and verified', async () => {
    const view = await run(AGENT('{ name: plan, type: comment, required: true }'), {
      script: answer({ do: 'answer', output: { outputs: { plan: 'First the index.' } } }),
    });
    const [comment] = valueIn(await stage.forge.comments(issue));
    expect([comment?.body, outputOf(view, 'a')]).toEqual(['First the index.', { plan: `comment:${comment?.id}` }]);
  });

  test('a pull request is asked for by the agent, opened by the engine, and the run is about it from then on', async () => {
    const { folder: cwd, git, commit } = await stage.clone();
    await git('checkout', '--quiet', '-b', 'search');
    await commit({ 'a.txt': 'a' });
    const view = await run(
      `stages:
  - { id: a, type: agent, agent: dev, outputs: [{ name: pull, type: pr, required: true }] }
  - { id: say, type: action, action: comment, target: pr, message: "this is #{{ context.pr_number }}" }
`,
      { cwd, script: answer({ do: 'answer', output: { outputs: { pull: { title: 'Search', body: '' } } } }) },
    );
    expect([view.status, outputOf(view, 'a')]).toEqual(['completed', { pr_number: issue + 1, pull: issue + 1 }]);
    expect(valueIn(await stage.forge.comments(issue + 1)).map(({ body }) => body)).toEqual([`this is #${issue + 1}`]);
  });

  test('outputs that an agent only claims are not accepted', async () => {
    const view = await run(AGENT('{ name: plan, type: comment, required: true }'), {
      script: answer({ do: 'answer', output: { plan: 'comment:123456' } }),
    });
    expect([view.status, valueIn(await stage.forge.comments(issue))]).toEqual(['escalated', []]);
  });

  test('an artifact is a file that is kept with its content', async () => {
    const view = await run(AGENT('{ name: doc, type: artifact, pattern: "*.md", required: true }'), {
      script: () => [{ do: 'write', path: 'plan.md', text: 'the plan' }, { do: 'answer' }],
    });
    expect(outputOf(view, 'a')).toMatchObject({ doc: { path: 'plan.md', bytes: 8, text: 'the plan' } });
  });

  test('the run goes on only when what is required was seen', async () => {
    const view = await run(AGENT('{ name: tests, type: file, pattern: "tests/**", required: true }'));
    expect([storyOf(view)[0], play.asked.length]).toEqual(['escalated', 2]);
  });
});

test('a list of names is no list of stages, and the long form is shown', () => {
  const { errors } = checkYaml(
    'w.yaml',
    `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata: { name: w }\nstages: [review, merge]\n`,
    REGISTRY,
  );
  expect(errors).toMatchObject([{ code: 'STAGE_SHORT', line: 4, column: 10, message: expect.stringContaining('(and one more)') }]);
  expect(errors[0]?.hint).toContain('type: agent');
});
