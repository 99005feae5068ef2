// Owns the type of the object that `defineWorkflow` takes. `step.ts` has its steps.

import type { ArgInput } from '../../definition/param/arg.ts';
import type { ScheduleSpec } from '../../definition/trigger/schedule.ts';
import type { StartCommandSpec } from '../../definition/trigger/start-command.ts';
import type { WorkflowFields } from './part.ts';
import type { GraphReaction } from './reaction.ts';
import type { CheckedStep, ContextOf, SideStepId, SideStepTarget } from './step.ts';

/** A workflow: its steps by id, in order. S is the steps as written, P the parameters, A the application's context. */
export interface WorkflowSpec<S, P, A> extends Omit<WorkflowFields<P, A, NoInfer<SideStepTarget<S>>>, 'onEvents' | 'trigger'> {
  readonly name: string;
  /** What a run does when something happens at the forge. */
  readonly onEvents?: readonly GraphReaction<NoInfer<keyof S>>[];
  /** The schedule, or the command in a comment, that starts it while `pawl serve` runs. */
  readonly trigger?: (Omit<ScheduleSpec, 'params'> & ScheduledParams<NoInfer<P>>) | StartCommandSpec;
  /** Where a run begins. Default: the first step. */
  readonly entry?: NoInfer<Exclude<keyof S, SideStepId<S>>>;
  readonly steps: {
    readonly [Id in keyof S]: S extends readonly unknown[]
      ? 'write steps by id, as { draft: { … } }; lists of steps are for pawl/compat'
      : CheckedStep<S[Id], S, ContextOf<S, P, A>>;
  };
}

/** The parameters of the runs that a schedule starts: optional where none is required. */
export type ScheduledParams<P> =
  Record<never, never> extends ArgInput<P> ? { readonly params?: ArgInput<P> } : { readonly params: ArgInput<P> };
