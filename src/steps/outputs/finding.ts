// Owns the findings about outputs: what is recorded as evidence, and the error of a step with missing outputs.

import { present } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StepError } from '../../kernel/input.ts';
import { stepError } from '../work.ts';
import type { OutputDeclaration } from './declaration.ts';

/** The finding about one declared output. `value` is what later steps see. */
export interface OutputFinding {
  readonly output: OutputDeclaration;
  readonly value: Json;
  /** What was observed, as text. */
  readonly seen: string;
  /** Why the output is missing or wrong; undefined if it is fine. */
  readonly broken?: string;
  /** Its files with public declarations. */
  readonly publicPaths?: readonly string[];
  /** What was changed in a text before it was written. */
  readonly changes?: readonly string[];
  /** Why it was not written, if the worker cannot change that. */
  readonly refused?: string;
  /** What the run keeps among its data. */
  readonly remember?: JsonObject;
}

/** An output that is as it was declared. */
export function kept(output: OutputDeclaration, value: Json, seen: string): OutputFinding {
  return { output, value, seen };
}

/** A missing output, which is fine unless it is required. `advice` says what to do about it. */
export function missing(output: OutputDeclaration, seen: string, advice: string): OutputFinding {
  const none = { output, value: emptyValue(output), seen };
  return output.required ? { ...none, broken: `${seen}; ${advice}` } : none;
}

/** An output that exists but is wrong. */
export function wrong(output: OutputDeclaration, seen: string, advice: string): OutputFinding {
  return { output, value: emptyValue(output), seen, broken: `${seen}; ${advice}` };
}

/** The value of an output that was not produced. */
export function emptyValue({ type }: OutputDeclaration): Json {
  return type === 'file' ? [] : null;
}

/** The findings as evidence, in the shape of conditions. */
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
