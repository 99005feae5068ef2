import { expect, test } from 'vitest';
import { compileGraph } from '../../authoring/graph/graph.ts';
import type { GraphSpec } from '../../authoring/graph/spec.ts';
import { REGISTRY } from '../registry.ts';

const compile = (branches: readonly object[], join?: string) =>
  compileGraph(
    { name: 'w', steps: [{ id: 'all', title: 'All', parallel: { branches, join }, next: null }] } as unknown as GraphSpec,
    REGISTRY,
  );
const branch = (id: string) => ({ id, title: id, command: 'true' });

test('branches are the members of the step, in the order written', () => {
  const { definition } = compile([branch('a'), branch('b')], 'any');
  expect(definition.steps[0]).toMatchObject({ kind: 'parallel', members: [{ id: 'a' }, { id: 'b' }], join: { rule: 'any' } });
});

test('a step without branches is refused, and so is a join that waits for more than there are', () => {
  expect(() => compile([])).toThrow('`branches` must have at least one branch');
  expect(() => compile([branch('a')], '2-of-1')).toThrow();
});
