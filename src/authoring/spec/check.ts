// Owns the author-facing type of a check, in graphs, flows, lists and files. The fields of each check are in its folder.

import type { Duration } from '../../base/duration.ts';
import type { ConfiguredCheck } from '../../definition/check.ts';
import type { BuiltInChecks } from '../../kinds/spec.ts';

/**
 * The checks that a gate can name, with their fields. Augment it for checks of your own:
 * `declare module 'pawl' { interface Checks { license: { allow: readonly string[] } } }`.
 */
export interface Checks extends BuiltInChecks<never, string> {}

/** A check that comes with Pawl. */
export type BuiltInCheckName = keyof BuiltInChecks<never, never>;

/** A check of a gate: a shell line, a check by its name, or one that `defineCheck` created. */
export type CheckSpec<C = never, Asks = string> =
  | string
  | ConfiguredCheck
  | { [Name in keyof Checks]: CheckFields<Name, C, Asks> }[keyof Checks];

/** One check by its name, with its fields. C is the context of its functions, Asks the ids of steps that ask a person. */
export type CheckFields<Name extends keyof Checks, C = never, Asks = string> = CheckFieldsBase<Name> &
  (Name extends keyof BuiltInChecks<C, Asks> ? BuiltInChecks<C, Asks>[Name] : Checks[Name]);

/** The fields that every check can have. */
export interface CheckFieldsBase<Name> {
  readonly check: Name;
  /** Its name in messages, instead of a description of what it does. */
  readonly name?: string;
  readonly timeout?: Duration;
}
