// Owns `step(name)`: one method per kind of step, each of which returns a call with the type of its result. Building a
// step does nothing; yielding it makes the engine run it.

import { createCall, type FlowCall, type ResultOf } from '../authoring/flow/call.ts';
import { type Child, compiledOf } from '../authoring/flow/flow.ts';
import { createBoundStep, invalid, type StepOptions, type StepParts } from '../authoring/flow/model.ts';
import type {
  AgentResult,
  CommandResult,
  GateResult,
  HumanResult,
  ReviewResult,
  ValidateResult,
  WebhookResult,
} from '../authoring/flow/result.ts';
import type { ForgeSpec } from '../authoring/graph/spec.ts';
import type { Webhook } from '../authoring/spec/part.ts';
import type { InputOfWorkflow, OutputOfWorkflow } from '../authoring/spec/step.ts';
import type { Duration } from '../base/duration.ts';
import { present } from '../base/fields.ts';
import type { Json } from '../base/json.ts';
import type { StepContext } from '../definition/code.ts';
import type { OwnKind } from '../definition/own-kind.ts';
import type { FlowStep } from '../programs/flow-step.ts';
import { buildAction } from './action/compile.ts';
import { type AgentSpec, buildAgent } from './agent/compile.ts';
import { buildCommand, type CommandSpec } from './command/compile.ts';
import { buildDelay, type DelaySpec } from './delay/compile.ts';
import { buildGate, type GateSpec } from './gate/compile.ts';
import { buildGenerate, type GenerateSpec } from './generate/compile.ts';
import { type AnswerOf, buildHuman, type HumanOption, type HumanSpec } from './human/compile.ts';
import { buildOwn } from './own/compile.ts';
import { buildEach, type EachOptions } from './parallel/compile.ts';
import { REGISTRY } from './registry.ts';
import { buildReview, type ReviewSpec } from './review/compile.ts';
import { buildSignal } from './signal/compile.ts';
import { type Action, buildTask, type TaskSpec } from './task/compile.ts';
import { buildValidate, type ValidateSpec } from './validate/compile.ts';
import { buildWebhook } from './webhook/compile.ts';
import { buildChild } from './workflow/compile.ts';

/** Parameters of a child workflow, or a function that builds them when the step begins; optional where none is required. */
export type ChildArguments<W, Input = InputOfWorkflow<W>> =
  Record<never, never> extends Input
    ? [inputs?: ChildInputs<Input>, options?: StepOptions]
    : [inputs: ChildInputs<Input>, options?: StepOptions];
type ChildInputs<Input> = Input | ((ctx: StepContext) => Input | Promise<Input>);

// A path is `step#visit` or `group#visit/key`, so a name must not contain its separators.
const NAME = /^[^#/\p{Cc}]{1,200}$/u;

/** A named step whose kind is chosen next. */
export class StepBuilder {
  readonly #name: string;

  constructor(name: string) {
    if (typeof name !== 'string' || !NAME.test(name))
      throw invalid(
        `the step name ${JSON.stringify(name)}`,
        'cannot be used; write 1 to 200 characters without "#", "/" and control characters',
      );
    this.#name = name;
  }

  /** Calls a function with these arguments: the result is what it returns. */
  task<Fn extends Action>(action: Fn, ...args: Parameters<Fn>): FlowCall<Awaited<ReturnType<Fn>>>;
  /** Calls a function, with options; `args` may be built from the context, which has the idempotency key. */
  task<Args extends readonly unknown[], Returned>(spec: TaskSpec<Args, Returned>): FlowCall<Awaited<Returned>>;
  task(work: Action | TaskSpec<never, unknown>, ...args: never): FlowCall<unknown> {
    const { length } = args as readonly unknown[];
    if (typeof work === 'object' && length > 0) throw tooMany('.task() with an object', length + 1, 1);
    return call(buildTask(this.#name, typeof work === 'object' ? work : { action: work, args }));
  }

  /** Starts a program: a shell line, a list of words, or either with options. */
  command(command: string | readonly string[] | CommandSpec): FlowCall<CommandResult>;
  command(command: string | readonly string[] | CommandSpec, ...beyond: Beyond): FlowCall<CommandResult> {
    refuse(beyond, 'command', 1);
    return call(buildCommand(this.#name, command));
  }

  /** Lets an agent work. */
  agent<Context extends object>(spec: AgentSpec<Context>): FlowCall<AgentResult>;
  agent<Context extends object>(spec: AgentSpec<Context>, ...beyond: Beyond): FlowCall<AgentResult> {
    refuse(beyond, 'agent', 1);
    return call(buildAgent(this.#name, spec));
  }

  /** Lets a generator write text. */
  generate<Context extends object>(spec: GenerateSpec<Context>): FlowCall<string>;
  generate<Context extends object>(spec: GenerateSpec<Context>, ...beyond: Beyond): FlowCall<string> {
    refuse(beyond, 'generate', 1);
    return call(buildGenerate(this.#name, spec));
  }

  /** Runs validation stages, with a step that repairs between rounds; `retry: 0` never repairs. */
  validate(spec?: ValidateSpec): FlowCall<ValidateResult>;
  validate(spec: ValidateSpec = {}, ...beyond: Beyond): FlowCall<ValidateResult> {
    refuse(beyond, 'validate', 1);
    return call(buildValidate(this.#name, spec));
  }

  /** Reviews work, item by item and round by round, until it passes; a person who stops it fails the step. */
  review(spec: ReviewSpec): FlowCall<ReviewResult>;
  review(spec: ReviewSpec, ...beyond: Beyond): FlowCall<ReviewResult> {
    refuse(beyond, 'review', 1);
    const { parts, child } = buildReview(this.#name, spec, REGISTRY);
    return createCall({ bound: createBoundStep(parts, REGISTRY), child });
  }

  /** Passes or fails the work by checks. */
  gate(spec: GateSpec): FlowCall<GateResult>;
  gate(spec: GateSpec, ...beyond: Beyond): FlowCall<GateResult> {
    refuse(beyond, 'gate', 1);
    return call(buildGate(this.#name, spec));
  }

  // The options are inferred apart from the rest: from an object that lacks a field, TypeScript infers nothing.
  /** Asks a person. The answer "reject", unless its option says otherwise, is thrown as a failure. */
  human<const Options extends readonly HumanOption[] = readonly ['approve', 'reject']>(
    spec: HumanSpec<Options> & { readonly options?: Options },
  ): FlowCall<HumanResult<AnswerOf<Options[number]>>>;
  human<const Options extends readonly HumanOption[] = readonly ['approve', 'reject']>(
    spec: HumanSpec<Options> & { readonly options?: Options },
    ...beyond: Beyond
  ): FlowCall<HumanResult<AnswerOf<Options[number]>>> {
    refuse(beyond, 'human', 1);
    return call(buildHuman(this.#name, spec));
  }

  /** Does something on the forge: `{ action: 'comment', target: 'issue', message }`. The result is the forge's answer. */
  action(action: ForgeSpec, options?: StepOptions): FlowCall<Json>;
  action(action: ForgeSpec, options?: StepOptions, ...beyond: Beyond): FlowCall<Json> {
    refuse(beyond, 'action', 2);
    return call(buildAction(this.#name, action, options));
  }

  /** Asks a web service; an answer that is not the expected one fails the step. */
  webhook(webhook: Webhook, options?: StepOptions): FlowCall<WebhookResult>;
  webhook(webhook: Webhook, options?: StepOptions, ...beyond: Beyond): FlowCall<WebhookResult> {
    refuse(beyond, 'webhook', 2);
    return call(buildWebhook(this.#name, webhook, options));
  }

  /** Does the work of a kind that the application defined (`defineStepKind`). */
  use<Config, Output>(kind: OwnKind<Config, Output>, config: Config, options?: StepOptions): FlowCall<Output>;
  use<Config, Output>(kind: OwnKind<Config, Output>, config: Config, ...[options, ...beyond]: Last<StepOptions>): FlowCall<Output> {
    refuse(beyond, 'use', 3);
    return call(buildOwn(this.#name, kind as OwnKind, { config, options }));
  }

  /** Lets time pass. */
  delay(delay: Duration | DelaySpec): FlowCall<null>;
  delay(delay: Duration | DelaySpec, ...beyond: Beyond): FlowCall<null> {
    refuse(beyond, 'delay', 1);
    return call(buildDelay(this.#name, delay));
  }

  /** Waits for a signal: the result is what was sent with it. */
  signal(signal: string, options?: StepOptions): FlowCall<Json>;
  signal(signal: string, options?: StepOptions, ...beyond: Beyond): FlowCall<Json> {
    refuse(beyond, 'signal', 2);
    return call(buildSignal(this.#name, signal, options));
  }

  /** Runs another workflow with its parameters: the result is its final output. */
  workflow<const W extends string | Child>(workflow: W, ...rest: ChildArguments<W>): FlowCall<OutputOfWorkflow<W>> {
    const [inputs, options = {}, ...beyond] = rest as readonly [unknown?, StepOptions?, ...unknown[]];
    refuse(beyond, 'workflow', 3);
    const child = typeof workflow === 'string' ? undefined : compiledOf(workflow as Child);
    const parts = buildChild(this.#name, { workflow: child?.definition.name ?? String(workflow), inputs, options });
    return createCall({ bound: createBoundStep(parts, REGISTRY), ...present({ child }) });
  }

  /**
   * Does one step per item, all of them or `concurrency` at once: the result is a list in the order of the items, and so
   * is the `output` of the error that it throws when some of them failed. A plain `yield` gives the results by the key of their item.
   */
  each<Item, Call extends FlowStep>(
    items: readonly Item[],
    body: (item: Item, index: number) => Call,
    options?: EachOptions<Item>,
  ): FlowCall<ResultOf<Call>[]>;
  each<Item, Call extends FlowStep>(
    items: readonly Item[],
    body: (item: Item, index: number) => Call,
    ...[options = {}, ...beyond]: Last<EachOptions<Item>>
  ): FlowCall<ResultOf<Call>[]> {
    refuse(beyond, 'each', 3);
    const { parts, keys } = buildEach(this.#name, { items, body, options });
    const receive = (sent: unknown) =>
      keys.map((key) => (sent as Record<string, ResultOf<Call>> | null)?.[key] ?? (null as ResultOf<Call>));
    return createCall({ bound: createBoundStep(parts, REGISTRY), receive });
  }
}

/** What a method was given beyond what it accepts. Flows also run where types are only stripped. */
type Beyond = readonly unknown[];

/** The last argument of a method, and what it was given beyond. */
type Last<Options> = readonly [options?: Options, ...beyond: unknown[]];

/** An argument that nobody reads would look as if it had an effect. */
function refuse(beyond: Beyond, method: string, most: number): void {
  if (beyond.length > 0) throw tooMany(`.${method}()`, most + beyond.length, most);
}

function tooMany(what: string, given: number, most: number): Error {
  const allowed = `${most} ${most === 1 ? 'argument' : 'arguments'}`;
  return invalid(
    what,
    `accepts at most ${allowed}, but got ${given}; put options into the ${most === 1 ? 'object' : 'last one'} that it accepts`,
  );
}

function call<T>(parts: StepParts): FlowCall<T> {
  return createCall({ bound: createBoundStep(parts, REGISTRY) });
}

/** Names a step of a flow; names are unique in a run, so a loop numbers them: step(`fix-${i}`). */
export function step(name: string): StepBuilder {
  return new StepBuilder(name);
}
