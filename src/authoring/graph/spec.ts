// Owns how a workflow is written as a graph in TypeScript: the shape of the object that an author gives. Nothing here
// is kept; `graph.ts` turns it into a definition and the functions that go with it.

import type { Duration } from '../../base/duration.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Arg, ArgSpecs, ArgValues } from '../../definition/arg.ts';
import type { Budget } from '../../definition/budget.ts';
import type { ActionsBuilder, CompiledWorkflow, StepContext } from '../../definition/code.ts';
import type { Definition, OutputModel, RecoveryPolicy } from '../../definition/model.ts';
import type { OutcomeName } from '../../definition/outcome.ts';
import type { UsedKind } from '../../definition/own-kind.ts';
import type { Unchecked } from '../spec/context.ts';
import type { Dispatch, LiveAgent } from './dispatch.ts';

/** What checks and handlers see: the engine's context, the application's, and the workflow's parameters with their types. */
export type GraphContext<Ctx = object, P = ArgSpecs> = Ctx &
  Omit<StepContext, 'workflowParams' | 'result' | 'item'> & {
    readonly workflowParams: ArgValues<P>;
    readonly result: Unchecked;
    readonly item: Unchecked;
  };

/** A condition of a contract. `check` looks at the world, or is an expression over the run. */
export interface ConditionSpec<C = GraphContext> {
  readonly name: string;
  readonly check: string | ((ctx: C) => boolean | Promise<boolean>);
  /** The message when it does not hold. */
  readonly error: string;
}

/** Where a transition leads: a step, `null` for the end, or one of `complete fail escalate reject`. */
export type TargetSpec = string | null;

/** A transition with a bound: taken at most `maxIterations` times in a run, then `onExhausted`. */
export interface BoundedTarget {
  readonly to: TargetSpec;
  readonly maxIterations?: number;
  readonly onExhausted?: TargetSpec;
  /** Values that are added to the run's data before the target starts; their texts may be templates. */
  readonly context?: JsonObject;
}

/** A transition that an expression chooses. The bound is for those of its ways that lead back. */
export interface ConditionalNext {
  readonly condition: string;
  readonly onTrue: TargetSpec;
  readonly onFalse: TargetSpec;
  readonly maxIterations?: number;
  readonly onExhausted?: TargetSpec;
}

/** What comes after a step. All but the map are for `ok` and `skip`. */
export type NextSpec =
  | TargetSpec
  | BoundedTarget
  | { readonly step: string }
  | ConditionalNext
  | { readonly [outcome: OutcomeName]: TargetSpec | BoundedTarget | ConditionalNext };

/** An answer that a person can give. */
export interface GateOptionSpec {
  readonly label: string;
  /** Where it leads; `null` ends the run as rejected, or as `ends` says; absent, the step's own `next` decides. */
  readonly nextStep?: string | null;
  readonly ends?: 'completed' | 'rejected';
  /** How the step settles with this answer. */
  readonly outcome?: OutcomeName;
  /** The person must write something. */
  readonly requiresInput?: boolean;
}

/** A question to a person. */
export interface HumanGateSpec {
  readonly prompt: string;
  /** Paths into the checkpoint whose values are shown with the question. `context` and `show` are one thing. */
  readonly context?: readonly string[];
  readonly show?: readonly string[];
  /** Left out: approve or reject. */
  readonly options?: readonly GateOptionSpec[];
  /** The group or groups whose members decide; left out: whoever may decide at all. */
  readonly from?: string | readonly string[];
  /** How many of them it takes to go on; one who goes back or ends it otherwise is enough. Left out: 1. */
  readonly count?: number;
  /** What it is about outside the run: files by pattern, the run's pull request. When that changes, it is put anew. */
  readonly subjects?: { readonly files?: readonly string[]; readonly pr?: true };
  /** A decision counts only with the signature of an enrolled key. */
  readonly signed?: boolean;
}

/** A check of a gate: a shell line, or what a registered check wants. */
export type GateCheckSpec =
  | string
  | {
      readonly check?: string;
      readonly run?: string;
      readonly argv?: readonly string[];
      readonly paths?: readonly string[];
      readonly timeout?: Duration;
      readonly [field: string]: unknown;
    };

/** How a group settles: all, the first, or some of its members; `2-of-3` names their number as well. */
export type JoinSpec = 'all' | 'any' | `${number}-of-${number}` | number | { readonly n: number };

/** How often an attempt is tried again, for what, and after which pause. */
export type RetrySpec =
  | number
  | {
      readonly max: number;
      readonly on?: readonly ('error' | 'timeout')[];
      readonly backoff?: { readonly initial: Duration; readonly factor?: number; readonly max?: Duration };
    };

/** A child workflow: its name, or the workflow itself. */
export type ChildSpec = string | CompiledWorkflow | { readonly compiled: CompiledWorkflow };

/** An action by its name, with its fields. */
export interface ForgeSpec {
  readonly action: string;
  readonly [field: string]: unknown;
}

/** A request, and what counts as a good answer; without `expect`, any 2xx. */
export interface WebhookSpec {
  readonly request: {
    readonly url: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Json;
  };
  readonly expect?: { readonly status?: number; readonly body?: Json };
}

type Builder<C> = (ctx: C) => unknown;
type Values = Readonly<Record<string, unknown>>;

/** What does the work of a step. At most one of these is given; none of them is a step that only has instructions. */
export interface WorkSpec<C = GraphContext> {
  /** A function, or an agent that is sent off with a script. */
  readonly handler?: ((ctx: C) => unknown) | Dispatch;
  /** A shell line, or a program and its arguments. */
  readonly command?: string | readonly string[];
  readonly gate?: { readonly checks: readonly GateCheckSpec[] };
  readonly human?: HumanGateSpec;
  /** Time to wait, or less when the condition of the poll holds. */
  readonly delay?:
    | Duration
    | {
        readonly duration: Duration;
        readonly poll?: { readonly interval: Duration; readonly condition: string | ((ctx: C) => boolean | Promise<boolean>) };
      };
  /** A child workflow, given `input`. */
  readonly workflow?: ChildSpec;
  readonly validate?:
    | true
    | { readonly stages?: readonly string[] | string | null; readonly retry?: number; readonly onFailure?: MemberSpec<C> };
  /** The role of an agent, or an agent. */
  readonly agent?: string | LiveAgent;
  /** The name of a generator, or a generator. */
  readonly generate?: string | LiveAgent;
  /** The name of a signal to wait for. */
  readonly signal?: string;
  /** Something to do on the forge: `{ action: 'merge_pr', method: 'squash' }`. Its texts may be templates. */
  readonly forge?: ForgeSpec;
  /** A request to a web service, and the answer that is expected. Its texts may be templates. */
  readonly webhook?: WebhookSpec;
  /** A kind of step of the application, with its configuration: `deploy({ to: 'staging' })`. */
  readonly use?: UsedKind;

  /** workflow: what the child is started with. */
  readonly input?: Json | Builder<C>;
  /** agent and generate: values that they are given. */
  readonly context?: Values | Builder<C>;
  /** agent: which of its actions. */
  readonly action?: string;
  /** agent: what it is asked to do. */
  readonly prompt?: string;
  /** agent: the script it is sent off with. */
  readonly script?: string;
  /** agent: the JSON Schema that its output has to fit. */
  readonly schema?: JsonObject;
  /** agent: it reviews something and must give a verdict; implied by a transition for `reject`. */
  readonly reviews?: boolean;
  /** agent: it is given the run's data beside its own context. */
  readonly seesContext?: boolean;
  /** agent: it continues the latest session of its role in the run. */
  readonly continueSession?: boolean;
  /** agent and generate: what all attempts of the step may use in a run; then it waits for more. */
  readonly budget?: Budget;
  /** command: values it gets in its environment, and where it runs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** What every step can have, whatever does its work. */
export interface SharedSpec<C = GraphContext> {
  readonly title?: string;
  /** Instructions, or a function of the parameters that gives them. */
  readonly actions?: readonly string[] | ActionsBuilder;
  readonly args?: Readonly<Record<string, Arg>>;
  readonly preconditions?: readonly ConditionSpec<C>[];
  readonly postconditions?: readonly ConditionSpec<C>[];
  readonly retry?: RetrySpec;
  readonly timeout?: Duration;
  readonly contractRetries?: number;
  readonly recovery?: RecoveryPolicy;
  /** Tells whether an attempt without a recorded end took effect. */
  readonly reconcile?: Builder<C>;
  /** An expression; when it is false the step is skipped. */
  readonly condition?: string;
  readonly humanGate?: HumanGateSpec;
  readonly slots?: readonly string[];
  /** Patterns of files that an agent at this step may not change, beside those that are always protected. */
  readonly protected?: readonly string[];
  /** Patterns of protected files that an agent at this step may change all the same. */
  readonly mayChange?: readonly string[];
  /** Patterns of the files that it changes: branches that would write the same get checkouts of their own. */
  readonly writes?: readonly string[];
  /** An agent at this step may relay questions to the person it works for. */
  readonly supportsQuestions?: boolean;
  /** What the step produces; it is looked for before the step counts as done. */
  readonly outputs?: readonly OutputModel[];
  /** Which fields of an object result are added to the run's data; left out: all of them. */
  readonly merges?: false | readonly string[];
  /** The texts of its work are templates. */
  readonly templates?: boolean;
  /** When `timeout` has passed, it gets more time, so many times (once without `max`); `tells` is a side step that runs then. */
  readonly extend?: { readonly by: Duration; readonly max?: number; readonly tells?: string };
  /** No transition leads to it: the engine runs it beside the others, and nothing follows from it. */
  readonly side?: boolean;
}

/** Several steps at once, or one step for every item of a list. */
export interface GroupSpec<C = GraphContext> {
  readonly parallel?:
    | boolean
    | { readonly branches: readonly (MemberSpec<C> & Named)[]; readonly join?: JoinSpec; readonly concurrency?: number };
  /** With `parallel: true`: the path to the list, for whose items the rest of the step is done. */
  readonly parallelKey?: string;
  readonly each?: {
    readonly items: string;
    readonly step: MemberSpec<C>;
    readonly join?: JoinSpec;
    readonly concurrency?: number;
  };
  /** With `parallel: true`. */
  readonly join?: JoinSpec;
  readonly concurrency?: number;
}

/** A step's id, in either spelling. */
export type Named = { readonly id: string; readonly name?: undefined } | { readonly name: string; readonly id?: undefined };

/** A branch of a group, or the body of a fan-out: a step without transitions of its own. */
export interface MemberSpec<C = GraphContext> extends WorkSpec<C>, SharedSpec<C> {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** A step with its transitions. `id` and `name` are two spellings of one thing. */
export type StepSpec<Ctx = object, P = ArgSpecs> = Named &
  WorkSpec<GraphContext<Ctx, P>> &
  SharedSpec<GraphContext<Ctx, P>> &
  GroupSpec<GraphContext<Ctx, P>> & { readonly next?: NextSpec };

/** What a workflow has in either spelling. */
export interface WorkflowFields<Ctx, P> {
  readonly description?: string;
  readonly version?: string;
  readonly params?: P;
  /** Builds the application's part of the context, once per attempt. */
  readonly context?: (run: { readonly runId: string; readonly workflow: string; readonly params: ArgValues<P> }) => Ctx | Promise<Ctx>;
  readonly limits?: { readonly maxIterations?: number };
  /** What the agents of a run may use in all, those of the runs it starts included; then it waits for more. */
  readonly budget?: Budget;
  /** Patterns of files that its agents may not change, beside those that are always protected. */
  readonly protected?: readonly string[];
  /** What its runs may do at the forge; it can narrow what the project allows, never widen it. */
  readonly permissions?: Definition['permissions'];
  /** What the run's data begins with, evaluated once, in order; texts may be templates. */
  readonly data?: JsonObject;
  /** Names that are among the run's data from the beginning, null where nobody gave a value. */
  readonly facts?: readonly string[];
  /** The side step that runs once when a run has failed or escalated. */
  readonly onError?: string;
  readonly steps: readonly StepSpec<Ctx, P>[];
}

/** A workflow. With `type` it is written with the other spelling: `type` names it, `name` is its title. */
export type GraphSpec<Ctx = object, P = ArgSpecs> = WorkflowFields<Ctx, P> &
  (
    | {
        readonly name: string;
        readonly title?: string;
        readonly entry?: string;
        readonly type?: undefined;
        readonly initialStep?: undefined;
      }
    | {
        readonly type: string;
        readonly name?: string;
        readonly initialStep?: string;
        readonly title?: undefined;
        readonly entry?: undefined;
      }
  );

/** A workflow's options when its steps are given one by one. */
export interface StepsOptions {
  readonly title?: string;
  readonly description?: string;
  readonly version?: string;
  readonly entry?: string;
  readonly params?: ArgSpecs;
  readonly limits?: { readonly maxIterations?: number };
  /** What the agents of a run may use in all, those of the runs it starts included; then it waits for more. */
  readonly budget?: Budget;
  /** Patterns of files that its agents may not change, beside those that are always protected. */
  readonly protected?: readonly string[];
}
