import { expect, test } from 'vitest';
import { graph, step, to } from '../../../test/kernel/definitions.ts';
import { startGraph } from '../../../test/kernel/memory-host.ts';
import { doingText } from './event-lines.ts';

test('a step that waits for its retry names the attempt that comes', () => {
  const retry = { max: 2, on: ['error' as const], backoff: { initialMs: 60_000, maxMs: 60_000, factor: 1 } };
  const host = startGraph(graph(step('work', { retry, next: to('complete') })));
  const error = { code: 'STEP_FAILED', message: 'no', reason: 'error' as const };
  host.take({ type: 'errored', at: host.state.at, path: 'work#1', attempt: 1, error });
  expect(doingText({ activation: host.at('work#1') } as never)).toMatch(/for attempt 2$/);
});
