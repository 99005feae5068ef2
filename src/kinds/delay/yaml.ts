// Owns how a `delay` stage is written in a workflow file.

import { bareExpression } from '../../authoring/yaml/compile/part.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { writeDuration } from '../../base/duration.ts';
import { present } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';

/** How long it waits, and a condition that ends the wait. */
export const yaml: StageForm = stageForm({
  meaning: 'Waits for a time, or until a condition holds.',
  transitions: [],
  fields: ({ duration, map, condition, choice }) => ({
    duration: duration('How long it waits.', '30s'),
    poll: map(
      'a poll',
      {
        interval: duration('How often the condition is checked.', '5s'),
        condition: condition('The condition that ends the wait.', { examples: ['{{ github.pr.mergeable != null }}'] }),
        on_ready: choice('What happens then.', ['skip_remaining_delay']).optional(),
      },
      'Checks a condition during the wait.',
    ).optional(),
  }),
  toSpec({ duration, poll }) {
    return { delay: { duration, ...present({ poll: poll && { interval: poll.interval, condition: bareExpression(poll.condition) } }) } };
  },
});

/** A delay as a stage. */
export function write({ durationMs, poll }: StepOf<'delay'>): JsonObject {
  const polls = poll && present({ interval: writeDuration(poll.intervalMs), condition: poll.condition });
  return present({ duration: writeDuration(durationMs), poll: polls });
}
