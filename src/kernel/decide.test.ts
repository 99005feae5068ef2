import { describe, expect, test } from 'vitest';
import { delay, edge, graph, human, PROMISE, signal, step, to } from '../../test/kernel/definitions.ts';
import { control, decided, errored, settled, stepFailure } from '../../test/kernel/inputs.ts';
import { startGraph } from '../../test/kernel/memory-host.ts';
import type { RunInput } from './input.ts';

const pair = graph(step('a', { retry: { max: 1, on: ['error'] }, next: to('b') }), step('b', { next: to('complete') }));

describe('late input', () => {
  test('is logged and changes nothing: the result of an attempt that was given up', () => {
    const host = startGraph(pair);
    const late = settled(host, 'a#1');
    host.take(errored(host, 'a#1'));
    const before = host.state;
    expect(host.take(late)).toEqual([{ type: 'input.ignored', at: 0, input: 'settled', path: 'a#1', attempt: 1, reason: 'late' }]);
    expect(host.state).toEqual({ ...before, seq: before.seq + 1 });
  });

  test('is logged and changes nothing: a result that was delivered before', () => {
    const host = startGraph(pair);
    const result = settled(host, 'a#1');
    host.take(result);
    expect(host.take(result)).toMatchObject([{ type: 'input.ignored', reason: 'late' }]);
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
  });

  test('is logged and changes nothing: a second start', () => {
    const host = startGraph(pair);
    expect(host.take({ type: 'start', at: 1 })).toMatchObject([{ type: 'input.ignored', input: 'start', reason: 'duplicate' }]);
    expect(Object.keys(host.state.live)).toEqual(['a#1']);
  });

  test('is logged and changes nothing: word that a step is prepared which is past that', () => {
    const host = startGraph(graph(signal('a', 'go', { preconditions: [PROMISE], postconditions: [PROMISE], next: to('complete') })));
    const prepared: RunInput = { type: 'prepared', at: 0, path: 'a#1', attempt: 1 };
    host.take(prepared);
    expect(host.take(prepared)).toMatchObject([{ type: 'input.ignored', reason: 'late' }]);
    host.take({ type: 'signalled', at: 0, name: 'go' });
    expect(host.take(prepared)).toMatchObject([{ type: 'input.ignored', reason: 'late' }]);
    expect(host.at('a#1').state).toBe('verifying');
  });

  test('is logged and changes nothing: a result for a step that is still being prepared', () => {
    const host = startGraph(graph(human('a', { preconditions: [PROMISE], next: to('complete') })));
    expect(host.take(settled(host, 'a#1'))).toMatchObject([{ type: 'input.ignored', reason: 'late' }]);
    expect(host.at('a#1').state).toBe('preparing');
  });
});

describe('a final run', () => {
  const inputs: RunInput[] = [
    { type: 'start', at: 9 },
    { type: 'recovered', at: 9 },
    { type: 'slot', at: 9, path: 'a#1' },
    { type: 'due', at: 9 },
    { type: 'prepared', at: 9, path: 'a#1', attempt: 1 },
    { type: 'settled', at: 9, path: 'a#1', attempt: 1, outcome: 'ok' },
    { type: 'errored', at: 9, path: 'a#1', attempt: 1, error: stepFailure() },
    { type: 'decided', at: 9, path: 'a#1', option: 'yes', digest: '', actor: 'ann' },
    { type: 'reported', at: 9, path: 'a#1', attempt: 1, outcome: 'ok' },
    { type: 'signalled', at: 9, name: 'go' },
    { type: 'childEnded', at: 9, path: 'a#1', child: 'c', status: 'completed' },
    { type: 'control', at: 9, actor: 'ann', action: { do: 'cancel' } },
  ];

  test.each(inputs)('ignores $type and says so in its log (K3)', (input) => {
    const host = startGraph(graph(step('a', { next: to('complete') })));
    host.take(settled(host, 'a#1'));
    expect(host.take(input)).toEqual([{ type: 'input.ignored', at: 9, input: input.type, reason: 'final' }]);
  });

  test.each(['signalled', 'decided', 'childEnded', 'reported'])('that ended by the time %s came ignores it as well (K3, K7)', (type) => {
    const host = startGraph(graph(human('a', { timeoutMs: 10, next: { ok: edge('complete'), timeout: edge('reject') } })));
    const input = inputs.find((one) => one.type === type) as RunInput;
    const events = host.take({ ...input, at: 10 });
    expect(host.state.status).toBe('rejected');
    expect(events.at(-1)).toEqual({ type: 'input.ignored', at: 10, input: type, reason: 'final' });
  });
});

describe('time', () => {
  test('never runs backwards in a log, whatever an input claims', () => {
    const host = startGraph(pair);
    host.take(settled(host, 'a#1', { at: 50 }));
    const [event] = host.take(settled(host, 'b#1', { at: 20 }));
    expect(event?.at).toBe(50);
  });
});

test('decide leaves the checkpoint it was given as it is, and says the same twice', () => {
  const host = startGraph(pair);
  const text = JSON.stringify(host.state);
  const input = settled(host, 'a#1');
  expect(host.wouldTake(input)).toEqual(host.wouldTake(input));
  expect(JSON.stringify(host.state)).toBe(text);
});

test('a polling delay looks again until it is ready or its time is over', () => {
  const host = startGraph(graph(delay('d', { durationMs: 50, poll: { intervalMs: 20 } }, { next: to('complete') })));
  host.take({ type: 'due', at: 20 });
  expect(host.at('d#1').state).toBe('running');
  host.take(settled(host, 'd#1', { outcome: 'fail' }));
  expect(host.at('d#1')).toMatchObject({ state: 'waiting', due: 40 });
  const ready = host.fork();
  ready.take({ type: 'due', at: 40 });
  ready.take(settled(ready, 'd#1'));
  expect(ready.state.status).toBe('completed');
  host.take({ type: 'due', at: 40 });
  host.take(settled(host, 'd#1', { outcome: 'fail' }));
  expect(host.at('d#1')).toMatchObject({ due: 50 });
  host.take({ type: 'due', at: 50 });
  expect(host.state.status).toBe('completed');
});

test('a decision of a person is kept in the checkpoint, the last one only', () => {
  const host = startGraph(graph(human('a', { next: to('b') }), human('b', { next: to('complete') })));
  host.take(decided(host, 'a#1', { option: 'yes' }));
  host.take(decided(host, 'b#1', { option: 'yes', text: 'fine' }));
  expect(host.state.decision).toEqual({ step: 'b', option: 'yes', actor: 'ann', input: 'fine' });
  expect(host.take(control(host, { do: 'cancel' }))).toMatchObject([{ reason: 'final' }]);
});
