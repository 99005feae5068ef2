// Owns the types of a step as `defineWorkflow` takes it: the fields of each kind of step, its outcomes, and the errors for
// steps that do not match.
//
// A step is checked by the fields it has: `StepOf` chooses its fields by those that exist, so that an error names one
// kind of step and points at one field, instead of listing all fields of all steps. Three rules keep this working. A field
// is read with `Get`, since `X extends { f: infer V }` fails silently on inferred steps. A check for "not given" is
// `[T] extends [never]`, since `keyof never` contains every name. A value is checked through `Via`, since an intersection
// would let unknown fields through.

import type { Json } from '../../base/json.ts';
import type { RecoveryPolicy } from '../../definition/model.ts';
import type { Kinds } from '../../kinds/spec.ts';
import type { StepContextOf, WithArgs } from './context.ts';
import type { WorkflowNames } from './names.ts';
import type {
  AgentFields,
  BoundedNext,
  ConditionalTarget,
  NamedValues,
  OutputFields,
  Route,
  RunEnding,
  SharedFields,
  Undo,
  UndoWork,
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

/** A field of the step as written, or never. */
export type Get<X, F> = F extends keyof X ? X[F] : never;
/** Whether a type is `any`: its author switched checking off. */
export type IsAny<T> = 0 extends 1 & T ? true : false;
type Transition<N, Id> = [N] extends [never]
  ? Id | RunEnding
  : 'condition' extends keyof N
    ? ConditionalTarget<Id>
    : N extends object
      ? BoundedNext<Id>
      : Id | RunEnding;
type Next<X, N, Id> = 'condition' extends keyof N
  ? ConditionalTarget<Id>
  : 'to' extends keyof N
    ? BoundedNext<Id>
    : N extends object
      ? { readonly [O in Outcomes<X> & string]?: Transition<Get<N, O>, Id> } & {
          readonly [O in Exclude<keyof N, Outcomes<X>>]: NoOutcome<X, O & (string | number)>;
        }
      : Id | RunEnding;
type NoOutcome<X, O extends string | number> = 'use' extends keyof X
  ? `this kind of step has no outcome "${O}": declare it in "outcomes" of defineStepKind`
  : `"${Kind<X>}" steps have no outcome "${O}"`;

/** The parameters and the output of a workflow, and the names in it, as types only. */
export interface WorkflowTypes<Input, Output, Names = WorkflowNames> {
  readonly '~types'?: { input(input: Input): void; readonly output: Output; readonly names: Names };
}
/** The parameters of a workflow; any if the workflow is only named. */
export type InputOfWorkflow<W> =
  W extends WorkflowTypes<infer I, unknown> ? I : W extends { readonly compiled: infer C } ? InputOfWorkflow<C> : NamedValues;
/** The output of a completed workflow; any JSON if the workflow is only named. */
export type OutputOfWorkflow<W> =
  W extends WorkflowTypes<never, infer O> ? O : W extends { readonly compiled: infer C } ? OutputOfWorkflow<C> : Json;
/** The value that the schema of a step describes. */
export type SchemaValue<X> = Get<X, 'output'> extends OutputSchema<infer T> ? T : unknown;

type KindName = keyof Kinds<unknown, unknown, NoTargets>;
type KindField<X> = keyof X & KindName;
/** The kind of a step as written; one that only has instructions has none of its own. */
type Kind<X> = [KindField<X>] extends [never] ? 'plain' : KindField<X>;
/** The types that its kind gives a step as written. */
export type Spec<X, C, Ids extends Targets = NoTargets> = Kinds<C, X, Ids>[KindField<X>];
type FieldsOf<X, C, Ids extends Targets = NoTargets> = [KindField<X>] extends [never]
  ? OutputFields<C> & Pick<AgentFields<C>, 'supportsQuestions' | 'questionState'>
  : Get<Spec<X, C, Ids>, 'fields'>;
type Outcomes<X> =
  | CommonOutcome
  | Get<Spec<X, unknown>, 'outcomes'>
  | Get<Get<Get<X, 'route'>, 'outcomes'>, number>
  | ('databases' extends keyof X ? 'conflict' : never);

/**
 * Lets V be inferred without becoming part of what is checked: unknown fields stay errors. A value that holds a function of
 * an untyped `ctx` is inferred by its parts (`Parts`), which are all known but the function.
 */
export type Via<V, Checked> = [V] extends [never] ? V : [never] extends [V] ? Checked : Parts<V>;
type Parts<V> = { readonly [F in keyof V]: V[F] | Parts<V[F]> };
type Several<X> = true extends { [K in KindField<X>]: [Exclude<KindField<X>, K>] extends [never] ? false : true }[KindField<X>]
  ? true
  : false;

/** The shared fields whose parts depend on each other. */
interface DependentFields<X, C, Ids extends Targets> {
  route: Route<Get<Get<Get<X, 'route'>, 'outcomes'>, number> & string, Get<C, 'params'>, ChosenOutcome<Get<Get<X, 'route'>, 'choose'>>>;
  recovery: 'reconcile' extends keyof X
    ? RecoveryPolicy
    : Exclude<RecoveryPolicy, 'reconcile'> | (Get<X, 'recovery'> extends 'reconcile' ? 'this step lacks "reconcile"' : never);
  undo: UndoField<Get<X, 'undo'>, C>;
  merges: false | readonly MergedName<X, Ids['next']>[];
}
/**
 * The fields that the result of a step is known to have. A member of a group (no transitions) may name any: its check would
 * make the type of its handler refer to itself.
 */
type MergedName<X, Next> = [Next] extends [never] ? string : FieldName<StepResultOf<X>>;
type FieldName<R> = unknown extends R
  ? string
  : R extends object
    ? R extends readonly unknown[]
      ? never
      : string extends keyof R
        ? string
        : keyof R & string
    : never;
/** Of a function without a parameter, TypeScript infers that its outcome is any string. */
type ChosenOutcome<F> = F extends (...args: never) => { readonly outcome: infer O } ? (string extends O ? string : never) : never;
type UndoField<U, C> = unknown extends U
  ? Undo<C>
  : U extends (...args: never) => unknown
    ? (ctx: C) => unknown
    : [UndoKind & keyof U] extends [never]
      ? 'an undo is a function, or it has a handler, a command or a forge action'
      : OneOrMessage<Extract<UndoWork<C>, { readonly [K in UndoKind & keyof U]: unknown }>>;
type OneOrMessage<Work> = [Work] extends [never] ? 'an undo does one thing: keep its handler, its command or its forge action' : Work;
type UndoKind = 'handler' | 'command' | 'forge';

type Field<X, F, Ids extends Targets, C> = F extends 'next'
  ? Next<X, Get<X, 'next'>, Ids['next']>
  : F extends KindName
    ? Several<X> extends true
      ? `one kind per step: it has ${Exclude<KindField<X>, F>} too`
      : Get<FieldsOf<X, C, Ids>, F>
    : F extends keyof SharedFields<C>
      ? F extends keyof DependentFields<X, C, Ids>
        ? DependentFields<X, C, Ids>[F]
        : SharedFields<C, Ids['side']>[F]
      : F extends keyof FieldsOf<X, C, Ids>
        ? FieldsOf<X, C, Ids>[F]
        : `"${Kind<X>}" steps have no field "${F & string}"`;

type NeedsNext<X> = 'side' extends keyof X ? never : NeedsTarget<X>;
type NeedsTarget<X> = true extends Get<Spec<X, unknown>, 'leads'> ? never : 'next';
type MissingField<X> = Exclude<Get<Spec<X, unknown>, 'needs'>, keyof X>;

/** Fields that an editor offers in addition to those already written; it adds no check. */
type Offer<F extends PropertyKey> = { readonly [K in F]?: unknown };

/** A step that is still being written, so that nothing is known about it. */
export interface NewStep<Id> extends Offer<KindName | keyof SharedFields<unknown>> {
  readonly next: Id | RunEnding;
}

type NoKind = 'this step does nothing: give it a handler, a command, a gate, a human, an agent, … or actions';
/** A step without a field that its kind needs: the editor offers the fields, and the error names the one that is missing. */
type Incomplete<Name, F> = Offer<'next' | keyof FieldsOf<{ [K in Name & KindName]: unknown }, unknown> | keyof SharedFields<unknown>> &
  Lacks<F & string>;
type Lacks<F extends string> = { readonly [K in F]: `this step lacks "${K}"` };
type CheckedFields<X, Ids extends Targets, C> = {
  readonly [F in keyof X]: Via<X[F], Field<X, F, Ids, 'args' extends keyof X ? WithArgs<C, X['args']> : C>>;
} & Offer<keyof FieldsOf<X, C> | keyof SharedFields<C>>;

/**
 * The ids that a step may name: where its transitions lead, which side steps there are, which steps ask a person, and whose pull
 * requests `pr` may name.
 */
export interface Targets {
  next: unknown;
  side: unknown;
  asks: unknown;
  pr: unknown;
}
/** The ids of a workflow's side steps. */
export type SideStepId<S> = { [K in keyof S]: 'side' extends keyof S[K] ? K : never }[keyof S];
/** How a field names a side step. */
export type SideStepTarget<S> = [SideStepId<S>] extends [never] ? 'no step has "side: true"' : SideStepId<S>;
/** Side steps follow only each other. */
interface TargetsOf<X, S> extends Targets {
  next: 'side' extends keyof X ? SideStepId<S> : Exclude<keyof S, SideStepId<S>>;
  side: SideStepTarget<S>;
  asks: AskingName<S>;
  pr: keyof S | BranchId<S> | `{{${string}`;
}
type BranchId<S> = {
  [K in keyof S]: 'parallel' extends keyof S[K] ? (S[K]['parallel'] extends { readonly branches: infer B } ? keyof B : never) : never;
}[keyof S];
interface NoTargets extends Targets {
  next: never;
  side: never;
  asks: never;
  pr: never;
}
/** A step inside a group has no transitions. */
interface MemberTargets<Ids extends Targets> extends Targets {
  next: never;
  side: never;
  asks: Ids['asks'];
  pr: Ids['pr'];
}
type AskingOf<S> = { [K in keyof S]: [Get<Spec<S[K], unknown>, 'labels'>] extends [never] ? never : K }[keyof S];
type AskingName<S> = [AskingOf<S>] extends [never] ? 'no step of this workflow asks a person' : AskingOf<S>;

/** The required type of a step, given what was written; S are all steps. */
export type CheckedStep<X, S, C> = unknown extends X
  ? NewStep<keyof S>
  : [KindField<X> | ('actions' & keyof X)] extends [never]
    ? NoKind
    : [Exclude<MissingField<X> | NeedsNext<X>, keyof X>] extends [never]
      ? CheckedFields<X, TargetsOf<X, S>, C>
      : Incomplete<Kind<X>, Exclude<MissingField<X> | NeedsNext<X>, keyof X>>;

/** A member in which all values are functions of an untyped `ctx`, so that nothing of it is known when its required type is computed. */
type FunctionMember<C, Ids extends Targets> = Partial<SharedFields<C>> &
  Offer<Exclude<KindName, GroupKind>> & {
    readonly [K in FunctionKind]?: Get<Get<Kinds<C, unknown, MemberTargets<Ids>>[K], 'fields'>, K>;
  };
type FunctionKind = 'handler' | 'human' | 'webhook' | 'validate';
type GroupKind = { [K in KindName]: 'members' extends keyof Kinds<unknown, unknown, NoTargets>[K] ? K : never }[KindName];

/** The required type of a group member: a step without transitions, since the group's join decides. */
export type MemberOf<X, C, Ids extends Targets> = [X] extends [never]
  ? FunctionMember<C, Ids>
  : unknown extends X
    ? FunctionMember<C, Ids>
    : 'next' extends keyof X
      ? 'a step inside a group has no "next": the group has one'
      : 'side' extends keyof X
        ? 'a step inside a group cannot be a side step'
        : [GroupKind & keyof X] extends [never]
          ? [KindField<X> | ('actions' & keyof X)] extends [never]
            ? NoKind
            : [MissingField<X>] extends [never]
              ? CheckedFields<X, MemberTargets<Ids>, C>
              : Incomplete<Kind<X>, MissingField<X>>
          : 'a group cannot be inside a group: start a child workflow (workflow) that has it';

/** The result of a step, as other steps see it. */
export type StepResultOf<X> = 'output' extends keyof X
  ? SchemaValue<X>
  : [KindField<X>] extends [never]
    ? null
    : Get<Spec<X, unknown>, 'result'>;

type Leaf<N> = N extends object ? N[keyof N] : N;
type NextTargets<X> = Leaf<Get<X, 'next'>> | Leaf<Leaf<Get<X, 'next'>>>;
type Completes<X> = Extract<NextTargets<X> | Get<Spec<X, unknown>, 'targets'>, null | 'complete'>;

/** Null for a step that also completes the run without a result: when it is skipped, or through an error or a timeout. */
type NoResult<X> = 'condition' extends keyof X
  ? null
  : [Extract<Leaf<Get<Get<X, 'next'>, 'error' | 'timeout' | 'skip'>>, null | 'complete'>] extends [never]
    ? never
    : null;

/** The output of a completed workflow: the result of the steps that lead to its end. */
export type OutputOf<S> = {
  [K in keyof S]: [Completes<S[K]>] extends [never] ? never : StepResultOf<S[K]> | NoResult<S[K]>;
}[keyof S];

/** The results of a workflow's steps, as its functions see them. */
export type ResultsOf<S> = { readonly [K in keyof S]?: { readonly output: StepResultOf<S[K]> } };

/** The context of a workflow's functions. */
export type ContextOf<S, P, A> = StepContextOf<ResultsOf<S>, P, A>;
