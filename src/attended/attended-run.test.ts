import { expect, test } from 'vitest';
import { type OpenWork, stepNames } from './attended-run.ts';

test('each open step is named once: items by their fan-out, a branch with its group', () => {
  const work = ['plan', 'write/write', 'write/write', 'reviews/style'].map((step) => ({ step }) as OpenWork);
  expect(stepNames(work)).toEqual(['plan', 'write', 'reviews/style']);
});
