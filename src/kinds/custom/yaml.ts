// Owns how a stage of an application's kind is written in a workflow file: under the name of that kind.

import { present } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';

/** A step of an application's kind as a stage. */
export function write({ config }: StepOf<'custom'>): JsonObject {
  return present({ type: config.use, with: config.with ?? undefined });
}
