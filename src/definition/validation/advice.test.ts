import { describe, expect, test } from 'vitest';
import { compileGraph, compileWorkflow } from '../../authoring/graph/graph.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { adviceOn } from './advice.ts';

const uncovered = (step: object, compile: 'record' | 'list' = 'record'): string[] => {
  const { definition } =
    compile === 'list'
      ? compileGraph({ name: 'w', steps: [{ id: 'a', ...step }] } as never, REGISTRY)
      : compileWorkflow({ name: 'w', steps: { a: step } } as never, REGISTRY);
  return adviceOn(definition, REGISTRY).flatMap(({ code, message }) => (code === 'OUTCOME_UNCOVERED' ? [message] : []));
};
const ask = (...labels: string[]) => ({ human: { prompt: 'p', options: labels.map((label) => ({ label })) } });
const STOPS = ', so the run would stop and ask a person';

describe('a success without a transition is reported', () => {
  test('an answer that next does not name', () => {
    expect(uncovered({ ...ask('a', 'b'), next: { a: null } })).toEqual([
      `\`next\` has no transition for the answer "b", whose outcome is "ok"${STOPS}`,
    ]);
  });

  test('an answer with an outcome of its own', () => {
    const human = { prompt: 'p', options: [{ label: 'go' }, { label: 'later', outcome: 'wait' }] };
    expect(uncovered({ human, next: { ok: null, go: null } })).toEqual([
      `\`next\` has no transition for the answer "later", whose outcome is "wait"${STOPS}`,
    ]);
  });

  test('the end of work as planned', () => {
    expect(uncovered({ command: 'x', next: { fail: null } })).toEqual([`\`next\` has no transition for outcome "ok"${STOPS}`]);
  });

  test('an outcome that the step chooses itself', () => {
    const route = { outcomes: ['small', 'large'], choose: () => 'ok' };
    expect(uncovered({ command: 'x', route, next: { ok: null, small: null } }, 'list')).toEqual([
      `\`next\` has no transition for outcome "large"${STOPS}`,
    ]);
  });
});

test.each([
  ['a text as next', { ...ask('a', 'b'), next: null }],
  ['a default', { ...ask('a', 'b'), next: { a: null, _default: null } }],
  ['a rejection, which ends the run as rejected', { human: { prompt: 'p' }, next: { approve: null } }],
  ['answers that lead somewhere themselves', { human: { prompt: 'p', options: [{ label: 'a', nextStep: 'complete' }] } }],
  ['a failure, which is escalated', { command: 'x', next: { ok: null } }],
])('nothing is uncovered with %s', (_, step) => {
  expect(uncovered(step)).toEqual([]);
});
