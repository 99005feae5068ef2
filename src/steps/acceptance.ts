// Owns the verification of finished work: its postconditions and its contract are checked, then the code of its step may
// choose the outcome. The worker's report is kept as its claim.

import { messageOf } from '../base/error.ts';
import { type Json, type JsonObject, toPlain } from '../base/json.ts';
import type { BoundStep } from '../definition/code.ts';
import { isSuccess, type OutcomeName } from '../definition/outcome.ts';
import type { StepError } from '../kernel/input.ts';
import type { AttemptResult, CheckResult } from './attempt.ts';
import { evaluateConditions } from './conditions.ts';
import { checkContract, hasContract } from './contracts/contract.ts';
import { CLAIM_ONLY, type Job, stepError } from './work.ts';

type SettledAttempt = Extract<AttemptResult, { readonly type: 'settled' }>;
type Evidence = { readonly [name: string]: Json };

/** Whether a result must be verified: by conditions, a contract or a route of the step. */
export function needsVerification({ model, code }: BoundStep, result: AttemptResult): result is SettledAttempt {
  if (result.type !== 'settled') return false;
  return code.route !== undefined || (result.outcome === 'ok' && model.postconditions.length > 0) || hasContract(model, result.outcome);
}

/** Returns the result with the outcome that the step's code chooses, if all conditions hold; otherwise an error. */
export async function verifyResult(job: Job, settled: SettledAttempt): Promise<AttemptResult> {
  const { outcome, output, remember } = settled;
  const found = await checkPostconditions({ ...job, context: job.context.withResult(output) }, outcome, output);
  const kept = { ...remember, ...found.remember };
  const verdict = found.error === undefined ? {} : { verdict: CLAIM_ONLY };
  const more = {
    evidence: { ...(settled.evidence as Evidence | undefined), ...found.evidence, ...verdict },
    checks: [...settled.checks, ...found.checks],
    ...(Object.keys(kept).length === 0 ? {} : { remember: kept }),
  };
  if (found.error === undefined) return chooseOutcome(job, { ...settled, ...more });
  // Assumptions of rejected work do not count: the next attempt reports them again.
  const { type: _, outcome: __, output: ___, assumptions: ____, ...noted } = settled;
  return { type: 'errored', error: found.error, ...noted, claim: noted.claim ?? output, ...more };
}

/** Lets the code of the step choose the outcome. An unsuccessful result is not changed. */
function chooseOutcome({ request, context }: Job, result: AttemptResult): AttemptResult {
  const { model, code } = request.bound;
  if (code.route === undefined || result.type !== 'settled') return result;
  const { outcome: ended } = result;
  if (ended !== 'ok' && (ended !== 'reject' || model.next.reject !== undefined)) return result;
  const { params, visit = 1 } = request;
  try {
    const { outcome, output } = code.route({ outcome: ended, output: result.output, params, visit, results: context.snapshot.results });
    if (!isSuccess(model, outcome) && outcome !== ended)
      throw new Error(`it chose "${outcome}", which is not among its outcomes: ok, ${model.routes?.join(', ')}`);
    const plain = toPlain(output, `the output of step "${model.id}"`);
    return { ...result, outcome, output: plain, ...(plain === result.output ? {} : { claim: result.claim ?? result.output }) };
  } catch (thrown) {
    const { outcome: _, output: __, ...noted } = result;
    const error = stepError('STEP_FAILED', `step "${model.id}" could not choose where it leads: ${messageOf(thrown)}`, {
      retryable: false,
    });
    return { ...noted, type: 'errored', error };
  }
}

/** The findings about finished work. */
export interface PostconditionFindings {
  readonly error: StepError | undefined;
  readonly evidence: Evidence;
  readonly checks: readonly CheckResult[];
  readonly remember: JsonObject;
}

/** Checks the postconditions of a step that ends with this outcome, then its contract. */
export async function checkPostconditions(job: Job, outcome: OutcomeName, output: Json): Promise<PostconditionFindings> {
  const { request, context } = job;
  const { model } = request.bound;
  const nothing: PostconditionFindings = { error: undefined, evidence: {}, checks: [], remember: {} };
  const hasConditions = model.postconditions.length > 0 && outcome === 'ok';
  const conditions = hasConditions ? await evaluateConditions('postconditions', request, context) : undefined;
  const seen = conditions === undefined ? {} : { postconditions: conditions.evidence };
  if (conditions?.error !== undefined || !hasContract(model, outcome)) return { ...nothing, error: conditions?.error, evidence: seen };
  const found = await checkContract(job, output);
  return { ...nothing, ...found, error: found.error, evidence: { ...seen, ...found.evidence } };
}
