import { expect, test } from 'vitest';
import { compileGraph } from '../../authoring/graph/graph.ts';
import { REGISTRY } from '../registry.ts';
import { step } from '../step-builder.ts';

const compile = (forge: object) =>
  compileGraph(
    { name: 'w', steps: [{ id: 'a', title: 'A', forge, next: null }] } as unknown as Parameters<typeof compileGraph>[0],
    REGISTRY,
  );

test('an action of a graph is kept as its fields, and a function as a place for what it builds', () => {
  const { definition, code } = compile({ action: 'comment', target: 'pr', message: () => 'Done.' });
  expect(definition.steps[0]).toMatchObject({ kind: 'action', config: { action: 'comment', target: 'pr', message: expect.any(String) } });
  expect(code.get('a')?.built).toMatchObject([{ path: ['message'] }]);
});

test.each<[string, object, string]>([
  ['an unknown action', { action: 'merge_rp' }, 'unknown action "merge_rp"'],
  ['an unknown field', { action: 'merge_pr', methd: 'squash' }, 'merge_pr has no field "methd"'],
  ['no message', { action: 'comment' }, '"message" must be a non-empty string'],
])('%s is found before a run, in a graph and in a flow', (_what, forge, message) => {
  expect(() => compile(forge)).toThrow(message);
  expect(() => step('a').action(forge as never)).toThrow(message);
});

test('only a merge lands work', () => {
  const { lands } = REGISTRY.kinds.action;
  const [merge, close] = [compile({ action: 'merge_pr' }), compile({ action: 'close_issue' })].map(({ definition }) => definition.steps[0]);
  expect([merge, close].map((model) => model && lands?.(model))).toEqual([true, false]);
});
