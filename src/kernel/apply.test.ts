import { describe, expect, test } from 'vitest';
import { graph, step, to } from '../../test/kernel/definitions.ts';
import { settled } from '../../test/kernel/inputs.ts';
import { startGraph } from '../../test/kernel/memory-host.ts';
import { type Activation, visitOf } from './activation.ts';
import { apply, applyRow, draftOf } from './apply.ts';
import type { EventOf, RunEvent } from './event.ts';
import type { RunState } from './run-state.ts';

function applied(run: RunState, event: RunEvent): RunState {
  const draft = draftOf(run);
  apply(draft, event);
  return draft;
}

const first: EventOf<'run.started'> = {
  type: 'run.started',
  at: 3,
  run: { id: 'r', workflow: 'w', def: 'd', form: 'graph', flags: [2], depth: 0 },
};

describe('the fold', () => {
  test('begins with run.started, once (K4)', () => {
    const run = applyRow(undefined, [first]);
    expect(run).toEqual({
      ...first.run,
      status: 'running',
      seq: 1,
      createdAt: 3,
      at: 3,
      live: {},
      groups: {},
      counts: {},
      extended: {},
      signals: {},
      paused: false,
    });
    expect(() => applyRow(run, [first])).toThrow('K4');
    expect(() => applyRow(undefined, [])).toThrow('K4');
    expect(() => apply(run, first)).toThrow('K4');
  });

  test('counts rows, not events', () => {
    const host = startGraph(graph(step('a', { next: to('complete') })));
    host.take(settled(host, 'a#1'));
    expect(host.state.seq).toBe(host.rows.length);
  });

  test('takes no further events once the run is final, but for what was ignored (K3)', () => {
    const host = startGraph(graph(step('a', { next: to('complete') })));
    host.take(settled(host, 'a#1'));
    expect(() => applied(host.state, { type: 'run.changed', at: 9, change: 'paused' })).toThrow('K3');
    expect(applied(host.state, { type: 'input.ignored', at: 9, input: 'due', reason: 'final' })).toEqual(host.state);
  });

  test.each<[string, RunEvent]>([
    ['opened', { type: 'step.opened', at: 0, activation: { path: 'a#1' } as never }],
    ['reopened', { type: 'step.reopened', at: 0, activation: { path: 'a#1' } as never }],
  ])('lets no live path be %s a second time (K2)', (_what, event) => {
    expect(() => applied(startGraph(graph(step('a', { next: to('complete') }))).state, event)).toThrow(
      'K2: what opens is not live yet: a#1',
    );
  });

  test.each<[string, RunEvent]>([
    ['changed', { type: 'step.changed', at: 0, activation: { path: 'z#1' } as never }],
    ['settled', { type: 'step.settled', at: 0, path: 'z#1', attempt: 1, outcome: 'ok' }],
  ])('lets nothing be %s that is not live (K2)', (_what, event) => {
    expect(() => applied(startGraph(graph(step('a', { next: to('complete') }))).state, event)).toThrow(
      'K2: what changes or settles is live: z#1',
    );
  });

  test('puts the changed activation in place and leaves the original as it was', () => {
    const host = startGraph(graph(step('a', { timeoutMs: 5, next: to('complete') })));
    const before = host.at('a#1');
    const changed: Activation = { ...visitOf(host.state.live['a#1'] as Activation), state: 'queued', feedback: 'f' };
    const after = applied(host.state, { type: 'step.changed', at: 1, activation: changed });
    expect(after.live['a#1']).toEqual(changed);
    expect(host.at('a#1')).toBe(before);
    expect(before.due).toBe(5);
  });
});
