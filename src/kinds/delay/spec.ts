// Owns what authors write for a `delay`, as types: a duration, and a poll that can end it early.

import type { Delay, TimeSpan } from '../../authoring/spec/part.ts';
import type { Duration } from '../../base/duration.ts';

/** A step that waits. */
export interface DelayStep<C> {
  fields: { delay: TimeSpan | Delay<C> };
  list: { readonly delay?: Duration | Delay<C, Duration> };
  result: null;
}
