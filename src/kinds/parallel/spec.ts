// Owns what authors write for a `parallel` step, as types: its branches.

import type { Join } from '../../authoring/spec/part.ts';
import type { AnyMember, Get, MemberOf, Targets } from '../../authoring/spec/step.ts';

/** Several steps at once. */
export interface ParallelStep<C, X, Ids extends Targets> {
  fields: {
    parallel: {
      readonly branches: Members<Get<Get<X, 'parallel'>, 'branches'>, C, Ids>;
      readonly join?: Join;
      readonly concurrency?: number;
    };
  };
  members: Get<Get<X, 'parallel'>, 'branches'>;
  outcomes: 'reject_all';
  result: { readonly [B in keyof Get<Get<X, 'parallel'>, 'branches'>]: unknown };
}

type Members<B, C, Ids extends Targets> = [B] extends [never]
  ? Readonly<Record<string, AnyMember<C, Ids>>>
  : { readonly [K in keyof B]: B extends readonly unknown[] ? 'write branches by id, as steps: { lint: { … } }' : MemberOf<B[K], C, Ids> };
