import { expect, test } from 'vitest';
import type { Activation, Decision } from '../kernel/activation.ts';
import { createRun } from '../kernel/apply.ts';
import type { RunState } from '../kernel/run-state.ts';
import { hasWorkLeft } from './delta.ts';

/** A run at a question about something outside it. */
function asking(decided?: readonly Decision[]): RunState {
  const run = createRun({
    type: 'run.started',
    at: 0,
    run: { id: 'r', workflow: 'w', def: 'd', form: 'graph', flags: [], depth: 0 },
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
    wait: { kind: 'human', digest: 'shown', outside: { question: 'q', decided } },
  };
  return { ...run, live: { 'ask#1': activation } };
}

test('a question leaves work only while its subjects must be checked', () => {
  expect(hasWorkLeft(asking())).toBe(false);
  // A decision counts after a check. A driver that released the run before the check leaves it to the next owner.
  expect(hasWorkLeft(asking([{ option: 'yes', actor: 'ann' }]))).toBe(true);
});
