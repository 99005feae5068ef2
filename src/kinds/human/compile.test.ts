import { expect, test } from 'vitest';
import { REGISTRY } from '../registry.ts';
import { step } from '../step-builder.ts';

test('a question without answers of its own can be approved or rejected', () => {
  const { model } = step('ask').human({ prompt: 'Ship it?' }).bound;
  expect(model).toMatchObject({
    kind: 'human',
    question: {
      prompt: 'Ship it?',
      options: [
        { label: 'approve', outcome: 'ok' },
        { label: 'reject', outcome: 'reject' },
      ],
    },
  });
});

test('a question that only waits for its answer is asked again after a crash, and leaves nothing outside the run', () => {
  const { recovery, pipeline, effects } = REGISTRY.kinds.human;
  expect({ recovery, pipeline, effects }).toEqual({ recovery: 'rerun', pipeline: 'human', effects: 'none' });
});

test('a stage says only what differs from approve and reject', () => {
  const words = { checkOf: () => null, memberOf: () => ({}), goto: () => 'next' };
  const { model } = step('ask').human({ prompt: 'Ship it?' }).bound;
  expect(REGISTRY.kinds.human.write?.(model, words)).toEqual({ prompt: 'Ship it?' });
  const asked = step('ask').human({ prompt: 'Which?', options: ['left', 'right'] }).bound.model;
  expect(REGISTRY.kinds.human.write?.(asked, words)).toMatchObject({ options: [{ label: 'left' }, { label: 'right' }] });
});
