// Owns what all writers of workflow files share: durations that read back exactly, and the error for what cannot be written.

import { EngineError } from '../../../base/error.ts';
import { present } from '../../../base/fields.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { Budget } from '../../../definition/budget.ts';

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** A duration in the largest unit of which it is a multiple, so that nothing is rounded; a day and less stays in hours. */
export function writeDuration(ms: number): string {
  const [unit, size] = UNITS.find(([name, each]) => ms >= each && ms % each === 0 && (name !== 'd' || ms > 2 * each)) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

/** The error for a step that cannot be written. */
export function refusal(step: string, why: string): EngineError {
  return new EngineError('USAGE', `step "${step}" cannot be written in a workflow file: ${why}; keep this workflow as a module`);
}

/** A budget as files write it. */
export function writeBudget({ tokens, costUsd, turns, timeMs, unknown }: Budget): JsonObject {
  return present({ tokens, cost_usd: costUsd, turns, time: timeMs === undefined ? undefined : writeDuration(timeMs), unknown });
}

/** The fields without empty lists and maps, which mean the same as none. */
export function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

/** True for an empty list or map. */
export function isEmpty(value: Json | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
