// Owns the results and progress events that callers get. All of them are frozen plain data, so that they can be logged,
// sent and compared.
//
// R1. A duration is never negative.
// R2. A failed step has an error message.
// R3. A run succeeds only when each of its failed steps was handled by the workflow.

import { omitUndefined } from '../base/fields.ts';
import { invariant } from '../base/invariant.ts';
import { deepFreeze, type Json, toPlain } from '../base/json.ts';
import type { StepKind } from './model.ts';

/** How one step of a run ended. */
export interface StepResult {
  readonly name: string;
  readonly stepType: StepKind;
  readonly success: boolean;
  readonly output: Json;
  readonly durationMs: number;
  readonly error?: string;
  /** True if the step failed and the workflow handled it; the run can still succeed. */
  readonly handled?: boolean;
  /** For a step that ran another workflow: that run, with the results of its steps. */
  readonly child?: WorkflowResult & { readonly runId: string };
}

/** How a run ended. The results are in the order in which the steps ran. One that failed has whatever output there is, often null. */
export type WorkflowResult<Output = Json> = {
  readonly workflowName: string;
  readonly stepResults: readonly StepResult[];
  readonly totalDurationMs: number;
} & (
  | { readonly success: true; readonly finalOutput: Output; readonly error?: undefined }
  | { readonly success: false; readonly finalOutput: Json; readonly error: string }
);

/** A run began; times are milliseconds since 1970. */
export interface WorkflowStarted {
  readonly type: 'WorkflowStarted';
  readonly workflowName: string;
  readonly timestamp: number;
}

/** A step began. */
export interface StepStarted {
  readonly type: 'StepStarted';
  readonly stepName: string;
  readonly stepType: StepKind;
  readonly timestamp: number;
}

/** A step ended. */
export interface StepCompleted {
  readonly type: 'StepCompleted';
  readonly stepName: string;
  readonly stepType: StepKind;
  readonly success: boolean;
  readonly durationMs: number;
  readonly timestamp: number;
}

/** A run ended. */
export interface WorkflowCompleted {
  readonly type: 'WorkflowCompleted';
  readonly workflowName: string;
  readonly success: boolean;
  readonly durationMs: number;
  readonly timestamp: number;
}

/** A progress event, discriminated by `type`. */
export type ProgressEvent = WorkflowStarted | StepStarted | StepCompleted | WorkflowCompleted;

/** Creates the frozen result of a step. Its output is copied as plain data; anything else is rejected. */
export function createStepResult(fields: Omit<StepResult, 'output'> & { readonly output: unknown }): StepResult {
  checkDuration(`step "${fields.name}"`, fields.durationMs);
  invariant(fields.success || fields.error !== undefined, `R2: the failed step "${fields.name}" has no error message`);
  invariant(!fields.success || fields.handled !== true, `R2: step "${fields.name}" succeeded, so there was no failure to handle`);
  return deepFreeze({
    name: fields.name,
    stepType: fields.stepType,
    success: fields.success,
    output: toPlain(fields.output, `the output of step "${fields.name}"`),
    durationMs: fields.durationMs,
    ...omitUndefined({ error: fields.error, handled: fields.handled, child: fields.child }),
  });
}

/** Creates the frozen result of a run. */
export function createWorkflowResult(fields: WorkflowResult<unknown>): WorkflowResult {
  const { workflowName, success, stepResults, totalDurationMs } = fields;
  checkDuration(`workflow "${workflowName}"`, totalDurationMs);
  const unhandled = stepResults.find((result) => !result.success && result.handled !== true);
  invariant(
    !success || unhandled === undefined,
    `R3: workflow "${workflowName}" succeeded although step "${unhandled?.name}" failed unhandled`,
  );
  return deepFreeze({
    workflowName,
    stepResults: [...stepResults],
    totalDurationMs,
    finalOutput: toPlain(fields.finalOutput, `the final output of workflow "${workflowName}"`),
    ...(fields.success ? { success: true } : { success: false, error: fields.error }),
  });
}

/** Creates a frozen progress event. */
export function createProgressEvent<E extends ProgressEvent>(event: E): E {
  if ('durationMs' in event) checkDuration(event.type, event.durationMs);
  const frozen: E = { ...event };
  return Object.freeze(frozen);
}

function checkDuration(of: string, durationMs: number): void {
  invariant(Number.isFinite(durationMs) && durationMs >= 0, `R1: the duration of ${of} is ${durationMs}; it must be zero or more`);
}
