// Owns what the kind `delay` declares: time that passes, or less of it when a condition is seen to hold.

import { isJsonObject } from '../../base/json.ts';
import { isCount, type KindDeclaration } from '../../definition/kind.ts';

/** Time: `{ durationMs, poll?: { intervalMs, condition? } }`; a condition that is a function is code. */
export const delay: KindDeclaration = {
  kind: 'delay',
  outcomes: [],
  recovery: 'rerun',
  validate(step, report) {
    const { durationMs, poll } = step.config;
    if (!isCount(durationMs, 0)) report.fault('it does not say how long it waits', 'write a duration such as "30s"');
    if (poll === undefined) return;
    if (!isJsonObject(poll) || !isCount(poll.intervalMs, 1))
      return report.fault('it does not say how often it polls', 'write an interval such as "10s"');
    if (typeof poll.condition === 'string') report.expression(poll.condition, 'the condition of its poll');
    else if (poll.condition !== undefined) report.fault('the condition of its poll is no expression', 'write an expression or a function');
  },
};
