// Owns what authors write for a `human` step, as types: a question, and the answers that a person can give.

import type { HumanGateSpec } from '../../authoring/graph/spec.ts';
import type { Question } from '../../authoring/spec/part.ts';
import type { Get, Targets } from '../../authoring/spec/step.ts';

/** A step that asks a person. */
export interface HumanStep<C, X, Ids extends Targets> {
  fields: { human: Question<Ids['next'], C> };
  labels: Labels<X>;
  leads: Leads<X>;
  list: { readonly human?: HumanGateSpec<C> };
  outcomes: Labels<X> | Get<Option<X>, 'outcome'>;
  result: { readonly option: Labels<X>; readonly input?: string; readonly actor: string };
  targets: Get<Option<X>, 'nextStep'>;
}

type Option<X> = Get<Get<Get<X, 'human'>, 'options'>, number>;

/** What people can choose. Of a question with a function of an untyped `ctx`, nothing is known when its outcomes are asked for. */
type Labels<X> =
  unknown extends Get<X, 'human'> ? string : 'options' extends keyof Get<X, 'human'> ? Get<Option<X>, 'label'> : 'approve' | 'reject';

/** Whether each answer leads to a step. */
type Leads<X> =
  unknown extends Get<X, 'human'>
    ? true
    : 'options' extends keyof Get<X, 'human'>
      ? false extends LeadsOn<Option<X>>
        ? false
        : true
      : false;
type LeadsOn<O> = O extends unknown ? ('nextStep' extends keyof O ? true : false) : never;
