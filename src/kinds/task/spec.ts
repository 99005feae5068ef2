// Owns what authors write for a `task`, as types: a function, and what its return value means.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { Dispatch } from '../../authoring/graph/dispatch.ts';
import type { OutputFields } from '../../authoring/spec/part.ts';
import type { RecordedValue } from '../../authoring/spec/recorded-value.ts';
import type { CommonOutcome, Get, OutputSchema, SchemaValue } from '../../authoring/spec/step.ts';
import type { StepContext } from '../../definition/code.ts';

/** A step that a function of the author does. */
export interface TaskStep<C, X> {
  fields: OutputFields<C> & { handler: (ctx: C) => HandlerResult<X>; output: OutputSchema };
  flow: {
    /** Calls a function with these arguments: the result is what it returns. */
    task<Fn extends Action>(action: Fn, ...args: Parameters<Fn>): FlowCall<RecordedValue<Awaited<ReturnType<Fn>>>>;
    /** Calls a function, with options; `args` may be built from the context, which has the idempotency key. */
    task<Args extends readonly unknown[], Returned>(spec: TaskSpec<Args, Returned>): FlowCall<RecordedValue<Awaited<Returned>>>;
  };
  /** In place of a function, a list may have an agent that is dispatched with a script. */
  list: { readonly handler?: ((ctx: C) => unknown) | Dispatch };
  result: Get<X, 'handler'> extends (...args: never) => infer R ? RecordedValue<Data<Awaited<R>>> : unknown;
}

type Word = Exclude<CommonOutcome, '_default'>;
type HandlerResult<X> = 'output' extends keyof X
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

/** Any function that can do a step's work. */
export type Action = (...args: never[]) => unknown;

/** A function with its arguments; `args` as a function builds them from the context when the step begins. */
export interface TaskSpec<Args extends readonly unknown[], Returned> extends StepOptions {
  readonly action: (...args: Args) => Returned;
  readonly args?: readonly [...Args] | ((ctx: StepContext) => readonly [...Args] | Promise<readonly [...Args]>);
}
