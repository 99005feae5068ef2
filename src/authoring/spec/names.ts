// Owns the names that requests to the runs of a workflow may use, as types: of its steps, of the answers to its questions
// and of the signals that it waits for. A workflow that is only named, a flow, and one with steps that the types cannot
// see have any names.

import type { Get, Labels, WorkflowTypes } from './step.ts';

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

type Branches<X> = Get<Get<X, 'parallel'>, 'branches'>;
/** The steps inside a group. */
type MembersOf<X> = 'parallel' extends keyof X ? Branches<X>[keyof Branches<X>] : Get<Get<X, 'each'>, 'step'>;
type MemberIds<X> = 'each' extends keyof X ? string : 'parallel' extends keyof X ? keyof Branches<X> : never;

type Options<X> = unknown extends X ? string : 'human' extends keyof X ? Labels<X> : never;
/** A name may be a template. */
type Signal<Name> = Name extends `${string}{{${string}` ? string : Name;
type Signals<X> = unknown extends X ? string : Signal<Get<X, 'signal'>>;
/** Distributes over the members of a group. */
type OptionsOf<X> = X extends unknown ? Options<X> : never;
type SignalsOf<X> = X extends unknown ? Signals<X> : never;

type Or<Name, Message> = [Name] extends [never] ? Message : Name;

/** The names of a workflow with these steps. The conditional type keeps the steps themselves out of what editors show. */
export type NamesOf<S> = S extends infer Steps
  ? {
      readonly steps: keyof Steps & string;
      readonly members: { [K in keyof Steps]: MemberIds<Steps[K]> }[keyof Steps] & string;
      readonly options: Or<
        { [K in keyof Steps]: OptionsOf<Steps[K]> | OptionsOf<MembersOf<Steps[K]>> }[keyof Steps] & string,
        'no step of this workflow asks a person'
      >;
      readonly signals: Or<
        { [K in keyof Steps]: SignalsOf<Steps[K]> | SignalsOf<MembersOf<Steps[K]>> }[keyof Steps] & string,
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
