// Owns the findings about outputs: the evidence about them, and the error of a step with missing outputs.

import { omitUndefined } from '../../base/fields.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { StepError } from '../../kernel/input.ts';
import { stepError } from '../work.ts';
import type { OutputDeclaration } from './declaration.ts';

/** The finding about one declared output. Later steps read its `value`. */
export interface OutputFinding {
  readonly output: OutputDeclaration;
  readonly value: Json;
  /** The observation, as text. */
  readonly seen: string;
  /** Why the output is missing or wrong; undefined if it is fine. */
  readonly problem?: string;
  /** Its files with public declarations. */
  readonly publicPaths?: readonly string[];
  /** The changes that cleaning made to its text. */
  readonly changes?: readonly string[];
  /** Why it was not written, if the worker cannot change that. */
  readonly refused?: string;
  /** Data for the run. */
  readonly remember?: JsonObject;
}

/** An output that matches its declaration. */
export function producedFinding(output: OutputDeclaration, value: Json, seen: string): OutputFinding {
  return { output, value, seen };
}

/** A missing output, which is a problem only if it is required. `advice` is how to solve it. */
export function missingFinding(output: OutputDeclaration, seen: string, advice: string): OutputFinding {
  const none = { output, value: emptyValue(output), seen };
  return output.required ? { ...none, problem: `${seen}; ${advice}` } : none;
}

/** An output that exists but is wrong. */
export function invalidFinding(output: OutputDeclaration, seen: string, advice: string): OutputFinding {
  return { output, value: emptyValue(output), seen, problem: `${seen}; ${advice}` };
}

/** The value of an output that was not produced. */
export function emptyValue({ type }: OutputDeclaration): Json {
  return type === 'file' ? [] : null;
}

/** The findings as evidence, in the format of conditions. */
export function evidenceOf(findings: readonly OutputFinding[]): JsonObject[] {
  return findings.map(({ output: { name, type }, seen, problem, changes, refused }) => ({
    name,
    type,
    passed: problem === undefined,
    seen,
    ...omitUndefined({ changed: changes, refused, error: problem }),
  }));
}

/** The error of a step whose outputs do not match their declarations; undefined if all do. */
export function contractError(step: string, findings: readonly OutputFinding[]): StepError | undefined {
  const texts = findings.flatMap(({ output, problem }) =>
    problem === undefined ? [] : [`${problem} (output "${output.name}" of step "${step}")`],
  );
  return texts.length === 0 ? undefined : stepError('POSTCONDITION_FAILED', texts.join('; '), { reason: 'contract' });
}
