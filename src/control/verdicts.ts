// Reads the verdicts about a step from its report: of its contract, its outputs, and the checks of a gate.

import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { StepReport } from './schema/run.ts';

/** A verdict; `passed` is null where there is none. */
export interface Verdict {
  readonly name: string;
  readonly passed: boolean | null;
  readonly error?: string;
  readonly of: string;
}

/** The verdicts about a step. */
export function verdictsOf({ evidence, output }: StepReport): Verdict[] {
  const { preconditions, postconditions, outputs } = isJsonObject(evidence) ? evidence : {};
  const checks = isJsonObject(output) ? output.checks : undefined;
  const lists = { precondition: preconditions, postcondition: postconditions, output: outputs, check: checks };
  return Object.entries(lists).flatMap(([of, list]) =>
    (Array.isArray(list) ? list : []).filter(isVerdict).map(({ name, passed, error }) => ({
      ...{ name: String(name), passed: typeof passed === 'boolean' ? passed : null, of },
      ...(typeof error === 'string' ? { error } : {}),
    })),
  );
}

function isVerdict(value: Json): value is JsonObject {
  return isJsonObject(value) && 'name' in value && 'passed' in value;
}

/** The error in the output of a failed step, for failures that the engine has no error for: the step reported it itself, or others changed its rows. */
export function reportedError({ status, output }: StepReport): string | null {
  return status === 'failed' && isJsonObject(output) && typeof output.error === 'string' ? output.error : null;
}
