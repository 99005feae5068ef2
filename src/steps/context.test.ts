import { expect, test } from 'vitest';
import { createAttemptRequest } from '../proof/attempt-request.ts';
import { type AttemptContext, openContext } from './context.ts';

/** The context of a step in a run with this data. */
function contextOf(data: Record<string, string>): AttemptContext {
  const opened = openContext(createAttemptRequest({ kind: 'task', params: { topic: 'search', name: 'param' }, snapshot: { data } }));
  if (opened instanceof Promise) throw new Error('nothing has to be waited for');
  return opened;
}

test('steps see the data of the run over its params, and not what the engine keeps for itself under names with `$`', () => {
  const context = contextOf({ name: 'data', $attended: 'yes', $trigger: 'event' });
  expect(Object.keys(context.checkpoint).filter((name) => name.startsWith('$'))).toEqual([]);
  expect(context.checkpoint).toMatchObject({ topic: 'search', name: 'data', completedSteps: [], results: {} });
});

test('names with `$` that are added to the data later are hidden too', () => {
  const context = contextOf({ name: 'data' }).withData({ $found: 'before', extra: 'seen' });
  expect(context.checkpoint).toMatchObject({ topic: 'search', name: 'data', extra: 'seen' });
  expect(context.checkpoint).not.toHaveProperty('$found');
});
