import { describe, expect, test } from 'vitest';
import { graph, step, to } from '../../test/kernel/definitions.ts';
import { control, errored } from '../../test/kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../../test/kernel/memory-host.ts';
import type { Ref } from '../base/digest.ts';
import type { StepFrame } from '../definition/model.ts';
import type { RunInput } from './input.ts';

const ANSWERS_MAX = 5;

/** A step of an agent whose first attempt is at work. */
function working(given: Partial<StepFrame> = {}): MemoryHost {
  const host = startGraph(graph(step('work', { next: to('complete'), ...given, kind: 'agent', config: { role: 'worker' } })));
  host.take({ type: 'prepared', at: 0, path: 'work#1', attempt: 1 });
  return host;
}

/** An input about the present attempt, at a time. */
function input<T extends 'handed' | 'asked' | 'answered'>(host: MemoryHost, type: T, at: number): RunInput {
  const of = { at, path: 'work#1', attempt: host.at('work#1').attempt };
  const value = host.view.keep({ said: type, at }) as Ref;
  if (type === 'handed') return { type, ...of, handover: value };
  return type === 'asked' ? { type: 'asked', ...of, questions: value } : { type: 'answered', ...of, answers: value, actor: 'ann' };
}

function take(host: MemoryHost, ...said: readonly ['handed' | 'asked' | 'answered', number][]): void {
  for (const [type, at] of said) host.take(input(host, type, at));
}

describe('an attempt after a question was answered (K16)', () => {
  test('began when it was answered, and its time limit counts from there', () => {
    const host = working({ timeoutMs: 100 });
    take(host, ['handed', 0]);
    expect(host.at('work#1').deadline).toBe(100);
    take(host, ['asked', 40]);
    host.take({ type: 'due', at: 200 });
    expect(host.at('work#1')).toMatchObject({ state: 'waiting', attempt: 1, wait: { kind: 'answer' } });
    take(host, ['answered', 300], ['handed', 310]);
    expect(host.at('work#1')).toMatchObject({ attempt: 2, startedAt: 300, deadline: 400, wait: { kind: 'report' } });
    host.take({ type: 'due', at: 400 });
    expect(host.state.halt).toMatchObject({ outcome: 'timeout' });
  });

  test('has not begun as long as the run is paused, or as long as it waits for a slot', () => {
    const paused = working();
    take(paused, ['handed', 0], ['asked', 10]);
    paused.take(control(paused, { do: 'pause' }));
    take(paused, ['answered', 20]);
    expect(paused.at('work#1')).toMatchObject({ state: 'queued', attempt: 2 });
    expect(paused.at('work#1')).not.toHaveProperty('startedAt');

    const crowded = working({ slots: ['one'] });
    crowded.take({ type: 'slot', at: 0, path: 'work#1' });
    take(crowded, ['handed', 0], ['asked', 10], ['answered', 20]);
    expect(crowded.at('work#1')).toMatchObject({ state: 'queued', slots: ['one'] });
    expect(crowded.at('work#1')).not.toHaveProperty('startedAt');
  });

  test('uses up no retry, and gets every answer so far', () => {
    const host = working({ retry: { max: 1, on: ['error'] } });
    take(host, ['asked', 1], ['answered', 2], ['asked', 3], ['answered', 4]);
    expect(host.at('work#1').answers?.map((answer) => host.view.value(answer))).toEqual([
      { said: 'answered', at: 2 },
      { said: 'answered', at: 4 },
    ]);
    host.take(errored(host, 'work#1'));
    expect(host.at('work#1')).toMatchObject({ state: 'running', attempt: 4 });
    host.take(errored(host, 'work#1'));
    expect(host.state.status).toBe('escalated');
  });
});

test(`a worker asks ${ANSWERS_MAX} times; once more is a failed attempt that says so`, () => {
  const host = working();
  for (let round = 0; round < ANSWERS_MAX; round += 1) take(host, ['asked', round], ['answered', round]);
  expect(host.at('work#1').state).toBe('running');
  take(host, ['asked', ANSWERS_MAX]);
  expect(host.state).toMatchObject({ status: 'escalated', halt: { message: expect.stringContaining('more than 5 times') } });
});
