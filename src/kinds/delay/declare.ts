// Declares the kind `delay`: a wait for a time, or less if a condition holds earlier.

import { isJsonObject } from '../../base/json.ts';
import { isCount, type KindDeclaration } from '../../definition/kind.ts';
import type { StepOf } from '../../definition/model.ts';

/** A wait, and how often its condition is polled. */
export const delay: KindDeclaration = {
  kind: 'delay',
  pipeline: 'delay',
  readsDatabases: true,
  effects: 'none',
  again: 'waits again',
  outcomes: [],
  recovery: 'rerun',
  validate({ durationMs, poll }: StepOf<'delay'>, report) {
    if (!isCount(durationMs, 0)) report.fault('`duration` must be a duration', 'write one such as "30s"');
    if (poll === undefined) return;
    if (!isJsonObject(poll) || !isCount(poll.intervalMs, 1))
      return report.fault('`poll.interval` must be a duration longer than 0', 'write one such as "10s"');
    if (typeof poll.condition === 'string') report.expression(poll.condition, 'the condition of its poll');
    else if (poll.condition !== undefined) report.fault('`poll.condition` must be an expression', 'write an expression or a function');
  },
};
