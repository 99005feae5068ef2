// Owns `nextStepHint` in the report of a program: it may choose among the transitions that the step declares, by naming
// the step that one of them leads to. It cannot overrule a condition, and it cannot choose what failures lead to.

import type { JsonObject } from '../../base/json.ts';
import type { StepModel } from '../../definition/model.ts';
import { DEFAULT_EXCLUDES, Outcome, type OutcomeName } from '../../definition/outcome.ts';

/** The outcome of a successful report, and whether its hint was used. */
export interface HintedOutcome {
  readonly outcome: OutcomeName;
  readonly evidence?: { readonly nextStepHint: JsonObject };
}

/** Returns the outcome whose transition leads to the hinted step, or `ok`; a hint that was not used is noted. */
export function hinted({ next }: Pick<StepModel, 'next'>, hint: string | undefined): HintedOutcome {
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
