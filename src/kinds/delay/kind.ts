// Combines the kind `delay` for the registry, with its form in workflow files.

import type { KindCompiler } from '../../authoring/graph/work.ts';
import { bareExpression } from '../../authoring/yaml/compile/part.ts';
import { type StageForm, stageForm } from '../../authoring/yaml/schema/form.ts';
import { writeDuration } from '../../base/duration.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import type { KindExecutor } from '../../steps/work.ts';
import { delay as compiler } from './compile.ts';
import { execute } from './run.ts';

/** How long it waits, and a condition that ends the wait. */
const yaml: StageForm = stageForm({
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
    return {
      delay: { duration, ...omitUndefined({ poll: poll && { interval: poll.interval, condition: bareExpression(poll.condition) } }) },
    };
  },
});

/** A delay as a stage. */
function write({ durationMs, poll }: StepOf<'delay'>): JsonObject {
  const polls = poll && omitUndefined({ interval: writeDuration(poll.intervalMs), condition: poll.condition });
  return omitUndefined({ duration: writeDuration(durationMs), poll: polls });
}

/** The registry entry of the kind `delay`. */
export const delayKind: KindCompiler & KindExecutor = { ...compiler, execute, write, yaml };
