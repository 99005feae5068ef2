// Owns the interface by which a kind of step or a gate check declares its form in a workflow file. The building blocks of
// fields are passed in, so that a kind loads neither the validator nor the parser: most commands read no workflow file.

import type * as z from 'zod';
import type { RecoveryPolicy } from '../../../definition/model.ts';
import type { MemberSpec, StepFields } from '../../graph/spec.ts';
import type { CheckSpec } from '../../spec/check.ts';
import type { YamlPath } from '../position/position.ts';
import type { PlacedFault } from '../problem/schema.ts';
import type * as action from './action.ts';
import type * as field from './field.ts';
import type * as part from './part.ts';
import type { outcomes } from './transition.ts';

/** A valid check of a file. */
export interface YamlCheck {
  readonly check: string;
  readonly timeout?: string | undefined;
  readonly [field: string]: unknown;
}

/** A valid stage or branch of a file: the common fields, and those of its kind. */
export interface YamlStage {
  readonly id: string;
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly condition?: string | undefined;
  readonly timeout?: string | undefined;
  readonly recovery?: RecoveryPolicy | undefined;
  readonly undo?: YamlUndo | undefined;
  readonly on_enter?: { readonly notify: YamlNotify } | undefined;
  readonly [field: string]: unknown;
}

/** The undo of a stage: a program with its options, or one action in the form of a hook. */
export interface YamlUndo {
  readonly run?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, unknown>> | undefined;
  readonly cwd?: string | undefined;
  readonly timeout?: string | undefined;
  readonly recovery?: 'rerun' | 'ask' | undefined;
}

/** Who gets a message, and the message. */
export type YamlNotify = string | { readonly target: string; readonly message?: string | undefined };

/** The building blocks of fields. */
export type FieldWords = typeof field &
  typeof part & {
    readonly z: typeof z;
    /** A check without nested checks. */
    readonly simpleCheck: z.ZodType<YamlCheck>;
  };

/** The form of a check in a workflow file. */
export interface CheckForm<Fields = never> {
  /** What the check does, for the reference. */
  readonly meaning: string;
  /** True if it has nested checks, which have none themselves. */
  readonly isMadeOfOthers?: true;
  /** The fields other than `check` and `timeout`. */
  fields(words: FieldWords): z.ZodRawShape;
  /** Its fields in the spec of a graph, other than `check` and `timeout`. */
  toSpec(fields: Fields, checkOf: (inner: YamlCheck) => CheckSpec): Readonly<Record<string, unknown>>;
  /** The faults of fields that are only invalid together. */
  rules?(fields: Fields, path: YamlPath): PlacedFault[];
}

/** Declares the form of a check; its functions get the type of the fields. */
export function checkForm<S extends z.ZodRawShape>(
  form: Omit<CheckForm<z.infer<z.ZodObject<S>>>, 'fields'> & { fields(words: FieldWords): S },
): CheckForm {
  return form as unknown as CheckForm;
}

/** The building blocks for the fields of a stage. */
export type StageWords = Omit<FieldWords, 'simpleCheck'> &
  typeof action & {
    readonly check: z.ZodType<YamlCheck>;
    /** A branch of a parallel stage. */
    readonly branch: z.ZodType<YamlStage>;
  };

/** The work of a step, with the fields of its frame that depend on it. */
export type WorkAndFrame = Omit<StepFields, 'each' | 'next'>;

/** The translators of the parts of a stage. */
export interface StageParts {
  checkOf(check: YamlCheck): CheckSpec;
  memberOf(branch: YamlStage): readonly [id: string, spec: MemberSpec];
}

/** The checkers of the parts of a stage. */
export interface StageRules {
  checkRules(check: YamlCheck, path: YamlPath): PlacedFault[];
  workRules(branch: YamlStage, path: YamlPath): PlacedFault[];
}

/** One of several forms of a stage, selected by a word. */
export interface StageVariant {
  readonly meaning: string;
  readonly fields: z.ZodRawShape;
  readonly transitions: readonly (keyof typeof outcomes)[];
}

/** The form of a kind of step as a stage of a workflow file. */
export interface StageForm<Fields = never> {
  /** What the stage is for, for the reference. */
  readonly meaning: string;
  /** The keys of its transitions, in addition to those that every stage has. */
  readonly transitions: readonly (keyof typeof outcomes)[];
  /** `group`: cannot be a branch. `worker`: a branch declares which files it writes. `default`: also the kind of branches without a type. */
  readonly branch?: 'group' | 'worker' | 'default';
  /** Its own fields. */
  fields(words: StageWords): z.ZodRawShape;
  /** The field that selects a form, and the forms, if it has several. */
  readonly variants?: { readonly key: string; of(words: StageWords): Readonly<Record<string, StageVariant>> };
  /** Translates it to the spec of a graph. */
  toSpec(fields: Fields, parts: StageParts): WorkAndFrame;
  /** The faults of fields that are only invalid together. */
  rules?(fields: Fields, path: YamlPath, rules: StageRules): PlacedFault[];
}

/** Declares the form of a stage; its functions get the type of the fields. */
export function stageForm<S extends z.ZodRawShape>(
  form: Omit<StageForm<z.infer<z.ZodObject<S>>>, 'fields'> & { fields(words: StageWords): S },
): StageForm {
  return form as unknown as StageForm;
}
