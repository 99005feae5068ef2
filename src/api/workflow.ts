// Owns the public workflow object: frozen, however it was written, it can be inspected, run in memory, or passed to an
// engine.

import { compileFlow, type FlowBody, type FlowOptions, type YieldsSteps } from '../authoring/flow/flow.ts';
import type { ChildOutput } from '../authoring/flow/result.ts';
import { compileWorkflow } from '../authoring/graph/graph.ts';
import { type StepOutput, stepOrder, stepOutput } from '../authoring/graph/output.ts';
import type { NamesOf, WorkflowNames } from '../authoring/spec/names.ts';
import type { OutputOf, WorkflowTypes } from '../authoring/spec/step.ts';
import type { WorkflowSpec } from '../authoring/spec/workflow.ts';
import type { Json } from '../base/json.ts';
import { isMember } from '../definition/address.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import { describeGraph, type GraphDescription } from '../definition/describe.ts';
import { failureText } from '../definition/failure-text.ts';
import { type Definition, entryOf, type StepModel } from '../definition/model.ts';
import type { ArgInput, ArgSpecs, ArgValues, NoParams } from '../definition/param/arg.ts';
import { createStepResult, createWorkflowResult, type StepResult, type WorkflowResult } from '../definition/result.ts';
import { isDone } from '../definition/run-status.ts';
import type { RunView, StepView } from '../engine/inspect.ts';
import { REGISTRY } from '../kinds/registry.ts';
import { createEngine, type Engine } from './engine.ts';
import type { EngineOptions } from './engine-options.ts';

/** A workflow, validated when it was defined and frozen since. */
export class Workflow<Input = Readonly<Record<string, unknown>>, Output = Json, Names extends WorkflowNames = WorkflowNames>
  implements WorkflowTypes<Input, Output, Names>
{
  declare readonly '~types'?: { input(input: Input): void; readonly output: Output; readonly names: Names };
  readonly compiled: CompiledWorkflow;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The workflow as data: serialisable, without its functions. */
  readonly definition: Definition;
  /** Digest of the definition. */
  readonly hash: string;
  readonly steps: readonly StepModel[];
  /** The first step of a graph. */
  readonly entry: string | undefined;
  readonly totalSteps: number;
  /** Step ids in order. */
  readonly stepOrder: readonly string[];

  constructor(compiled: CompiledWorkflow) {
    const { definition } = compiled;
    this.compiled = compiled;
    this.name = definition.name;
    this.title = definition.title;
    this.description = definition.description;
    this.definition = definition;
    this.hash = compiled.hash;
    this.steps = definition.steps;
    this.entry = entryOf(definition);
    this.stepOrder = stepOrder(compiled);
    this.totalSteps = this.stepOrder.length;
    Object.freeze(this);
  }

  /** Runs the workflow in memory to its end. */
  run(...[input, options]: RunArguments<Input, EngineOptions>): Promise<WorkflowResult<Output>> {
    return runInMemory(this.compiled, input ?? {}, options ?? {}) as Promise<WorkflowResult<Output>>;
  }

  /** Returns the prompt or instruction of one step of a graph for given parameters and arguments. */
  stepOutput(stepId: Names['steps'], params?: Readonly<Record<string, unknown>>): StepOutput {
    return stepOutput(this.compiled, stepId, params ?? {});
  }

  /** The transition graph as data, for drawing and analysis. */
  graph(): GraphDescription {
    return describeGraph(this.definition);
  }
}

/** Parameters and options. The parameters are optional if none is required. */
export type RunArguments<Input, Options> =
  Record<never, never> extends Input ? [params?: Input, options?: Options] : [params: Input, options?: Options];

/** Defines a workflow as a graph of steps. It is validated immediately, and one error lists all mistakes. */
export function defineWorkflow<const S, const P extends ArgSpecs = Record<never, never>, A = object>(
  spec: WorkflowSpec<S, P, A>,
): Workflow<ArgInput<P>, OutputOf<S>, NamesOf<S>> {
  return new Workflow(compileWorkflow(spec, REGISTRY));
}

/** Defines a workflow as a generator function: `yield*` a step to get its result, with ordinary control flow around it. */
export function workflow<Returned>(
  name: string,
  body: FlowBody<ArgValues<Record<never, never>>, Returned> & YieldsSteps<Returned>,
): Workflow<NoParams, ChildOutput<Returned>>;
export function workflow<Params extends ArgSpecs, Returned>(
  name: string,
  options: FlowOptions<Params>,
  body: FlowBody<ArgValues<Params>, Returned> & YieldsSteps<Returned>,
): Workflow<ArgInput<Params>, ChildOutput<Returned>>;
export function workflow(name: string, first: unknown, second?: unknown): Workflow<never, unknown> {
  return new Workflow(compileFlow(name, first as FlowOptions<ArgSpecs>, second as FlowBody<ArgValues<ArgSpecs>, unknown>));
}
async function runInMemory(compiled: CompiledWorkflow, input: unknown, options: EngineOptions): Promise<WorkflowResult> {
  const engine = await createEngine({ ...options, db: ':memory:', workflows: [compiled], drives: 'all' });
  try {
    const run = await engine.start(compiled, input as Readonly<Record<string, unknown>>);
    return await resultOf(engine, await run.wait('outside'));
  } finally {
    await engine.close({ abort: true });
  }
}

/** Converts the view of an ended run into a result. */
async function resultOf(engine: Engine, view: RunView): Promise<WorkflowResult> {
  const success = isDone(view.status);
  const steps: StepResult[] = [];
  for (const step of view.steps) {
    if (step.outcome === undefined || isMember(step.path)) continue;
    const run = step.child;
    const child = run === undefined ? undefined : { ...(await resultOf(engine, await engine.run(run).get())), runId: run };
    steps.push(resultOfStep(step, { success, child }));
  }
  const facts = {
    workflowName: view.workflow,
    stepResults: steps,
    totalDurationMs: Math.max(0, view.updatedAt - view.createdAt),
    finalOutput: view.output,
  };
  return createWorkflowResult(success ? { ...facts, success } : { ...facts, success, error: view.error ?? reasonOf(view) });
}

/** Why a run that has no error did not succeed. */
function reasonOf({ status, waits }: RunView): string {
  if (status !== 'waiting') return `the run is ${status}`;
  const texts = waits.map(({ kind, step }) => (step === undefined ? kind : `${kind} at "${step}"`));
  return `the run waits for ${texts.join(', ')}; start it with createEngine to answer`;
}

function resultOfStep(step: StepView, run: { readonly success: boolean; readonly child: StepResult['child'] | undefined }): StepResult {
  const success = step.status === 'completed' || step.status === 'skipped';
  const { outcome = step.status, output = null } = step;
  const error = step.error ?? failureText(step.step, { outcome, output });
  const failure = success ? {} : { error, ...(run.success ? { handled: true } : {}) };
  return createStepResult({
    name: step.step,
    stepType: step.kind as StepResult['stepType'],
    success,
    output,
    durationMs: step.durationMs ?? 0,
    ...failure,
    ...(run.child === undefined ? {} : { child: run.child }),
  });
}
