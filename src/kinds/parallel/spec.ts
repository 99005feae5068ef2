// Owns the author-facing types of a `parallel` step: its branches.

import type { FlowCall, ResultOf } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { Join } from '../../authoring/spec/part.ts';
import type { Get, MemberOf, Targets } from '../../authoring/spec/step.ts';
import type { FlowStep } from '../../programs/flow-step.ts';

/** Several steps at the same time. */
export interface ParallelStep<C, X, Ids extends Targets> {
  fields: {
    parallel: {
      readonly branches: Members<Branches<X>, C, Ids>;
      readonly join?: Join;
      readonly concurrency?: number;
    };
  };
  flow: {
    /**
     * Runs one step per item, at most `concurrency` at a time. Returns the results in the order of the items; if some failed,
     * the error has them as its `output`. A plain `yield` gives the results by the key of their item.
     */
    each<Item, Call extends FlowStep>(
      items: readonly Item[],
      body: (item: Item, index: number) => Call,
      options?: EachOptions<Item>,
    ): FlowCall<ResultOf<Call>[]>;
  };
  memberIds: keyof Branches<X>;
  members: Branches<X>;
  outcomes: 'reject_all';
  result: { readonly [B in keyof Branches<X>]: unknown };
}

type Branches<X> = Get<Get<X, 'parallel'>, 'branches'>;

type Members<B, C, Ids extends Targets> = [B] extends [never]
  ? Readonly<Record<string, MemberOf<never, C, Ids>>>
  : { readonly [K in keyof B]: B extends readonly unknown[] ? 'write branches by id, as steps: { lint: { … } }' : MemberOf<B[K], C, Ids> };

/** Options of a fan-out in a flow. */
export interface EachOptions<Item> extends StepOptions {
  readonly concurrency?: number;
  /** Returns the key of an item. Default: the item itself, its `key`, `id` or `name`, or its index. */
  readonly key?: (item: Item, index: number) => string;
}
