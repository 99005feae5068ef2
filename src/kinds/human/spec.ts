// Owns the author-facing types of a `human` step: a question, and the answers that a person can give.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { HumanResult } from '../../authoring/flow/result.ts';
import type { HumanGateSpec } from '../../authoring/graph/spec.ts';
import type { Question } from '../../authoring/spec/part.ts';
import type { Get, IsAny, Targets } from '../../authoring/spec/step.ts';

/** A step that asks a person. */
export interface HumanStep<C, X, Ids extends Targets> {
  fields: { human: Question<Ids['next'], C> };
  flow: {
    // The options are inferred apart from the rest: from an object that lacks a field, TypeScript infers nothing.
    /** Asks a person. The answer "reject", unless its option says otherwise, is thrown as a failure. */
    human<const Options extends readonly HumanOption[] = readonly ['approve', 'reject']>(
      spec: HumanSpec<Options> & { readonly options?: Options & CheckedOptions<Options> },
    ): FlowCall<HumanResult<AnswerOf<Options[number]>>>;
  };
  labels: Labels<X>;
  leads: Leads<X>;
  list: { readonly human?: HumanGateSpec<C> };
  outcomes: Labels<X> | Get<OptionOf<X>, 'outcome'>;
  result: { readonly option: Labels<X>; readonly input?: string; readonly actor: string };
  targets: Get<OptionOf<X>, 'nextStep'>;
}

type OptionOf<X> = Get<Get<Get<X, 'human'>, 'options'>, number>;

/** What people can choose. */
type Labels<X> =
  IsAny<Get<X, 'human'>> extends true ? string : 'options' extends keyof Get<X, 'human'> ? Get<OptionOf<X>, 'label'> : 'approve' | 'reject';

/** Whether each answer leads to a step. */
type Leads<X> = 'options' extends keyof Get<X, 'human'> ? (false extends LeadsOn<OptionOf<X>> ? false : true) : false;
type LeadsOn<O> = O extends unknown ? ('nextStep' extends keyof O ? true : false) : never;

/** An answer that a person can give; without an outcome, "reject" rejects and every other answer is `ok`. */
export type HumanOption = string | { readonly label: string; readonly outcome?: string; readonly requiresInput?: boolean };

type UnknownField<Option> = Option extends string ? never : Exclude<keyof Option, 'label' | 'outcome' | 'requiresInput'> & string;
/** A message if an option has an unknown field, which the compiler does not look for in a type that it infers. */
type CheckedOptions<Options extends readonly HumanOption[]> = [UnknownField<Options[number]>] extends [never]
  ? unknown
  : `an option of a flow has no field "${UnknownField<Options[number]>}"`;

/** A question to a person; without options it can be approved or rejected. */
export interface HumanSpec<Options extends readonly HumanOption[]> extends StepOptions, Omit<Question<never, never>, 'options'> {
  readonly options?: Options;
}

/** The answers that a flow can receive: one that rejects is thrown as a failure instead. */
export type AnswerOf<Option> = Option extends string
  ? Exclude<Option, 'reject'>
  : Option extends { readonly label: infer Label extends string; readonly outcome: infer Word }
    ? Word extends 'ok'
      ? Label
      : never
    : Option extends { readonly label: infer Label extends string }
      ? Exclude<Label, 'reject'>
      : never;
