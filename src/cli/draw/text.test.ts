import { expect, test } from 'vitest';
import { defineWorkflow } from '../../api/workflow.ts';
import { describeGraph } from '../../definition/describe.ts';
import type { Definition } from '../../definition/model.ts';
import { widthOf } from '../terminal.ts';
import { drawText } from './text.ts';

const LOOK = { isTerminal: true, hasColor: false, hasUnicode: true, columns: 80 };

const { definition } = defineWorkflow({
  name: 'notes',
  title: 'Write release notes',
  steps: {
    draft: { command: 'x', title: 'Draft the notes', next: 'check' },
    check: {
      gate: { checks: ['x'] },
      next: { ok: 'ask', fail: { to: 'revise', maxIterations: 3, onExhausted: 'escalate' } },
    },
    revise: { command: 'x', next: 'check' },
    ask: {
      human: {
        prompt: 'p',
        options: [
          { label: 'publish', nextStep: 'publish' },
          { label: 'rework', nextStep: 'revise' },
        ],
      },
    },
    publish: { parallel: { branches: { web: { command: 'x' }, mail: { command: 'y' } } }, next: null },
  },
}).compiled;

test('a graph is drawn from top to bottom, with a branch for every other transition', () => {
  expect(drawText(describeGraph(definition), LOOK)).toBe(`notes: Write release notes

○ draft    command  Draft the notes
│ ok, skip
○ check    gate
├─ ok → ask
├─ fail; used up ■ escalate
│ fail; at most 3
○ revise   command
├─ ok, skip; at most 10 ↑ check
└─ ok, skip; used up ■ escalate

○ ask      human
├─ rework ↑ revise
│ publish
○ publish  parallel
│    ○ web  command
│    ○ mail  command
└─ ok, skip ■ complete
`);
});

test('a drawing fits the terminal and does not need Unicode', () => {
  const long = {
    ...definition,
    title: 'x'.repeat(200),
    steps: definition.steps.map((step) => ({ ...step, title: 't'.repeat(200) })),
  } as Definition;
  const lines = drawText(describeGraph(long), { ...LOOK, hasUnicode: false, columns: 60 }).split('\n');
  expect(lines.filter((line) => widthOf(line) > 60)).toEqual([]);
  expect(lines.filter((line) => /[^\x20-\x7e]/.test(line))).toEqual([]);
});

test('the states of a run are shown', () => {
  const graph = describeGraph(definition);
  const states = ['done', 'failed', 'current', 'ahead', 'skipped'] as const;
  const nodes = graph.nodes.map((node, index) => ({ ...node, state: states[index] ?? 'ahead', visits: 2 }));
  const heads = drawText({ ...graph, nodes }, LOOK).match(/^[✓✗●○–] .*$/gm);
  expect(heads?.map((head) => head.slice(0, 3))).toEqual(['✓ d', '✗ c', '● r', '○ a', '– p']);
  expect(heads?.[1]).toContain('2 visits');
});
