import { expect, test } from 'vitest';
import { compileGraph } from '../../authoring/graph/graph.ts';
import type { GraphSpec } from '../../authoring/graph/spec.ts';
import { REGISTRY } from '../registry.ts';

const compile = (each: object) =>
  compileGraph({ name: 'w', steps: [{ id: 'all', title: 'All', each, next: null }] } as unknown as GraphSpec, REGISTRY);

test('the body of an each is one step with its name', () => {
  const { definition } = compile({ items: 'params.list', step: { command: 'true' }, concurrency: 2 });
  expect(definition.steps[0]).toMatchObject({ kind: 'each', items: 'params.list', concurrency: 2, body: { id: 'all', kind: 'command' } });
});

test('an each without a list is refused, and so is a field that it does not have', () => {
  expect(() => compile({ items: ' ', step: { command: 'true' } })).toThrow('`items` must name the list');
  expect(() => compile({ items: 'params.list', body: {}, step: { command: 'true' } })).toThrow('an each has no field "body"');
});
