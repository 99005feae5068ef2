import { describe, expect, test } from 'vitest';
import { edge, graph, human, option, step, target, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, openGraph, startGraph } from '../../test/kernel/memory-host.ts';
import type { RunEvent } from './event.ts';

const ANSWERS = [option('publish', { to: target('publish') }), option('rework', { to: target('draft') })];
const release = graph(
  step('draft', { next: to('check') }),
  step('check', { next: { ok: edge('legal') } }),
  human('legal', { next: to('build') }),
  step('build', { next: to('approve') }),
  human('approve', { question: { prompt: 'Publish?', show: [], options: ANSWERS } }),
  step('publish', { next: to('complete') }),
);
const DETOUR = {
  asks: [
    { step: 'legal', on: ['build'] },
    { step: 'approve', on: ['publish'] },
  ],
  to: 'publish',
};

function overridesIn(events: readonly RunEvent[]) {
  return events.flatMap((event) => (event.type === 'run.changed' && event.change === 'overridden' ? [event.override] : []));
}

function failedAtCheck(): MemoryHost {
  const host = startGraph(release);
  host.take(settled(host, 'draft#1'));
  host.take(errored(host, 'check#1', { message: '2 tests fail' }));
  expect(host.state.status).toBe('escalated');
  return host;
}

function decideAt(host: MemoryHost, path: string, choice: string): void {
  const { digest = '' } = host.at(path)?.wait ?? {};
  host.take({ type: 'decided', at: host.state.at, path, option: choice, digest, actor: 'ann' });
}

describe('what a person lets pass by hand (K19)', () => {
  test('is recorded before it takes effect, and the run ends overridden', () => {
    const host = failedAtCheck();
    const passed = ['check', 'legal', 'build', 'approve'];
    const events = host.take(control(host, { do: 'goto', step: 'publish', passed, note: 'it burns' }));
    expect(overridesIn(events)).toEqual([{ how: 'goto', actor: 'ann', passed, to: 'publish', note: 'it burns' }]);
    expect(events.findIndex((event) => 'override' in event)).toBeLessThan(events.findIndex(({ type }) => type === 'step.opened'));
    host.take(settled(host, 'publish#2'));
    expect(host.state.status).toBe('overridden');
  });

  test('is not recorded if no step was passed', () => {
    const host = failedAtCheck();
    expect(overridesIn(host.take(control(host, { do: 'goto', step: 'draft', passed: [] })))).toEqual([]);
    expect(host.state.overridden).toBeUndefined();
  });

  test('is a step that is accepted although it had not passed', () => {
    const host = failedAtCheck();
    expect(overridesIn(host.take(control(host, { do: 'accept' })))).toEqual([{ how: 'accept', actor: 'ann', passed: ['check'] }]);
  });

  test('is a step whose end is unknown and that is taken as done', () => {
    const host = startGraph(graph(step('a', { recovery: 'ask', next: to('complete') })));
    host.take({ type: 'recovered', at: 1 });
    expect(overridesIn(host.take(control(host, { do: 'resolve', path: 'a#1', how: 'accept' })))).toEqual([
      { how: 'done', actor: 'ann', passed: ['a'] },
    ]);
    expect(host.state.status).toBe('overridden');
  });

  test('in a run that it started makes the parent overridden as well, and is ok for it', () => {
    const host = startGraph(graph(step('child', { kind: 'workflow', workflow: 'c', input: {}, next: to('complete') })));
    const child = host.at('child#1').wait?.run ?? '';
    host.take({ type: 'childEnded', at: 1, path: 'child#1', child, status: 'overridden' });
    expect(host.state.status).toBe('overridden');
  });

  test('does not change the end of a run that is rejected or fails', () => {
    const host = startGraph(graph(step('a', { next: to('b') }), step('b', { next: to('complete') })));
    host.take(errored(host, 'a#1', {}));
    host.take(control(host, { do: 'accept' }));
    host.take(settled(host, 'b#1', { outcome: 'reject' }));
    expect(host.state.status).toBe('rejected');
  });
});

describe('a run that starts after questions', () => {
  const begin = (): MemoryHost => {
    const host = openGraph(release, {});
    host.take({ type: 'start', at: 0, from: 'publish', detour: DETOUR });
    return host;
  };

  test('asks each of them, and then continues at its first step', () => {
    const host = begin();
    expect(Object.keys(host.state.live)).toEqual(['legal#1']);
    decideAt(host, 'legal#1', 'yes');
    expect(Object.keys(host.state.live)).toEqual(['approve#1']);
    decideAt(host, 'approve#1', 'publish');
    expect(Object.keys(host.state.live)).toEqual(['publish#1']);
    expect(host.state.detour).toBeUndefined();
    host.take(settled(host, 'publish#1'));
    expect(host.state.status).toBe('completed');
  });

  test('asks them where they stand when it goes back to a step before them', () => {
    const host = begin();
    host.take(control(host, { do: 'back', step: 'draft', rule: 0, max: 1 }));
    expect(Object.keys(host.state.live)).toEqual(['draft#2']);
    expect(host.state.detour).toBeUndefined();
  });

  test('follows the definition after an answer that leads elsewhere', () => {
    const host = begin();
    decideAt(host, 'legal#1', 'yes');
    decideAt(host, 'approve#1', 'rework');
    expect(Object.keys(host.state.live)).toEqual(['draft#1']);
    expect(host.state.detour).toBeUndefined();
  });
});
