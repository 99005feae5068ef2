// Owns the author-facing types of a `signal` step: the name of the signal it waits for.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { Get, OutputSchema } from '../../authoring/spec/step.ts';
import type { Json } from '../../base/json.ts';

/** A step that waits for a named signal. */
export interface SignalStep<X> {
  fields: { signal: string; output: OutputSchema };
  flow: {
    /** Waits for a signal: the result is what was sent with it. */
    signal(signal: string, options?: StepOptions): FlowCall<Json>;
  };
  list: { readonly signal?: string };
  result: Json;
  signals: Name<Get<X, 'signal'>>;
}

/** A name may be a template. */
type Name<Written> = Written extends `${string}{{${string}` ? string : Written;
