// Owns how an output was found: what is kept as evidence, and what a broken promise is as an error of the step.

import { present } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StepError } from '../../kernel/input.ts';
import { stepError } from '../work.ts';
import type { OutputDeclaration } from './declaration.ts';

/** How one declared output was found. `value` is what later steps see. */
export interface OutputFinding {
  readonly output: OutputDeclaration;
  readonly value: Json;
  /** What was seen, for people. */
  readonly seen: string;
  /** Why the promise is broken; undefined when it is kept. */
  readonly broken?: string;
  /** Those of its files that declare something for others to use. */
  readonly publicPaths?: readonly string[];
  /** What was changed in a text before it was written, in words. */
  readonly changes?: readonly string[];
  /** Why it was not written, where the worker cannot change that. */
  readonly refused?: string;
  /** What the run keeps among its data. */
  readonly remember?: JsonObject;
}

/** An output that is as it was declared. */
export function kept(output: OutputDeclaration, value: Json, seen: string): OutputFinding {
  return { output, value, seen };
}

/** An output that is not there: fine unless it is required. `advice` says what to do about it. */
export function missing(output: OutputDeclaration, seen: string, advice: string): OutputFinding {
  const none = { output, value: emptyValue(output), seen };
  return output.required ? { ...none, broken: `${seen}; ${advice}` } : none;
}

/** An output that exists but is wrong. */
export function wrong(output: OutputDeclaration, seen: string, advice: string): OutputFinding {
  return { output, value: emptyValue(output), seen, broken: `${seen}; ${advice}` };
}

/** The value of an output that was not produced: a known name without a value. */
export function emptyValue({ type }: OutputDeclaration): Json {
  return type === 'file' ? [] : null;
}

/** The findings as they are kept beside the verdict, in the shape of conditions. */
export function evidenceOf(findings: readonly OutputFinding[]): JsonObject[] {
  return findings.map(({ output: { name, type }, seen, broken, changes, refused }) => ({
    name,
    type,
    passed: broken === undefined,
    seen,
    ...present({ changed: changes, refused, error: broken }),
  }));
}

/** The error of a step whose outputs are not as declared; undefined when all are. */
export function contractError(step: string, findings: readonly OutputFinding[]): StepError | undefined {
  const texts = findings.flatMap(({ output, broken }) =>
    broken === undefined ? [] : [`${broken} (output "${output.name}" of step "${step}")`],
  );
  return texts.length === 0 ? undefined : stepError('POSTCONDITION_FAILED', texts.join('; '), { reason: 'contract' });
}
