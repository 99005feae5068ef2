// Owns the type of the object that `defineWorkflow` takes. `step.ts` has its steps.

import type { WorkflowFields } from './part.ts';
import type { CheckedStep, ContextOf, SideStepId, SideStepTarget } from './step.ts';

/** A workflow: its steps by id, in order. S is the steps as written, P the parameters, A the application's context. */
export interface WorkflowSpec<S, P, A> extends WorkflowFields<P, A, NoInfer<SideStepTarget<S>>, NoInfer<keyof S>> {
  readonly name: string;
  /** Where a run begins. Default: the first step. */
  readonly entry?: NoInfer<Exclude<keyof S, SideStepId<S>>>;
  readonly steps: {
    readonly [Id in keyof S]: S extends readonly unknown[]
      ? 'write steps by id, as { draft: { … } }; lists of steps are for pawl/compat'
      : CheckedStep<S[Id], S, ContextOf<S, P, A>>;
  };
}
