import { describe, expect, test } from 'vitest';
import { edge, graph, human, parallel, step, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { ControlAction } from './input.ts';

const chain = graph(step('a', { retry: { max: 1, on: ['error'] }, next: to('b') }), step('b', { next: to('complete') }));
const loop = graph(step('a', { next: { ok: edge('b'), iterate: edge('a', { max: 1 }) } }), step('b', { next: to('complete') }));

function steer(host: MemoryHost, action: ControlAction) {
  return host.take(control(host, action));
}

function escalated(): MemoryHost {
  const host = startGraph(chain);
  for (const message of ['first', 'second']) host.take(errored(host, 'a#1', { message }));
  expect(host.state.status).toBe('escalated');
  return host;
}

function exhausted(): MemoryHost {
  const host = startGraph(loop);
  for (const path of ['a#1', 'a#2']) host.take(settled(host, path, { outcome: 'iterate' }));
  expect(host.state.halt?.reason).toBe('exhausted');
  return host;
}

describe('work that waits for budget', () => {
  const waiting = (resumeAt?: number): MemoryHost => {
    const host = startGraph(chain);
    host.take(errored(host, 'a#1', { reason: 'budget', message: 'used up', ...(resumeAt === undefined ? {} : { resumeAt }) }));
    expect(host.at('a#1')).toMatchObject({ state: 'waiting', wait: { kind: 'budget' } });
    return host;
  };

  test('continues when more is granted; grants add up in the checkpoint', () => {
    const host = waiting();
    steer(host, { do: 'grant', budget: { turns: 2 } });
    expect(host.at('a#1')).toMatchObject({ state: 'running', attempt: 2 });
    steer(host, { do: 'grant', budget: { turns: 3, costUsd: 1 } });
    expect(host.state.granted).toEqual({ turns: 5, costUsd: 1 });
  });

  test('continues by itself at the time its budget is renewed, and not before', () => {
    expect(waiting().at('a#1')?.due).toBeUndefined();
    const host = waiting(9_000_000);
    expect(host.at('a#1')?.due).toBe(9_000_000);
    host.take({ type: 'due', at: 8_999_999 });
    expect(host.at('a#1')?.state).toBe('waiting');
    host.take({ type: 'due', at: 9_000_000 });
    expect(host.at('a#1')).toMatchObject({ state: 'running', attempt: 2 });
  });
});

describe('a halted run', () => {
  test('is retried at the same path, with the next attempt and a fresh retry budget', () => {
    const host = escalated();
    steer(host, { do: 'retry', note: 'the disk is free again' });
    expect(host.state.halt).toBeUndefined();
    expect(host.at('a#1')).toMatchObject({ attempt: 3, since: 3, state: 'running', feedback: 'second' });
    expect(host.state.notes).toEqual([{ by: 'note', actor: 'ann', path: 'a#1', text: 'the disk is free again' }]);
    host.take(errored(host, 'a#1'));
    expect(host.at('a#1')).toMatchObject({ attempt: 4 });
    host.take(errored(host, 'a#1'));
    expect(host.state.halt).toMatchObject({ attempt: 4 });
  });

  test('passes the reason to the next attempt if there is no note', () => {
    const host = escalated();
    steer(host, { do: 'retry' });
    expect(host.at('a#1').feedback).toBe('second');
  });

  test('continues when a named person accepts, and the log says who', () => {
    const host = escalated();
    const events = steer(host, { do: 'accept' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'step.settled', path: 'a#1', outcome: 'ok', actor: 'ann' }));
    expect(Object.keys(host.state.live)).toEqual(['b#1']);
  });

  test('goes to another step under a path that was never used', () => {
    const host = startGraph(chain);
    host.take(settled(host, 'a#1'));
    host.take(errored(host, 'b#1'));
    steer(host, { do: 'goto', step: 'a', passed: [] });
    expect(Object.keys(host.state.live)).toEqual(['a#2']);
    host.take(settled(host, 'a#2'));
    expect(Object.keys(host.state.live)).toEqual(['b#2']);
    host.take(errored(host, 'b#2'));
    steer(host, { do: 'goto', step: 'b', passed: [] });
    expect(Object.keys(host.state.live)).toEqual(['b#3']);
  });

  test('that failed can be retried as well', () => {
    const host = startGraph(graph(step('a', { next: { ok: edge('complete'), fail: edge('fail') } })));
    host.take(settled(host, 'a#1', { outcome: 'fail' }));
    expect(host.state.status).toBe('failed');
    steer(host, { do: 'retry' });
    host.take(settled(host, 'a#1'));
    expect(host.state.status).toBe('completed');
  });

  test('that is paused retries its step only after it is resumed', () => {
    const host = escalated();
    steer(host, { do: 'pause' });
    steer(host, { do: 'retry' });
    expect(host.at('a#1').state).toBe('queued');
    steer(host, { do: 'unpause' });
    expect(host.at('a#1')).toMatchObject({ state: 'running', attempt: 3 });
  });
});

describe('after a used-up bound', () => {
  test.each<ControlAction>([{ do: 'retry' }, { do: 'retry', extend: 0 }, { do: 'retry', extend: -1 }, { do: 'accept' }])(
    '%j is refused (K9)',
    (action) => {
      const host = exhausted();
      const before = host.state;
      expect(steer(host, action)).toMatchObject([{ type: 'input.ignored', reason: 'not-allowed' }]);
      expect(host.state).toEqual({ ...before, seq: before.seq + 1 });
    },
  );

  test('more iterations let the run continue that often, and the count goes on (K9)', () => {
    const host = exhausted();
    steer(host, { do: 'retry', extend: 2 });
    expect(host.state).toMatchObject({ status: 'running', counts: { 'a:iterate': 2 }, extended: { 'a:iterate': 2 } });
    host.take(settled(host, 'a#3', { outcome: 'iterate' }));
    host.take(settled(host, 'a#4', { outcome: 'iterate' }));
    expect(host.state).toMatchObject({ status: 'escalated', counts: { 'a:iterate': 3 } });
    expect(host.state.halt?.message).toContain('reached its limit of 3');
  });

  test('another step continues the run, and the bound stays used up (K9)', () => {
    const host = exhausted();
    steer(host, { do: 'goto', step: 'a', passed: [] });
    host.take(settled(host, 'a#3', { outcome: 'iterate' }));
    expect(host.state.halt?.reason).toBe('exhausted');
  });
});

describe('invalid requests', () => {
  test.each<ControlAction>([{ do: 'retry' }, { do: 'accept' }, { do: 'goto', step: 'b', passed: [] }, { do: 'unpause' }])(
    '%j of a run that goes on is refused',
    (action) => {
      const host = startGraph(chain);
      expect(steer(host, action)).toMatchObject([{ type: 'input.ignored', input: 'control', reason: 'not-allowed' }]);
    },
  );
});

describe('a pause', () => {
  test('lets running work end and starts nothing', () => {
    const host = startGraph(chain);
    steer(host, { do: 'pause' });
    host.take(settled(host, 'a#1'));
    expect(host.at('b#1').state).toBe('queued');
    host.take({ type: 'recovered', at: 5 });
    expect(host.at('b#1').state).toBe('queued');
    steer(host, { do: 'unpause' });
    expect(host.at('b#1').state).toBe('running');
  });

  test('holds back members, retries and joins alike', () => {
    const host = startGraph(
      graph(parallel('fan', [step('x', { retry: { max: 1, on: ['error'] } }), step('y')], { concurrency: 1, next: to('complete') })),
    );
    steer(host, { do: 'pause' });
    host.take(errored(host, 'fan#1/x'));
    expect(host.at('fan#1/x')).toMatchObject({ state: 'queued', attempt: 2 });
    steer(host, { do: 'unpause' });
    host.take(settled(host, 'fan#1/x'));
    host.take(settled(host, 'fan#1/y'));
    expect(host.state.status).toBe('completed');
  });
});

describe('a cancellation', () => {
  test('ends everything at once and says who asked and why', () => {
    const host = startGraph(graph(parallel('fan', [step('x'), human('y')], { next: to('complete') })));
    const events = steer(host, { do: 'cancel', reason: 'wrong branch' });
    expect(host.state).toMatchObject({ status: 'cancelled', live: {}, groups: {} });
    expect(events.at(-1)).toMatchObject({ type: 'run.changed', actor: 'ann', note: 'wrong branch' });
  });

  test('of a halted run is final', () => {
    const host = escalated();
    steer(host, { do: 'cancel' });
    expect(host.state.status).toBe('cancelled');
    expect(steer(host, { do: 'retry' })).toMatchObject([{ reason: 'final' }]);
  });
});
