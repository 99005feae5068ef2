// What went wrong is kept for the agents that work next, and no longer (K20).

import { expect, test } from 'vitest';
import type { Activation } from '../../kernel/activation.ts';
import type { RunState } from '../../kernel/run-state.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import type { StepModel } from '../model.ts';
import { plainFrame } from '../plain-frame.ts';
import { type Setback, setbacksAfter } from './notes.ts';

const GATE = { ...plainFrame('gate', 'ask'), kind: 'gate', config: { checks: [] } } as unknown as StepModel;
const AGENT = { ...plainFrame('agent', 'ask'), kind: 'agent', config: { role: 'r' } } as unknown as StepModel;
const TASK = { ...plainFrame('task', 'ask'), kind: 'task', config: {} } as unknown as StepModel;
const HUMAN = { ...plainFrame('ask', 'ask'), kind: 'human', question: { prompt: '', show: [], options: [] } } as unknown as StepModel;

function after(
  setbacks: readonly Setback[],
  model: StepModel & { readonly beside?: true },
  outcome: string,
): readonly Setback[] | undefined {
  const activation = { path: `${model.id}#1`, step: model.id, side: model.beside } as Activation;
  const result = outcome === 'error' ? { outcome, error: { code: 'STEP_FAILED', message: 'gone', reason: 'error' as const } } : { outcome };
  return setbacksAfter({ setbacks } as unknown as RunState, { activation, model, result: result as never }, REGISTRY.kinds);
}

const failed = (step: string, outcome = 'fail'): Setback => ({ path: `${step}#1`, step, outcome, output: undefined, error: undefined });

test('a step that did not end well is a setback, with its error', () => {
  expect(after([], GATE, 'fail')).toEqual([failed('gate')]);
  expect(after([], TASK, 'error')).toEqual([{ ...failed('task', 'error'), error: 'gone' }]);
});

test('a step is in the list once, as it ended last, and only the last three steps are', () => {
  expect(after([failed('gate')], GATE, 'conflict')).toEqual([failed('gate', 'conflict')]);
  expect(
    after(
      ['a', 'b', 'c'].map((step) => failed(step)),
      GATE,
      'fail',
    )?.map(({ step }) => step),
  ).toEqual(['b', 'c', 'gate']);
});

test('K20: an agent that ended well has dealt with all of them, and one that did not has dealt with none', () => {
  expect(after([failed('gate'), failed('task')], AGENT, 'ok')).toEqual([]);
  expect(after([failed('gate')], AGENT, 'reject')).toEqual([failed('gate'), failed('agent', 'reject')]);
});

test('K20: a step that ends well takes back its own setback, and leaves the others', () => {
  expect(after([failed('gate'), failed('task')], GATE, 'ok')).toEqual([failed('task')]);
  expect(after([failed('gate')], TASK, 'ok')).toBeUndefined();
});

test('an action that may fail without consequence is no setback, and one that leads elsewhere is', () => {
  const action = (error: string): StepModel =>
    ({
      ...plainFrame('tell', 'ask'),
      kind: 'action',
      config: {},
      next: { ok: { to: { step: 'a' } }, error: { to: { step: error } } },
    }) as unknown as StepModel;
  expect(after([], action('a'), 'error')).toBeUndefined();
  expect(after([], action('b'), 'error')?.map(({ step }) => step)).toEqual(['tell']);
});

test('the choice of a person is not a setback, nor is the failure of a side step', () => {
  expect(after([], HUMAN, 'rework')).toBeUndefined();
  expect(after([], { ...TASK, beside: true }, 'fail')).toBeUndefined();
});
