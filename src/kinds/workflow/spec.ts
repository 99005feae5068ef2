// Owns the author-facing types of a `workflow` step: a child by its name or as a value, and its input.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { WorkflowValue } from '../../authoring/flow/flow.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { ChildWorkflow } from '../../authoring/spec/part.ts';
import type { Get, InputOfWorkflow, OutputOfWorkflow } from '../../authoring/spec/step.ts';
import type { Json } from '../../base/json.ts';
import type { StepContext } from '../../definition/code.ts';
import type { ChildDispatch } from '../../definition/step-terms.ts';

/** A step that runs another workflow. */
export interface WorkflowStep<C, X> {
  fields: { workflow: ChildWorkflow; input: OrFunction<Get<X, 'input'>, C, InputOfWorkflow<Get<X, 'workflow'>>> };
  flow: {
    /** Runs another workflow with its parameters: the result is its final output. */
    workflow<const W extends string | WorkflowValue>(workflow: W, ...rest: ChildArguments<W>): FlowCall<OutputOfWorkflow<W>>;
  };
  list: {
    readonly workflow?: ChildWorkflow;
    readonly input?: Json | ((ctx: C) => unknown);
    /** In an attended run: the sub-agent that does the steps of the child. */
    readonly dispatch?: ChildDispatch;
  };
  needs: Record<never, never> extends InputOfWorkflow<Get<X, 'workflow'>> ? never : 'input';
  result: OutputOfWorkflow<Get<X, 'workflow'>>;
}

/** A value, or a function that builds it. A function with an untyped `ctx` is not inferred yet when this type is evaluated. */
type OrFunction<V, C, T> = unknown extends V
  ? (ctx: C) => T | Promise<T>
  : V extends (...args: never) => unknown
    ? (ctx: C) => T | Promise<T>
    : T;

/** Parameters of a child workflow, or a function that builds them when the step begins; optional where none is required. */
export type ChildArguments<W, Input = InputOfWorkflow<W>> =
  Record<never, never> extends Input
    ? [inputs?: ChildInputs<Input>, options?: StepOptions]
    : [inputs: ChildInputs<Input>, options?: StepOptions];
type ChildInputs<Input> = Input | ((ctx: StepContext) => Input | Promise<Input>);
