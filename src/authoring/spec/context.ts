// Owns the typed context that a workflow's functions get: the engine's, the application's, the parameters and the
// results of earlier steps.

import type { StepContext } from '../../definition/code.ts';
import type { ArgValues } from '../../definition/param/arg.ts';

/**
 * The result of a step whose shape only its author knows. A check such as `ctx.result.chapters.length > 0` must
 * compile without a declared result type, and no type but this one allows every property and comparison.
 */
export type UncheckedValue = ReturnType<typeof JSON.parse>;

/** The context of a step's functions: results by step, parameters by name, and what the application adds. */
export type StepContextOf<Results, Params, App> = App &
  Omit<StepContext, 'params' | 'results' | 'result' | 'item'> & {
    readonly params: ArgValues<Params>;
    readonly results: Results;
    readonly result: UncheckedValue;
    readonly item: UncheckedValue;
  };

/** The context of a step that declares arguments. */
export type WithArgs<Context, Args> = Omit<Context, 'args'> & { readonly args: ArgValues<Args> };
