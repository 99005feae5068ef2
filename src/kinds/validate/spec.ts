// Owns what authors write for a `validate` step, as types: the stages, and the step that repairs what they find.

import type { ValidateResult } from '../../authoring/flow/result.ts';
import type { MemberSpec } from '../../authoring/graph/spec.ts';
import type { Get, MemberOf, Targets } from '../../authoring/spec/step.ts';

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
  list: {
    readonly validate?:
      | true
      | { readonly stages?: readonly string[] | string | null; readonly retry?: number; readonly onFailure?: MemberSpec<C> };
  };
  result: ValidateResult;
}
