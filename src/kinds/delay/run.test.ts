import { expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import { type AttemptFields, createAttemptRequest } from '../../proof/attempt-request.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import { REGISTRY } from '../registry.ts';

const runner = createAttemptRunner({ cwd: '.', now: () => 0 }, REGISTRY);
const look = (fields: Partial<AttemptFields>) => runner(createAttemptRequest({ kind: 'delay', ...fields }));
const polling = (condition: Json) => ({ durationMs: 1000, poll: { intervalMs: 10, condition } });

test.each<[string, Partial<AttemptFields>, string]>([
  ['a function says so', { code: { poll: async () => true } }, 'ok'],
  ['a function denies it', { code: { poll: () => false } }, 'iterate'],
  ['an expression holds', { config: polling('checkpoint.ready'), snapshot: { data: { ready: true } } }, 'ok'],
  ['an expression does not hold', { config: polling('checkpoint.ready'), snapshot: { data: { ready: false } } }, 'iterate'],
  ['nothing is polled', { config: { durationMs: 1000 } }, 'iterate'],
])('a delay is looked at once: %s', async (_what, fields, outcome) => {
  expect(await look(fields)).toMatchObject({ type: 'settled', outcome });
});

test.each<[string, Partial<AttemptFields>]>([
  ['a function throws', { code: { poll: () => Promise.reject(new Error('db gone')) } }],
  ['a function gives no boolean', { code: { poll: () => 'soon' as unknown as boolean } }],
  ['an expression misspells a name', { config: polling('checkpoint.redy') }],
])('a delay is not over when %s: that is an error', async (_what, fields) => {
  expect(await look(fields)).toMatchObject({ type: 'errored' });
});

test('the contract of a delay is not asked at every look', async () => {
  const conditions = [{ name: 'a', error: 'x' }];
  const result = await look({
    model: { preconditions: conditions, postconditions: conditions },
    code: { poll: () => true, preconditions: [() => false], postconditions: [() => false] },
  });
  expect(result).toMatchObject({ type: 'settled', outcome: 'ok' });
});
