import { expect, test } from 'vitest';
import { type OpenWork, stepNames } from './attended-run.ts';

test('open steps are named once: items by their fan-out, a branch behind its group', () => {
  const work = ['plan', 'write/write', 'write/write', 'reviews/style'].map((step) => ({ step }) as OpenWork);
  expect(stepNames(work)).toEqual(['plan', 'write', 'reviews/style']);
});
