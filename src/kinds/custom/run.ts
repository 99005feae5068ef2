// Executes `custom`: the kind from the workflow's code, or the engine's kind of that name.

import { messageOf } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import { didYouMean, unknownFields } from '../../base/suggest.ts';
import type { CustomKind, CustomResult } from '../../definition/custom-kind.ts';
import type { StepOf } from '../../definition/model.ts';
import { COMMON_OUTCOMES } from '../../definition/outcome.ts';
import { untilStopped } from '../../steps/abort.ts';
import { reviewedFor } from '../../steps/contracts/review-round.ts';
import { ownEntry } from '../../steps/services.ts';
import { type Job, stepError, type Work } from '../../steps/work.ts';

/** Parses the configuration and runs the application's kind. */
export async function execute(job: Job<StepOf<'custom'>>): Promise<Work> {
  const { runner, request, context } = job;
  const { model, code } = request.bound;
  const { use, with: written } = model.config;
  const kind = code.custom ?? ownEntry(runner.services.kinds, use);
  if (kind === undefined) {
    const hint = didYouMean(use, Object.keys(runner.services.kinds ?? {}));
    const message = `step "${model.id}" uses the kind "${use}", which this engine does not have${hint}; pass it to the engine: createEngine({ kinds: { … } })`;
    return { error: stepError('STEP_FAILED', message, { retryable: false }) };
  }
  let config: unknown;
  try {
    config = kind.parse(written);
  } catch (thrown) {
    const message = `the configuration of step "${model.id}" is invalid: ${messageOf(thrown)}`;
    return { error: stepError('DEFINITION_INVALID', message, { retryable: false }) };
  }
  const running = kind.run({
    config: config as never,
    ctx: context,
    cwd: runner.services.cwd,
    signal: request.signal,
    ...omitUndefined({ reviewed: reviewedFor(job) }),
  });
  return settled(job, kind, await untilStopped(Promise.resolve(running), request.signal));
}

const RESULT_FIELDS: readonly string[] = Object.keys({ outcome: true, output: true } satisfies Record<keyof CustomResult, true>);

// A kind is application code: its result is validated before it decides anything.
function settled({ request }: Job, kind: CustomKind, result: CustomResult): Work {
  const outcome: unknown = typeof result === 'object' && result !== null ? result.outcome : undefined;
  const unknown = outcome === undefined ? [] : unknownFields(result, RESULT_FIELDS, 'field');
  if (unknown.length > 0) {
    const message = `the kind "${kind.kind}" of step "${request.bound.model.id}" returned an ${unknown.join(' and an ')}; its result has ${RESULT_FIELDS.join(' and ')}`;
    return { error: stepError('STEP_OUTPUT_INVALID', message), actor: kind.kind };
  }
  if (typeof outcome === 'string' && (COMMON_OUTCOMES.includes(outcome) || kind.outcomes.includes(outcome)))
    return { outcome, output: result.output ?? null, actor: kind.kind };
  const known = [...COMMON_OUTCOMES, ...kind.outcomes].join(', ');
  const message = `the kind "${kind.kind}" of step "${request.bound.model.id}" must return { outcome, output }, with an outcome of ${known}`;
  return { error: stepError('STEP_OUTPUT_INVALID', message), actor: kind.kind };
}
