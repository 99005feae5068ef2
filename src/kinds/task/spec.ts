// Owns what authors write for a `task`, as types: a function, and what its return value means.

import type { Dispatch } from '../../authoring/graph/dispatch.ts';
import type { OutputFields } from '../../authoring/spec/part.ts';
import type { CommonOutcome, Get, OutputSchema, SchemaValue } from '../../authoring/spec/step.ts';

/** A step that a function of the author does. */
export interface TaskStep<C, X> {
  fields: OutputFields<C> & { handler: (ctx: C) => Returned<X>; output: OutputSchema };
  /** In place of a function, a list may have an agent that is dispatched with a script. */
  list: { readonly handler?: ((ctx: C) => unknown) | Dispatch };
  result: Get<X, 'handler'> extends (...args: never) => infer R ? Data<Awaited<R>> : unknown;
}

type Word = Exclude<CommonOutcome, '_default'>;
type Returned<X> = 'output' extends keyof X
  ? SchemaValue<X> | readonly [Word, SchemaValue<X>] | Promise<SchemaValue<X> | readonly [Word, SchemaValue<X>]>
  : unknown;

/** What a return value leaves as output: `[outcome, data]` is the data, an outcome or nothing is null. */
type Data<R> = unknown extends R
  ? R
  : R extends readonly [Word, infer D]
    ? D
    : R extends Word
      ? null
      : R extends NonNullable<unknown>
        ? R
        : null;
