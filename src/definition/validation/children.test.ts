import { describe, expect, test } from 'vitest';
import { compileGraph } from '../../authoring/graph/graph.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { CompiledWorkflow } from '../code.ts';
import { checkChildren, childNames, indexWorkflows } from './children.ts';

const starts = (name: string, ...children: (string | CompiledWorkflow)[]) =>
  compileGraph(
    {
      name,
      steps: [
        ...children.map((workflow, index) => ({ id: `s${index}`, workflow, next: index + 1 < children.length ? `s${index + 1}` : 'end' })),
        { id: 'end', next: null },
      ],
    },
    REGISTRY,
  );
const check = (...workflows: CompiledWorkflow[]) => {
  checkChildren(new Map(workflows.map((workflow) => [workflow.definition.name, workflow])));
};

describe('children', () => {
  test('children may form a diamond', () => {
    check(starts('a', 'b', 'c'), starts('b', 'd'), starts('c', 'd'), starts('d'));
    check(starts('a', starts('given')));
  });

  test('children that do not exist are reported with the step that starts them and a suggestion', () => {
    expect(() => check(starts('a', 'deply'), starts('deploy'))).toThrow(
      expect.objectContaining({
        code: 'WORKFLOW_UNKNOWN',
        message: expect.stringContaining(
          'step "s0" of workflow "a" starts the workflow "deply", which does not exist (did you mean "deploy"?)',
        ),
      }),
    );
  });

  test('children that start their own parent are reported with the whole cycle', () => {
    expect(() => check(starts('x', 'a'), starts('a', 'ok', 'b'), starts('ok'), starts('b', 'c'), starts('c', 'a'))).toThrow(
      expect.objectContaining({ code: 'DEFINITION_CYCLE', message: expect.stringContaining('a → b → c → a;') }),
    );
    expect(() => check(starts('self', 'self'))).toThrow(expect.objectContaining({ details: { cycle: ['self', 'self'] } }));
  });

  test('children are found inside groups too', () => {
    const group = compileGraph(
      {
        name: 'a',
        steps: [{ id: 'g', parallel: { branches: [{ id: 'x', workflow: 'missing' }] }, next: null }],
      },
      REGISTRY,
    );
    expect(childNames(group)).toEqual(['missing']);
    expect(() => check(group)).toThrow('step "g" of workflow "a" starts the workflow "missing"');
  });
});

test('two workflows with the same name are rejected with both locations', () => {
  const one = { workflow: starts('a'), origin: 'workflows/one.ts' };
  expect([...indexWorkflows([one]).keys()]).toEqual(['a']);
  expect(() => indexWorkflows([one, { workflow: starts('a'), origin: 'plugin/two.ts' }])).toThrow(
    expect.objectContaining({ code: 'WORKFLOW_DUPLICATE', message: expect.stringMatching(/workflows\/one\.ts.*plugin\/two\.ts/) }),
  );
});
