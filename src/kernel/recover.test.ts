import { describe, expect, test } from 'vitest';
import { delay, each, type Given, graph, human, parallel, step, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import { outstanding } from './effect.ts';

function crash(host: MemoryHost): void {
  host.take({ type: 'recovered', at: host.state.at });
}

function startStep(given: Given): MemoryHost {
  return startGraph(graph(step('a', { next: to('complete'), ...given } as Given)));
}

describe('an attempt that a crash interrupted', () => {
  test('runs again under the same key, with its time anew', () => {
    const host = startStep({ recovery: 'rerun', timeoutMs: 10 });
    host.take({ type: 'recovered', at: 7 });
    expect(host.at('a#1')).toMatchObject({ state: 'running', attempt: 1, recovery: 1, startedAt: 7, due: 17 });
    expect(outstanding(host.state)).toMatchObject([{ phase: 'execute', activation: { path: 'a#1', attempt: 1 } }]);
  });

  test('escalates when it was interrupted four times', () => {
    const host = startStep({ recovery: 'rerun', next: { ...to('complete'), error: { to: { end: 'complete' } } } });
    for (const recovery of [1, 2, 3]) {
      crash(host);
      expect(host.at('a#1')).toMatchObject({ recovery });
    }
    crash(host);
    expect(host.state).toMatchObject({ status: 'escalated', halt: { reason: 'contract' } });
    expect(host.state.halt?.message).toContain('was interrupted 4 times');
  });

  test('counts interruptions per attempt', () => {
    const host = startStep({ recovery: 'rerun', retry: { max: 1, on: ['error'] } });
    crash(host);
    host.take(errored(host, 'a#1'));
    expect(host.at('a#1')).toMatchObject({ attempt: 2, recovery: undefined });
  });

  test('is reconciled if its author can tell whether it took effect', () => {
    const host = startStep({ recovery: 'reconcile' });
    crash(host);
    expect(outstanding(host.state)).toMatchObject([{ phase: 'reconcile', activation: { path: 'a#1', attempt: 1 } }]);
    const done = host.fork();
    done.take(settled(done, 'a#1', { output: 'found' }));
    expect(done.state.status).toBe('completed');
    host.take({ type: 'prepared', at: 0, path: 'a#1', attempt: 1 });
    expect(host.at('a#1')).toMatchObject({ state: 'running', attempt: 1, recovery: 1 });
  });

  test('is looked up in the database that it writes before anybody is asked', () => {
    const host = startStep({ recovery: 'ask', databases: ['book'] });
    crash(host);
    expect(outstanding(host.state)).toMatchObject([{ phase: 'reconcile', activation: { path: 'a#1', attempt: 1 } }]);
    const done = host.fork();
    done.take(settled(done, 'a#1', { output: 'recorded' }));
    expect(done.state.status).toBe('completed');
    host.take(errored(host, 'a#1', { retryable: false }));
    expect(host.at('a#1')).toMatchObject({ state: 'unknown', attempt: 1 });
    expect(outstanding(host.state)).toEqual([]);
  });

  test('escalates as well if reconciling found four times that it had no effect', () => {
    const host = startStep({ recovery: 'reconcile' });
    for (let times = 0; times < 4; times += 1) {
      crash(host);
      host.take({ type: 'prepared', at: 0, path: 'a#1', attempt: 1 });
    }
    expect(host.state).toMatchObject({ status: 'escalated', halt: { reason: 'contract' } });
  });

  test('is unknown otherwise, and nothing is done until a person decides', () => {
    const host = startStep({ recovery: 'ask', timeoutMs: 10 });
    crash(host);
    expect(host.at('a#1').state).toBe('unknown');
    expect(outstanding(host.state)).toEqual([]);
    host.take({ type: 'due', at: 1_000 });
    expect(host.at('a#1').state).toBe('unknown');
  });

  test.each([
    ['rerun', { status: 'running', live: { 'a#1': { state: 'running', attempt: 1 } } }],
    ['accept', { status: 'overridden' }],
    ['fail', { status: 'escalated', halt: { reason: 'error', outcome: 'error' } }],
  ] as const)('that is unknown can be told to %s', (how, expected) => {
    const host = startStep({ recovery: 'ask' });
    crash(host);
    host.take(control(host, { do: 'resolve', path: 'a#1', how }));
    expect(host.state).toMatchObject(expected);
  });

  test('that is not unknown cannot be resolved', () => {
    const host = startStep({});
    expect(host.take(control(host, { do: 'resolve', path: 'a#1', how: 'accept' }))).toMatchObject([
      { type: 'input.ignored', reason: 'no-wait' },
    ]);
  });
});

describe('what a crash does not touch', () => {
  test.each([
    ['a wait', human('a', { recovery: 'ask', next: to('complete') })],
    ['a delay', delay('a', { durationMs: 5 }, { recovery: 'ask', next: to('complete') })],
    ['what stands in the queue for a slot', step('a', { recovery: 'ask', slots: ['s'], next: to('complete') })],
  ])('%s is never unknown', (_what, model) => {
    const host = startGraph(graph(model));
    const before = host.state.live;
    crash(host);
    expect(host.state.live).toEqual(before);
  });

  test('the look of a polling delay is taken again, even where people are asked', () => {
    const host = startGraph(graph(delay('a', { durationMs: 50, poll: { intervalMs: 10 } }, { recovery: 'ask', next: to('complete') })));
    host.take({ type: 'due', at: 10 });
    crash(host);
    expect(host.at('a#1')).toMatchObject({ state: 'running', until: 50 });
  });
});

describe('queued work of a stopped host', () => {
  test('is begun by the next owner: a step', () => {
    const host = startGraph(graph(step('a', { next: to('b') }), step('b', { next: to('complete') })));
    host.view.holding = true;
    host.take(settled(host, 'a#1'));
    expect(host.at('b#1').state).toBe('queued');
    expect(outstanding(host.state)).toEqual([]);
    host.view.holding = false;
    crash(host);
    expect(host.at('b#1').state).toBe('running');
  });

  test('is begun by the next owner: the members of a group that nobody works at', () => {
    const host = startGraph(graph(each('fan', { concurrency: 1, next: to('complete') })), { items: ['x', 'y'] });
    host.view.holding = true;
    host.take(settled(host, 'fan#1/x'));
    expect(Object.keys(host.state.live)).toEqual(['fan#1']);
    host.view.holding = false;
    crash(host);
    expect(Object.keys(host.state.live)).toEqual(['fan#1', 'fan#1/y']);
  });

  test('is begun by the next owner: branches of which one was at work', () => {
    const host = startGraph(graph(parallel('fan', [step('x'), human('y')], { next: to('complete') })));
    crash(host);
    expect(host.at('fan#1/x')).toMatchObject({ recovery: 1 });
    expect(host.at('fan#1/y').state).toBe('waiting');
    expect(host.at('fan#1/y').recovery).toBeUndefined();
  });
});
