// Owns what authors write for a step of an application's kind, as types: the kind with its configuration.

import type { OutputFields } from '../../authoring/spec/part.ts';
import type { Get } from '../../authoring/spec/step.ts';
import type { UsedKind } from '../../definition/own-kind.ts';

/** A step of a kind that the application defined, with its configuration. */
export interface OwnStep<C, X> {
  fields: OutputFields<C> & { use: UsedKind };
  list: { readonly use?: UsedKind };
  outcomes: Get<X, 'use'> extends UsedKind<unknown, infer Outcome> ? Outcome : string;
  result: Get<X, 'use'> extends UsedKind<infer Output> ? Output : unknown;
}
