import { describe, expect, test } from 'vitest';
import { cpuTimeMs } from '../../test/cpu-time.ts';
import { each, edge, graph, JOINS, parallel, signal, step, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, openGraph, startGraph } from '../../test/kernel/memory-host.ts';
import { itemKeys } from '../definition/group/items.ts';
import { draftOf } from './apply.ts';
import { decide } from './decide.ts';

function livePaths(host: MemoryHost): string[] {
  return Object.keys(host.state.live);
}

function output(host: MemoryHost) {
  return host.view.value(host.state.output as never);
}

const abc = [step('a'), step('b'), step('c')];

describe('members of a group', () => {
  test('open in order, as many at once as the group allows', () => {
    const host = startGraph(graph(each('fan', { concurrency: 2, next: to('complete') })), { items: ['x', 'y', 'z'] });
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/x', 'fan#1/y']);
    host.take(settled(host, 'fan#1/y'));
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/x', 'fan#1/z']);
    expect(host.state.groups['fan#1']).toMatchObject({ total: 3, queued: 0, ok: 1 });
  });

  test('give their outputs in the order of the items, not in that of their ends', () => {
    const host = startGraph(graph(each('fan', { next: to('complete') })), { items: ['x', 'y'] });
    host.take(settled(host, 'fan#1/y', { output: 'second' }));
    host.take(settled(host, 'fan#1/x', { output: 'first' }));
    expect(output(host)).toEqual(['first', 'second']);
  });

  test('of a parallel give their outputs by name, and what they return as objects joins the data', () => {
    const host = startGraph(
      graph(parallel('fan', abc, { next: { ok: { condition: 'checkpoint.n == 2', onTrue: edge('complete'), onFalse: edge('fail') } } })),
    );
    host.take(settled(host, 'fan#1/c', { output: { n: 2 } }));
    host.take(settled(host, 'fan#1/a', { output: { n: 1 } }));
    host.take(settled(host, 'fan#1/b', { outcome: 'skip' }));
    expect(output(host)).toEqual({ a: { n: 1 }, c: { n: 2 } });
  });

  test('have retries of their own, and one that failed never makes the others run again (N4)', () => {
    const members = [step('a', { retry: { max: 1, on: ['error'] } }), step('b')];
    const host = startGraph(graph(parallel('fan', members, { next: to('complete') })));
    host.take(errored(host, 'fan#1/a'));
    expect(host.at('fan#1/a').attempt).toBe(2);
    host.take(settled(host, 'fan#1/b', { output: 'kept' }));
    host.take(errored(host, 'fan#1/a'));
    expect(host.state.halt).toMatchObject({ outcome: 'fail', message: '1 of 2 did not succeed: a (error: boom)' });
    host.take(control(host, { do: 'retry' }));
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/a']);
    expect(host.at('fan#1/a')).toMatchObject({ attempt: 3, since: 3 });
    host.take(settled(host, 'fan#1/a', { output: 'new' }));
    expect(output(host)).toEqual({ a: 'new', b: 'kept' });
  });

  test('that a met join no longer needs are stopped, and their results are late (N5)', () => {
    const host = startGraph(
      graph(parallel('fan', abc, { join: { rule: 'any' }, next: to('next') }), step('next', { next: to('complete') })),
    );
    const late = settled(host, 'fan#1/c');
    const events = host.take(settled(host, 'fan#1/b'));
    expect(events.filter((event) => event.type === 'step.settled' && event.outcome === 'cancelled')).toMatchObject([
      { path: 'fan#1/a' },
      { path: 'fan#1/c' },
    ]);
    expect(livePaths(host)).toEqual(['next#1']);
    expect(host.take(late)).toMatchObject([{ type: 'input.ignored', reason: 'late' }]);
  });

  test.each(['abc', 'cba', 'bac'])('that all reject lead to reject_all under a count that cannot be met, in the order %s', (order) => {
    const next = { ok: edge('complete'), reject: edge('fail'), reject_all: edge('reject') };
    const host = startGraph(graph(parallel('fan', abc, { join: { rule: 'count', n: 2 }, next })));
    for (const key of order) host.take(settled(host, `fan#1/${key}`, { outcome: 'reject' }));
    expect(host.state.status).toBe('rejected');
  });

  test('of which one does not reject after two did lead to reject, and are waited for only where all may reject', () => {
    const next = { ok: edge('complete'), reject: edge('reject') };
    const two = (more: object) => {
      const host = startGraph(graph(parallel('fan', abc, { join: { rule: 'count', n: 2 }, next: { ...next, ...more } })));
      for (const key of ['a', 'b']) host.take(settled(host, `fan#1/${key}`, { outcome: 'reject' }));
      return host;
    };
    expect(two({}).state.status).toBe('rejected');
    const waiting = two({ reject_all: edge('fail') });
    expect(livePaths(waiting)).toEqual(['fan#1', 'fan#1/c']);
    waiting.take(settled(waiting, 'fan#1/c'));
    expect(waiting.state.status).toBe('rejected');
  });

  test('that report a failure are named with the reason that they gave', () => {
    const host = startGraph(graph(parallel('fan', [step('a'), step('b')], { next: to('complete') })));
    host.take(settled(host, 'fan#1/a', { outcome: 'fail', output: { error: 'no glossary', output: null } }));
    host.take(settled(host, 'fan#1/b', { outcome: 'fail', output: { error: 7 } }));
    expect(host.state.halt?.message).toBe('2 of 2 did not succeed: a (fail: no glossary); b (fail)');
  });

  test('name at most five of themselves in the message of a failure', () => {
    const host = startGraph(graph(each('fan', { next: to('complete') })), { items: ['1', '2', '3', '4', '5', '6', '7'] });
    for (const key of ['1', '2', '3', '4', '5', '6', '7']) host.take(settled(host, `fan#1/${key}`, { outcome: 'fail' }));
    expect(host.state.halt?.message).toBe('7 of 7 did not succeed: 1 (fail); 2 (fail); 3 (fail); 4 (fail); 5 (fail) and 2 more');
  });
});

describe('a group that is retried', () => {
  test('has its full time limit again', () => {
    const host = startGraph(graph(parallel('fan', abc, { timeoutMs: 50, next: to('complete') })));
    host.take(settled(host, 'fan#1/a', { at: 5 }));
    host.take({ type: 'due', at: 50 });
    host.take(control(host, { do: 'retry' }));
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/b', 'fan#1/c']);
    expect(host.at('fan#1').deadline).toBe(100);
  });

  test('keeps its limit of members at once', () => {
    const host = startGraph(graph(parallel('fan', abc, { concurrency: 2, next: to('complete') })));
    for (const key of ['a', 'b', 'c']) host.take(settled(host, `fan#1/${key}`, { outcome: 'fail' }));
    host.take(control(host, { do: 'retry' }));
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/a', 'fan#1/b']);
    expect(host.state.groups['fan#1']?.again).toEqual([{ key: 'c', index: 2, attempt: 2 }]);
  });

  test('runs again as a whole if its join was met and its contract broke', () => {
    const promise = [{ name: 'promise', error: 'broken' }];
    const host = startGraph(graph(parallel('fan', abc, { join: { rule: 'any' }, postconditions: promise, next: to('complete') })));
    host.take(settled(host, 'fan#1/b'));
    host.take(errored(host, 'fan#1', { reason: 'contract', message: 'broken' }));
    host.take(control(host, { do: 'retry' }));
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/a', 'fan#1/b', 'fan#1/c']);
  });

  test('lets a member that waits for a signal have the one that came meanwhile', () => {
    const host = startGraph(graph(parallel('fan', [signal('a', 'go'), step('b')], { timeoutMs: 50, next: to('complete') })));
    host.take({ type: 'due', at: 50 });
    host.take({ type: 'signalled', at: 55, name: 'go' });
    host.take(control(host, { do: 'retry' }));
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/b']);
    expect(host.state.signals).toEqual({});
  });
});

describe('the items of a fan-out', () => {
  test.each(JOINS.map((join, index) => [join.rule, join, ['completed', 'escalated', 'escalated'][index]] as const))(
    'may be none: %s settles at once',
    (_rule, join, status) => {
      expect(startGraph(graph(each('fan', { join, next: { ok: edge('complete') } })), { items: [] }).state.status).toBe(status);
    },
  );

  test.each([
    [{ items: 'abc' }, 'the items "params.items" of step "fan" are not a list but a string; an earlier step must return them as a list'],
    [{}, 'the items "params.items" of step "fan" are not there'],
    [{ items: Array.from({ length: 100_001 }, () => 0) }, 'are 100001; a fan-out takes at most 100000'],
  ])('that are no list, or too many, are an error that says so', (params, message) => {
    const { state } = startGraph(graph(each('fan', { next: to('complete') })), params);
    expect(state.halt?.message).toContain(message);
  });

  test('are frozen when the group opens', () => {
    const items = ['x', 'y'];
    const host = startGraph(graph(each('fan', { concurrency: 1, items: 'checkpoint.list', next: to('complete') })), { list: items });
    host.view.merged.set('list', ['other']);
    host.take(settled(host, 'fan#1/x'));
    expect(livePaths(host)).toEqual(['fan#1', 'fan#1/y']);
  });

  test('have stable and distinct keys: the item, its key, id or name, else its position', () => {
    expect(itemKeys(['a', 'b', 'a', 7, { id: 'x' }, { name: 'y', id: 3 }, { key: 'k', id: 'x' }, 'with space', null])).toEqual([
      'a',
      'b',
      '2',
      '3',
      'x',
      'y',
      'k',
      '7',
      '8',
    ]);
    expect(itemKeys(['2', 'a', 'a'])).toEqual(['2', 'a', '2~2']);
  });
});

describe('10,000 members', () => {
  const SIZE = 10_000;
  const items = Array.from({ length: SIZE }, (_, index) => `item-${index}`);

  test('that are all skipped are settled in one decision and without a deep stack', () => {
    const host = startGraph(graph(each('fan', { body: step('fan', { condition: 'false' }), concurrency: 1, next: to('complete') })), {
      items,
    });
    expect(host.state).toMatchObject({ status: 'completed', live: {} });
  });

  test('cost about the same each, however many there are', () => {
    const small = costPerMember(1_000);
    const large = costPerMember(SIZE);
    console.info(`a member of 1,000 costs ${small.toFixed(4)} ms, one of ${SIZE} ${large.toFixed(4)} ms`);
    expect(large).toBeLessThan(small * 5 + 0.05);
  });

  function costPerMember(size: number): number {
    const host = openGraph(graph(each('fan', { concurrency: 10, next: to('complete') })), { items: items.slice(0, size) });
    const means = { program: host.program, view: host.view };
    const draft = draftOf(host.state);
    const from = cpuTimeMs();
    decide(means, draft, { type: 'start', at: 0 });
    for (let ended = 0; ended < size; ended += 1) {
      const path = Object.keys(draft.live)[1] as string;
      decide(means, draft, { type: 'settled', at: 0, path, attempt: 1, outcome: 'ok' });
    }
    expect(draft.status).toBe('completed');
    return (cpuTimeMs() - from) / size;
  }
});
