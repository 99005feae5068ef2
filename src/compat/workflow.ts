// Owns the alternative syntax of `pawl/compat`: steps as a list or one by one, and other names for the same thing. It
// compiles to the same definitions; types check it less, `validate` checks it as much.

import type { EngineOptions } from '../api/engine-options.ts';
import { type RunArguments, Workflow as TypedWorkflow } from '../api/workflow.ts';
import type { FlowCall } from '../authoring/flow/call.ts';
import type { WorkflowValue } from '../authoring/flow/flow.ts';
import { compileGraph } from '../authoring/graph/graph.ts';
import type { StepOutput } from '../authoring/graph/output.ts';
import type { GraphSpec, NextSpec, StepSpec, StepsOptions } from '../authoring/graph/spec.ts';
import type { OutputOfWorkflow } from '../authoring/spec/step.ts';
import type { Json } from '../base/json.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { ArgSpecs, ArgValues } from '../definition/param/arg.ts';
import type { WorkflowResult } from '../definition/result.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { step as namedStep, type StepBuilder } from '../kinds/step-builder.ts';
import type { ChildArguments } from '../kinds/workflow/spec.ts';

/** A workflow from its steps, one by one. `run` with the id of a step shows what the step says, as `stepOutput` does. */
export class Workflow<Input = Readonly<Record<string, unknown>>, Output = Json> extends TypedWorkflow<Input, Output> {
  /** A graph from its steps, in order; options may come last. */
  constructor(name: string, ...steps: readonly StepSpec[] | readonly [...StepSpec[], StepsOptions]);
  /** A compiled workflow. */
  constructor(compiled: CompiledWorkflow);
  constructor(first: string | CompiledWorkflow, ...steps: readonly StepSpec[]) {
    super(typeof first === 'string' ? compileSteps(first, steps) : first);
  }

  /** What one step of a graph says: its title, its instructions, and what comes next. */
  override run(stepId: string, params?: Readonly<Record<string, unknown>>): StepOutput;
  /** Runs the workflow in memory, to its end. */
  override run(...args: RunArguments<Input, EngineOptions>): Promise<WorkflowResult<Output>>;
  override run(...args: readonly unknown[]): StepOutput | Promise<WorkflowResult<Output>> {
    const [first, second] = args;
    if (typeof first === 'string') return this.stepOutput(first, second as Readonly<Record<string, unknown>>);
    return super.run(...(args as RunArguments<Input, EngineOptions>));
  }
}

function compileSteps(name: string, args: readonly (StepSpec | StepsOptions)[]): CompiledWorkflow {
  const last = args.at(-1);
  const options = last === undefined || isStep(last) ? {} : last;
  return compileGraph({ ...options, name, steps: args.filter(isStep) }, REGISTRY);
}

function isStep(value: StepSpec | StepsOptions): value is StepSpec {
  return 'id' in value || 'name' in value;
}

/** Freezes a step, so that it can be shared. */
export function StepDef<Ctx = object>(spec: StepSpec<Ctx>): StepSpec<Ctx> {
  const { next } = spec;
  return Object.freeze({ ...spec, ...(typeof next === 'object' && next !== null ? { next: Object.freeze({ ...next }) as NextSpec } : {}) });
}

/** A workflow as a graph whose steps are a list; `type`, `name` and `initialStep` may stand for `name`, `title` and `entry`. */
export function defineWorkflow<Ctx = object, P extends ArgSpecs = ArgSpecs>(spec: GraphSpec<Ctx, P>): Workflow<Partial<ArgValues<P>>> {
  return new Workflow<Partial<ArgValues<P>>>(compileGraph<Ctx, P>(spec, REGISTRY));
}

/** A name that waits for what the step does, with the other names of what it can do. */
export interface CompatStepBuilder extends StepBuilder {
  /** Another name for `workflow`. */
  subworkflow<const W extends string | WorkflowValue>(workflow: W, ...rest: ChildArguments<W>): FlowCall<OutputOfWorkflow<W>>;
}

/** Names a step of a flow. */
export function step(name: string): CompatStepBuilder {
  const named = namedStep(name);
  return Object.assign(named, { subworkflow: named.workflow });
}
