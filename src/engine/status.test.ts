import { describe, expect, test } from 'vitest';
import { child, delay, edge, graph, human, parallel, signal, step, to, validation } from '../../test/kernel/definitions.ts';
import { control, settled } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { StepModel } from '../definition/model.ts';
import { outstanding } from '../kernel/effect.ts';
import { currentStepOf } from '../kernel/run-state.ts';
import { dueOf, statusOf, waitsOf } from './status.ts';

function startStep(model: StepModel): MemoryHost {
  return startGraph(graph({ ...model, next: to('complete') }));
}

describe('the status that users see', () => {
  test.each([
    ['running', 'something works', step('a')],
    ['running', 'conditions are looked at', human('a', { preconditions: [{ name: 'p', error: 'e' }] })],
    ['waiting', 'a person is asked', human('a')],
    ['waiting', 'a signal is awaited', signal('a', 'go')],
    ['waiting', 'a child works', child('a')],
    ['waiting', 'time must pass', delay('a', { durationMs: 5 })],
    ['waiting', 'a slot is not free', step('a', { slots: ['s'] })],
    ['running', 'one of several members works', parallel('a', [human('x'), step('y')])],
    ['waiting', 'all members wait', parallel('a', [human('x'), signal('y', 'go')])],
  ])('a run is %s while %s', (status, _why, model) => {
    expect(statusOf(startStep(model).state)).toBe(status);
  });

  test('a run is running while a validation is being repaired', () => {
    const host = startStep(validation('v', 1));
    host.take(settled(host, 'v#1', { outcome: 'fail' }));
    expect(statusOf(host.state)).toBe('running');
  });

  test('the status of a run that ended or halted says how', () => {
    const ended = startStep(step('a'));
    ended.take(settled(ended, 'a#1'));
    const halted = startStep(step('a'));
    halted.take(settled(halted, 'a#1', { outcome: 'fail' }));
    expect([statusOf(ended.state), statusOf(halted.state)]).toEqual(['completed', 'escalated']);
  });
});

describe('what a run waits for', () => {
  test('waits are listed oldest first, with what is needed to answer them', () => {
    const host = startStep(parallel('fan', [human('x', { timeoutMs: 30 }), signal('y', 'go'), child('z'), step('s', { slots: ['s'] })]));
    const { digest } = host.at('fan#1/x').wait ?? {};
    expect(waitsOf(host.state)).toEqual([
      { kind: 'human', path: 'fan#1/x', step: 'fan/x', since: 0, due: 30, digest },
      { kind: 'signal', path: 'fan#1/y', step: 'fan/y', since: 0, name: 'go' },
      { kind: 'child', path: 'fan#1/z', step: 'fan/z', since: 0, child: host.at('fan#1/z').wait?.run },
      { kind: 'capacity', path: 'fan#1/s', step: 'fan/s', since: 0 },
    ]);
  });

  test('the waits include a halt with its reason, and a pause', () => {
    const host = startStep(step('a'));
    host.take(settled(host, 'a#1', { outcome: 'fail' }));
    host.take(control(host, { do: 'pause' }));
    expect(waitsOf(host.state)).toMatchObject([{ kind: 'escalation', path: 'a#1', step: 'a' }, { kind: 'pause' }]);
  });

  test('the waits include an attempt whose end is unknown', () => {
    const host = startStep(step('a', { recovery: 'ask' }));
    host.take({ type: 'recovered', at: 1 });
    expect(waitsOf(host.state)).toMatchObject([{ kind: 'unknown', path: 'a#1' }]);
  });
});

test('a run is checked again at its nearest due time', () => {
  const host = startStep(parallel('fan', [delay('x', { durationMs: 40 }), human('y', { timeoutMs: 20 })], { timeoutMs: 90 }));
  expect(dueOf(host.state)).toBe(20);
  host.take({ type: 'due', at: 20 });
  expect(dueOf(host.state)).toBe(40);
});

test('the current step is the live one, or the one at which the run halted', () => {
  const host = startGraph(graph(step('a', { next: { ok: edge('b') } }), step('b', { next: to('complete') })));
  expect(currentStepOf(host.state)).toBe('a');
  host.take(settled(host, 'a#1'));
  host.take(settled(host, 'b#1', { outcome: 'fail' }));
  expect(currentStepOf(host.state)).toBe('b');
});

describe('outstanding effects', () => {
  test.each([
    [{ do: 'step', phase: 'execute' }, step('a')],
    [{ do: 'step', phase: 'prepare' }, human('a', { preconditions: [{ name: 'p', error: 'e' }] })],
    [{ do: 'start-child' }, child('a')],
    [{ do: 'take-slots', slots: ['s'] }, step('a', { slots: ['s'] })],
  ])('the outstanding effect is %j, and is requested again while it is outstanding', (effect, model) => {
    const { state } = startStep(model);
    const effects = [{ ...effect, activation: { path: 'a#1', attempt: 1 } }];
    expect([outstanding(state), outstanding(state)]).toMatchObject([effects, effects]);
  });

  test('a wait has no outstanding effect, nor has a queued step while the run is paused', () => {
    expect(outstanding(startStep(human('a')).state)).toEqual([]);
    const host = startStep(step('a', { slots: ['s'] }));
    host.take(control(host, { do: 'pause' }));
    expect(outstanding(host.state)).toEqual([]);
  });

  test('a cancelled run has outstanding effects that end its children', () => {
    const host = startStep(child('a'));
    host.take(control(host, { do: 'cancel' }));
    expect(outstanding(host.state)).toMatchObject([{ do: 'cancel-child', activation: { path: 'a#1', attempt: 1 } }]);
  });
});
