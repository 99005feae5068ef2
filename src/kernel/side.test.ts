import { describe, expect, test } from 'vitest';
import { edge, graph, human, step, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { startGraph } from '../../test/kernel/memory-host.ts';

const tell = step('tell', { side: true });

describe('a wait with an extension', () => {
  const ask = human('ask', {
    timeoutMs: 10,
    extension: { ms: 5, max: 2, onExtend: 'tell' },
    next: { ...to('complete'), timeout: edge('reject') },
  });

  test('is extended as often as allowed, notifies each time, and then times out', () => {
    const host = startGraph(graph(ask, tell));
    host.take({ type: 'due', at: 10 });
    expect(host.at('ask#1')).toMatchObject({ state: 'waiting', deadline: 15, extensions: 1 });
    expect(host.at('tell#1').state).toBe('running');
    host.take({ type: 'due', at: 15 });
    expect(host.at('ask#1')).toMatchObject({ deadline: 20, extensions: 2 });
    host.take({ type: 'due', at: 20 });
    expect(host.state.status).toBe('rejected');
  });

  test('does not depend on how the notification ends', () => {
    const host = startGraph(graph(ask, tell));
    host.take({ type: 'due', at: 10 });
    host.take(errored(host, 'tell#1'));
    expect(host.state.halt).toBeUndefined();
    expect(Object.keys(host.state.live)).toEqual(['ask#1']);
  });
});

describe('a run that comes to a halt', () => {
  const broken = () =>
    startGraph({ ...graph(step('a', { next: to('complete') }), { ...tell, next: to('then') }, { ...tell, id: 'then' }), onError: 'tell' });

  test('runs its notification steps one after the other, and stays halted', () => {
    const host = broken();
    host.take(errored(host, 'a#1'));
    expect(host.state).toMatchObject({ status: 'escalated', live: { 'tell#1': { state: 'running' } } });
    host.take(settled(host, 'tell#1'));
    expect(Object.keys(host.state.live)).toEqual(['then#1']);
    host.take(settled(host, 'then#1'));
    expect(host.state).toMatchObject({ status: 'escalated', live: {}, halt: { step: 'a' } });
  });

  test('notifies once, even if it halts again', () => {
    const host = broken();
    host.take(errored(host, 'a#1'));
    host.take(settled(host, 'tell#1'));
    host.take(settled(host, 'then#1'));
    host.take(control(host, { do: 'retry' }));
    host.take(errored(host, 'a#1'));
    expect(host.state).toMatchObject({ status: 'escalated', live: {} });
  });
});
