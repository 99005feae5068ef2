// Compiles a `delay` step: a duration, and a poll that can end it early.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { DURATION, eitherShape, functionShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { delay as declaration } from './declare.ts';
import type { DelayStep } from './spec.ts';

const POLL = objectShape<object>(
  { interval: DURATION, condition: eitherShape(TEXT, functionShape()) },
  { example: '{ interval: "10s", condition: "…" }', needs: ['interval', 'condition'], label: 'a poll' },
);

/** Compiles `delay` steps. */
export const delay: KindCompiler = {
  ...declaration,
  field: 'delay',
  flow: {
    delay: {
      most: 1,
      first: eitherShape(DURATION, objectShape<object>({}, { example: '{ duration: "1h" }' })),
      own: ['duration', 'poll'],
      write: delayOf,
    },
  },
  shapes: {
    delay: eitherShape(
      DURATION,
      objectShape<object>({ duration: DURATION, poll: POLL }, { example: '{ duration: "1h" }', needs: ['duration'], label: 'a delay' }),
    ),
  },
  read({ delay: spec }, { step }) {
    if (spec === undefined) return undefined;
    if (typeof spec !== 'object') return { work: { kind: 'delay', durationMs: step.duration(spec, '`delay`') } };
    const { duration, poll } = spec;
    const durationMs = step.duration(duration, '`delay.duration`');
    if (poll === undefined) return { work: { kind: 'delay', durationMs } };
    const intervalMs = step.duration(poll.interval, '`poll.interval`');
    const { condition } = poll;
    if (typeof condition === 'function')
      return {
        work: { kind: 'delay', durationMs, poll: { intervalMs } },
        code: { poll: step.code('poll', condition) },
      };
    return { work: { kind: 'delay', durationMs, poll: { intervalMs, condition } } };
  },
};

function delayOf([spec]: MethodArguments<DelayStep<never>, 'delay'>): FlowSpec {
  if (typeof spec !== 'object') return { fields: { delay: spec } };
  const { duration, poll, ...options } = spec;
  return { fields: { delay: { duration, poll } }, options };
}
