// An agent saves its progress before it asks: questions without it are refused, and the next attempt gets what was saved.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { defineWorkflow, type Engine } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createRig, errorOf, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

const planning = defineWorkflow({
  name: 'planning',
  steps: { plan: { agent: 'planner', prompt: 'Plan.', supportsQuestions: true, questionState: 'plan.json', next: null } },
});
const questions = [{ question: 'Which database?', options: [{ label: 'Postgres' }, { label: 'SQLite' }] }];
const save = (text: string): void => writeFileSync(rig.path('plan.json'), text);

async function openStep(engine: Engine, id: string) {
  const [only] = await engine.run(id).openSteps();
  return only as NonNullable<typeof only>;
}

describe('an attended agent', () => {
  async function begun() {
    const engine = await rig.open();
    const run = await engine.start(planning, {}, { facts: { $attended: true } });
    await run.wait('idle');
    return { engine, run };
  }

  test('an attended agent that asks is refused while it has saved nothing, and its token stays valid', async () => {
    const { engine, run } = await begun();
    const { token, prompt } = await openStep(engine, run.id);
    expect(prompt).toContain('save your progress in files that match "plan.json"');
    const refused = await errorOf(run.ask({ token, questions }));
    expect([refused.code, refused.message]).toEqual([
      'REPORT_INVALID',
      'step "plan" requires saved progress before questions: no file matches "plan.json"; save your progress there, then ask again',
    ]);
    save('{"done": ["schema"]}');
    await run.ask({ token, questions });
    await run.wait('idle');
    expect((await run.get()).waits.map(({ kind }) => kind)).toEqual(['answer']);
  });

  test('an attended agent is told after the answer what it saved, and gets the text of what is gone since', async () => {
    const { engine, run } = await begun();
    save('{"done": ["schema"]}');
    await run.ask({ token: (await openStep(engine, run.id)).token, questions });
    await run.wait('idle');
    rmSync(rig.path('plan.json'));
    await run.answer({ answers: ['SQLite'], actor: 'ann' });
    await run.wait('idle');
    const { prompt } = await openStep(engine, run.id);
    expect(prompt).toContain('You saved your progress before you asked: plan.json.');
    expect(prompt).toContain('Changed or deleted since then: plan.json.');
    expect(prompt).toContain(String.raw`"text": "{\"done\": [\"schema\"]}"`);
  });

  test('an attended agent saves again before it asks again', async () => {
    const { engine, run } = await begun();
    save('1');
    await run.ask({ token: (await openStep(engine, run.id)).token, questions });
    await run.wait('idle');
    await run.answer({ answers: ['SQLite'], actor: 'ann' });
    await run.wait('idle');
    const again = await openStep(engine, run.id);
    expect(again.prompt).not.toContain('Changed or deleted since then');
    expect((await errorOf(run.ask({ token: again.token, questions }))).message).toContain('nothing changed in this attempt');
  });
});

describe('a driven agent', () => {
  const roles = { planner: { driver: 'scripted' } };

  test('a driven agent that asks without saved progress has failed its attempt, and the next one is told', async () => {
    const prompts: string[] = [];
    const driver = createScriptedDriver(({ prompt, attempt }) => {
      prompts.push(prompt);
      if (attempt === 2) save('half');
      return attempt < 3
        ? { kind: 'asks', questions }
        : { kind: 'answered', success: true, output: readFileSync(rig.path('plan.json'), 'utf8') };
    });
    const engine = await rig.open({ roles, drivers: { scripted: driver } });
    const run = await engine.start(planning);
    await run.wait('idle');
    expect(prompts[1]).toContain('asked before it saved its progress: no file matches "plan.json"');
    await run.answer({ answers: ['SQLite'], actor: 'ann' });
    expect((await run.wait()).output).toBe('half');
    expect(prompts[2]).toContain('You saved your progress before you asked: plan.json. Read it and go on from there.');
  });
});

test('no secret of an agent reaches the questions or the kept state', async () => {
  const driver = createScriptedDriver(() => {
    save('the key is hunter2hunter2');
    return { kind: 'asks', questions: [{ question: 'Is hunter2hunter2 right?', options: [{ label: 'yes' }, { label: 'no' }] }] };
  });
  const engine = await rig.open({
    roles: { planner: { driver: 'scripted' } },
    drivers: { scripted: driver },
    secrets: { KEY: 'hunter2hunter2' },
  });
  const run = await engine.start(planning);
  await run.wait('idle');
  expect(JSON.stringify(await run.questions())).toContain('Is [redacted:KEY] right?');
  await engine.close();
  const stored = readFileSync(rig.db);
  expect([stored.includes('[redacted:KEY] right'), stored.includes('hunter2hunter2')]).toEqual([true, false]);
});

describe('the field', () => {
  test('`question_state` needs a step that accepts questions, in code and in files', () => {
    expect(() =>
      defineWorkflow({ name: 'w', steps: { a: { agent: 'x', prompt: 'Work.', questionState: 'plan.json', next: null } } }),
    ).toThrow('`questionState` has no effect on a step that does not accept questions');
    const { errors } = checkYaml(
      'w.yaml',
      `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: w }
stages:
  - { id: a, type: agent, agent: x, prompt: Work., question_state: plan.json, on_complete: complete }
`,
      REGISTRY,
    );
    expect(errors.map(({ message }) => message)).toEqual(['"question_state" has no effect: the agent may not ask questions']);
  });
});
