// Owns the author-facing types of a `validate` step: the stages, and the step that repairs what they find.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { ValidateResult } from '../../authoring/flow/result.ts';
import type { MemberSpec } from '../../authoring/graph/spec.ts';
import type { Get, MemberOf, Targets } from '../../authoring/spec/step.ts';
import type { FlowStep } from '../../programs/flow-step.ts';

/** A step that runs validation stages. */
export interface ValidateStep<C, X, Ids extends Targets> {
  fields: {
    validate:
      | true
      | {
          readonly stages?: readonly string[] | string;
          readonly retry?: number;
          readonly onFailure?: MemberOf<Get<Get<X, 'validate'>, 'onFailure'>, C, Ids>;
        };
  };
  flow: {
    /** Runs validation stages, with a step that repairs between rounds; `retry: 0` never repairs. */
    validate(spec?: ValidateSpec): FlowCall<ValidateResult>;
  };
  list: {
    readonly validate?:
      | true
      | { readonly stages?: readonly string[] | string | null; readonly retry?: number; readonly onFailure?: MemberSpec<C> };
  };
  result: ValidateResult;
}

/** Stages by name, by a key of the configuration, or the default set; `retry` counts the rounds of repair. */
export interface ValidateSpec extends Omit<StepOptions, 'retry'> {
  readonly stages?: readonly string[] | string;
  readonly retry?: number;
  /** Runs after a failed round, before the next; its own result does not decide. */
  readonly onFailure?: FlowStep;
}
