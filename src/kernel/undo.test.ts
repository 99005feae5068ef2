import { describe, expect, test } from 'vitest';
import { edge, graph, human, step, to } from '../../test/kernel/definitions.ts';
import { control, decided, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';

const work = step('work', { undo: step('undo'), next: to('ask') });
const ask = human('ask', { next: { ...to('complete'), reject: edge('reject') } });
const begun = (): MemoryHost => {
  const host = startGraph(graph(work, ask));
  host.take(settled(host, 'work#1'));
  return host;
};
const undone = (host: MemoryHost, path: string, outcome: string): void => void host.take(settled(host, path, { outcome }));

describe('K24: a run that can be undone', () => {
  test('ends rejected after the undo step has said that nothing is left', () => {
    const host = begun();
    host.take(decided(host, 'ask#1', { option: 'no' }));
    expect(host.state).toMatchObject({ status: 'running', undoing: { status: 'rejected' }, live: { '@undo#1': { state: 'running' } } });
    undone(host, '@undo#1', 'ok');
    expect(Object.keys(host.state.live)).toEqual(['@undo#2']);
    undone(host, '@undo#2', 'skip');
    expect(host.state).toMatchObject({ status: 'rejected', live: {} });
  });

  test('completes without it', () => {
    const host = begun();
    host.take(decided(host, 'ask#1', { option: 'yes' }));
    expect(host.state).toMatchObject({ status: 'completed', live: {} });
  });

  test('stops what is at work when it is cancelled, and a second cancel changes nothing', () => {
    const host = begun();
    host.take(control(host, { do: 'cancel' }));
    expect(Object.keys(host.state.live)).toEqual(['@undo#1']);
    host.take(control(host, { do: 'cancel' }));
    expect(host.rows.at(-1)).toMatchObject([{ type: 'input.ignored', reason: 'duplicate' }]);
    undone(host, '@undo#1', 'skip');
    expect(host.state.status).toBe('cancelled');
  });

  test('is cancelled at once when nothing is to be undone', () => {
    const host = begun();
    host.take(control(host, { do: 'cancel', undo: false }));
    expect(host.state).toMatchObject({ status: 'cancelled', live: {} });
  });

  test('undoes although it is paused, and pauses between two steps of undoing', () => {
    const host = begun();
    host.take(control(host, { do: 'pause' }));
    host.take(control(host, { do: 'cancel' }));
    expect(host.at('@undo#1').state).toBe('running');
    host.take(control(host, { do: 'pause' }));
    undone(host, '@undo#1', 'ok');
    expect(host.at('@undo#2').state).toBe('queued');
    host.take(control(host, { do: 'unpause' }));
    expect(host.at('@undo#2').state).toBe('running');
  });
});

describe('undoing that fails', () => {
  const stuck = (): MemoryHost => {
    const host = begun();
    host.take(decided(host, 'ask#1', { option: 'no' }));
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      host.take(errored(host, '@undo#1'));
      host.take({ type: 'due', at: host.state.at + 100_000 });
    }
    return host;
  };

  test('is left to a person after its retries, who can have it tried again', () => {
    const host = stuck();
    expect(host.state).toMatchObject({ status: 'escalated', halt: { step: '@undo' }, undoing: { status: 'rejected' } });
    host.take(control(host, { do: 'retry' }));
    expect(host.at('@undo#1')).toMatchObject({ state: 'running', attempt: 5 });
    undone(host, '@undo#1', 'ok');
    undone(host, '@undo#2', 'skip');
    expect(host.state.status).toBe('rejected');
  });

  test('can be accepted as done; the rest is undone', () => {
    const host = stuck();
    host.take(control(host, { do: 'accept' }));
    expect(host.at('@undo#2').state).toBe('running');
  });

  test('can be left as it is by cancelling; it does not go on elsewhere', () => {
    const host = stuck();
    host.take(control(host, { do: 'goto', step: 'work', passed: [] }));
    expect(host.state.status).toBe('escalated');
    host.take(control(host, { do: 'cancel' }));
    expect(host.state).toMatchObject({ status: 'cancelled', live: {} });
  });
});

describe('a failed run', () => {
  const failed = (): MemoryHost => {
    const host = startGraph(graph(step('work', { undo: step('undo'), next: { ...to('complete'), fail: edge('fail') } })));
    host.take(settled(host, 'work#1', { outcome: 'fail' }));
    return host;
  };

  test('that was undone is not resumed', () => {
    const host = failed();
    undone(host, '@undo#1', 'ok');
    host.take(settled(host, '@undo#2', { outcome: 'skip', output: { undone: 1 } }));
    expect(host.state).toMatchObject({ status: 'failed', halt: { step: 'work' }, undoing: { status: 'failed' } });
    host.take(control(host, { do: 'retry' }));
    expect(host.rows.at(-1)).toMatchObject([{ type: 'input.ignored', reason: 'not-allowed' }]);
  });

  test('with nothing to undo can be resumed, and undoes what it does then', () => {
    const host = failed();
    host.take(settled(host, '@undo#1', { outcome: 'skip', output: { undone: 0 } }));
    expect(host.state).toMatchObject({ status: 'failed', halt: { step: 'work' } });
    expect(host.state.undoing).toBeUndefined();
    host.take(control(host, { do: 'retry' }));
    expect(host.at('work#1')).toMatchObject({ state: 'running', attempt: 2 });
    host.take(settled(host, 'work#1', { outcome: 'fail' }));
    expect(host.at('@undo#2').state).toBe('running');
  });
});
