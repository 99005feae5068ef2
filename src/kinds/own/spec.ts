// Owns what authors write for a step of an application's kind, as types: the kind with its configuration.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { OutputFields } from '../../authoring/spec/part.ts';
import type { Get } from '../../authoring/spec/step.ts';
import type { OwnKind, UsedKind } from '../../definition/own-kind.ts';

/** A step of a kind that the application defined, with its configuration. */
export interface OwnStep<C, X> {
  fields: OutputFields<C> & { use: UsedKind };
  flow: {
    /** Does the work of a kind that the application defined (`defineStepKind`). */
    use<Config, Output>(kind: OwnKind<Config, Output>, config: Config, options?: StepOptions): FlowCall<Output>;
  };
  list: { readonly use?: UsedKind };
  outcomes: Get<X, 'use'> extends UsedKind<unknown, infer Outcome> ? Outcome : string;
  result: Get<X, 'use'> extends UsedKind<infer Output> ? Output : unknown;
}
