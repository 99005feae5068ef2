// Owns the order of undoing: one step, opened again until it reports that nothing is left. It is part of no definition;
// graphs and flows both open it when a run fails, is rejected or is cancelled.
//
// K24. A run that fails, is rejected or is cancelled ends only after its results are undone, newest first; meanwhile no
//      other step starts.

import { isJsonObject } from '../base/json.ts';
import type { StepModel } from '../definition/model.ts';
import { plainFrame } from '../definition/plain-frame.ts';
import type { EndedActivation, Facts, Move } from '../kernel/program.ts';

/** The name of the step that undoes what a run did. Authors cannot use it: their names have no `@`. */
export const UNDO_STEP = '@undo';

/** The result of one attempt. */
export interface CompletedAttempt {
  /** The run that produced it: the run itself, or one that it started. */
  readonly run: string;
  readonly path: string;
  readonly step: string;
  readonly attempt: number;
  readonly endedAt: number;
}

/** A result that is undone when the run fails, is rejected or is cancelled. */
export interface UndoItem extends CompletedAttempt {
  /** What undoes it: a command line, the name of an action, or the title of a function. */
  readonly by: string;
}

/** The step that undoes one result per visit. If one cannot be undone after the retries, a person decides. */
export const UNDO_MODEL: StepModel = {
  ...plainFrame(UNDO_STEP, 'reconcile'),
  title: 'Undo',
  kind: 'task',
  config: {},
  side: true,
  merges: false,
  contractRetries: 0,
  retry: { max: 3, on: ['error', 'timeout'], backoff: { initialMs: 1000, factor: 4, maxMs: 60_000 } },
};

/** What follows when it ended: the next one, the end of the run, or a person. */
export function undoMoves({ outcome, error, output }: EndedActivation, facts: Facts): readonly Move[] {
  if (outcome === 'ok') return [{ do: 'open', step: UNDO_STEP }];
  if (outcome === 'skip') {
    const result = output === undefined ? null : facts.value(output);
    const isNothing = isJsonObject(result) && result.undone === 0;
    return [{ do: 'end', status: 'completed', ...(isNothing ? { nothingUndone: true } : {}) }];
  }
  const message = error?.message ?? `the undo ended with "${outcome}"`;
  return [{ do: 'halt', status: 'escalated', cause: { reason: 'error', message, code: error?.code }, at: 'step' }];
}
