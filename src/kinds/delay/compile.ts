// Owns how a `delay` is written: a duration, and a poll that can end it early.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { DURATION, eitherShape, functionShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { delay as declaration } from './declare.ts';
import type { DelayStep } from './spec.ts';

const POLL = objectShape<object>(
  { interval: DURATION, condition: eitherShape(TEXT, functionShape()) },
  { example: '{ interval: "10s", condition: "…" }', needs: ['interval', 'condition'], what: 'a poll' },
);

/** The kind `delay`. */
export const delay: KindCompiler = {
  ...declaration,
  field: 'delay',
  flow: {
    delay: {
      most: 1,
      first: eitherShape(DURATION, objectShape<object>({}, { example: '{ duration: "1h" }' })),
      own: ['duration', 'poll'],
      write: pause,
    },
  },
  shapes: {
    delay: eitherShape(
      DURATION,
      objectShape<object>({ duration: DURATION, poll: POLL }, { example: '{ duration: "1h" }', needs: ['duration'], what: 'a delay' }),
    ),
  },
  read({ delay: given }, { step }) {
    if (given === undefined) return undefined;
    if (typeof given !== 'object') return { work: { kind: 'delay', durationMs: step.duration(given, 'its delay') } };
    const { duration, poll } = given;
    const durationMs = step.duration(duration, 'its delay');
    if (poll === undefined) return { work: { kind: 'delay', durationMs } };
    const intervalMs = step.duration(poll.interval, 'the interval of its poll');
    const { condition } = poll;
    if (typeof condition === 'function')
      return {
        work: { kind: 'delay', durationMs, poll: { intervalMs } },
        code: { poll: step.code('poll', condition) },
      };
    return { work: { kind: 'delay', durationMs, poll: { intervalMs, condition } } };
  },
};

function pause([given]: MethodArguments<DelayStep<never>, 'delay'>): FlowSpec {
  if (typeof given !== 'object') return { fields: { delay: given } };
  const { duration, poll, ...options } = given;
  return { fields: { delay: { duration, poll } }, options };
}
