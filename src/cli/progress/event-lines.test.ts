import { expect, test } from 'vitest';
import { graph, step, to } from '../../../test/kernel/definitions.ts';
import { settled } from '../../../test/kernel/inputs.ts';
import { startGraph } from '../../../test/kernel/memory-host.ts';
import { activityText } from './event-lines.ts';
import { RunProgress } from './progress.ts';

test('a step that waits for its retry names the next attempt', () => {
  const retry = { max: 2, on: ['error' as const], backoff: { initialMs: 60_000, maxMs: 60_000, factor: 1 } };
  const host = startGraph(graph(step('work', { retry, next: to('complete') })));
  const error = { code: 'STEP_FAILED', message: 'no', reason: 'error' as const };
  host.take({ type: 'errored', at: host.state.at, path: 'work#1', attempt: 1, error });
  expect(activityText({ activation: host.at('work#1') } as never)).toMatch(/for attempt 2$/);
});

test('a wait that ends on another day names the day', () => {
  const now = new Date(2026, 10, 17, 12, 52, 16).getTime();
  const waits = (ms: number) =>
    activityText({ activation: { state: 'waiting', attempt: 1, wait: { kind: 'human' }, startedAt: now, due: now + ms } } as never);
  expect(waits(24 * 3_600_000)).toBe('waits for a person until 2026-11-18 12:52:16');
  expect(waits(3_600_000)).toBe('waits for a person until 13:52:16');
});

test.each(['conflict', 'ci_failure', 'stale_head', 'stale_tree'])('a step that ended with %s is shown as failed', (outcome) => {
  const host = startGraph(graph(step('work', { next: to('complete') })));
  host.take(settled(host, 'work#1', { outcome }));
  const progress = new RunProgress();
  for (const event of host.rows.flat()) progress.apply(event);
  expect(progress.steps.get('work#1')).toMatchObject({ status: 'failed', outcome });
});
