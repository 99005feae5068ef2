import { expect, test } from 'vitest';
import { defineWorkflow, step, workflow, workflowFromYaml, workflowToYaml } from '../index.ts';

test('a workflow file that is read and written reads back as the same definition', async () => {
  const read = await workflowFromYaml(`apiVersion: pawl.dev/v1
kind: Workflow
metadata: { name: notes }
stages:
  - id: draft
    type: agent
    agent: writer
    prompt: Write.
    outputs: [{ name: draft, type: file, pattern: 'notes/*.md', required: true }]
  - id: check
    type: gate
    conditions: [{ check: command, run: npm test }]
    on_fail: { goto: draft, max_iterations: 2 }
`);
  const { text, differences } = await workflowToYaml(read);
  expect(differences).toEqual([]);
  expect((await workflowFromYaml(text)).hash).toBe(read.hash);
});

test('a field that a workflow file cannot have is rejected', async () => {
  const graph = defineWorkflow({ name: 'w', steps: { a: { handler: () => 1, next: null } } });
  await expect(workflowToYaml(graph)).rejects.toThrow('it contains a function');
  const flow = workflow('f', function* () {
    yield* step('a').task(() => 1);
  });
  await expect(workflowToYaml(flow)).rejects.toThrow('cannot export "f": it is a flow');
  const effect = defineWorkflow({
    name: 'e',
    steps: { a: { command: 'x', outputs: [{ name: 'row', type: 'effect', find: () => 1 }], next: null } },
  });
  await expect(workflowToYaml(effect)).rejects.toThrow('it contains a function');
});
