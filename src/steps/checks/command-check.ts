// Owns the check `command`: a program whose end is judged by an expression over its exit code and output.

import { messageOf } from '../../base/error.ts';
import type { JsonObject } from '../../base/json.ts';
import { evaluateCondition } from '../../expr/expression.ts';
import { expressionOf } from '../../kernel/scope.ts';
import { exitSentence, keptText, programOf } from '../program.ts';
import type { CheckVerdict, GateCheck } from './check.ts';

const DEFAULT_EXPECT = 'exit_code == 0';

/** `{ run | argv, expect?, timeoutMs? }`: passes when `expect` holds, by default when the program exits with 0. */
export const commandCheck: GateCheck = {
  name: 'command',
  async run(config, scene) {
    const result = await scene.run(programOf(config));
    if (result.kind === 'not-run') return { passed: null, result: { reason: result.reason }, error: result.message };
    const { stdout, stderr, durationMs } = result;
    if (result.kind !== 'exited')
      return {
        passed: null,
        result: { stdout: keptText(stdout), stderr: keptText(stderr), durationMs },
        error: 'it ran out of time',
        timedOut: true,
      };
    const seen = { exitCode: result.exitCode, stdout: keptText(stdout), stderr: keptText(stderr), durationMs };
    const found = { exit_code: result.exitCode, stdout, stderr };
    return judge({ expect: String(config.expect ?? DEFAULT_EXPECT), found, seen, sentence: exitSentence(result) });
  },
};

interface Seen {
  readonly expect: string;
  readonly found: JsonObject;
  readonly seen: JsonObject;
  readonly sentence: string;
}

function judge({ expect, found, seen, sentence }: Seen): CheckVerdict {
  try {
    if (evaluateCondition(expressionOf(expect), found)) return { passed: true, result: seen };
    const unmet = expect === DEFAULT_EXPECT ? '' : `, which does not meet ${expect}`;
    return { passed: false, result: seen, error: `it ${sentence}${unmet}` };
  } catch (thrown) {
    return { passed: null, result: seen, error: `its expect could not be evaluated: ${messageOf(thrown)}` };
  }
}
