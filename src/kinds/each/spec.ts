// Owns the author-facing types of an `each` step: a list, and the step that is done for every item of it.

import type { Join } from '../../authoring/spec/part.ts';
import type { Get, MemberOf, Targets } from '../../authoring/spec/step.ts';

/** One step for every item of a list. */
export interface EachStep<C, X, Ids extends Targets> {
  fields: {
    each: {
      /** A path into the run's data, or an expression, that returns the list. */
      readonly items: string;
      readonly step: MemberOf<Get<Get<X, 'each'>, 'step'>, C, Ids>;
      readonly join?: Join;
      readonly concurrency?: number;
    };
  };
  /** The key of any item. */
  memberIds: string;
  members: { item: Get<Get<X, 'each'>, 'step'> };
  outcomes: 'reject_all';
  result: readonly unknown[];
}
