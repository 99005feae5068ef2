// Owns the check `webhook`: a web service whose answer is judged by an expression over its status, headers and body.

import { messageOf } from '../../base/error.ts';
import { expressionOf } from '../../definition/scope.ts';
import { evaluateCondition } from '../../expr/expression.ts';
import { keptText } from '../program.ts';
import { bodyOf } from '../web/answer-body.ts';
import type { GateCheck } from './check.ts';

const DEFAULT_EXPECT = 'status >= 200 && status < 300';

/** `{ url, method?, headers?, body?, expect? }`: passes when `expect` holds, by default for a status from 200 to 299. */
export const webhookCheck: GateCheck = {
  name: 'webhook',
  async run(config, scene) {
    const answer = await scene.ask(config);
    if (answer.kind !== 'answered') {
      const timedOut = answer.reason === 'timeout' ? { timedOut: true } : {};
      return { passed: null, result: { reason: answer.reason }, error: answer.message, ...timedOut };
    }
    const { status, headers, body } = answer;
    const result = { status, body: keptText(body) };
    const expect = String(config.expect ?? DEFAULT_EXPECT);
    try {
      if (evaluateCondition(expressionOf(expect), { status, headers, body: bodyOf(answer) })) return { passed: true, result };
      return { passed: false, result, error: `it answered with ${status}, which does not meet ${expect}` };
    } catch (thrown) {
      return { passed: null, result, error: `its expect could not be evaluated: ${messageOf(thrown)}` };
    }
  },
};
