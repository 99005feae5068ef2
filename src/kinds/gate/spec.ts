// Owns what authors write for a `gate`, as types: a list of checks, each a shell line or a check by its name with its fields.

import type { FlowCall } from '../../authoring/flow/call.ts';
import type { StepOptions } from '../../authoring/flow/model.ts';
import type { GateResult } from '../../authoring/flow/result.ts';
import type { GateCheckSpec } from '../../authoring/graph/spec.ts';
import type { CheckFields, Checks, CheckSpec as TypedCheck } from '../../authoring/spec/check.ts';
import type { TimeSpan } from '../../authoring/spec/part.ts';
import type { Get, Targets, Via } from '../../authoring/spec/step.ts';
import type { Duration } from '../../base/duration.ts';
import type { CheckCode } from '../../definition/check.ts';

/** A step that passes or fails the work by checks. */
export interface GateStep<C, X, Ids extends Targets> {
  fields: {
    gate: GateFields<CheckList<Get<Get<X, 'gate'>, 'checks'>, C, Ids>>;
  };
  flow: {
    /** Passes or fails the work by checks. */
    gate(spec: GateSpec): FlowCall<GateResult>;
  };
  list: { readonly gate?: GateFields<readonly GateCheckSpec[]> };
  result: GateResult;
}

/** The fields of a gate. */
export interface GateFields<List> {
  readonly checks: List;
  /** False for a gate about the files as they are at that moment: a merge does not run it again after later changes. */
  readonly rerunAtMerge?: boolean;
  /** Runs a failed check again; the value decides what a pass then means. */
  readonly flaky?: 'fail' | 'quarantine';
}

// A check created with `defineCheck` has its own name, which is not a literal.
type Check<K, C, Ids extends Targets> = [K] extends [never]
  ? string
  : K extends string
    ? string
    : string extends Get<K, 'check'>
      ? { readonly check: string; readonly timeout?: Duration; readonly with?: object; readonly own?: CheckCode }
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
  ? readonly TypedCheck<C>[]
  : L extends readonly unknown[]
    ? { readonly [I in keyof L]: Via<L[I], Check<L[I], C, Ids>> }
    : readonly TypedCheck<C>[];

/** Checks that the work must pass. */
export interface GateSpec extends StepOptions, GateFields<readonly TypedCheck[]> {}
