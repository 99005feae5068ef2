// Owns the common parts of the writers of workflow files: leaving out empty values, and the error for a step that cannot be
// written.

import { EngineError } from '../../../base/error.ts';
import type { Json, JsonObject } from '../../../base/json.ts';

/** The error for a step that cannot be written. */
export function refusal(step: string, why: string): EngineError {
  return new EngineError('USAGE', `step "${step}" cannot be written in a workflow file: ${why}; keep this workflow as a module`);
}

/** The fields without empty lists and maps, which mean the same as none. */
export function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

/** True for an empty list or map. */
export function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
