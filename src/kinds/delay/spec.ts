// Owns the author-facing types of a `delay`: a duration, and a poll that can end it early.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { DelayFields, TimeSpan } from '../../authoring/spec/part.ts';
import type { Duration } from '../../base/duration.ts';
import type { StepContext } from '../../definition/code.ts';

/** A step that waits. */
export interface DelayStep<C> {
  fields: { delay: TimeSpan | DelayFields<C> };
  flow: {
    /** Waits. */
    delay(delay: TimeSpan | DelaySpec): FlowCall<null>;
  };
  list: { readonly delay?: Duration | DelayFields<C, Duration> };
  result: null;
}

/** A pause; with `poll` it ends early, as soon as the condition holds. */
export interface DelaySpec extends StepOptions, DelayFields<StepContext, TimeSpan> {}
