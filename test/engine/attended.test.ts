// An attended agent: it is handed one step at a time, and sees the next when the last one's evidence was accepted.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type Engine, step, workflow } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createVirtualClock } from '../../src/proof/virtual-clock.ts';
import { childIn, codeOf, createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const facts = { $attended: true };
const exists = (name: string) => ({ name: `${name} exists`, check: () => true, error: `${name} was not written` });

const two = defineWorkflow({
  name: 'two',
  steps: [
    {
      id: 'plan',
      agent: 'planner',
      prompt: 'Write plan.md.',
      postconditions: [{ ...exists('plan.md'), check: () => present('plan.md') }],
      next: 'build',
    },
    { id: 'build', agent: 'builder', prompt: 'Build it.', next: null },
  ],
});

let written: Set<string>;
beforeEach(() => {
  written = new Set();
});
const present = (name: string): boolean => written.has(name);

async function begun(definition: Parameters<Engine['start']>[0], options: Parameters<Rig['open']>[0] = {}) {
  const engine = await rig.open(options);
  const run = await engine.start(definition, {}, { facts });
  await run.wait('idle');
  return { engine, id: run.id };
}

async function onlyHandout(engine: Engine, id: string) {
  const openSteps = await engine.run(id).openSteps();
  expect(openSteps).toHaveLength(1);
  return openSteps[0] as (typeof openSteps)[number];
}

describe('a step that only has instructions', () => {
  const skill = defineWorkflow({
    name: 'skill',
    steps: [
      { id: 'clarify', actions: ['Clarify the context.'], next: 'refine' },
      { id: 'refine', actions: () => ['Refine it.'], next: { ok: 'end', iterate: 'refine' } },
      { id: 'end', next: null },
    ],
  });

  test('a step that only has instructions is handed to the agent that carries out the run, which may choose among its outcomes', async () => {
    const { engine, id } = await begun(skill);
    const first = await onlyHandout(engine, id);
    expect([first.step, first.prompt]).toEqual(['clarify', expect.stringContaining('Clarify the context.')]);
    await engine.run(id).report({ token: first.token, result: { topic: 'x' } });
    await engine.run(id).wait('idle');
    const refine = await onlyHandout(engine, id);
    expect(refine.prompt).toContain('one of ok, iterate');
    expect(await codeOf(engine.run(id).report({ token: refine.token, result: { outcome: 'skip' } }))).toBe('REPORT_INVALID');
    await engine.run(id).report({ token: refine.token, result: { outcome: 'iterate' } });
    await engine.run(id).wait('idle');
    await engine.run(id).report({ token: (await onlyHandout(engine, id)).token, result: null });
    const view = await engine.run(id).wait();
    expect([view.status, view.steps.map(({ path }) => path)]).toEqual(['completed', ['clarify#1', 'refine#1', 'refine#2', 'end#1']]);
  });

  test('a step that only has instructions does nothing in a run that no agent carries out', async () => {
    const engine = await rig.open();
    expect((await (await engine.start(skill)).wait()).status).toBe('completed');
  });
});

describe('a reviewer', () => {
  const review = defineWorkflow({
    name: 'review',
    steps: [{ id: 'look', agent: 'reviewer', prompt: 'Review it.', next: { ok: null, reject: 'escalate' } }],
  });

  test('a reviewer is told to give a verdict, and a rejection in words is not an approval', async () => {
    const { engine, id } = await begun(review);
    const { prompt, token } = await onlyHandout(engine, id);
    expect(prompt).toContain('"verdict": "approve" or "verdict": "reject"');
    const words = await errorOf(engine.run(id).report({ token, result: 'I reject this.' }));
    expect([words.code, words.message]).toEqual(['REPORT_INVALID', expect.stringContaining('"verdict"')]);
    expect(await engine.run(id).report({ token, result: { verdict: 'reject', feedback: 'no test' } })).toMatchObject({ accepted: true });
    expect((await engine.run(id).wait('idle')).steps).toMatchObject([{ outcome: 'reject' }]);
  });
});

describe('one step at a time', () => {
  test('the run waits for a report, and the instructions are self-contained', async () => {
    const { engine, id } = await begun(two);
    const openStep = await onlyHandout(engine, id);
    expect(openStep).toMatchObject({ step: 'plan', attempt: 1, role: 'planner' });
    expect(openStep.prompt).toContain('Write plan.md.');
    expect((await engine.run(id).get()).waits.map(({ kind }) => kind)).toEqual(['report']);
    expect((await engine.run(id).get()).status).toBe('waiting');
  });

  test('work that was done is accepted, and the next step is handed out', async () => {
    const { engine, id } = await begun(two);
    const { token } = await onlyHandout(engine, id);
    written.add('plan.md');
    expect(await engine.run(id).report({ token, result: { pages: 2 } })).toMatchObject({ accepted: true, step: 'plan' });
    await engine.run(id).wait('idle');
    const next = await onlyHandout(engine, id);
    expect([next.step, next.token === token]).toEqual(['build', false]);
    await engine.run(id).report({ token: next.token, result: null });
    const view = await engine.run(id).wait();
    expect([view.status, view.steps.map(({ path, output }) => [path, output])]).toEqual([
      'completed',
      [
        ['plan#1', { pages: 2 }],
        ['build#1', null],
      ],
    ]);
  });

  test('a claim without the effect is not accepted, and the next attempt is told why; the claim is on record', async () => {
    const { engine, id } = await begun(two);
    const { token } = await onlyHandout(engine, id);
    const verdict = await engine.run(id).report({ token, result: { done: true } });
    expect(verdict).toMatchObject({ accepted: false, message: expect.stringContaining('plan.md was not written') });
    await engine.run(id).wait('idle');
    const again = await onlyHandout(engine, id);
    expect([again.step, again.attempt]).toEqual(['plan', 2]);
    expect(again.prompt).toContain('Previous attempt failed: plan.md was not written');
    expect((await engine.run(id).get()).steps[0]).toMatchObject({
      status: 'failed',
      claim: { done: true },
      evidence: { verdict: 'claimed_not_observed' },
    });
  });

  test('two false reports escalate', async () => {
    const { engine, id } = await begun(two);
    for (let round = 0; round < 2; round += 1) {
      const { token } = await onlyHandout(engine, id);
      await engine.run(id).report({ token, result: 'done' });
      await engine.run(id).wait('idle');
    }
    expect((await engine.run(id).get()).status).toBe('escalated');
    expect(await engine.run(id).openSteps()).toEqual([]);
  });

  test('another process prints the same token, and its report continues the run there', async () => {
    const { engine, id } = await begun(two);
    const { token } = await onlyHandout(engine, id);
    await engine.close({ abort: true });
    written.add('plan.md');
    const other = await rig.open({ workflows: [two] });
    expect((await onlyHandout(other, id)).token).toBe(token);
    expect(await other.run(id).report({ token, result: null })).toMatchObject({ accepted: true });
  });
});

describe('tokens', () => {
  test('a guessed token and one of another run are refused, and nothing changes', async () => {
    const { engine, id } = await begun(two);
    const other = await engine.start(two, {}, { facts });
    await other.wait('idle');
    const foreign = (await onlyHandout(engine, other.id)).token;
    for (const token of ['AAAAAAAAAAAAAAAAAAAAAA', '', foreign]) {
      expect(await codeOf(engine.run(id).report({ token, result: null }))).toBe('TOKEN_UNKNOWN');
    }
    expect((await onlyHandout(engine, id)).attempt).toBe(1);
  });

  test('the same report again gets the recorded verdict', async () => {
    const { engine, id } = await begun(two);
    const { token } = await onlyHandout(engine, id);
    written.add('plan.md');
    await engine.run(id).report({ token, result: { pages: 2 } });
    await engine.run(id).wait('idle');
    expect(await engine.run(id).report({ token, result: { pages: 2 } })).toMatchObject({ accepted: true, repeated: true, step: 'plan' });
    expect((await onlyHandout(engine, id)).step).toBe('build');
  });

  test('the same report of refused work is refused again', async () => {
    const { engine, id } = await begun(two);
    const { token } = await onlyHandout(engine, id);
    await engine.run(id).report({ token, result: 'done' });
    await engine.run(id).wait('idle');
    expect(await engine.run(id).report({ token, result: 'done' })).toMatchObject({ accepted: false, repeated: true });
    expect((await onlyHandout(engine, id)).attempt).toBe(2);
  });

  test('another result for a spent token is refused, and so is a report on a later step', async () => {
    const { engine, id } = await begun(two);
    const { token } = await onlyHandout(engine, id);
    written.add('plan.md');
    await engine.run(id).report({ token, result: 1 });
    await engine.run(id).wait('idle');
    const error = await errorOf(engine.run(id).report({ token, result: 2 }));
    expect([error.code, error.message]).toEqual(['TOKEN_SPENT', expect.stringContaining('attempt 1 of step "plan"')]);
    await engine.run(id).report({ token: (await onlyHandout(engine, id)).token, result: null });
    await engine.run(id).wait();
    expect(await codeOf(engine.run(id).report({ token: 'x', result: null }))).toBe('RUN_FINAL');
  });
});

describe('giving up', () => {
  test('a reported failure is a failed attempt with its reason, and follows the retry policy', async () => {
    const patient = defineWorkflow({
      name: 'patient',
      steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', retry: 1, next: null }],
    });
    const { engine, id } = await begun(patient);
    const verdict = await engine.run(id).report({ token: (await onlyHandout(engine, id)).token, failure: 'no network' });
    expect(verdict).toMatchObject({ accepted: false, message: 'the agent reported a failure: no network' });
    await engine.run(id).wait('idle');
    expect((await onlyHandout(engine, id)).prompt).toContain('Previous attempt failed: the agent reported a failure: no network');
  });

  test('the time limit applies while an attended agent works', async () => {
    const clock = createVirtualClock();
    const slow = defineWorkflow({ name: 'slow', steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', timeout: '1h', next: null }] });
    const { engine, id } = await begun(slow, { clock });
    const { token, due } = await onlyHandout(engine, id);
    expect(due).toBe(clock.now() + 3_600_000);
    clock.advance(3_600_000);
    expect((await engine.run(id).wait()).status).toBe('escalated');
    expect(await codeOf(engine.run(id).report({ token, result: null }))).toBe('TOKEN_SPENT');
  });
});

describe('what a result must be', () => {
  const typed = defineWorkflow({
    name: 'typed',
    steps: [
      {
        id: 'review',
        agent: 'reviewer',
        prompt: 'Review.',
        schema: {
          type: 'object',
          required: ['verdict'],
          properties: { verdict: { enum: ['approve', 'reject'] }, findings: { type: 'array' } },
        },
        next: { ok: null, reject: null },
      },
    ],
  });

  test('a result that does not fit the schema is refused with the path, and the token stays valid', async () => {
    const { engine, id } = await begun(typed);
    const { token } = await onlyHandout(engine, id);
    const error = await errorOf(engine.run(id).report({ token, result: { findings: 'none' } }));
    expect([error.code, error.message]).toEqual(['REPORT_INVALID', 'step "review": the result.verdict is missing']);
    await engine.run(id).report({ token, result: { verdict: 'reject', findings: ['x'] } });
    expect((await engine.run(id).wait()).steps[0]).toMatchObject({ outcome: 'reject', output: { findings: ['x'] } });
  });
});

describe('a fan-out', () => {
  const each = defineWorkflow({
    name: 'each',
    params: { chapters: { description: 'which', type: 'json', required: true } },
    steps: [
      {
        id: 'write',
        parallel: true,
        parallelKey: 'chapters',
        agent: 'writer',
        prompt: 'Write the chapter.',
        postconditions: [{ name: 'written', check: (ctx) => present(String(ctx.item)), error: 'the chapter is not there' }],
        next: null,
      },
    ],
  });

  test('a fan-out has a token per item, accepts reports in any order, and hands out only failed items again', async () => {
    const engine = await rig.open();
    const run = await engine.start(each, { chapters: ['one', 'two', 'three'] }, { facts });
    await run.wait('idle');
    const openSteps = await engine.run(run.id).openSteps();
    expect(openSteps.map(({ path }) => path)).toHaveLength(3);
    expect(new Set(openSteps.map(({ token }) => token)).size).toBe(3);
    written = new Set(['three', 'one']);
    const verdicts = [];
    for (const openStep of [...openSteps].reverse())
      verdicts.push(await engine.run(run.id).report({ token: openStep.token, result: null }));
    expect(verdicts.map(({ accepted }) => accepted)).toEqual([true, false, true]);
    await run.wait('idle');
    const left = await onlyHandout(engine, run.id);
    expect([left.item, left.attempt]).toEqual([openSteps[1]?.item, 2]);
    expect(left.prompt).toContain('two');
    written.add('two');
    await engine.run(run.id).report({ token: left.token, result: null });
    expect((await run.wait()).status).toBe('completed');
  });
});

describe('declared outputs', () => {
  const text = `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: docs }
stages:
  - { id: write, type: agent, agent: writer, action: write, outputs: [{ name: page, type: file, pattern: "docs/*.md", required: true }] }
`;

  test('a file counts when it is new since the step was handed out, also for a process that comes later', async () => {
    const { compiled } = checkYaml('docs.yaml', text, REGISTRY);
    const definition = compiled as NonNullable<typeof compiled>;
    mkdirSync(rig.path('docs'));
    writeFileSync(rig.path('docs/old.md'), 'old');
    const { engine, id } = await begun(definition);
    const { token, prompt } = await onlyHandout(engine, id);
    expect(prompt).toContain('docs/*.md');
    await engine.close({ abort: true });
    const other = await rig.open({ workflows: [definition] });
    expect(await other.run(id).report({ token, result: { page: ['docs/old.md'] } })).toMatchObject({ accepted: false });
    await other.run(id).wait('idle');
    writeFileSync(rig.path('docs/new.md'), 'new');
    await other.run(id).report({ token: (await onlyHandout(other, id)).token, result: null });
    expect((await other.run(id).wait()).steps.at(-1)?.output).toMatchObject({ page: ['docs/new.md'] });
  });
});

test('a child of an attended run is attended, and its parent goes on when it has ended', async () => {
  const inner = defineWorkflow({ name: 'inner', steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', next: null }] });
  const outer = defineWorkflow({ name: 'outer', steps: [{ id: 'below', workflow: inner, next: null }] });
  const { engine, id } = await begun(outer);
  const child = childIn(await engine.run(id).get());
  const { token } = await onlyHandout(engine, child);
  await engine.run(child).report({ token, result: null });
  expect((await engine.run(id).wait()).status).toBe('completed');
});

describe('flows and drivers', () => {
  test('a flow gets the result of an attended agent as that of a driven one', async () => {
    const flow = workflow('flow', {}, function* () {
      const { output } = yield* step('work').agent({ agent: 'worker', context: {} });
      return output;
    });
    const { engine, id } = await begun(flow);
    await engine.run(id).report({ token: (await onlyHandout(engine, id)).token, result: { n: 1 } });
    expect((await engine.run(id).wait()).output).toEqual({ n: 1 });
  });

  test('a role with a driver of its own is driven, also in an attended run', async () => {
    const { engine, id } = await begun(two, {
      roles: { planner: { driver: 'scripted' } },
      drivers: {
        scripted: createScriptedDriver(() => {
          written.add('plan.md');
          return [{ do: 'answer', output: 'planned' }];
        }),
      },
    });
    expect((await onlyHandout(engine, id)).step).toBe('build');
  });

  test('a role whose driver is `attended` is handed out in any run', async () => {
    const engine = await rig.open({ roles: { planner: { driver: 'attended', prompt: 'You plan.' } } });
    const run = await engine.start(two);
    await run.wait('idle');
    expect((await onlyHandout(engine, run.id)).prompt).toContain('You plan.');
  });
});

describe('questions', () => {
  const asking = defineWorkflow({
    name: 'asking',
    steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', supportsQuestions: true, next: null }],
  });
  const questions = [{ question: 'Which database?', options: ['Postgres', 'SQLite'] }];

  test('questions wait for a person, and a fresh attempt gets the answers; no retry is used up', async () => {
    const { engine, id } = await begun(asking);
    const { token } = await onlyHandout(engine, id);
    await engine.run(id).ask({ token, questions });
    await engine.run(id).wait('idle');
    expect((await engine.run(id).get()).waits.map(({ kind }) => kind)).toEqual(['answer']);
    expect(await engine.run(id).questions()).toMatchObject([{ step: 'work', questions: [{ question: 'Which database?' }] }]);
    await engine.run(id).answer({ answers: ['SQLite'], actor: 'ann' });
    await engine.run(id).wait('idle');
    const fresh = await onlyHandout(engine, id);
    expect(fresh.attempt).toBe(2);
    expect(fresh.prompt).toContain('"answer": "SQLite"');
    const spent = await errorOf(engine.run(id).report({ token, result: null }));
    expect([spent.code, spent.message]).toEqual([
      'TOKEN_SPENT',
      `attempt 1 of step "work" of run ${id} ended with a question; once a person has answered it, the step is open again with a new token; "next" prints the step that is open now`,
    ]);
    await engine.run(id).report({ token: fresh.token, result: null });
    expect((await engine.run(id).wait()).status).toBe('completed');
  });

  test('questions of a driven agent are handled like those of an attended one', async () => {
    let asked = 0;
    const driver = createScriptedDriver(({ prompt }) => {
      asked += 1;
      if (asked === 1) return { kind: 'asks', questions: [{ question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }] };
      return { kind: 'answered', success: true, output: prompt };
    });
    const { engine, id } = await begun(asking, { roles: { worker: { driver: 'scripted' } }, drivers: { scripted: driver } });
    await engine.run(id).answer({ answers: ['b'], actor: 'ann' });
    expect((await engine.run(id).wait()).output).toContain('"answer": "b"');
  });

  test('questions that are invalid, or that the step does not accept, are refused', async () => {
    const { engine, id } = await begun(asking);
    const { token } = await onlyHandout(engine, id);
    expect((await errorOf(engine.run(id).ask({ token, questions: [] }))).message).toContain('1 to 3 questions');
    const other = await begun(two);
    const closed = await onlyHandout(other.engine, other.id);
    expect(await codeOf(other.engine.run(other.id).ask({ token: closed.token, questions }))).toBe('NOT_ALLOWED');
  });
});

describe('capacity', () => {
  test('a used-up quota is a wait until its reset, not a failure', async () => {
    const clock = createVirtualClock();
    let calls = 0;
    const driver = createScriptedDriver(() => {
      calls += 1;
      return calls === 1
        ? [{ do: 'fail', failure: 'quota', message: 'limit reached', resumeAt: clock.now() + 3_600_000 }]
        : [{ do: 'answer' }];
    });
    const one = defineWorkflow({ name: 'one', steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', next: null }] });
    const { engine, id } = await begun(one, { clock, roles: { worker: { driver: 'scripted' } }, drivers: { scripted: driver } });
    expect((await engine.run(id).get()).waits).toMatchObject([{ kind: 'capacity', due: clock.now() + 3_600_000 }]);
    clock.advance(3_600_000);
    expect((await engine.run(id).wait()).status).toBe('completed');
    expect(calls).toBe(2);
  });
});
