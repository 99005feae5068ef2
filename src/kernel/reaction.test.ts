import { describe, expect, test } from 'vitest';
import { graph, human, parallel, step, to } from '../../test/kernel/definitions.ts';
import { control, errored, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { ControlAction } from './input.ts';

const reaction = { rule: 0, do: 'invalidate_and_restart', event: 'pull_request.synchronize', eventId: 'd1' } as const;
const back = { do: 'back', step: 'work', rule: 0, max: 2 } as const;

function react(host: MemoryHost, action: ControlAction) {
  return host.take({ type: 'control', at: host.state.at, actor: 'eve', action, reaction });
}

function atReview(): MemoryHost {
  const host = startGraph(graph(step('work', { next: to('review') }), human('review', { next: to('complete') })));
  host.take(settled(host, 'work#1'));
  return host;
}

describe('a run that goes back because of an event', () => {
  test('records the event and who caused it, gives up what is live, and works under new paths', () => {
    const host = atReview();
    const events = react(host, back);
    expect(events[0]).toMatchObject({ type: 'run.changed', change: 'reacted', actor: 'eve', reaction });
    expect(events[1]).toMatchObject({ type: 'step.settled', path: 'review#1', outcome: 'cancelled', actor: 'eve' });
    expect(Object.keys(host.state.live)).toEqual(['work#2']);
    host.take(settled(host, 'work#2'));
    expect(Object.keys(host.state.live)).toEqual(['review#2']);
  });

  test('does so as often as its workflow says and then escalates; a person can allow more (K25, K9)', () => {
    const host = atReview();
    for (let time = 0; time < 2; time += 1) react(host, back);
    expect(host.state.status).toBe('running');
    react(host, back);
    expect(host.state).toMatchObject({ status: 'escalated', live: {}, halt: { reason: 'exhausted', edge: '@event:0', to: 'work' } });
    expect(react(host, back).at(-1)).toMatchObject({ type: 'input.ignored', reason: 'late' });
    host.take(control(host, { do: 'retry' }));
    expect(host.state.status).toBe('escalated');
    host.take(control(host, { do: 'retry', extend: 1 }));
    expect(Object.keys(host.state.live)).toEqual(['work#4']);
    react(host, back);
    expect(host.state.status).toBe('escalated');
  });

  test('never goes forward: what lies between would not be done (K25)', () => {
    const review = human('review', { next: to('complete') });
    const host = startGraph(graph(step('work', { next: to('check') }), step('check', { next: to('review') }), review));
    expect(react(host, { ...back, step: 'review' }).at(-1)).toMatchObject({ type: 'input.ignored', reason: 'late' });
    expect(react(host, { ...back, step: 'check' }).at(-1)).toMatchObject({ type: 'input.ignored', reason: 'late' });
    expect(Object.keys(host.state.live)).toEqual(['work#1']);
  });

  test('stays where it is while it is cancelled or stands still for a person', () => {
    const host = startGraph(graph(step('work', { next: to('complete') })));
    host.take(errored(host, 'work#1', { retryable: false }));
    expect(host.state.status).toBe('escalated');
    expect(react(host, back).at(-1)).toMatchObject({ type: 'input.ignored' });
    expect(host.state.status).toBe('escalated');
  });
});

describe('an event that wakes agents', () => {
  const agent = step('work', { kind: 'agent', config: { role: 'dev', instructions: 'x' } as never, next: to('review') });
  const wake = { do: 'wake', note: { event: 'issue_comment.created', text: 'please rename it' } } as const;
  const prepare = (host: MemoryHost, path: string): void => void host.take({ type: 'prepared', at: host.state.at, path, attempt: 1 });
  const start = (): MemoryHost => {
    const host = startGraph(graph(agent, human('review', { next: to('complete') })));
    prepare(host, 'work#1');
    return host;
  };

  test('starts one that waits for capacity, at once and without using up a retry', () => {
    const host = start();
    host.take(errored(host, 'work#1', { reason: 'quota' }));
    react(host, wake);
    expect(host.at('work#1')).toMatchObject({ state: 'running', attempt: 2, since: 2 });
    expect(host.state.notes).toMatchObject([{ by: 'event', actor: 'eve', event: 'issue_comment.created', text: 'please rename it' }]);
  });

  test('stays for the next one if an agent is at work, since that one did not hear of it', () => {
    const host = start();
    react(host, wake);
    expect(host.at('work#1')).toMatchObject({ state: 'running', attempt: 1 });
    host.take(settled(host, 'work#1'));
    expect(host.state.notes).toHaveLength(1);
    react(host, { ...wake, back: { step: 'work', rule: 0, max: 1 } });
    prepare(host, 'work#2');
    host.take(settled(host, 'work#2'));
    expect(host.state.notes).toBeUndefined();
  });

  test('leads back to the step of an agent that has ended, within its bound', () => {
    const host = start();
    host.take(settled(host, 'work#1'));
    react(host, { ...wake, back: { step: 'work', rule: 1, max: 1 } });
    expect(Object.keys(host.state.live)).toEqual(['work#2']);
    react(host, { ...wake, back: { step: 'work', rule: 1, max: 1 } });
    expect(Object.keys(host.state.live)).toEqual(['work#2']);
  });
});

describe('an event of the forge', () => {
  const merge = step('merge', { kind: 'action', config: { action: 'merge_pr' } as never, next: to('complete') });
  const gate = step('gate', {
    kind: 'gate',
    config: { checks: [{ check: 'command', run: 'true' }] } as never,
    next: to('complete'),
  });
  const recheck = { do: 'recheckGates' } as const;
  const queued = { reason: 'quota', resumeAt: 500_000, wakeOnSignal: true } as const;

  test('end the wait for what is under way there, without using up a retry, and no other wait for capacity', () => {
    const host = startGraph(graph(merge));
    host.take(errored(host, 'merge#1', queued));
    expect(host.at('merge#1')).toMatchObject({ state: 'waiting', wait: { kind: 'capacity', wakeOnSignal: true }, due: 500_000 });
    react(host, recheck);
    expect(host.at('merge#1')).toMatchObject({ state: 'running', attempt: 2, since: 2 });
    host.take(errored(host, 'merge#1', { reason: 'quota', resumeAt: 500_000 }));
    react(host, recheck);
    expect(host.at('merge#1')).toMatchObject({ state: 'waiting', wait: { kind: 'capacity' }, attempt: 2 });
  });

  test('that come while a merge or a gate checks make it check again a second later, once', () => {
    const host = startGraph(graph(merge));
    expect(react(host, recheck).filter(({ type }) => type === 'step.changed')).toHaveLength(1);
    expect(react(host, recheck).filter(({ type }) => type === 'step.changed')).toHaveLength(0);
    host.take(errored(host, 'merge#1', queued));
    expect(host.at('merge#1')).toMatchObject({ state: 'waiting', due: host.state.at + 1000 });
    const other = startGraph(graph(gate));
    react(other, recheck);
    other.take(settled(other, 'gate#1', { outcome: 'pending' }));
    expect(other.at('gate#1')).toMatchObject({ state: 'waiting', wait: { kind: 'checks' }, due: other.state.at + 1000 });
    react(other, recheck);
    other.take(settled(other, 'gate#1', { outcome: 'pending' }));
    expect(other.at('gate#1')).toMatchObject({ state: 'waiting', due: other.state.at + 60_000 });
  });
});

describe('a run that reached a limit', () => {
  test('escalates at the step that it is at, which a person can have taken up again', () => {
    const host = atReview();
    host.take(control(host, { do: 'halt', limit: 'turns', message: 'it has slept for 24 hours' }));
    expect(host.state).toMatchObject({ status: 'escalated', live: {}, halt: { step: 'review', message: 'it has slept for 24 hours' } });
    host.take(control(host, { do: 'retry' }));
    expect(host.at('review#1')).toMatchObject({ state: 'waiting', attempt: 2 });
  });

  test('keeps what the members of a group have done', () => {
    const both = parallel('both', [step('a'), step('b')], { next: to('complete') });
    const host = startGraph(graph(both));
    host.take(settled(host, 'both#1/a'));
    host.take(control(host, { do: 'halt', limit: 'turns', message: 'too long' }));
    expect(host.state).toMatchObject({ status: 'escalated', live: {} });
    host.take(control(host, { do: 'retry' }));
    expect(Object.keys(host.state.live).sort()).toEqual(['both#1', 'both#1/b']);
  });
});
