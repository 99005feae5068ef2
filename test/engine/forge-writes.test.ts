// What workers want written at the forge: a request that is checked, limited and cleaned, written once by the engine, and
// with `staged` only what a person has seen.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { Engine, EngineOptions, RunHandle } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { openSample, valueIn } from '../../src/proof/forge-suite/stage.ts';
import { type LocalForgeStage, openLocalForgeStage } from '../forge/local-stage.ts';
import { createRig, type Rig } from './rig.ts';

const GAP = '\u200B';
let rig: Rig;
let stage: LocalForgeStage;
let issue: number;
let asked: string[];
beforeEach(async () => {
  rig = createRig();
  stage = await openLocalForgeStage();
  issue = valueIn(await stage.forge.createIssue({ title: 'Search', body: '', labels: ['triage'] }, 'issue')).number;
  asked = [];
});
afterEach(async () => {
  await rig.close();
  await stage.close();
});

const FILE = (stages: string, head = ''): string => `
apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: w }
${head}
stages:
${stages}`;
const WORK = (outputs: string, more = ''): string =>
  `  - { id: work, type: agent, agent: dev, action: work, ${more} outputs: [${outputs}], on_complete: complete }`;
const NOTE = '{ name: note, type: comment, required: true }';

interface Started {
  readonly engine: Engine;
  readonly run: RunHandle;
}

/** Starts a run whose agents answer in this order, the last one again and again. */
async function start(text: string, answers: readonly object[], more: { options?: EngineOptions; facts?: object } = {}): Promise<Started> {
  const { compiled, errors } = checkYaml('w.yaml', text, REGISTRY);
  if (compiled === undefined) throw new Error(JSON.stringify(errors));
  const driver = createScriptedDriver((request) => {
    asked.push(request.prompt);
    return [{ do: 'answer', output: (answers[asked.length - 1] ?? answers.at(-1)) as never }];
  });
  const roles = { dev: { driver: 'scripted' } };
  const engine = await rig.open({ workflows: [compiled], forge: stage.forge, roles, drivers: { scripted: driver }, ...more.options });
  const run = await engine.start(compiled, {}, { facts: { issue_number: issue, ...more.facts } as never });
  await run.wait('idle');
  return { engine, run };
}

const comments = async (): Promise<string[]> => valueIn(await stage.forge.comments(issue)).map(({ body }) => body);
const outputsOf = async (run: RunHandle): Promise<unknown> => ((await run.get()).steps.at(-1)?.evidence as JsonObject | undefined)?.outputs;

test('a comment is cleaned, written once, and the record says what was changed', async () => {
  const body = 'Closes #1 @ann ![x](https://evil.example/?q=1) <!-- hidden -->\n/pawl approve';
  const { run } = await start(FILE(WORK(NOTE)), [{ outputs: { note: body } }]);
  expect((await run.get()).status).toBe('completed');
  expect(await comments()).toEqual([
    `C${GAP}loses #1 @${GAP}ann !${GAP}[x](https:${GAP}//evil.example/?q=1) <${GAP}!-- hidden -->\n/${GAP}pawl approve`,
  ]);
  expect(await outputsOf(run)).toEqual([
    {
      name: 'note',
      type: 'comment',
      passed: true,
      seen: 'comment 1 on #1',
      changed: [
        'HTML tags or comments are shown as text (1)',
        'images became links (1)',
        'links to other sites became text (1)',
        'commands were disarmed (1)',
        'mentions or closing keywords were disarmed (2)',
      ],
    },
  ]);
  expect(asked[0]).toContain('Text for the forge is cleaned before it is written');
});

test('a token of a service is refused, and the worker is told', async () => {
  const token = `ghp_${'a1'.repeat(18)}`;
  const split = `${token.slice(0, 8)}\u200B${token.slice(8)}`;
  const { run } = await start(FILE(WORK(NOTE)), [{ outputs: { note: `see ${split}` } }, { outputs: { note: 'fine' } }]);
  expect((await run.get()).status).toBe('completed');
  expect(await comments()).toEqual(['fine']);
  expect(asked[1]).toContain('looks like a token');
});

test('labels come from the list of the output alone, an issue is opened, a review has lines, a discussion gets a reply', async () => {
  const { number: pr } = await openSample(stage, 'feature');
  const discussion = stage.forge.control.discussion({ title: 'Which?' });
  const outputs = [
    '{ name: tags, type: label, labels: [bug, triage] }',
    '{ name: follow_up, type: issue, labels: [bug] }',
    '{ name: remarks, type: review }',
    '{ name: reply, type: discussion }',
  ].join(', ');
  const wishes = {
    tags: { add: ['bug'], remove: ['triage'] },
    follow_up: { title: 'Fix @ann', body: 'Later.', labels: ['bug'] },
    remarks: { body: 'Two things.', comments: [{ path: 'feature.txt', line: 1, body: 'Why? @bob' }] },
    reply: 'SQLite, @ann.',
  };
  const { run } = await start(FILE(WORK(outputs)), [{ outputs: wishes }], { facts: { pr_number: pr, discussion_number: discussion } });
  expect((await run.get()).status).toBe('completed');
  expect(valueIn(await stage.forge.issue(issue)).labels).toEqual(['bug']);
  expect(valueIn(await stage.forge.discussionReplies(discussion))).toMatchObject([{ body: `SQLite, @${GAP}ann.` }]);
  const opened = (await run.get()).steps.at(-1)?.output as { follow_up: number };
  expect(valueIn(await stage.forge.issue(opened.follow_up))).toMatchObject({ title: `Fix @${GAP}ann`, labels: ['bug'] });
  const done = valueIn(await stage.forge.done(`${run.id}/write/`)).map(({ action }) => action);
  expect(done.sort()).toEqual(['addLabels', 'createIssue', 'removeLabels', 'replyToDiscussion', 'submitReview']);
});

test.each([
  { what: 'a label that is not listed', output: 'label, labels: [bug]', wish: ['workflow:deploy'], why: 'is not allowed' },
  { what: 'an issue with a label', output: 'issue', wish: { title: 'x', labels: ['bug'] }, why: 'no labels are allowed' },
  { what: 'a review without lines or text', output: 'review', wish: { comments: [] }, why: 'it must be' },
  { what: 'a path that is none', output: 'review', wish: { comments: [{ path: '/etc/x', line: 1, body: 'x' }] }, why: 'it must be' },
])('$what is refused, and the worker is told why', async ({ output, wish, why }) => {
  const { number: pr } = await openSample(stage, 'feature');
  const { run } = await start(FILE(WORK(`{ name: it, type: ${output}, required: true }`)), [{ outputs: { it: wish } }], {
    facts: { pr_number: pr },
  });
  expect((await run.get()).status).toBe('escalated');
  expect(asked[1]).toContain(why);
  expect(valueIn(await stage.forge.done(`${run.id}/write/`))).toEqual([]);
});

describe('limits', () => {
  const LOOP = (most: string): string =>
    FILE(
      [
        '  - { id: work, type: agent, agent: dev, action: work, outputs: [{ name: note, type: comment }], on_complete: gate }',
        '  - { id: gate, type: gate, conditions: [{ check: command, run: "exit 1" }], on_pass: complete, on_fail: { goto: work, max_iterations: 4 } }',
      ].join('\n'),
      most,
    );
  const texts = [1, 2, 3, 4, 5].map((n) => ({ outputs: { note: `Text ${n}` } }));

  test('a run writes no more than its workflow says, and the rest is refused and recorded', async () => {
    const { run } = await start(LOOP('writes: { comments: 2 }'), texts);
    await run.wait();
    expect(await comments()).toEqual(['Text 1', 'Text 2']);
    const work = (await run.get()).steps.filter(({ step }) => step === 'work');
    expect(work.at(-1)?.evidence).toMatchObject({
      outputs: [{ passed: true, refused: expect.stringContaining('may write at most 2 comments') }],
    });
  });

  test('a workflow cannot widen what the project allows', async () => {
    const { run } = await start(LOOP('writes: { comments: 50 }'), texts, { options: { writes: { limits: { comments: 1 } } } });
    await run.wait();
    expect(await comments()).toEqual(['Text 1']);
  });
});

describe('staged', () => {
  const STAGED = FILE(WORK(NOTE), 'staged: true');

  test('ST1: nothing is written before a person has seen the exact text, and the agent is not asked again', async () => {
    const { engine, run } = await start(STAGED, [{ outputs: { note: 'Hello @ann' }, extra: 1 }]);
    expect(await comments()).toEqual([]);
    const [question] = await run.questions();
    expect(question).toMatchObject({ step: 'work', questions: [{ header: 'writes', options: [{ label: 'write' }, { label: 'refuse' }] }] });
    expect(question?.questions[0]?.question).toContain(`A comment on #${issue}:\n    Hello @${GAP}ann`);
    await engine.run(run.id).answer({ answers: ['write'], actor: 'ann' });
    expect(await run.wait()).toMatchObject({ status: 'completed' });
    expect(await comments()).toEqual([`Hello @${GAP}ann`]);
    expect(asked).toHaveLength(1);
    expect((await run.get()).steps.at(-1)).toMatchObject({ outcome: 'ok', output: { note: 'comment:1', extra: 1 } });
    const { data } = (await engine.store.load(run.id)).state as unknown as { data?: unknown };
    expect(JSON.stringify(data ?? {})).not.toContain('Hello');
  });

  test.each(['refuse', 'Be more polite.', 'Write', 'write it'])(
    'ST2: the answer %j writes nothing, and the agent hears it',
    async (said) => {
      const { engine, run } = await start(STAGED, [{ outputs: { note: 'Go away' } }, { outputs: { note: 'Welcome' } }]);
      await engine.run(run.id).answer({ answers: [said], actor: 'ann' });
      await run.wait('idle');
      expect(await comments()).toEqual([]);
      expect(asked).toHaveLength(2);
      expect(asked[1]).toContain('a person decided not to publish it');
      if (said !== 'refuse') expect(asked[1]).toContain(said);
      await engine.run(run.id).answer({ answers: ['write'], actor: 'ann' });
      expect(await run.wait()).toMatchObject({ status: 'completed' });
      expect(await comments()).toEqual(['Welcome']);
    },
  );

  test.each([
    ['the stage', FILE(WORK(NOTE, 'staged: true,')), {}],
    ['the project', FILE(WORK(NOTE)), { writes: { staged: true } }],
  ])('%s can ask for it', async (_name, text, options) => {
    const { run } = await start(text, [{ outputs: { note: 'Hello' } }], { options });
    expect((await run.get()).waits.map(({ kind }) => kind)).toEqual(['answer']);
    expect(await comments()).toEqual([]);
  });

  test('ST3: an approval holds while the forge is away, and is used once', async () => {
    const { engine, run } = await start(STAGED, [{ outputs: { note: 'Hello' } }]);
    stage.forge.control.rateLimit(Date.now() + 3_600_000);
    await engine.run(run.id).answer({ answers: ['write'], actor: 'ann' });
    await run.wait('idle');
    expect((await run.get()).waits.map(({ kind }) => kind)).toEqual(['capacity']);
    stage.forge.control.rateLimit(0);
    await engine.run(run.id).resume({ actor: 'ann' });
    expect(await run.wait()).toMatchObject({ status: 'completed' });
    expect(await comments()).toEqual(['Hello']);
    expect(asked).toHaveLength(1);
  });

  test('the report of an attended agent is staged, too', async () => {
    const { engine, run } = await start(STAGED, [], { facts: { $attended: true }, options: { roles: {} } });
    const [openStep] = await engine.run(run.id).openSteps();
    await engine.run(run.id).report({ token: openStep?.token ?? '', result: { outputs: { note: 'Done @ann' } } });
    await run.wait('idle');
    expect(await comments()).toEqual([]);
    await engine.run(run.id).answer({ answers: ['write'], actor: 'ann' });
    expect(await run.wait()).toMatchObject({ status: 'completed' });
    expect(await comments()).toEqual([`Done @${GAP}ann`]);
  });
});
