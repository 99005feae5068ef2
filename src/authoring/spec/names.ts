// Owns the names that requests to the runs of a workflow may use, as types: of its steps, of the answers to its questions
// and of the signals that it waits for. A workflow that is only named, a flow, and one with steps that the types cannot
// see have any names.

import type { Get, IsAny, Spec, WorkflowTypes } from './step.ts';

/** The names that requests to a run may use. */
export interface WorkflowNames {
  /** The ids of its steps. */
  readonly steps: string;
  /** The ids of the branches of its groups, or the keys of their items. */
  readonly members: string;
  /** What people can choose. */
  readonly options: string;
  readonly signals: string;
}

/** A step, or one visit of it as `step#2`. */
export type StepPath<Id extends string> = Id | `${Id}#${string}`;
/** The same, or a member of a group: `group#1/member#1`. */
export type AnyPath<Id extends string> = StepPath<Id> | `${Id}/${string}`;

/** Any name for a step of an unknown type. */
type NamesIn<X, What> = X extends unknown ? (unknown extends X ? string : Get<Spec<X, unknown>, What>) : never;
/** A member of an unknown type has only functions in it: if it is a question, it has the default options. */
type MemberNames<M, What> = [M] extends [never]
  ? NamesIn<{ human: unknown }, What>
  : { [K in keyof M]: IsAny<M[K]> extends true ? string : NamesIn<unknown extends M[K] ? { human: unknown } : M[K], What> }[keyof M];
/** The names of a step and of the steps inside it. */
type AllNames<X, What> =
  | NamesIn<X, What>
  | ('members' extends keyof Spec<X, unknown> ? MemberNames<Get<Spec<X, unknown>, 'members'>, What> : never);

type Or<Name, Message> = [Name] extends [never] ? Message : Name;

/** The names of a workflow with these steps. The conditional type keeps the steps themselves out of what editors show. */
export type NamesOf<S> = S extends infer Steps
  ? {
      readonly steps: keyof Steps & string;
      readonly members: { [K in keyof Steps]: Get<Spec<Steps[K], unknown>, 'memberIds'> }[keyof Steps] & string;
      readonly options: Or<
        { [K in keyof Steps]: AllNames<Steps[K], 'labels'> }[keyof Steps] & string,
        'no step of this workflow asks a person'
      >;
      readonly signals: Or<
        { [K in keyof Steps]: AllNames<Steps[K], 'signals'> }[keyof Steps] & string,
        'no step of this workflow waits for a signal'
      >;
    }
  : never;

/** The names of a workflow; any if it is only named, or a flow. */
export type NamesOfWorkflow<W> =
  W extends WorkflowTypes<never, unknown, infer Names>
    ? Names extends WorkflowNames
      ? Names
      : WorkflowNames
    : W extends { readonly compiled: infer C }
      ? NamesOfWorkflow<C>
      : WorkflowNames;
