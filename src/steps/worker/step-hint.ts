// Owns `nextStepHint` in the report of a program, which chooses a transition of the step by naming its target. It cannot
// overrule a condition, or choose the transition of a failure.

import type { JsonObject } from '../../base/json.ts';
import type { StepModel } from '../../definition/model.ts';
import { DEFAULT_EXCLUDES, Outcome, type OutcomeName } from '../../definition/outcome.ts';

/** The outcome of a successful report, and whether its hint was used. */
export interface HintedOutcome {
  readonly outcome: OutcomeName;
  readonly evidence?: { readonly nextStepHint: JsonObject };
}

/** Returns the outcome whose transition leads to the hinted step, or `ok` with the reason why the hint was not used. */
export function hintedOutcome({ next }: Pick<StepModel, 'next'>, hint: string | undefined): HintedOutcome {
  if (hint === undefined || hint === '') return { outcome: Outcome.OK };
  const outcomes = Object.keys(next).filter((name) => name !== Outcome.DEFAULT && !DEFAULT_EXCLUDES.includes(name));
  const found = [Outcome.OK, ...outcomes].find((name) => leadsTo(next[name], hint));
  if (found !== undefined) return { outcome: found, evidence: { nextStepHint: { hint, used: true, outcome: found } } };
  const isDecided = Object.values(next).some(
    (entry) => 'condition' in entry && [entry.onTrue, entry.onFalse].some((way) => leadsTo(way, hint)),
  );
  const why = isDecided ? 'a condition of the workflow decides between these steps' : `no transition of this step leads to "${hint}"`;
  return { outcome: Outcome.OK, evidence: { nextStepHint: { hint, used: false, why } } };
}

function leadsTo(entry: StepModel['next'][string] | undefined, step: string): boolean {
  return entry !== undefined && 'to' in entry && 'step' in entry.to && entry.to.step === step;
}
