// Owns how a `delay` is written: a duration, and a poll that can end it early.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { StepParts } from '../../authoring/flow/model.ts';
import type { KindCompiler } from '../../authoring/graph/work.ts';
import { checkOptions } from '../../authoring/spec/option.ts';
import { DURATION, eitherShape, functionShape, objectShape, TEXT } from '../../authoring/spec/shape.ts';
import { parseDuration } from '../../base/duration.ts';
import { delay as declaration } from './declare.ts';
import type { DelayStep } from './spec.ts';

const POLL = objectShape<object>(
  { interval: DURATION, condition: eitherShape(TEXT, functionShape()) },
  { example: '{ interval: "10s", condition: "…" }', needs: ['interval', 'condition'] },
);

const DELAY = eitherShape(
  DURATION,
  objectShape<object>({ duration: DURATION, poll: POLL }, { example: '{ duration: "1h" }', needs: ['duration'] }),
);

/** The kind `delay`. */
export const delay: KindCompiler = {
  ...declaration,
  field: 'delay',
  flow: { delay: { most: 1, first: DELAY, build } },
  shapes: { delay: DELAY },
  read({ delay: given }, { step }) {
    if (given === undefined) return undefined;
    if (typeof given !== 'object') return { work: { kind: 'delay', durationMs: step.duration(given, 'its delay') } };
    step.knownFields(given, ['duration', 'poll'], 'a delay');
    const { duration, poll } = given;
    const durationMs = step.duration(duration, 'its delay');
    if (poll === undefined) return { work: { kind: 'delay', durationMs } };
    step.knownFields(poll, ['interval', 'condition'], 'a poll');
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

/** A pause. */
function build(name: string, [given]: MethodArguments<DelayStep<never>, 'delay'>): StepParts {
  const { duration, poll, ...options } = typeof given === 'object' ? given : { duration: given };
  const fields = ['duration', 'poll'];
  const durationMs = parseDuration(duration, `step "${name}", duration`);
  if (poll === undefined) return { name, work: { kind: 'delay', durationMs }, options, fields };
  checkOptions(`step "${name}", poll`, poll, ['interval', 'condition']);
  const intervalMs = parseDuration(poll.interval, `step "${name}", poll.interval`);
  const { condition } = poll;
  if (typeof condition === 'string') return { name, work: { kind: 'delay', durationMs, poll: { intervalMs, condition } }, options, fields };
  return { name, work: { kind: 'delay', durationMs, poll: { intervalMs } }, code: { poll: condition }, options, fields };
}
