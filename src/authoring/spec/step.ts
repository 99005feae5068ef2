// Owns the types of a step as `defineWorkflow` takes it: the fields of each kind of step, its outcomes, and the errors for
// steps that do not match.
//
// A step is checked by what was written: `StepOf` chooses its fields by the fields that exist, so that an error names one
// kind of step and points at one field, instead of listing all fields of all steps. Three rules keep this working. A field
// is read with `Get`, since `X extends { f: infer V }` fails silently on inferred steps. A check for "not given" is
// `[T] extends [never]`, since `keyof never` contains every name. A value is checked through `Via`, since an intersection
// would let unknown fields through.

import type { Json } from '../../base/json.ts';
import type { CheckCode } from '../../definition/check.ts';
import type { UsedKind } from '../../definition/own-kind.ts';
import type { CommandResult, GateResult, ReviewResult, ValidateResult, WebhookResult } from '../flow/result.ts';
import type { LiveAgent } from '../graph/dispatch.ts';
import type { CheckFields, CheckSpec, Checks } from './check.ts';
import type { StepContextOf } from './context.ts';
import type { WorkflowNames } from './names.ts';
import type {
  AgentFields,
  BoundedNext,
  ChildWorkflow,
  CommandFields,
  ConditionalTarget,
  Delay,
  End,
  ForgeActions,
  Join,
  OutputFields,
  Question,
  ReviewFields,
  SharedFields,
  TimeSpan,
  Values,
  Webhook,
} from './part.ts';

/** A validator by the Standard Schema interface, as zod, valibot and arktype make them. */
export interface OutputSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => OutputVerdict | Promise<OutputVerdict>;
    readonly types?: { readonly input: T; readonly output: unknown } | undefined;
  };
}

/** The findings of a validator. */
export type OutputVerdict =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** Outcomes that every step can settle with, and `_default`, which covers those without a transition of their own. */
export type CommonOutcome = 'ok' | 'fail' | 'skip' | 'iterate' | 'reject' | 'error' | 'timeout' | '_default';

/** A field of what was written, or never. */
export type Get<X, F> = F extends keyof X ? X[F] : never;
type Way<N, Id> = [N] extends [never]
  ? Id | End
  : 'condition' extends keyof N
    ? ConditionalTarget<Id>
    : N extends object
      ? BoundedNext<Id>
      : Id | End;
type Next<X, N, Id> = 'condition' extends keyof N
  ? ConditionalTarget<Id>
  : 'to' extends keyof N
    ? BoundedNext<Id>
    : N extends object
      ? { readonly [O in Outcomes<X> & string]?: Way<Get<N, O>, Id> } & {
          readonly [O in Exclude<keyof N, Outcomes<X>>]: NoOutcome<X>;
        }
      : Id | End;
type NoOutcome<X> = 'use' extends keyof X
  ? 'this kind of step has no such outcome: declare it in "outcomes" of defineStepKind'
  : `"${Kind<X>}" steps have no such outcome`;

/** What people can choose. Of a question with a function of an untyped `ctx`, nothing is known when its outcomes are asked for. */
export type Labels<X> =
  unknown extends Get<X, 'human'>
    ? string
    : 'options' extends keyof Get<X, 'human'>
      ? Get<Get<Get<Get<X, 'human'>, 'options'>, number>, 'label'>
      : 'approve' | 'reject';
type OptionOutcomes<X> = Get<Get<Get<Get<X, 'human'>, 'options'>, number>, 'outcome'>;

/** The parameters and the output of a workflow, and the names in it, as types only. */
export interface WorkflowTypes<Input, Output, Names = WorkflowNames> {
  readonly '~types'?: { readonly input: (input: Input) => void; readonly output: Output; readonly names: Names };
}
/** The parameters of a workflow; any if the workflow is only named. */
export type InputOfWorkflow<W> =
  W extends WorkflowTypes<infer I, unknown>
    ? unknown extends I
      ? Values
      : I
    : W extends { readonly compiled: infer C }
      ? InputOfWorkflow<C>
      : Values;
/** The output of a completed workflow; any JSON if the workflow is only named. */
export type OutputOfWorkflow<W> =
  W extends WorkflowTypes<never, infer O> ? O : W extends { readonly compiled: infer C } ? OutputOfWorkflow<C> : Json;
/** A value, or a function that builds it. A function with an untyped `ctx` is still unknown when this is asked. */
type Built<V, C, T> = unknown extends V
  ? (ctx: C) => T | Promise<T>
  : V extends (...args: never) => unknown
    ? (ctx: C) => T | Promise<T>
    : T;

type Word = Exclude<CommonOutcome, '_default'>;
type SchemaValue<X> = Get<X, 'output'> extends OutputSchema<infer T> ? T : unknown;
type Returned<X> = 'output' extends keyof X
  ? SchemaValue<X> | readonly [Word, SchemaValue<X>] | Promise<SchemaValue<X> | readonly [Word, SchemaValue<X>]>
  : unknown;

// A check created with `defineCheck` has its own name, which is not a literal.
type Check<K, C, Ids extends Targets> = [K] extends [never]
  ? string
  : K extends string
    ? string
    : string extends Get<K, 'check'>
      ? { readonly check: string; readonly timeout?: TimeSpan; readonly with?: object; readonly own?: CheckCode }
      : CheckObject<Get<K, 'check'>, K, { context: C; ids: Ids }>;
type CheckObject<Name, K, In extends { context: unknown; ids: Targets }> = [Name] extends [never]
  ? { readonly check: keyof Checks }
  : Name extends 'any_of'
    ? { readonly check: 'any_of'; readonly timeout?: TimeSpan; readonly checks: CheckList<Get<K, 'checks'>, In['context'], In['ids']> }
    : Name extends 'human_approved'
      ? { readonly check: 'human_approved'; readonly timeout?: TimeSpan; readonly step: In['ids']['asks'] }
      : Name extends keyof Checks
        ? CheckFields<Name, In['context']>
        : { readonly check: keyof Checks };
type CheckList<L, C, Ids extends Targets> = [L] extends [never]
  ? readonly CheckSpec<C>[]
  : L extends readonly unknown[]
    ? { readonly [I in keyof L]: Via<L[I], Check<L[I], C, Ids>> }
    : readonly CheckSpec<C>[];
type Action<F, C> = unknown extends F
  ? AnyAction<C>
  : Get<F, 'action'> extends infer A extends keyof ForgeActions
    ? { readonly action: A } & ForgeActions<C>[A]
    : { readonly action: keyof ForgeActions };
type AnyAction<C> = { [A in keyof ForgeActions]: { readonly action: A } & ForgeActions<C>[A] }[keyof ForgeActions];

/**
 * The kinds of steps: the fields of each, the fields it cannot do without, the outcomes that it adds, and its result.
 * C is the context of its functions, X the step as written, Ids the ids that it may name.
 */
export interface Kinds<C, X, Ids extends Targets> {
  handler: { fields: OutputFields<C> & { handler: (ctx: C) => Returned<X>; output: OutputSchema }; result: unknown };
  command: { fields: CommandFields<C> & OutputFields<C>; result: CommandResult | Json };
  gate: {
    fields: {
      gate: {
        readonly checks: CheckList<Get<Get<X, 'gate'>, 'checks'>, C, Ids>;
        readonly rerunAtMerge?: boolean;
        readonly flaky?: 'fail' | 'quarantine';
      };
    };
    result: GateResult;
  };
  human: {
    fields: { human: Question<Ids['next'], C> };
    outcomes: Labels<X> | OptionOutcomes<X>;
    result: { readonly option: Labels<X>; readonly input?: string; readonly actor: string };
  };
  agent: { fields: AgentFields<C> & OutputFields<C> & { output: OutputSchema }; result: unknown };
  generate: { fields: Pick<AgentFields<C>, 'prompt' | 'context' | 'budget'> & { generate: string | LiveAgent }; result: string };
  delay: { fields: { delay: TimeSpan | Delay<C> }; result: null };
  workflow: {
    fields: { workflow: ChildWorkflow; input: Built<Get<X, 'input'>, C, InputOfWorkflow<Get<X, 'workflow'>>> };
    needs: Record<never, never> extends InputOfWorkflow<Get<X, 'workflow'>> ? never : 'input';
    result: OutputOfWorkflow<Get<X, 'workflow'>>;
  };
  validate: {
    fields: {
      validate:
        | true
        | {
            readonly stages?: readonly string[] | string;
            readonly retry?: number;
            readonly onFailure?: MemberOf<Get<Get<X, 'validate'>, 'onFailure'>, C, Ids>;
          };
    };
    result: ValidateResult;
  };
  /** A quality review that ends; `reject` if a person stops the work. */
  review: { fields: { review: ReviewFields }; result: ReviewResult };
  signal: { fields: { signal: string; output: OutputSchema }; result: Json };
  /** A kind that the application defined, with its configuration. */
  use: {
    fields: OutputFields<C> & { use: UsedKind };
    outcomes: Get<X, 'use'> extends UsedKind<unknown, infer Outcome> ? Outcome : string;
    result: Get<X, 'use'> extends UsedKind<infer Output> ? Output : unknown;
  };
  webhook: { fields: { webhook: Webhook<C> }; result: WebhookResult };
  forge: {
    fields: { forge: Action<Get<X, 'forge'>, C> };
    outcomes: 'conflict' | 'ci_failure' | 'stale_head' | 'stale_tree';
    result: Json;
  };
  each: {
    fields: {
      each: {
        /** A path into the run's data, or an expression, that returns the list. */
        readonly items: string;
        readonly step: MemberOf<Get<Get<X, 'each'>, 'step'>, C, Ids>;
        readonly join?: Join;
        readonly concurrency?: number;
      };
    };
    outcomes: 'reject_all';
    result: readonly unknown[];
  };
  parallel: {
    fields: {
      parallel: {
        readonly branches: Members<Get<Get<X, 'parallel'>, 'branches'>, C, Ids>;
        readonly join?: Join;
        readonly concurrency?: number;
      };
    };
    outcomes: 'reject_all';
    result: { readonly [B in keyof Get<Get<X, 'parallel'>, 'branches'>]: unknown };
  };
}

type KindName = keyof Kinds<unknown, unknown, NoTargets>;
type Written<X> = keyof X & KindName;
/** The kind of a step as written; one that only has instructions has none of its own. */
type Kind<X> = [Written<X>] extends [never] ? 'plain' : Written<X>;
type Spec<X, C, Ids extends Targets = NoTargets> = Kinds<C, X, Ids>[Written<X>];
type FieldsOf<X, C, Ids extends Targets = NoTargets> = [Written<X>] extends [never]
  ? OutputFields<C> & Pick<AgentFields<C>, 'supportsQuestions' | 'questionState'>
  : Get<Spec<X, C, Ids>, 'fields'>;
type Outcomes<X> =
  | CommonOutcome
  | Get<Spec<X, unknown>, 'outcomes'>
  | Get<Get<Get<X, 'route'>, 'outcomes'>, number>
  | ('databases' extends keyof X ? 'conflict' : never);

/** Lets V be inferred without becoming part of what is checked: unknown fields stay errors. */
type Via<V, Checked> = [V] extends [never] ? V : Checked;
type Several<X> = true extends { [K in Written<X>]: [Exclude<Written<X>, K>] extends [never] ? false : true }[Written<X>] ? true : false;

type Field<X, F, Ids extends Targets, C> = F extends 'next'
  ? Next<X, Get<X, 'next'>, Ids['next']>
  : F extends KindName
    ? Several<X> extends true
      ? `one kind per step: it has ${Exclude<Written<X>, F>} too`
      : Get<FieldsOf<X, C, Ids>, F>
    : F extends keyof SharedFields<C>
      ? SharedFields<C, Ids['side']>[F]
      : F extends keyof FieldsOf<X, C, Ids>
        ? FieldsOf<X, C, Ids>[F]
        : `"${Kind<X>}" steps have no such field`;

type NeedsNext<X> = 'side' extends keyof X ? never : NeedsTarget<X>;
type NeedsTarget<X> = 'human' extends keyof X
  ? unknown extends Get<X, 'human'>
    ? never
    : 'options' extends keyof Get<X, 'human'>
      ? false extends Leads<Get<Get<Get<X, 'human'>, 'options'>, number>>
        ? 'next'
        : never
      : 'next'
  : 'next';
type Leads<O> = O extends unknown ? ('nextStep' extends keyof O ? true : false) : never;
type Missing<X> = Exclude<Get<Spec<X, unknown>, 'needs'>, keyof X>;

/** Fields that an editor offers in addition to those already written; it adds no check. */
type Offer<F extends PropertyKey> = { readonly [K in F]?: unknown };

/** A step that is still being written, about which nothing is known yet. */
export interface NewStep<Id> extends Offer<KindName | keyof SharedFields<unknown>> {
  readonly next: Id | End;
}

type NoKind = 'this step does nothing: give it a handler, a command, a gate, a human, an agent, … or actions';
type Checked<X, Ids extends Targets, C> = { readonly [F in keyof X]: Via<X[F], Field<X, F, Ids, C>> } & Offer<
  keyof FieldsOf<X, C> | keyof SharedFields<C>
>;

/** The ids that a step may name: where its transitions lead, which side steps there are, and which steps ask a person. */
export interface Targets {
  next: unknown;
  side: unknown;
  asks: unknown;
}
/** The ids of a workflow's side steps. */
export type SideOf<S> = { [K in keyof S]: 'side' extends keyof S[K] ? K : never }[keyof S];
/** How a field names a side step. */
export type SideName<S> = [SideOf<S>] extends [never] ? 'no step has "side: true"' : SideOf<S>;
/** Side steps follow only each other. */
interface TargetsOf<X, S> extends Targets {
  next: 'side' extends keyof X ? SideOf<S> : Exclude<keyof S, SideOf<S>>;
  side: SideName<S>;
  asks: AskingName<S>;
}
interface NoTargets extends Targets {
  next: never;
  side: never;
  asks: never;
}
/** A step inside a group has no transitions. */
interface MemberTargets<Ids extends Targets> extends Targets {
  next: never;
  side: never;
  asks: Ids['asks'];
}
type AskingOf<S> = { [K in keyof S]: 'human' extends keyof S[K] ? K : never }[keyof S];
type AskingName<S> = [AskingOf<S>] extends [never] ? 'no step of this workflow asks a person' : AskingOf<S>;

/** The required type of a step, given what was written; S are all steps. */
export type StepOf<X, S, C> = unknown extends X
  ? NewStep<keyof S>
  : [Written<X> | ('actions' & keyof X)] extends [never]
    ? NoKind
    : [Exclude<Missing<X> | NeedsNext<X>, keyof X>] extends [never]
      ? Checked<X, TargetsOf<X, S>, C>
      : `this step lacks "${Exclude<Missing<X> | NeedsNext<X>, keyof X> & string}"`;

/** A member with a function of an untyped `ctx`, which is still unknown when its required type is computed. */
type AnyMember<C, Ids extends Targets, M = Kinds<C, unknown, MemberTargets<Ids>>> = {
  [K in MemberKind]: {
    readonly [F in keyof Get<Get<M, K>, 'fields'>]?: Get<Get<M, K>, 'fields'>[F];
  } & { readonly [F in keyof SharedFields<C>]?: SharedFields<C>[F] } & { readonly [Other in Exclude<KindName, K>]?: never } & {
    readonly [Own in K]: unknown;
  };
}[MemberKind];
type MemberKind = Exclude<KindName, 'each' | 'parallel'>;

/** The required type of a group member: a step without transitions, since the group's join decides. */
export type MemberOf<X, C, Ids extends Targets> = [X] extends [never]
  ? AnyMember<C, Ids>
  : unknown extends X
    ? AnyMember<C, Ids>
    : 'next' extends keyof X
      ? 'a step inside a group has no "next": the group has one'
      : 'side' extends keyof X
        ? 'a step inside a group cannot be a side step'
        : [Written<X> | ('actions' & keyof X)] extends [never]
          ? NoKind
          : [Missing<X>] extends [never]
            ? Checked<X, MemberTargets<Ids>, C>
            : `this step lacks "${Missing<X> & string}"`;

type Members<B, C, Ids extends Targets> = [B] extends [never]
  ? Readonly<Record<string, AnyMember<C, Ids>>>
  : { readonly [K in keyof B]: B extends readonly unknown[] ? 'write branches by id, as steps: { lint: { … } }' : MemberOf<B[K], C, Ids> };

/** What a handler's return value leaves as output: `[outcome, data]` is the data, an outcome or nothing is null. */
type Data<R> = unknown extends R
  ? R
  : R extends readonly [Word, infer D]
    ? D
    : R extends Word
      ? null
      : R extends NonNullable<unknown>
        ? R
        : null;

/** The result of a step, as other steps see it. */
export type ResultOf<X> = 'output' extends keyof X
  ? SchemaValue<X>
  : 'handler' extends keyof X
    ? Get<X, 'handler'> extends (...args: never) => infer R
      ? Data<Awaited<R>>
      : unknown
    : [Written<X>] extends [never]
      ? null
      : Get<Spec<X, unknown>, 'result'>;

type Leaf<N> = N extends object ? N[keyof N] : N;
type NextTargets<X> = Leaf<Get<X, 'next'>> | Leaf<Leaf<Get<X, 'next'>>>;
type OptionTargets<X> = Get<Get<Get<Get<X, 'human'>, 'options'>, number>, 'nextStep'>;
type Completes<X> = Extract<NextTargets<X> | OptionTargets<X>, null | 'complete'>;

/** The output of a completed workflow: the result of the steps that lead to its end. */
export type OutputOf<S> = { [K in keyof S]: [Completes<S[K]>] extends [never] ? never : ResultOf<S[K]> }[keyof S];

/** The results of a workflow's steps, as its functions see them. */
export type ResultsOf<S> = { readonly [K in keyof S]?: { readonly output: ResultOf<S[K]> } };

/** The context of a workflow's functions. */
export type ContextOf<S, P, A> = StepContextOf<ResultsOf<S>, P, A>;
