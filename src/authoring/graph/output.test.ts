import { describe, expect, test } from 'vitest';
import { arg } from '../../definition/param/arg.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { compileGraph } from './graph.ts';
import { stepOrder, stepOutput } from './output.ts';

const compiled = compileGraph(
  {
    name: 'wf',
    params: { mode: arg({ choices: ['quick', 'full'], default: 'full' }) },
    steps: [
      { id: 'plan', title: 'Plan', actions: ({ mode }) => [`Plan in ${mode} mode`], next: { ok: 'areas', skip: 'ask', fail: null } },
      { id: 'areas', command: 'x', parallel: true, parallelKey: 'xs', actions: ['One area'], next: { _default: 'check' } },
      { id: 'check', next: { condition: 'result.ok', onTrue: 'ask', onFalse: 'plan' } },
      {
        id: 'ask',
        human: {
          prompt: '?',
          options: [
            { label: 'Again', nextStep: 'plan' },
            { label: 'End', nextStep: null },
          ],
        },
      },
    ],
  },
  REGISTRY,
);

describe('the instructions of a step', () => {
  test('its instructions are made with the parameters, defaults included', () => {
    expect(stepOutput(compiled, 'plan')).toEqual({ title: 'Plan', actions: ['Plan in full mode'], nextCommand: 'next: areas' });
    expect(stepOutput(compiled, 'plan', { mode: 'quick' }).actions).toEqual(['Plan in quick mode']);
  });

  test('a fan-out has the instructions of its body', () => {
    expect(stepOutput(compiled, 'areas')).toEqual({ title: 'areas', actions: ['One area'], nextCommand: 'next: check' });
  });

  test('the next command names every step that success can lead to, or nothing at the end', () => {
    expect(stepOutput(compiled, 'check').nextCommand).toBe('next: ask | plan');
    expect(stepOutput(compiled, 'ask').nextCommand).toBe('next: plan');
    expect(stepOutput(compileGraph({ name: 'one', steps: [{ id: 'a', next: null }] }, REGISTRY), 'a').nextCommand).toBeNull();
  });

  test('they do not change', () => {
    expect(() => (stepOutput(compiled, 'areas').actions as string[]).push('x')).toThrow(TypeError);
  });

  test('a step or a parameter that does not exist is refused', () => {
    expect(() => stepOutput(compiled, 'pln')).toThrow(
      expect.objectContaining({ code: 'STEP_UNKNOWN', message: expect.stringContaining('has no step "pln" (did you mean "plan"?)') }),
    );
    expect(() => stepOutput(compiled, 'plan', { mood: 'x' })).toThrow(expect.objectContaining({ code: 'PARAMS_INVALID' }));
  });
});

test('the order of the steps is the order written', () => {
  expect(stepOrder(compiled)).toEqual(['plan', 'areas', 'check', 'ask']);
});
