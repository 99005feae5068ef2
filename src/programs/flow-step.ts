// Owns the values that a flow (a generator function) yields: a step to work on, or a group of them to work on together.

import { deepCopy, type Json } from '../base/json.ts';
import type { BoundStep, CompiledWorkflow } from '../definition/code.ts';

/** One step as a flow yields it. Its name is unique in the run; the builder creates its model and code. */
export interface FlowStep {
  readonly yields: 'step';
  readonly bound: BoundStep;
  /** The workflow that it starts, if it was passed as a value. */
  readonly child?: CompiledWorkflow | undefined;
}

/** Several steps that run at the same time. `all` requires every one to succeed, `race` ends with the first that does. */
export interface FlowGroup {
  readonly yields: 'all' | 'race';
  readonly steps: readonly FlowStep[];
}

/** Whatever a flow yields. */
export type FlowYield = FlowStep | FlowGroup;

/** Whether a generator yielded a step or a group of steps. */
export function isFlowYield(value: unknown): value is FlowYield {
  return typeof value === 'object' && value !== null && 'yields' in value;
}

let created: Set<FlowYield> | undefined;

/** Records a step or group that a flow created and must yield. */
export function trackCreated(step: FlowYield): void {
  created?.add(step);
}

/** Records that a step or group became part of another one, which must be yielded. */
export function markUsed(step: FlowYield): void {
  created?.delete(step);
}

/** Resumes a flow, which is synchronous; returns the yielded value, and the steps that it created and did not use elsewhere. */
export function resumeGenerator<T>(work: () => T): { readonly result: T; readonly unused: readonly FlowYield[] } {
  created = new Set();
  try {
    const result = work();
    return { result, unused: [...created] };
  } finally {
    created = undefined;
  }
}

/** What the engine observed in an attempt. Which fields there are depends on the kind of the step. */
export type StepEvidence = {
  /** How a program ended. */
  readonly process?: { readonly exitCode: number | null; readonly signal: string | null; readonly durationMs: number };
  /** The checks of a gate. */
  readonly checks?: readonly { readonly check: string; readonly name: string; readonly passed: boolean | null; readonly error?: string }[];
  /** The stages of a validation. */
  readonly stages?: Json;
  /** The conditions of a contract, and the declared outputs. */
  readonly preconditions?: Json;
  readonly postconditions?: Json;
  readonly outputs?: Json;
  /** The stack of what a function threw. */
  readonly thrown?: string;
  /** The request of a webhook. */
  readonly request?: Json;
  /** The steps of a group that failed, by name. */
  readonly members?: Readonly<Record<string, { readonly outcome: string; readonly error?: string }>>;
};

/** A step of a flow did not succeed. It is thrown into the generator, where it can be caught. */
export class StepFailed extends Error {
  readonly step: string;
  readonly outcome: string;
  readonly code: string;
  /** The output of the failed step: of a group the results of all its steps, of a child run how it ended. */
  readonly output: Json;
  /** What the engine observed in the last attempt; null if it observed nothing, for example because the step timed out. */
  readonly evidence: StepEvidence | null;

  constructor(failure: FlowFailure) {
    super(failure.message);
    this.name = 'StepFailed';
    this.step = failure.step;
    this.outcome = failure.outcome;
    this.code = failure.code;
    this.output = deepCopy(failure.output ?? null);
    // Executors recorded it in this form; it has passed through the store since.
    this.evidence = deepCopy(failure.evidence ?? null) as StepEvidence | null;
  }
}

/** The facts about a failed step. */
export interface FlowFailure extends Pick<StepFailed, 'step' | 'outcome' | 'code' | 'message'> {
  readonly output?: Json;
  readonly evidence?: Json;
}
