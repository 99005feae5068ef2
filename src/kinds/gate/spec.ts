// Owns the author-facing types of a `gate`: a list of checks, each a shell line or a check by its name with its fields.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { GateResult } from '../../authoring/flow/result.ts';
import type { BuiltInCheckName, CheckFields, CheckSpec, Checks } from '../../authoring/spec/check.ts';
import type { TimeSpan } from '../../authoring/spec/part.ts';
import type { Get, Targets, Via } from '../../authoring/spec/step.ts';

/** A step that passes or fails the work by checks. */
export interface GateStep<C, X, Ids extends Targets> {
  fields: {
    gate: GateFields<CheckList<Get<Get<X, 'gate'>, 'checks'>, C, Ids>>;
  };
  flow: {
    /** Passes or fails the work by checks. */
    gate(spec: GateSpec): FlowCall<GateResult>;
  };
  list: { readonly gate?: GateFields<readonly CheckSpec<C>[]> };
  result: GateResult;
}

/** The fields of a gate. */
export interface GateFields<List> {
  readonly checks: List;
  /** False for a gate about the files as they are at that moment: a merge does not run it again after later changes. */
  readonly rerunAtMerge?: boolean;
  /** Reruns a failed check; the value says what a pass on the second run means. */
  readonly flaky?: 'fail' | 'quarantine';
}

/** Checks that the work must pass. */
export interface GateSpec extends StepOptions, GateFields<readonly CheckSpec[]> {}

// Each check as its name requires: one object and no union, so that an error says which of its fields is wrong or missing.
type CheckList<L, C, Ids extends Targets> = [L] extends [never]
  ? readonly CheckSpec<C, Ids['asks']>[]
  : L extends readonly unknown[]
    ? { readonly [I in keyof L]: Via<L[I], Check<L[I], C, Ids>> }
    : readonly CheckSpec<C, Ids['asks']>[];
/** Each of the checks that a value may be: a list that was declared elsewhere has a union of all. */
type Check<K, C, Ids extends Targets> = K extends unknown
  ? 'check' extends keyof K
    ? CheckByName<Get<K, 'check'>, C, Ids>
    : string | { readonly check: keyof Checks }
  : never;
type CheckByName<Name, C, Ids extends Targets> = Name extends keyof Checks
  ? Whole<CheckFields<Name, C, Ids['asks']>, Name extends BuiltInCheckName ? Ids['pr'] : unknown>
  : CheckSpec<C, Ids['asks']>;
type Whole<T, Pr> = T extends unknown
  ? { [Field in keyof T]: Field extends 'timeout' ? TimeSpan : Field extends 'pr' ? Pr & T[Field] : T[Field] }
  : never;
