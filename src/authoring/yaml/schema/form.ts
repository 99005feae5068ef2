// Owns how a gate check says what it looks like in a workflow file. The words for fields are handed to it, so that a kind
// loads neither the validator nor the parser: most commands read no workflow file.

import type * as z from 'zod';
import type { GateCheckSpec } from '../../graph/spec.ts';
import type { YamlPath } from '../position/position.ts';
import type { PlacedFault } from '../problem/schema.ts';
import type * as field from './field.ts';
import type * as part from './part.ts';

/** A valid check, as it is written. */
export interface WrittenCheck {
  readonly check: string;
  readonly timeout?: string | undefined;
  readonly [field: string]: unknown;
}

/** The words with which fields are described. */
export type FieldWords = typeof field &
  typeof part & {
    readonly z: typeof z;
    /** A check that is not made of others. */
    readonly simpleCheck: z.ZodType<WrittenCheck>;
  };

/** How a check is written in a workflow file. */
export interface CheckForm<Written = never> {
  /** What the check does, for the reference. */
  readonly meaning: string;
  /** True when it is made of other checks, which are not. */
  readonly isMadeOfOthers?: true;
  /** The fields beside `check` and `timeout`. */
  fields(words: FieldWords): z.ZodRawShape;
  /** What it is in the spec of a graph, beside `check` and `timeout`. */
  toSpec(written: Written, checkOf: (inner: WrittenCheck) => GateCheckSpec): Readonly<Record<string, unknown>>;
  /** What is wrong with fields that are right each by itself. */
  rules?(written: Written, path: YamlPath): PlacedFault[];
}

/** The form of a check, with the type of what is written. */
export function checkForm<S extends z.ZodRawShape>(
  form: Omit<CheckForm<z.infer<z.ZodObject<S>>>, 'fields'> & { fields(words: FieldWords): S },
): CheckForm {
  return form as unknown as CheckForm;
}
