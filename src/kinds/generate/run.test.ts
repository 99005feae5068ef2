import { expect, test } from 'vitest';
import { createAttemptRequest } from '../../proof/attempt-request.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import { REGISTRY } from '../registry.ts';

const run = createAttemptRunner({ cwd: '.', now: () => 0 }, REGISTRY);
const generate = (value: unknown) =>
  run(createAttemptRequest({ kind: 'generate', config: { prompt: 'Write.' }, code: { agent: { execute: async () => value } as never } }));

test('a text is the output of a generator', async () => {
  expect(await generate('Dear all')).toMatchObject({ type: 'settled', outcome: 'ok', output: 'Dear all' });
});

test.each([[{ text: 'x' }], [7], [null]])('anything else, such as %j, is an error', async (value) => {
  expect(await generate(value)).toMatchObject({
    type: 'errored',
    error: { code: 'STEP_OUTPUT_INVALID', message: expect.stringContaining('must be a string') },
  });
});
