// Owns the types of a graph in TypeScript: the author's object. `graph.ts` turns it into a definition and its functions.

import type { Duration } from '../../base/duration.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepContext } from '../../definition/code.ts';
import type { OutcomeName } from '../../definition/outcome.ts';
import type { ArgSpecs, ArgValues } from '../../definition/param/arg.ts';
import type { KindParts } from '../../kinds/spec.ts';
import type { UncheckedValue } from '../spec/context.ts';
import type {
  AnswerOption,
  BoundedNext,
  ConditionalTarget,
  Join,
  OutputFields,
  Question,
  SharedFields,
  WorkflowFields,
} from '../spec/part.ts';

/** What checks and handlers see: the engine's context, the application's, and the workflow's parameters with their types. */
export type GraphContext<Ctx = object, P = ArgSpecs> = Ctx &
  Omit<StepContext, 'params' | 'result' | 'item'> & {
    readonly params: ArgValues<P>;
    /** The same as `params`. */
    readonly workflowParams: ArgValues<P>;
    /** The data of `checkpoint`, without the run's progress. */
    readonly stepState: JsonObject;
    readonly result: UncheckedValue;
    readonly item: UncheckedValue;
  };

/** Where a transition leads: a step, `null` for the end, or one of `complete fail escalate reject`. */
export type TargetSpec = string | null;

/** What comes after a step. All but the map are for `ok` and `skip`. */
export type NextSpec =
  | TargetSpec
  | BoundedNext
  | { readonly step: string }
  | ConditionalTarget
  | { readonly [outcome: OutcomeName]: TargetSpec | BoundedNext | ConditionalTarget };

/** An answer that a person can give. */
export interface QuestionOptionSpec extends Omit<AnswerOption, 'nextStep'> {
  /** Where it leads; `null` ends the run as rejected, or as `ends` says; absent, the step's own `next` decides. */
  readonly nextStep?: TargetSpec;
  readonly ends?: 'completed' | 'rejected';
}

/** A question to a person. */
export interface QuestionSpec<C = StepContext> extends Omit<Question<string, C>, 'options'> {
  readonly options?: readonly QuestionOptionSpec[];
}

/** A question as `pawl/compat` takes it; `context` is another name for `show`. */
export interface HumanGateSpec<C = StepContext> extends QuestionSpec<C> {
  readonly context?: readonly string[];
}

/** How a group settles: all, the first, or some of its members; `2-of-3` also gives their number. */
export type JoinSpec = Join | `${number}-of-${number}` | { readonly n: number };

/** An action by its name, with its fields. */
export interface ForgeSpec {
  readonly action: string;
  readonly [field: string]: unknown;
}

/** Fields that may be left out. */
export type OptionalFields<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] };

/** The work of a step: at most one of these. A step without any only has instructions. */
export interface WorkSpec<C = StepContext> extends KindParts<'list', C> {}

/** The fields that every step can have, of any kind. */
export interface SharedSpec<C = StepContext> extends OptionalFields<SharedFields<C, string, Duration> & OutputFields<C>> {
  /** A question that is asked when the work is done. */
  readonly humanGate?: HumanGateSpec;
}

/** Several steps at the same time, or one step for every item of a list. */
export interface GroupSpec<C = StepContext, Branches = readonly (MemberSpec<C> & StepName)[]> {
  readonly parallel?: boolean | { readonly branches: Branches; readonly join?: JoinSpec; readonly concurrency?: number };
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

/** A step's id, as `id` or `name`. */
export type StepName = { readonly id: string; readonly name?: undefined } | { readonly name: string; readonly id?: undefined };

/** A branch of a group, or the body of a fan-out: a step without transitions of its own. */
export interface MemberSpec<C = StepContext> extends WorkSpec<C>, SharedSpec<C> {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** A step with its transitions. `id` and `name` mean the same. */
export type StepSpec<Ctx = object, P = ArgSpecs> = StepName &
  WorkSpec<GraphContext<Ctx, P>> &
  SharedSpec<GraphContext<Ctx, P>> &
  GroupSpec<GraphContext<Ctx, P>> & { readonly next?: NextSpec };

/** A workflow. If it has a `type`, that is its name, and `name` is its title. */
export type GraphSpec<Ctx = object, P = ArgSpecs> = Omit<WorkflowFields<P, Ctx>, 'title'> & {
  readonly steps: readonly StepSpec<Ctx, P>[];
} & (
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

/**
 * Steps, or the branches of a group, by their ids and in their order: what a record, a list and a workflow file become
 * before they are compiled. An object would move ids such as `1` to the front, and lose one of two equal ids.
 */
export type Entries<Spec> = readonly (readonly [id: string, spec: Spec])[];

/** The fields of a step, in the spec that `defineWorkflow` takes; its id is its key. */
export interface StepFields<C = StepContext> extends WorkSpec<C>, SharedSpec<C>, GroupSpec<C, Entries<MemberSpec<C>>> {
  readonly next?: NextSpec;
  /** Only in workflow files: the stage that the step was added for. */
  readonly addedFor?: string;
}

/** A workflow as it is compiled. */
export interface GraphEntries<Step = StepFields> extends WorkflowFields<ArgSpecs, object> {
  readonly name: string;
  readonly entry?: string;
  readonly steps: Entries<Step>;
}

/** A workflow's options when its steps are given one by one. */
export interface StepsOptions extends WorkflowFields<ArgSpecs, object> {
  readonly entry?: string;
}
