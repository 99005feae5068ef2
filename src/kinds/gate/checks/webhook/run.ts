// Runs the check `webhook`: a request that passes if an expression over the status, headers and body of the response holds.

import { messageOf } from '../../../../base/error.ts';
import type { CheckOf } from '../../../../definition/check.ts';
import { expressionOf } from '../../../../definition/scope/scope.ts';
import { evaluateCondition } from '../../../../expr/expression.ts';
import { type CheckContext, type CheckVerdict, notRunVerdict } from '../../../../steps/check.ts';
import { bodyOf } from '../../../../steps/web/answer-body.ts';
import { rateLimitOf } from '../../../../steps/web/rate-limit.ts';
import { keptText } from '../../../../steps/worker/program.ts';

const DEFAULT_EXPECT = 'status >= 200 && status < 300';

/** `{ url, method?, headers?, body?, expect? }`: passes when `expect` holds, by default for a status from 200 to 299. */
export async function run(config: CheckOf<'webhook'>, context: CheckContext): Promise<CheckVerdict> {
  const answer = await context.ask(config);
  if (answer.kind !== 'answered') {
    const why = answer.reason === 'timeout' ? 'timeout' : 'unable';
    return { passed: null, why, result: { reason: answer.reason }, error: answer.message };
  }
  const { status, headers, body } = answer;
  const result = { status, body: keptText(body) };
  const { expect = DEFAULT_EXPECT } = config;
  try {
    const isExpected = evaluateCondition(expressionOf(expect), { status, headers, body: bodyOf(answer) });
    if (isExpected) return { passed: true, result };
    const limited = rateLimitOf(answer, context.now());
    if (limited !== undefined)
      return { passed: null, why: 'limited', ...limited, result, error: `it answered with ${status}: too many requests` };
    return { passed: false, result, error: `it answered with ${status}, which does not meet ${expect}` };
  } catch (thrown) {
    return notRunVerdict(`\`expect\` could not be evaluated: ${messageOf(thrown)}`, result);
  }
}
