// Owns what authors write for a `workflow` step, as types: a child by its name or as a value, and its input.

import type { ChildWorkflow } from '../../authoring/spec/part.ts';
import type { Get, InputOfWorkflow, OutputOfWorkflow } from '../../authoring/spec/step.ts';
import type { Json } from '../../base/json.ts';
import type { ChildDispatch } from '../../definition/step-terms.ts';

/** A step that runs another workflow. */
export interface WorkflowStep<C, X> {
  fields: { workflow: ChildWorkflow; input: Built<Get<X, 'input'>, C, InputOfWorkflow<Get<X, 'workflow'>>> };
  list: {
    readonly workflow?: ChildWorkflow;
    readonly input?: Json | ((ctx: C) => unknown);
    /** In an attended run: the sub-agent that does the steps of the child. */
    readonly dispatch?: ChildDispatch;
  };
  needs: Record<never, never> extends InputOfWorkflow<Get<X, 'workflow'>> ? never : 'input';
  result: OutputOfWorkflow<Get<X, 'workflow'>>;
}

/** A value, or a function that builds it. A function with an untyped `ctx` is still unknown when this is asked. */
type Built<V, C, T> = unknown extends V
  ? (ctx: C) => T | Promise<T>
  : V extends (...args: never) => unknown
    ? (ctx: C) => T | Promise<T>
    : T;
