// The example of a flow under attack, which takes longer than the others (test/hostile/examples.test.ts).

import { expect, test } from 'vitest';
import { createExample, stagesOf } from '../../examples/flow/example.ts';
import { runHostile } from '../../src/proof/index.ts';
import { judged } from '../hostile/judged.ts';

test('the flow: stages verify the claims of the implementer and the fixer', async () => {
  const result = await runHostile((directory) => createExample({ directory }).compiled, {
    params: { inputData: 'slug' },
    engine: { stages: stagesOf('slug') },
  });
  expect(judged(result)).toEqual({ enforced: ['verify/fix'], advised: ['implement'] });
});
