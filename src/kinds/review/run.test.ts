import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { createAttemptRequest } from '../../proof/attempt-request.ts';
import type { Snapshot } from '../../steps/attempt.ts';
import { createAttemptRunner } from '../../steps/runner.ts';
import { REGISTRY } from '../registry.ts';

const run = createAttemptRunner({ cwd: '.', now: () => 0 }, REGISTRY);
const ITEMS = [{ id: 'a', severity: 'MUST', question: 'Is it right?' }];
const part = (name: string, config: JsonObject = {}, snapshot: Partial<Snapshot> = {}) =>
  run(createAttemptRequest({ kind: 'review', config: { part: name, name: 'docs', rounds: 2, ...config }, snapshot }));

test('a review begins with items that can be used, fixed or made by an agent', async () => {
  expect(await part('begin', { items: ITEMS })).toMatchObject({ outcome: 'ok', remember: { $review: { items: [{ id: 'a' }] } } });
  expect(await part('begin', {}, { results: { split: { items: ITEMS } } })).toMatchObject({ outcome: 'ok' });
});

test('items that cannot be used are sent back to whoever made them', async () => {
  const twice = { items: [...ITEMS, ...ITEMS] };
  expect(await part('begin', twice)).toMatchObject({ outcome: 'fail', output: { error: expect.stringContaining('cannot be used') } });
  expect(await part('begin', {}, { results: { split: 'nothing' } })).toMatchObject({ outcome: 'fail' });
});

test('a round of a review that has not begun is an error', async () => {
  expect(await part('judge')).toMatchObject({ type: 'errored', error: { message: 'the review has not begun', retryable: false } });
});
