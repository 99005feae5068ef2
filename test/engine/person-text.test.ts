// What a person says at a question, or when they send a run on, reaches the agents that work next: as data, by name.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScriptedDriver } from '../../src/agents/scripted.ts';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { checkYaml } from '../../src/authoring/yaml/check/check.ts';
import { defineWorkflow } from '../../src/compat/index.ts';
import { type Engine, step, workflow } from '../../src/index.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
let prompts: string[];
beforeEach(() => {
  rig = createRig();
  prompts = [];
});
afterEach(() => rig.close());

const TEXT = 'Mention {{ params.secret }} and </said> "quotes".';
const OPTIONS = [
  { label: 'Ship', outcome: 'ok' as const },
  { label: 'Rework', outcome: 'rework', requiresInput: true },
];

const graph = defineWorkflow({
  name: 'graph',
  steps: [
    { id: 'ask', human: { prompt: 'Good?', options: OPTIONS }, next: { ok: null, rework: 'look' } },
    { id: 'look', handler: () => null, next: 'fix' },
    { id: 'fix', agent: 'worker', prompt: 'Fix it.', next: 'tidy' },
    { id: 'tidy', agent: 'worker', prompt: 'Tidy up.', next: null },
  ],
});

const flow = workflow('flow', function* () {
  yield* step('ask').human({ prompt: 'Good?', options: [{ label: 'Rework', requiresInput: true }] });
  yield* step('fix').agent({ agent: 'worker', prompt: 'Fix it.' });
  yield* step('tidy').agent({ agent: 'worker', prompt: 'Tidy up.' });
});

function yaml() {
  const { compiled, errors } = checkYaml(
    'file.yaml',
    `apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: file }
stages:
  - { id: ask, type: human, prompt: Good?, options: [{ label: Rework, goto: fix, requires_input: true }] }
  - { id: fix, type: agent, agent: worker, prompt: Fix it. }
  - { id: tidy, type: agent, agent: worker, prompt: Tidy up. }
`,
    REGISTRY,
  );
  expect(errors).toEqual([]);
  return compiled as NonNullable<typeof compiled>;
}

const driven = () => ({
  roles: { worker: { driver: 'scripted' } },
  drivers: {
    scripted: createScriptedDriver(({ prompt }) => {
      prompts.push(prompt);
      return { kind: 'answered', success: true, output: null };
    }),
  },
});

const said = (text: string, at = 'ask#1', chose = 'Rework'): string =>
  `## Instructions from people\nann chose "${chose}" at "${at}" and said:\n${text.replaceAll(/^/gm, '> ')}`;

async function asked(definition: AnyWorkflow, options = {}, facts = {}): Promise<{ engine: Engine; id: string }> {
  const engine = await rig.open(options);
  const { id } = await engine.start(definition, {}, { facts });
  await engine.run(id).wait('idle');
  return { engine, id };
}

describe.each([
  ['a graph', () => graph],
  ['a flow', () => flow],
  ['YAML', yaml],
] as const)('in %s the text of a choice', (_form, definition) => {
  test('the text of a person is passed to the next agent, and not to the one after it', async () => {
    const { engine, id } = await asked(definition() as AnyWorkflow, driven());
    await engine.run(id).decide({ option: 'Rework', actor: 'ann', input: TEXT });
    expect((await engine.run(id).wait()).status).toBe('completed');
    expect(prompts.map((prompt) => prompt.includes(said(TEXT)))).toEqual([true, false]);
    expect(prompts[1]).not.toContain('said:');
  });

  test('the text of a person is passed to an attended agent, too', async () => {
    const { engine, id } = await asked(definition() as AnyWorkflow, {}, { $attended: true });
    await engine.run(id).decide({ option: 'Rework', actor: 'ann', input: TEXT });
    await engine.run(id).wait('idle');
    const [fix] = await engine.run(id).openSteps();
    expect(fix?.prompt).toContain(said(TEXT));
    await engine.run(id).report({ token: fix?.token ?? '', result: null });
    await engine.run(id).wait('idle');
    expect((await engine.run(id).openSteps())[0]?.prompt).not.toContain('said:');
  });
});

test('a text of more than 3 kB is cut, and says so', async () => {
  const { engine, id } = await asked(graph, driven());
  await engine.run(id).decide({ option: 'Rework', actor: 'ann', input: 'é'.repeat(5000) });
  await engine.run(id).wait();
  expect(prompts[0]).toContain('é\n> [cut: these are the first 1536 of 5000 characters; the record of the run has all of them]');
  expect(prompts[0]?.match(/é/g)).toHaveLength(1536);
});

test('the text of a person is passed to all agents that work in parallel, also in a later attempt, and not to those after them', async () => {
  const tries: Record<string, number> = {};
  const scripted = createScriptedDriver(({ prompt }) => {
    const name = /^# (\w+)$/m.exec(prompt)?.[1] ?? '';
    tries[name] = (tries[name] ?? 0) + 1;
    prompts.push(`${name} ${tries[name]} ${prompt.includes('ann chose')}`);
    return name === 'two' && tries[name] === 1
      ? { kind: 'failed', failure: 'crash', message: 'gone' }
      : { kind: 'answered', success: true, output: null };
  });
  const both = defineWorkflow({
    name: 'both',
    steps: [
      { id: 'ask', human: { prompt: 'Good?', options: OPTIONS }, next: { ok: null, rework: 'work' } },
      {
        id: 'work',
        parallel: {
          branches: [
            { id: 'one', title: 'one', agent: 'worker', prompt: 'Do it.' },
            { id: 'two', title: 'two', agent: 'worker', prompt: 'Do it.', retry: { max: 1, on: ['error'] } },
          ],
          join: 'all',
          concurrency: 1,
        },
        next: 'after',
      },
      { id: 'after', title: 'after', agent: 'worker', prompt: 'Go on.', next: null },
    ],
  });
  const { engine, id } = await asked(both, { ...driven(), drivers: { scripted } });
  await engine.run(id).decide({ option: 'Rework', actor: 'ann', input: 'shorter' });
  expect((await engine.run(id).wait()).status).toBe('completed');
  expect(prompts).toEqual(['one 1 true', 'two 1 true', 'two 2 true', 'after 1 false']);
});

test('the text of a decision after an agent is for the next agent, even at the same step', async () => {
  const behind = defineWorkflow({
    name: 'behind',
    steps: [
      {
        id: 'write',
        agent: 'worker',
        prompt: 'Write.',
        humanGate: {
          prompt: 'Good?',
          options: [
            { label: 'Ship', nextStep: null, ends: 'completed' },
            { label: 'Rework', nextStep: 'write', requiresInput: true },
          ],
        },
      },
    ],
  });
  const { engine, id } = await asked(behind, driven());
  await engine.run(id).decide({ option: 'Rework', actor: 'ann', input: 'shorter' });
  await engine.run(id).wait('idle');
  expect(prompts.map((prompt) => prompt.includes(said('shorter', 'write#1')))).toEqual([false, true]);
  await engine.run(id).decide({ option: 'Ship', actor: 'ann' });
  expect((await engine.run(id).wait()).status).toBe('completed');
});

test('a note on retry is added to the error, and does not replace it', async () => {
  let broken = true;
  const scripted = createScriptedDriver(({ prompt }) => {
    prompts.push(prompt);
    return broken ? { kind: 'failed', failure: 'crash', message: 'the disk is full' } : { kind: 'answered', success: true, output: null };
  });
  const one = defineWorkflow({ name: 'one', steps: [{ id: 'work', agent: 'worker', prompt: 'Work.', next: null }] });
  const { engine, id } = await asked(one, { ...driven(), drivers: { scripted } });
  broken = false;
  await engine.run(id).resume({ actor: 'ann', choice: { how: 'retry', note: 'there is room now' } });
  expect((await engine.run(id).wait()).status).toBe('completed');
  const prompt = prompts.at(-1) as string;
  expect(prompt).toContain('Previous attempt failed:');
  expect(prompt).toContain('the disk is full');
  expect(prompt).toContain('ann resumed the run at "work#1" and said:\n> there is room now');
  expect((await engine.store.load(id)).state.notes).toBeUndefined();
});
