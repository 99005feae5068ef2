// Owns what went wrong in a run and no agent has worked on since: a gate that failed, a review that rejected, a command
// that ended with an error. The next agents are told of it, so that an author need not pass it on by hand.
//
// - An action that may fail without consequence, such as a message to people, is no setback: agents cannot mend it.
//
// K20. A setback stays until its step ends well, or until a step that agents worked at does: then it was dealt with, or
//      the next verdict will say so again. A person's choice is no setback; it is a note (K18).

import type { StepModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { Activation, Path, Ref } from './activation.ts';
import { cutText, hasAgents } from './person-note.ts';
import type { RunState } from './run-state.ts';
import type { Result } from './turn.ts';

/** A step that did not end well, for the agents that work next. */
export interface Setback {
  readonly path: Path;
  readonly step: string;
  readonly outcome: OutcomeName;
  readonly error?: string | undefined;
  readonly output?: Ref | undefined;
}

const SETBACKS_MAX = 3;
const PASSES: ReadonlySet<string> = new Set(['ok', 'skip']);

/** The setbacks of a run after one of its steps ended; undefined when that changes nothing. */
export function setbacksAfter(
  { setbacks = [] }: RunState,
  { activation, model, result }: { readonly activation: Activation; readonly model: StepModel; readonly result: Result },
): readonly Setback[] | undefined {
  const { outcome } = result;
  if (outcome === 'ok' && hasAgents(model)) return setbacks.length === 0 ? undefined : [];
  const isSetback = !PASSES.has(outcome) && model.kind !== 'human' && activation.side !== true && !isTolerated(model, outcome);
  if (isSetback) return withSetback({ setbacks }, activation, result);
  const others = setbacks.filter(({ step }) => step !== activation.step);
  return others.length < setbacks.length ? others : undefined;
}

/** The setbacks of a run with a round of a validation that failed and is being repaired. */
export function withSetback({ setbacks = [] }: Pick<RunState, 'setbacks'>, activation: Activation, result: Result): readonly Setback[] {
  const { path, step } = activation;
  const { outcome, output, error } = result;
  const setback = { path, step, outcome, output, error: error === undefined ? undefined : cutText(error.message) };
  return [...setbacks.filter((other) => other.step !== step), setback].slice(-SETBACKS_MAX);
}

/** Whether an action leads to the same step however it ended. */
function isTolerated({ kind, next }: StepModel, outcome: OutcomeName): boolean {
  const [way, good] = [next[outcome] ?? next._default, next.ok ?? next._default];
  if (kind !== 'action' || way === undefined || good === undefined || 'condition' in way || 'condition' in good) return false;
  return 'step' in way.to && 'step' in good.to && way.to.step === good.to.step;
}
