// Owns the typed fields of gate checks. A project adds the fields of its own checks by augmenting `Checks`.

import type { Duration } from '../../base/duration.ts';
import type { Json } from '../../base/json.ts';
import type { UsedCheck } from '../../definition/check.ts';
import type { DataOrFunction, Text, Texts } from './part.ts';

/** A program: a shell line, or words that are started without a shell. */
export type Program = { readonly run: string; readonly argv?: undefined } | { readonly argv: readonly string[]; readonly run?: undefined };

/**
 * The checks that a gate can name, with their fields. Augment it for checks of your own:
 * `declare module 'pawl' { interface Checks { license: { allow: readonly string[] } } }`.
 */
export interface Checks {
  command: Program & {
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    /** An expression over `exit_code`, `stdout` and `stderr`; without it, the exit code must be 0. */
    readonly expect?: string;
    /** A JUnit or TAP file that the program writes. */
    readonly report?: string;
    readonly tests?: 'required' | 'optional';
  };
  file_exists: { readonly paths: readonly string[] };
  coverage: {
    readonly minimum: number | `${number}%`;
    readonly metric?: 'line' | 'branch' | 'function';
    readonly report?: string;
    readonly paths?: readonly string[];
  };
  webhook: {
    readonly url: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: Json;
    /** An expression over `status`, `headers` and `body`; without it, any 2xx. */
    readonly expect?: string;
  };
  /** `pr`, here and below: the step whose pull request it is; without it, that of the run. */
  pr_approval: { readonly from: string | readonly string[]; readonly count?: number; readonly pr?: string };
  pr_approvals_met: { readonly count?: number; readonly pr?: string };
  no_changes_requested: { readonly pr?: string };
  label_present: { readonly label: string | readonly string[]; readonly target?: 'issue' | 'pr'; readonly pr?: string };
  branch_up_to_date: { readonly pr?: string };
  human_approved: { readonly step: string };
  ci_status: { readonly workflows?: readonly string[]; readonly expect?: string; readonly pr?: string };
  any_of: { readonly checks: readonly CheckSpec[] };
}

/** One check by its name, with its fields: one object and no intersection, so that an error says which field is missing. */
export type CheckFields<Name extends keyof Checks, C = never> = Name extends unknown
  ? Whole<{ readonly check: Name; readonly timeout?: Duration } & WithFunctions<Checks[Name], C>>
  : never;
/** The fields of a check, with functions of the context where the engine builds them. */
type WithFunctions<Fields, C> = Fields extends unknown ? { [Field in keyof Fields]: OrFunction<Field, Fields[Field], C> } : never;
type OrFunction<Field, Value, C> = Field extends 'url'
  ? Value | Text<C>
  : Field extends 'env' | 'headers'
    ? Value | Texts<C>
    : Field extends 'body'
      ? Value | DataOrFunction<C>
      : Field extends 'checks'
        ? readonly CheckSpec<C>[]
        : Value;
type Whole<T> = T extends unknown ? { [K in keyof T]: T[K] } : never;

/** A check of a gate: a shell line, a check by its name, or one that `defineCheck` created. */
export type CheckSpec<C = never> = string | UsedCheck | { [Name in keyof Checks]: CheckFields<Name, C> }[keyof Checks];
