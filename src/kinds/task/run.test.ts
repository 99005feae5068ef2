import { expect, test } from 'vitest';
import { createAttemptRequest } from '../../proof/attempt-request.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import { REGISTRY } from '../registry.ts';

const run = createAttemptRunner({ cwd: '.', now: () => 0 }, REGISTRY);

test('a task is what its function returns', async () => {
  const code = { run: async () => ({ outcome: 'fail', output: { n: 1 } }) };
  expect(await run(createAttemptRequest({ kind: 'task', code }))).toMatchObject({ type: 'settled', outcome: 'fail', output: { n: 1 } });
});

test('a task without its function is an error that is not tried again', async () => {
  expect(await run(createAttemptRequest({ kind: 'task' }))).toMatchObject({
    type: 'errored',
    error: { code: 'STEP_FAILED', retryable: false, message: expect.stringContaining('has no function') },
  });
});

test('a task that is stopped is not waited for', async () => {
  const stop = new AbortController();
  const result = run(createAttemptRequest({ kind: 'task', code: { run: () => new Promise(() => undefined) }, signal: stop.signal }));
  stop.abort();
  expect(await result).toMatchObject({ type: 'errored', error: { reason: 'timeout' } });
});
