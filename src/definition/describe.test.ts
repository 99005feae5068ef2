import { expect, test } from 'vitest';
import { compileGraph } from '../authoring/graph/graph.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { describeGraph, toMermaid } from './describe.ts';

const { definition } = compileGraph(
  {
    name: 'wf',
    title: 'Work',
    steps: [
      { id: 'write', title: 'Write "it"', next: 'review' },
      {
        id: 'review',
        parallel: {
          branches: [
            { id: 'a', handler: () => {} },
            { id: 'b', handler: () => {} },
          ],
        },
        next: { ok: { condition: 'result.ok', onTrue: 'ask', onFalse: 'write', maxIterations: 2 }, reject: 'reject' },
      },
      {
        id: 'ask',
        human: {
          prompt: 'Ship?',
          options: [
            { label: 'Yes', nextStep: null, ends: 'completed' },
            { label: 'No', nextStep: 'write' },
          ],
        },
      },
    ],
  },
  REGISTRY,
);

test('a graph is nodes and arrows; outcomes with the same target share one', () => {
  const { nodes, arrows } = describeGraph(definition);
  expect(nodes.map(({ id, kind, isEntry, isTerminal, asksPerson }) => [id, kind, isEntry, isTerminal, asksPerson])).toEqual([
    ['write', 'task', true, false, false],
    ['review', 'parallel', false, true, false],
    ['ask', 'human', false, true, true],
  ]);
  expect(nodes[1]?.members.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(arrows).toEqual([
    { from: 'write', to: 'review', toEnd: false, on: ['ok', 'skip'], via: 'edge', isBack: false },
    { from: 'review', to: 'ask', toEnd: false, on: ['ok'], via: 'edge', condition: 'result.ok', isBack: false },
    { from: 'review', to: 'write', toEnd: false, on: ['ok'], via: 'edge', condition: 'not (result.ok)', max: 2, isBack: true },
    { from: 'review', to: 'escalate', toEnd: true, on: ['ok'], via: 'bound', condition: 'not (result.ok)', isBack: false },
    { from: 'review', to: 'reject', toEnd: true, on: ['reject'], via: 'edge', isBack: false },
    { from: 'ask', to: 'complete', toEnd: true, on: ['Yes'], via: 'option', isBack: false },
    { from: 'ask', to: 'write', toEnd: false, on: ['No'], via: 'option', isBack: true },
  ]);
});

test('the Mermaid text of a graph names steps by position, so that no title can break it', () => {
  expect(toMermaid(definition)).toBe(`flowchart TD
  s0["Write #34;it#34;"]
  s1["review (parallel: a, b)"]
  s2{"ask"}
  end_escalate(["escalate"])
  end_reject(["reject"])
  end_complete(["complete"])
  s0 -->|"ok, skip"| s1
  s1 -->|"ok; result.ok"| s2
  s1 -->|"ok; not (result.ok); at most 2"| s0
  s1 -.->|"ok; not (result.ok); used up"| end_escalate
  s1 -->|"reject"| end_reject
  s2 -->|"Yes"| end_complete
  s2 -->|"No"| s0
`);
});
