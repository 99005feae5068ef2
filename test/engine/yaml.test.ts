// Workflow files on the real engine: what the forms of a file mean when they run.

import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draftYaml } from '../../src/authoring/yaml/compile/compile.ts';
import { readYamlWorkflow } from '../../src/authoring/yaml/read/read.ts';
import type { CompiledWorkflow } from '../../src/definition/code.ts';
import { REGISTRY } from '../../src/kinds/registry.ts';
import { createRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = createRig();
});
afterEach(() => rig.close());

/** The workflow of a file with these lines below its head. */
function workflowOf(lines: string): CompiledWorkflow {
  const text = `apiVersion: pawl.dev/v1\nkind: Workflow\nmetadata:\n  name: w\n${lines}`;
  const { document, problems } = readYamlWorkflow(text, 'w.yaml', { compilers: REGISTRY });
  expect(problems).toEqual([]);
  if (document === undefined) throw new Error('no document');
  const draft = draftYaml(document, REGISTRY);
  if (draft.finish === undefined) throw new Error(JSON.stringify(draft.problems));
  return draft.finish();
}

const NOTES = `
params:
  who: { description: whom to greet, default: ann }
context:
  greeting: "hello {{ params.who }}"
  wish: ""
stages:
  - id: write
    type: command
    run: printf '%s' "$TEXT" > NOTES.md
    env:
      TEXT: "{{ context.greeting }}{{ wish }}"
  - id: check
    type: gate
    conditions:
      - check: command
        run: grep -q please NOTES.md
    on_fail:
      goto: write
      context:
        wish: ", please ({{ gate.failed_checks | length }} to mend)"
      max_iterations: 2
      then: escalate
  - id: ask
    type: human
    prompt: "Publish {{ context.greeting }}?"
    on_reject: fail
`;

describe('a workflow file', () => {
  test('a workflow file runs: templates are filled in, a gate sends back with context, a person decides', async () => {
    const definition = workflowOf(NOTES);
    const engine = await rig.open({ workflows: [definition] });
    const run = await engine.start(definition, { who: '$(id)"; x' });
    await run.wait('idle');
    expect(readFileSync(rig.path('NOTES.md'), 'utf8')).toBe('hello $(id)"; x, please (1 to mend)');
    const [approval] = await engine.run(run.id).approvals();
    expect(approval?.question.prompt).toBe('Publish hello $(id)"; x?');
    await engine.run(run.id).decide({ option: 'approve', actor: 'ann' });
    const view = await run.wait();
    expect(view.status).toBe('completed');
    expect(view.steps.map(({ path, outcome }) => `${path} ${outcome}`)).toEqual([
      'write#1 ok',
      'check#1 fail',
      'write#2 ok',
      'check#2 ok',
      'ask#1 ok',
    ]);
  });

  test('a false condition skips its stage to the stage in skip_to', async () => {
    const definition = workflowOf(`
params: { docs: { description: whether there are docs, type: boolean } }
stages:
  - { id: docs, type: command, run: "false", condition: "{{ params.docs }}", skip_to: last }
  - { id: never, type: command, run: "false" }
  - { id: last, type: command, run: "true" }
`);
    const engine = await rig.open({ workflows: [definition] });
    const view = await (await engine.start(definition, { docs: false })).wait();
    expect([view.status, ...view.steps.map(({ path }) => path)]).toEqual(['completed', 'docs#1', 'last#1']);
  });

  test('an error is retried as often as the stage says, then takes the transition for errors', async () => {
    const definition = workflowOf(`
stages:
  - id: flaky
    type: command
    run: echo x >> tries; exit 1
    on_error: { retry: 2, then: mend }
  - { id: end, type: command, run: "true", on_success: complete }
  - { id: mend, type: command, run: "true" }
`);
    const engine = await rig.open({ workflows: [definition] });
    const view = await (await engine.start(definition)).wait();
    expect([view.status, view.steps.at(-1)?.path]).toEqual(['completed', 'mend#1']);
    expect(readFileSync(rig.path('tries'), 'utf8')).toBe('x\nx\nx\n');
  });

  test('a transition with a delay waits before its target, and the delay is recorded as a step', async () => {
    const definition = workflowOf(`
stages:
  - { id: a, type: command, run: "true", on_complete: { delay: 10ms, then: b } }
  - { id: b, type: command, run: "true" }
`);
    const engine = await rig.open({ workflows: [definition] });
    const view = await (await engine.start(definition)).wait();
    expect(view.steps.map(({ path }) => path)).toEqual(['a#1', 'a.on_complete.delay#1', 'b#1']);
  });

  test('the trigger and the frozen settings can be read', async () => {
    writeFileSync(rig.path('out'), '');
    const definition = workflowOf(`
context:
  issue_number: "{{ trigger.issue.number }}"
  base: "{{ config.project.default_branch }}"
stages:
  - { id: a, type: command, run: 'echo "$N $B" > out', env: { N: "{{ issue_number }}", B: "{{ context.base }}" } }
`);
    const engine = await rig.open({ workflows: [definition] });
    const facts = { $trigger: { issue: { number: 42 } }, $config: { project: { default_branch: 'main' } } };
    expect((await (await engine.start(definition, {}, { facts })).wait()).status).toBe('completed');
    expect(readFileSync(rig.path('out'), 'utf8')).toBe('42 main\n');
  });
});
