// Owns the author-facing types of a `task`: a function, and what its return value means.

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
    task<Args extends readonly unknown[], Returned>(
      spec: TaskSpec<Args, Returned> & ArgsIfNeeded<Args>,
    ): FlowCall<RecordedValue<Awaited<Returned>>>;
  };
  /** In place of a function, a list may have an agent that is dispatched with a script. */
  list: { readonly handler?: ((ctx: C) => unknown) | Dispatch };
  result: RecordedValue<Data<ReturnValue<X>>>;
}

type Word = Exclude<CommonOutcome, '_default'>;
type HandlerResult<X> = 'output' extends keyof X
  ? SchemaValue<X> | readonly [Word, SchemaValue<X>] | Promise<SchemaValue<X> | readonly [Word, SchemaValue<X>]>
  : HasTable<Get<X, 'next'>> extends true
    ? TableResult<ReturnValue<X>>
    : unknown;
type ReturnValue<X> = Get<X, 'handler'> extends (...args: never) => infer R ? Awaited<R> : unknown;
/** Whether `next` names outcomes. */
type HasTable<N> = N extends object ? ([('to' | 'condition') & keyof N] extends [never] ? true : false) : false;

/** If `next` names outcomes, a returned string must be one of them. A widened type says nothing about it. */
type TableResult<R> = unknown extends R
  ? OutcomeOrNoText | Promise<OutcomeOrNoText>
  : true extends NamesOutcome<R>
    ? AllowedValue<R> | Promise<AllowedValue<R>>
    : unknown;
/** The return values of a function with an untyped `ctx`, whose result is unknown: strings must be outcomes. */
type OutcomeOrNoText = Word | readonly [Word, unknown] | NoText | readonly (object | NoText)[] | ReturnType<() => void>;
type NoText = (object & { readonly [Symbol.iterator]?: never; readonly then?: never }) | number | boolean | null;
type AllowedValue<R> = Word | readonly [Word, unknown] | (R extends unknown ? (NamesOutcome<R> extends true ? never : R) : never);
/** Whether a return value is a literal word, or a pair that begins with one. */
type NamesOutcome<R> = R extends readonly [infer First, unknown] ? IsLiteral<First> : IsLiteral<R>;
type IsLiteral<W> = W extends string ? (string extends W ? false : true) : false;

/** The output for a return value: `[outcome, data]` gives `data`; an outcome or `undefined` gives null. */
type Data<R> = unknown extends R
  ? R
  : R extends readonly [Word, infer D]
    ? D
    : R extends Word
      ? null
      : R extends readonly (infer Part)[]
        ? R | Patch<R, Part>
        : R extends NonNullable<unknown>
          ? R
          : null;
/** TypeScript infers `['fail', { n: 1 }]` as a list of both, so the output may be the list or the data in it. */
type Patch<R extends readonly unknown[], Part> = number extends R['length'] ? (string extends Part ? Extract<Part, object> : never) : never;

/** Any function that can do a step's work. */
export type Action = (...args: never[]) => unknown;

type ArgsIfNeeded<Args> = [] extends Args ? unknown : { readonly args: unknown };

/** A function with its arguments; `args` as a function builds them from the context when the step begins. */
export interface TaskSpec<Args extends readonly unknown[], Returned> extends StepOptions {
  readonly action: (...args: Args) => Returned;
  readonly args?: readonly [...Args] | ((ctx: StepContext) => readonly [...Args] | Promise<readonly [...Args]>);
}
