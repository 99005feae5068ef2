// Owns the author-facing types of a step of an application's kind: the kind with its configuration.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { OutputFields } from '../../authoring/spec/part.ts';
import type { Get } from '../../authoring/spec/step.ts';
import type { ConfiguredKind, CustomKind } from '../../definition/custom-kind.ts';

/** A step of a kind that the application defined, with its configuration. */
export interface CustomStep<C, X> {
  fields: OutputFields<C> & { use: ConfiguredKind };
  flow: {
    /** Does the work of a kind that the application defined (`defineStepKind`). */
    use<Config, Output>(kind: CustomKind<Config, Output>, config: Config, options?: StepOptions): FlowCall<Output>;
  };
  list: { readonly use?: ConfiguredKind };
  outcomes: Get<X, 'use'> extends ConfiguredKind<unknown, infer Outcome> ? Outcome : string;
  result: Get<X, 'use'> extends ConfiguredKind<infer Output> ? Output : unknown;
}
