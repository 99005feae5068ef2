import { describe, expect, test } from 'vitest';
import { edge, type Given, graph, PROMISE, question, signal, step, to, validation } from '../../test/kernel/definitions.ts';
import { control, decided, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';

function startStep(given: Given): MemoryHost {
  return startGraph(graph(step('a', { next: to('complete'), ...given } as Given)));
}

describe('an attempt that errors', () => {
  test('is retried under the next number, with the evidence, as often as its policy says (K5)', () => {
    const host = startStep({ retry: { max: 2, on: ['error'] } });
    host.take(errored(host, 'a#1', { message: 'first' }));
    expect(host.at('a#1')).toMatchObject({ attempt: 2, state: 'running', feedback: 'first' });
    host.take(errored(host, 'a#1', { message: 'second' }));
    host.take(errored(host, 'a#1', { message: 'third' }));
    expect(host.state).toMatchObject({ status: 'escalated', halt: { reason: 'error', attempt: 3, message: 'third' } });
  });

  test('is not retried without a policy (K5)', () => {
    const host = startStep({});
    host.take(errored(host, 'a#1'));
    expect(host.state.status).toBe('escalated');
  });

  test('is not retried if it is not retryable, whatever the policy says', () => {
    const host = startStep({ retry: { max: 5, on: ['error'] } });
    host.take(errored(host, 'a#1', { retryable: false }));
    expect(host.state.halt).toMatchObject({ attempt: 1 });
  });

  test('is not retried if a precondition did not hold', () => {
    const host = startStep({ retry: { max: 5, on: ['error'] }, contractRetries: 5 });
    host.take(errored(host, 'a#1', { reason: 'precondition' }));
    expect(host.state.halt).toMatchObject({ reason: 'error', attempt: 1 });
  });

  test('by timeout is retried only if its policy names timeouts', () => {
    const without = startStep({ retry: { max: 1, on: ['error'] }, timeoutMs: 10 });
    without.take({ type: 'due', at: 10 });
    expect(without.state.halt).toMatchObject({ outcome: 'timeout' });
    const named = startStep({ retry: { max: 1, on: ['timeout'] }, timeoutMs: 10 });
    named.take({ type: 'due', at: 10 });
    expect(named.at('a#1')).toMatchObject({ attempt: 2, due: 20 });
  });

  test('waits longer each time, at most as long as its policy says', () => {
    const host = startStep({ retry: { max: 3, on: ['error'], backoff: { initialMs: 10, factor: 3, maxMs: 50 } } });
    const pauses = [1, 2, 3].map(() => {
      host.take(errored(host, 'a#1'));
      const { due = 0, state, wait } = host.at('a#1');
      expect({ state, wait }).toEqual({ state: 'waiting', wait: { kind: 'retry' } });
      const pause = due - host.state.at;
      host.take({ type: 'due', at: due });
      expect(host.at('a#1').state).toBe('running');
      return pause;
    });
    expect(pauses).toEqual([10, 30, 50]);
  });
});

describe('a reported outcome', () => {
  test.each(['fail', 'reject'])('%s is not retried (K5)', (outcome) => {
    const host = startGraph(
      graph(
        step('a', { retry: { max: 5, on: ['error', 'timeout'] }, next: { ok: edge('complete'), fail: edge('b'), reject: edge('b') } }),
        step('b', { next: to('complete') }),
      ),
    );
    host.take(settled(host, 'a#1', { outcome }));
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
  });
});

describe('a broken contract', () => {
  const broken = { reason: 'contract', message: 'the promise is broken' } as const;

  test('is retried once with the evidence, then escalates even if errors have a transition (K5)', () => {
    const host = startStep({ next: { ok: edge('complete'), error: edge('complete') } });
    host.take(errored(host, 'a#1', broken));
    expect(host.at('a#1')).toMatchObject({ attempt: 2, broken: 1, feedback: 'the promise is broken' });
    host.take(errored(host, 'a#1', broken));
    expect(host.state).toMatchObject({ status: 'escalated', halt: { reason: 'contract', path: 'a#1', attempt: 2 } });
  });

  test('has its own retries, separate from those of errors (K5)', () => {
    const host = startStep({ retry: { max: 1, on: ['error'] }, contractRetries: 1 });
    host.take(errored(host, 'a#1', broken));
    host.take(errored(host, 'a#1'));
    expect(host.at('a#1')).toMatchObject({ attempt: 3, broken: 1 });
    host.take(errored(host, 'a#1', broken));
    expect(host.state.halt).toMatchObject({ reason: 'contract', attempt: 3 });
  });

  test('of a step that waits is found by a verification, and the wait begins anew', () => {
    const host = startGraph(graph(signal('a', 'go', { postconditions: [PROMISE], next: to('complete') })));
    host.take({ type: 'signalled', at: 1, name: 'go' });
    expect(host.at('a#1')).toMatchObject({ state: 'verifying', held: { outcome: 'ok' } });
    host.take(errored(host, 'a#1', broken));
    expect(host.at('a#1')).toMatchObject({ state: 'waiting', attempt: 2, wait: { kind: 'signal' } });
    host.take({ type: 'signalled', at: 2, name: 'go' });
    host.take(settled(host, 'a#1'));
    expect(host.state.status).toBe('completed');
  });
});

describe('a question after a step', () => {
  const asking = () => startStep({ question: question(), retry: { max: 1, on: ['error'] } });

  test('stands between the work and its end, and frees its slots', () => {
    const host = startStep({ question: question(), slots: ['s'] });
    host.take({ type: 'slot', at: 0, path: 'a#1' });
    host.take(settled(host, 'a#1', { output: { n: 1 } }));
    expect(host.at('a#1')).toMatchObject({ state: 'waiting', wait: { kind: 'human' }, held: { outcome: 'ok' } });
    expect(host.at('a#1').slots).toBeUndefined();
    host.take(decided(host, 'a#1', { option: 'yes' }));
    expect(host.state.status).toBe('completed');
    expect(host.view.value(host.state.output as never)).toEqual({ n: 1 });
  });

  test('lets a person reject the work', () => {
    const host = asking();
    host.take(settled(host, 'a#1'));
    host.take(decided(host, 'a#1', { option: 'no' }));
    expect(host.state.status).toBe('rejected');
  });

  test('is not asked after work that did not succeed', () => {
    const host = asking();
    host.take(settled(host, 'a#1', { outcome: 'fail' }));
    expect(host.state.halt).toMatchObject({ reason: 'unmapped', outcome: 'fail' });
  });
});

describe('a validation that fails', () => {
  const verify = (retry: number) => startGraph(graph(validation('verify', retry, { next: to('complete') })));
  const fail = (host: MemoryHost) => host.take(settled(host, 'verify#1', { outcome: 'fail' }));

  test('runs its repair under a path with the round, then is retried', () => {
    const host = verify(2);
    fail(host);
    expect(Object.keys(host.state.live)).toEqual(['verify#1', 'verify#1/fix#1']);
    expect(host.at('verify#1')).toMatchObject({ state: 'waiting', wait: { kind: 'repair' } });
    host.take(settled(host, 'verify#1/fix#1'));
    expect(host.at('verify#1')).toMatchObject({ state: 'running', attempt: 2 });
    fail(host);
    host.take(settled(host, 'verify#1/fix#2', { outcome: 'fail' }));
    expect(host.at('verify#1')).toMatchObject({ state: 'running', attempt: 3 });
    host.take(settled(host, 'verify#1'));
    expect(host.state.status).toBe('completed');
  });

  test('settles fail after the last round and says how often it tried', () => {
    const host = verify(1);
    fail(host);
    host.take(settled(host, 'verify#1/fix#1'));
    fail(host);
    expect(host.state.halt).toMatchObject({ outcome: 'fail', message: 'validation "verify" failed after 2 tries' });
  });

  test('without a repair is just retried', () => {
    const bare = step('verify', { kind: 'validate', stages: null, repairs: 1, next: to('complete') });
    const host = startGraph(graph(bare));
    fail(host);
    expect(host.at('verify#1')).toMatchObject({ state: 'running', attempt: 2 });
    fail(host);
    expect(host.state.halt).toMatchObject({ outcome: 'fail' });
  });

  test('that a person retries never reuses the path of an old repair (K2)', () => {
    const host = verify(1);
    fail(host);
    host.take(settled(host, 'verify#1/fix#1'));
    fail(host);
    host.take(control(host, { do: 'retry' }));
    fail(host);
    expect(Object.keys(host.state.live)).toEqual(['verify#1', 'verify#1/fix#3']);
  });
});
