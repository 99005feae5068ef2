import { expect, test } from 'vitest';
import type { Decision } from '../definition/question/asked-question.ts';
import type { Activation } from '../kernel/activation.ts';
import { createRun } from '../kernel/apply.ts';
import type { RunState } from '../kernel/run-state.ts';
import { hasWorkLeft, nextDriveAt } from './delta.ts';

/** A run at a question about something outside it. */
function asking(decided?: readonly Decision[]): RunState {
  const run = createRun({
    type: 'run.started',
    at: 0,
    run: { id: 'r', workflow: 'w', def: 'd', form: 'graph' },
  });
  const activation: Activation = {
    path: 'ask#1',
    step: 'ask',
    kind: 'human',
    state: 'waiting',
    attempt: 1,
    since: 1,
    recovery: 0,
    openedAt: 0,
    wait: { kind: 'human', digest: 'shown', outside: { question: 'q', seen: { subjects: { digest: 'seen', bytes: 2 } }, decided } },
  };
  return { ...run, live: { 'ask#1': activation } };
}

test('a question leaves work only while its subjects must be checked', () => {
  expect(hasWorkLeft(asking())).toBe(false);
  // A decision counts after a check. A driver that released the run before the check leaves it to the next owner.
  expect(hasWorkLeft(asking([{ option: 'yes', actor: 'ann' }]))).toBe(true);
});

/** A step beside the others, such as an undo or the error hook, that an engine opened while it was closing. */
function beside(change: Partial<RunState>): RunState {
  const activation: Activation = {
    path: '@undo#1',
    step: '@undo',
    kind: 'task',
    side: true,
    state: 'queued',
    attempt: 1,
    since: 1,
    recovery: 0,
    openedAt: 0,
  };
  return { ...asking(), live: { '@undo#1': activation }, ...change };
}

const HALT = { reason: 'error', message: 'no', path: 'a#1', step: 'a', attempt: 1, outcome: 'error' } as const;

test.each<[string, Partial<RunState>]>([
  ['is undone', { undoing: { change: 'ended', status: 'cancelled' } }],
  ['is halted', { status: 'escalated', halt: HALT }],
  ['is paused', { paused: true }],
])('a queued side step is picked up by the next engine in a run that %s', (_, change) => {
  expect(hasWorkLeft(beside(change))).toBe(true);
  expect(nextDriveAt(beside(change))).toBe(0);
});

test('a paused run whose effects are undone waits for the person who paused it', () => {
  const paused = beside({ undoing: { change: 'ended', status: 'cancelled' }, paused: true });
  expect(hasWorkLeft(paused)).toBe(false);
  expect(nextDriveAt(paused)).toBeUndefined();
});
