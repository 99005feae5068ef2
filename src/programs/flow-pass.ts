// Owns one pass of a flow's generator: the results that it received, and the step, end or error where it is now. A flow
// that goes back to an earlier step begins another pass.
//
// F2. A step name is used once per run; the second use fails the run before that step runs.
// F5. The generator receives its own copy of each result, live and on replay: changing the copy changes nothing else.
// - A step that was created must be yielded before the flow continues or returns; otherwise the run fails.

import { EngineError } from '../base/error.ts';
import { deepCopy, type Json, type JsonObject } from '../base/json.ts';
import type { BoundStep, CompiledWorkflow, StepCode } from '../definition/code.ts';
import { NO_CODE } from '../definition/code.ts';
import { withDatabases } from '../definition/database.ts';
import type { KindFacts } from '../definition/kind.ts';
import { askingAboutTree, judgesTree } from '../definition/landing.ts';
import { type JoinModel, membersOf, type StepModel } from '../definition/model.ts';
import { plainFrame } from '../definition/plain-frame.ts';
import { digestOfYield } from './flow-digest.ts';
import { type FlowFailure, type FlowGroup, type FlowYield, isFlowYield, resumeGenerator, StepFailed } from './flow-step.ts';

/** What a pass needs to know of its run. */
export interface FlowSource {
  readonly workflow: CompiledWorkflow;
  readonly params: JsonObject;
  readonly facts: KindFacts;
  /** Called with each step that the generator yields, in order. */
  readonly onYield: (step: YieldedStep) => void;
}

/** The result that a generator receives for its current step: a value, or a failure that is thrown into it. */
type GeneratorInput = { readonly value: Json | undefined } | { readonly failure: FlowFailure };

/** A step, or a group of them, that a generator yielded. */
export interface YieldedStep {
  readonly yielded: FlowYield;
  readonly name: string;
  readonly digest: string;
  /** The step and its members with their functions, by address. */
  readonly bounds: ReadonlyMap<string, BoundStep>;
  /** The workflows that were passed as values, by the steps that start them. */
  readonly children: ReadonlyMap<string, CompiledWorkflow>;
}

/** Where a generator is. */
export type Position =
  | { readonly kind: 'step'; readonly step: YieldedStep }
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'thrown'; readonly error: unknown };

interface GeneratorResult {
  readonly input: GeneratorInput;
  /** The name of the step that the generator yielded next. */
  readonly at: string | undefined;
}

/** One pass of a generator through the steps of its flow. */
export class FlowPass {
  private readonly source: FlowSource;
  private readonly generator: Generator<unknown, unknown, unknown>;
  private readonly turns: GeneratorResult[] = [];
  private readonly used = new Set<string>();
  private groups = 0;
  /** Whether a gate has checked files so far: questions that follow are about those files. */
  private needsTreeQuestion = false;
  private now: Position = { kind: 'returned', value: undefined };
  private yielded: YieldedStep | undefined;

  constructor(source: FlowSource, past: readonly GeneratorInput[] = [{ value: undefined }]) {
    const flow = source.workflow.flow as (input: JsonObject) => Generator<unknown, unknown, unknown>;
    this.source = source;
    this.generator = flow(source.params);
    for (const input of past) this.give(input);
  }

  /** Where the generator is. */
  get position(): Position {
    return this.now;
  }

  /** The step that was yielded last: the current one, or the one after which the flow ended or failed. */
  get lastStep(): YieldedStep | undefined {
    return this.yielded;
  }

  /** The output of the last step that succeeded. */
  get lastOutput(): Json {
    const last = this.turns.findLast(({ input }) => 'value' in input);
    return last !== undefined && 'value' in last.input ? (last.input.value ?? null) : null;
  }

  /** Gives the generator the result of its current step, and resumes it. */
  give(input: GeneratorInput): void {
    this.now = this.advance(input);
    if (this.now.kind === 'step') this.yielded = this.now.step;
    this.turns.push({ input, at: this.now.kind === 'step' ? this.now.step.name : undefined });
  }

  /** Returns a new pass that is at the step where this one failed. */
  beforeFailure(): FlowPass {
    return this.after(this.turns.length - 1);
  }

  /** Returns a new pass that is at an earlier step; undefined if it was not yielded. */
  at(step: string): FlowPass | undefined {
    const index = this.turns.findIndex((turn) => turn.at === step);
    return index === -1 ? undefined : this.after(index + 1);
  }

  private after(count: number): FlowPass {
    return new FlowPass(
      this.source,
      this.turns.slice(0, count).map(({ input }) => input),
    );
  }

  private advance(input: GeneratorInput): Position {
    try {
      const { result, unused } = resumeGenerator(() =>
        'failure' in input ? this.generator.throw(new StepFailed(input.failure)) : this.generator.next(deepCopy(input.value)),
      );
      this.checkYielded(
        unused.filter((step) => result.done === true || step !== result.value),
        result,
      );
      if (result.done === true) return { kind: 'returned', value: result.value };
      const step = this.read(result.value);
      this.source.onYield(step);
      return { kind: 'step', step };
    } catch (error) {
      return { kind: 'thrown', error };
    }
  }

  /** A step that was created but not yielded does not run, so continuing would skip it silently. A returned step is not yielded. */
  private checkYielded([unused]: readonly FlowYield[], { done, value }: IteratorResult<unknown>): void {
    if (unused === undefined) return;
    const reason =
      done !== true && isFlowYield(value) ? `and went on to ${described(value)} without it` : 'but never yielded it, so it did not run';
    throw new EngineError(
      'STEP_NOT_YIELDED',
      `the flow "${this.name}" created ${described(unused)} ${reason}; write \`yield*\` before it, where it is created`,
    );
  }

  private read(yielded: unknown): YieldedStep {
    if (!isFlowYield(yielded)) {
      throw new EngineError(
        'STEP_OUTPUT_INVALID',
        `the flow "${this.name}" yielded something that is not a step; write yield* step("name").task(…)`,
      );
    }
    const steps = yielded.yields === 'step' ? [yielded] : yielded.steps;
    for (const { bound } of steps) this.use(bound.model.id);
    const bound = yielded.yields === 'step' ? yielded.bound : this.groupOf(yielded);
    const name = bound.model.id;
    this.needsTreeQuestion ||= judgesTree(this.source.facts, bound.model);
    const modelOf = (model: StepModel): StepModel => this.completed(model);
    const members = membersOf(bound.model).map(
      (member) => [`${name}/${member.id}`, { model: modelOf(member), code: bound.code.members[member.id] ?? NO_CODE }] as const,
    );
    const children = steps.flatMap(({ child, bound: { model } }) =>
      child === undefined ? [] : [[yielded.yields === 'step' ? name : `${name}/${model.id}`, child] as const],
    );
    return {
      yielded,
      name,
      digest: digestOfYield(yielded),
      bounds: new Map([[name, { ...bound, model: modelOf(bound.model) }], ...members]),
      children: new Map(children),
    };
  }

  /** Adds the settings that apply to all steps of the workflow. */
  private completed(model: StepModel): StepModel {
    const { facts, workflow } = this.source;
    return withDatabases(facts.kinds, this.needsTreeQuestion ? askingAboutTree(model) : model, workflow.definition.databases);
  }

  private use(name: string): void {
    if (this.used.has(name))
      throw new EngineError(
        'STEP_DUPLICATE',
        `the flow "${this.name}" has two steps named "${name}"; names are unique in a run: in a loop write step(\`${name}-\${i}\`)`,
      );
    this.used.add(name);
  }

  private groupOf(group: FlowGroup): BoundStep {
    this.groups += 1;
    const id = `${group.yields}-${this.groups}`;
    const join: JoinModel = group.yields === 'all' ? { rule: 'all' } : { rule: 'any' };
    const models = group.steps.map(({ bound }) => bound.model);
    const members: Record<string, StepCode> = Object.fromEntries(group.steps.map(({ bound }) => [bound.model.id, bound.code]));
    const work = { kind: 'parallel' as const, flow: group.yields, members: models, join };
    return { model: { ...plainFrame(id, 'rerun'), contractRetries: 0, ...work }, code: { ...NO_CODE, members } };
  }

  private get name(): string {
    return this.source.workflow.definition.name;
  }
}

function described(step: FlowYield): string {
  return step.yields === 'step' ? `step "${step.bound.model.id}"` : `${step.yields}([…])`;
}
