// Owns the type of the object that `defineWorkflow` takes. `step-spec.ts` has its steps.

import type { ArgValues } from '../../definition/arg.ts';
import type { Budget } from '../../definition/budget.ts';
import type { ContextOf, StepOf } from './step.ts';

/** A workflow: its steps by id, in order. S is the steps as written, P the parameters, A the application's context. */
export interface WorkflowSpec<S, P, A> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A label of your own for this version. */
  readonly version?: string;
  readonly params?: P;
  /** Builds the application's part of the context, once per attempt. */
  readonly context?: (run: { readonly runId: string; readonly workflow: string; readonly params: ArgValues<P> }) => A | Promise<A>;
  readonly limits?: { readonly maxIterations?: number };
  /** What the agents of a run may use in all, those of the runs it starts included; then it waits for more. */
  readonly budget?: Budget;
  /** Patterns of files that its agents may not change, beside those that are always protected. */
  readonly protected?: readonly string[];
  /** Where a run begins; left out: the first step. */
  readonly entry?: NoInfer<keyof S>;
  readonly steps: {
    readonly [Id in keyof S]: S extends readonly unknown[]
      ? 'write steps by id, as { draft: { … } }; lists of steps are for pawl/compat'
      : StepOf<S[Id], keyof S, ContextOf<S, P, A>>;
  };
}
