import { expect, test } from 'vitest';
import { arrange } from './arrange.ts';
import { drawingOf, drawnGraph } from './drawn-graph.ts';

const node = (id: string, group?: string) => ({ id, title: id, kind: 'command', ...(group === undefined ? {} : { group }) });
const edge = (from: string, to: string, outcome: string) => ({ from, to, outcome });

const graph = {
  nodes: [node('build'), node('tests'), node('tests/unit', 'tests'), node('tests/lint', 'tests'), node('approve')],
  edges: [
    ...[edge('build', 'tests', 'ok'), edge('build', 'escalate', 'fail'), edge('tests', 'approve', 'ok'), edge('tests', 'approve', 'skip')],
    ...[edge('approve', 'build', 'rework'), edge('approve', 'complete', 'ok')],
  ],
};

test('members are counted at their group, and ends are drawn', () => {
  const { nodes } = drawnGraph(graph);
  expect(nodes.map((node) => [node.id, node.is === 'step' ? node.members : 'end'])).toEqual([
    ['build', 0],
    ['tests', 2],
    ['approve', 0],
    ['complete', 'end'],
  ]);
});

test('one line leads from a step to another; only unusual outcomes are written on it', () => {
  const { edges } = drawnGraph(graph);
  expect(edges.map(({ from, to, label }) => [from, to, label])).toEqual([
    ['build', 'tests', ''],
    ['tests', 'approve', ''],
    ['approve', 'build', 'rework'],
    ['approve', 'complete', ''],
  ]);
});

test('the transition to an escalation is drawn when a run took it', () => {
  const { edges, nodes } = drawnGraph({ ...graph, taken: [{ from: 'build', to: 'escalate', outcome: 'fail', times: 2 }] });
  expect(edges.at(-1)).toMatchObject({ from: 'build', to: 'escalate', label: 'fail', times: 2 });
  expect(nodes.at(-1)).toMatchObject({ is: 'end', id: 'escalate' });
});

test('steps and labels of a graph with 200 steps do not overlap', () => {
  const many = Array.from({ length: 200 }, (_, n) => node(`step-${n}`));
  const edges = many.flatMap(({ id }, n) => [
    ...(n + 1 < many.length ? [edge(id, `step-${n + 1}`, 'ok')] : []),
    ...(n % 7 === 0 && n + 3 < many.length ? [edge(id, `step-${n + 3}`, 'skip-ahead')] : []),
    ...(n % 11 === 10 ? [edge(id, `step-${n - 5}`, 'rework')] : []),
  ]);
  const drawn = drawnGraph({ nodes: many, edges });
  const placed = arrange(drawingOf(drawn));
  const boxes = drawn.nodes.map(({ id, width, height }) => ({ ...(placed.nodes[id] as { x: number; y: number }), width, height }));
  const overlaps = boxes.flatMap((one, n) =>
    boxes
      .slice(n + 1)
      .filter((two) => Math.abs(one.x - two.x) < (one.width + two.width) / 2 && Math.abs(one.y - two.y) < (one.height + two.height) / 2),
  );
  expect(overlaps).toEqual([]);
  const labels = drawn.edges.flatMap(({ id }) => placed.edges[id]?.label ?? []);
  expect(labels.length).toBeGreaterThan(40);
  expect(
    labels.filter(({ x, y }) => boxes.some((box) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height)),
  ).toEqual([]);
});
