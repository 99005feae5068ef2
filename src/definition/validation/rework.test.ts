import { expect, test } from 'vitest';
import { defineWorkflow } from '../../compat/index.ts';
import { entryOf } from '../../definition/model.ts';
import { REGISTRY } from '../../kinds/registry.ts';
import { defineStepKind } from '../custom-kind.ts';
import { arg } from '../param/arg.ts';
import { bypassesIn } from './rework.ts';

function bypasses(rework: string, more: Parameters<typeof defineWorkflow>[0]['steps'] = []) {
  const { compiled } = defineWorkflow({
    name: 'w',
    steps: [
      { id: 'work', handler: () => ({}), next: 'check' },
      { id: 'check', gate: { checks: ['true'] }, next: { ok: 'ask', fail: 'work' } },
      {
        id: 'ask',
        human: {
          prompt: 'Good?',
          options: [
            { label: 'yes', nextStep: null, ends: 'completed' },
            { label: 'again', nextStep: rework },
          ],
        },
        next: null,
      },
      ...more,
    ],
  });
  return bypassesIn(compiled.definition.steps, entryOf(compiled.definition) as string, REGISTRY);
}

test('rework that passes the checks again bypasses nothing', () => {
  expect(bypasses('work')).toEqual([]);
});

test('rework that returns to the question without a check is found, with the check it misses', () => {
  const fix = { id: 'fix', handler: () => ({}), next: 'ask' };
  expect(bypasses('fix', [fix])).toEqual([{ question: 'ask', rework: 'fix', check: 'check' }]);
});

test("rework by a kind of the application's own is found as well", () => {
  const mend = defineStepKind({ kind: 'mend', parse: () => ({}), run: () => ({ outcome: 'ok', output: null }) });
  expect(bypasses('fix', [{ id: 'fix', use: mend({}), next: 'ask' }])).toEqual([{ question: 'ask', rework: 'fix', check: 'check' }]);
});

test('rework on a longer path is found as well', () => {
  const fix = { id: 'fix', handler: () => ({}), next: 'wait' };
  expect(bypasses('fix', [fix, { id: 'wait', delay: '1s', next: 'ask' }])).toEqual([{ question: 'ask', rework: 'fix', check: 'check' }]);
});

test('a path back without work needs no check', () => {
  expect(bypasses('wait', [{ id: 'wait', delay: '1s', next: 'ask' }])).toEqual([]);
});

test('a check that was not on every path is not required', () => {
  const { compiled } = defineWorkflow({
    name: 'w',
    steps: [
      { id: 'work', handler: () => ({}), next: { condition: 'params.quick == true', onTrue: 'ask', onFalse: 'check' } },
      { id: 'check', gate: { checks: ['true'] }, next: { ok: 'ask', fail: null } },
      {
        id: 'ask',
        human: {
          prompt: 'Good?',
          options: [
            { label: 'yes', nextStep: null },
            { label: 'again', nextStep: 'fix' },
          ],
        },
        next: null,
      },
      { id: 'fix', handler: () => ({}), next: 'ask' },
    ],
    params: { quick: arg({ description: 'quick', type: 'boolean', default: false }) },
  });
  expect(bypassesIn(compiled.definition.steps, entryOf(compiled.definition) as string, REGISTRY)).toEqual([]);
});
