// Owns whether work that is over counts: its postconditions and its contract are checked, here and now, and then the code
// of its step may choose where it leads. What the worker said is kept beside that as its claim.

import type { Json, JsonObject } from '../base/json.ts';
import type { BoundStep } from '../definition/code.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { StepError } from '../kernel/input.ts';
import type { AttemptResult, CheckResult } from './attempt.ts';
import { evaluateConditions } from './conditions.ts';
import { checkContract, hasContract } from './contracts/contract.ts';
import { routed } from './routing.ts';
import { CLAIMED, type Job } from './work.ts';

type Settled = Extract<AttemptResult, { readonly type: 'settled' }>;
type Evidence = { readonly [name: string]: Json };

/** Whether anything is left to judge about a result: without conditions, a contract and a choice there is not. */
export function isJudged({ model, code }: BoundStep, result: AttemptResult): result is Settled {
  if (result.type !== 'settled') return false;
  return code.route !== undefined || (result.outcome === 'ok' && model.postconditions.length > 0) || hasContract(model, result.outcome);
}

/** The result when everything holds that must hold, with the outcome that the code of the step chooses; else an error. */
export async function accepted(job: Job, settled: Settled): Promise<AttemptResult> {
  const { outcome: ended, output: said, remember } = settled;
  const found = await holds({ ...job, context: job.context.after(said) }, ended, said);
  const kept = { ...remember, ...found.remember };
  const verdict = found.error === undefined ? {} : { verdict: CLAIMED };
  const more = {
    evidence: { ...(settled.evidence as Evidence | undefined), ...found.evidence, ...verdict },
    checks: [...settled.checks, ...found.checks],
    ...(Object.keys(kept).length === 0 ? {} : { remember: kept }),
  };
  if (found.error === undefined) return routed(job, { ...settled, ...more });
  // What was assumed in work that does not count does not count either: the next attempt says it again.
  const { type: _, outcome: __, output, assumptions: ___, ...noted } = settled;
  return { type: 'errored', error: found.error, ...noted, claim: noted.claim ?? output, ...more };
}

/** What was found about work that is over. */
export interface Held {
  readonly error: StepError | undefined;
  readonly evidence: Evidence;
  readonly checks: readonly CheckResult[];
  readonly remember: JsonObject;
}

/** Whether everything holds that must hold when a step ends so: its postconditions, then its contract. */
export async function holds(job: Job, outcome: OutcomeName, output: Json): Promise<Held> {
  const { request, context } = job;
  const { model } = request.bound;
  const nothing: Held = { error: undefined, evidence: {}, checks: [], remember: {} };
  const hasConditions = model.postconditions.length > 0 && outcome === 'ok';
  const conditions = hasConditions ? await evaluateConditions('postconditions', request, context) : undefined;
  const seen = conditions === undefined ? {} : { postconditions: conditions.evidence };
  if (conditions?.error !== undefined || !hasContract(model, outcome)) return { ...nothing, error: conditions?.error, evidence: seen };
  const found = await checkContract(job, output);
  return { ...nothing, ...found, error: found.error, evidence: { ...seen, ...found.evidence } };
}
