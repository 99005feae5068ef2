// Masks secrets in the results of attempts, in every text including keys.

import type { Json, JsonObject } from '../base/json.ts';
import type { AssumptionText } from '../definition/question/assumption.ts';
import type { Redactor } from '../process/redact.ts';
import type { AttemptResult, CheckResult } from './attempt.ts';
import type { SavedState } from './worker/saved-state.ts';

/** The same data without secrets. */
export function redactJson<T extends Json | undefined>(redactor: Redactor | undefined, value: T): T {
  return redactor === undefined || value === undefined ? value : (redactValue(redactor, value) as T);
}

function redactValue(redactor: Redactor, value: Json): Json {
  if (typeof value === 'string') return redactor.text(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item: Json) => redactValue(redactor, item));
  const members = Object.entries(value as JsonObject).map(([key, member]) => [redactor.text(key), redactValue(redactor, member)] as const);
  return Object.fromEntries(members);
}

/** The same for data of any type, such as a record of the run. */
export function redactPlain<T>(redactor: Redactor | undefined, value: T): T {
  return redactJson(redactor, value as Json) as T;
}

/** Masks the result of an attempt, except its output, which was masked before the postconditions. */
export function redactResult(redactor: Redactor | undefined, result: AttemptResult): AttemptResult {
  if (redactor === undefined || result.type === 'observed') return result;
  const { claim, evidence, actor, checks } = result;
  const noted = {
    ...(claim === undefined ? {} : { claim: redactJson(redactor, claim) }),
    ...(actor === undefined ? {} : { actor: redactor.text(actor) }),
    ...(evidence === undefined ? {} : { evidence: redactJson(redactor, evidence) }),
    checks: redactJson(redactor, checks as unknown as Json) as unknown as readonly CheckResult[],
  };
  if (result.type === 'handed') return { ...result, ...noted, handover: redactJson(redactor, result.handover) as JsonObject };
  if (result.type === 'asked') {
    const { questions, saved } = result;
    const state = saved === undefined ? {} : { saved: redactJson(redactor, saved as unknown as Json) as unknown as SavedState };
    return { ...result, ...noted, questions: redactJson(redactor, questions), ...state };
  }
  if (result.type === 'settled' && result.assumptions !== undefined) {
    const assumptions = redactJson(redactor, result.assumptions as unknown as Json) as unknown as readonly AssumptionText[];
    return { ...result, ...noted, assumptions };
  }
  if (result.type !== 'errored') return { ...result, ...noted };
  const output = result.output === undefined ? {} : { output: redactJson(redactor, result.output) };
  return { ...result, ...noted, ...output, error: { ...result.error, message: redactor.text(result.error.message) } };
}
