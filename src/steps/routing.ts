// Owns the outcome of accepted work if the code of its step chooses it, by the report and the state of the run. The worker
// has no influence on it.

import { messageOf } from '../base/error.ts';
import { toPlain } from '../base/json.ts';
import { isSuccess } from '../definition/outcome.ts';
import type { AttemptResult } from './attempt.ts';
import { type Job, stepError } from './work.ts';

/** The result with the outcome that the code of its step chooses. An unsuccessful result is unchanged. */
export function routed({ request, context }: Job, result: AttemptResult): AttemptResult {
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
