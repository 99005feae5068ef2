import { describe, expect, test } from 'vitest';
import { child, edge, graph, human, option, parallel, question, signal, step, to } from '../../test/kernel/definitions.ts';
import { control, decided, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { StepFrame } from '../definition/model.ts';
import type { RunStatus } from '../definition/run-status.ts';
import type { RunInput } from './input.ts';

describe('a decision', () => {
  const ask = (timeoutMs?: number) =>
    graph(human('ask', { ...(timeoutMs === undefined ? {} : { timeoutMs }), next: { ok: edge('complete'), timeout: edge('fail') } }));

  test('counts only for what was shown (K8)', () => {
    const host = startGraph(ask());
    expect(host.take(decided(host, 'ask#1', { option: 'yes', digest: 'of another question' }))).toMatchObject([
      { type: 'input.ignored', reason: 'stale-digest' },
    ]);
    expect(host.at('ask#1').state).toBe('waiting');
    host.take(decided(host, 'ask#1', { option: 'yes' }));
    expect(host.state.status).toBe('completed');
  });

  test('names an option that there is, and says why where that is asked for', () => {
    const model = question({ options: [option('yes'), option('back', { requiresInput: true })] });
    const host = startGraph(graph(human('ask', { question: model, next: to('complete') })));
    for (const given of [{ option: 'maybe' }, { option: 'back' }, { option: 'back', text: '  ' }])
      expect(host.take(decided(host, 'ask#1', given))).toMatchObject([{ type: 'input.ignored', reason: 'not-allowed' }]);
    host.take(decided(host, 'ask#1', { option: 'back', text: 'too small' }));
    expect(host.state.status).toBe('completed');
  });

  test('where nothing was asked is logged', () => {
    const host = startGraph(graph(step('a', { next: to('complete') })));
    expect(host.take(decided(host, 'a#1', { option: 'yes', digest: '' }))).toMatchObject([{ type: 'input.ignored', reason: 'no-wait' }]);
  });

  test('before the time is over counts', () => {
    const host = startGraph(ask(100));
    host.take(decided(host, 'ask#1', { option: 'yes', at: 99 }));
    expect(host.state.status).toBe('completed');
  });

  test.each([100, 5_000])('after the time was over (at %i) is too late, even if nobody was awake (K7)', (at) => {
    const host = startGraph(ask(100));
    const events = host.take(decided(host, 'ask#1', { option: 'yes', at }));
    expect(host.state).toMatchObject({ status: 'failed', halt: { outcome: 'timeout' } });
    expect(events.at(-1)).toMatchObject({ type: 'input.ignored', input: 'decided', reason: 'no-wait' });
  });
});

describe('a limit of time', () => {
  test('of an attempt counts from its beginning and not again for the next', () => {
    const host = startGraph(graph(step('a', { timeoutMs: 10, retry: { max: 1, on: ['timeout'] }, next: to('complete') })));
    host.take({ type: 'due', at: 9 });
    expect(host.at('a#1').attempt).toBe(1);
    host.take({ type: 'due', at: 12 });
    expect(host.at('a#1')).toMatchObject({ attempt: 2, due: 22, feedback: 'step "a" timed out: attempt 1 took longer than 10 ms' });
    host.take({ type: 'due', at: 22 });
    expect(host.state.halt).toMatchObject({ outcome: 'timeout' });
  });

  test('of a group is over the whole: its members are cut off, whatever their own limits are', () => {
    const members = [step('x', { timeoutMs: 500 }), step('y'), human('z')];
    const host = startGraph(graph(parallel('fan', members, { timeoutMs: 50, next: { ok: edge('complete'), timeout: edge('fail') } })));
    host.take(settled(host, 'fan#1/x', { at: 10 }));
    const events = host.take({ type: 'due', at: 50 });
    expect(events.filter(({ type }) => type === 'step.settled')).toMatchObject([
      { path: 'fan#1/y', outcome: 'cancelled' },
      { path: 'fan#1/z', outcome: 'cancelled' },
      { path: 'fan#1', outcome: 'timeout' },
    ]);
    expect(host.state).toMatchObject({ status: 'failed', live: {} });
  });

  test('of the question behind a group does not join the group twice', () => {
    const host = startGraph(
      graph(parallel('fan', [step('x')], { question: question(), timeoutMs: 50, next: { ok: edge('complete'), timeout: edge('fail') } })),
    );
    host.take(settled(host, 'fan#1/x', { at: 10 }));
    host.take({ type: 'due', at: 60 });
    expect(host.rows.flat().filter(({ type }) => type === 'group.joined')).toHaveLength(1);
    expect(host.state.halt).toMatchObject({ outcome: 'timeout' });
  });

  test('of the older wait is passed first when several are over', () => {
    const host = startGraph(
      graph(parallel('fan', [human('x', { timeoutMs: 20 }), human('y', { timeoutMs: 10 })], { next: to('complete') })),
    );
    const ended = host.take({ type: 'due', at: 30 }).filter(({ type }) => type === 'step.settled');
    expect(ended).toMatchObject([{ path: 'fan#1/y' }, { path: 'fan#1/x' }, { path: 'fan#1' }]);
  });
});

describe('a signal', () => {
  const twice = graph(
    step('work', { next: to('one') }),
    signal('one', 'go', { next: to('two') }),
    signal('two', 'go', { next: to('complete') }),
  );
  const send = (host: MemoryHost, value: string): RunInput => ({
    type: 'signalled',
    at: host.state.at,
    name: 'go',
    payload: host.view.keep(value) as never,
  });

  test('that comes before its wait is kept, and signals are taken once each, oldest first', () => {
    const host = startGraph(twice);
    host.take(send(host, 'first'));
    host.take(send(host, 'second'));
    expect(host.state.signals.go).toHaveLength(2);
    host.take(settled(host, 'work#1'));
    expect(host.state).toMatchObject({ status: 'completed', signals: {} });
    expect([host.view.output('one'), host.view.output('two')]).toEqual(['first', 'second']);
  });

  test('ends one wait, and the next wait needs another', () => {
    const host = startGraph(twice);
    host.take(settled(host, 'work#1'));
    host.take(send(host, 'first'));
    expect(Object.keys(host.state.live)).toEqual(['two#1']);
  });

  test('ends the oldest wait for its name, and no wait for another', () => {
    const host = startGraph(
      graph(parallel('fan', [signal('b', 'go'), signal('a', 'go'), signal('c', 'stop')], { concurrency: 3, next: to('complete') })),
    );
    host.take({ type: 'signalled', at: 1, name: 'go' });
    expect(Object.keys(host.state.live)).toEqual(['fan#1', 'fan#1/b', 'fan#1/c']);
  });

  test('that comes during the pause of a retry ends the wait that follows', () => {
    const retry = { max: 1, on: ['timeout'] as const, backoff: { initialMs: 10, factor: 1, maxMs: 10 } };
    const host = startGraph(graph(signal('one', 'go', { timeoutMs: 20, retry, next: to('complete') })));
    host.take({ type: 'due', at: 20 });
    host.take({ type: 'signalled', at: 25, name: 'go' });
    host.take({ type: 'due', at: 30 });
    expect(host.state.status).toBe('completed');
  });
});

describe('a child', () => {
  const start = () => startGraph(graph(child('kid', { next: { ok: edge('complete'), fail: edge('fail'), reject: edge('reject') } })));
  const ended = (host: MemoryHost, status: RunStatus): RunInput => ({
    type: 'childEnded',
    at: 1,
    path: 'kid#1',
    child: host.at('kid#1').wait?.run ?? '',
    status,
  });

  test.each([
    ['completed', 'completed', undefined],
    ['rejected', 'rejected', undefined],
    ['cancelled', 'failed', 'fail'],
    ['failed', 'escalated', 'error'],
  ] as const)('that ended %s leaves its parent %s', (status, parent, outcome) => {
    const host = start();
    host.take(ended(host, status));
    expect(host.state.status).toBe(parent);
    expect(host.state.halt?.outcome).toBe(outcome);
  });

  test('that is not the one waited for is logged', () => {
    const host = start();
    expect(host.take({ ...ended(host, 'completed'), child: 'another' } as RunInput)).toMatchObject([
      { type: 'input.ignored', reason: 'late' },
    ]);
  });

  test('holds up the cancellation of its parent until it has ended', () => {
    const host = startGraph(graph(parallel('fan', [child('kid', { timeoutMs: 10 }), step('x')], { next: to('complete') })));
    host.take(control(host, { do: 'cancel', reason: 'enough' }));
    expect(host.state).toMatchObject({ status: 'running', ending: 'cancelled' });
    expect(Object.keys(host.state.live)).toEqual(['fan#1/kid']);
    host.take({ type: 'due', at: 10_000 });
    expect(host.state.status).toBe('running');
    host.take({ type: 'childEnded', at: 10_001, path: 'fan#1/kid', child: host.at('fan#1/kid').wait?.run ?? '', status: 'cancelled' });
    expect(host.state).toMatchObject({ status: 'cancelled', live: {} });
  });
});

describe('a gate without a verdict', () => {
  const gate = (given: Partial<StepFrame> = {}) =>
    step('g', { next: to('complete'), ...given, kind: 'gate', config: { checks: [{ check: 'pr_approval', from: 'maintainers' }] } });
  const pending = (given: Partial<StepFrame> = {}) => {
    const host = startGraph(graph(gate(given)));
    host.take({ ...settled(host, 'g#1', { outcome: 'pending' }), at: 1000 });
    return host;
  };

  test('waits and looks again after a while, in the same attempt', () => {
    const host = pending();
    expect(host.at('g#1')).toMatchObject({ state: 'waiting', wait: { kind: 'checks' }, due: 61_000, attempt: 1 });
    host.take({ type: 'due', at: 61_000 });
    expect(host.at('g#1')).toMatchObject({ state: 'running', attempt: 1 });
    expect(host.at('g#1').wait).toBeUndefined();
  });

  test('checks again at once when something has happened outside', () => {
    const host = pending();
    host.take({ ...control(host, { do: 'recheckGates' }), at: 2000 });
    expect(host.at('g#1').state).toBe('running');
  });

  test('times out from its opening, however often it has looked', () => {
    const host = pending({ timeoutMs: 90_000, next: { ...to('complete'), timeout: edge('reject') } });
    host.take({ type: 'due', at: 61_000 });
    host.take({ ...settled(host, 'g#1', { outcome: 'pending' }), at: 62_000 });
    expect(host.at('g#1')).toMatchObject({ due: 90_000, deadline: 90_000 });
    host.take({ type: 'due', at: 90_000 });
    expect(host.state.status).toBe('rejected');
  });
});
