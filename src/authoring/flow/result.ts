// Owns the types of the results of a flow's steps, by kind. A result passes through the run's record, so it is plain data.

import type { Json } from '../../base/json.ts';
import type { OpenFinding, ReviewItem } from '../../definition/review/review.ts';
import type { RecordedValue } from '../spec/recorded-value.ts';

/** The result of an agent; if it did not succeed, the step fails. */
export interface AgentResult {
  readonly success: boolean;
  readonly output: Json;
  readonly [field: string]: Json;
}

/** The stages of a validation that passed; otherwise the step fails. */
export interface ValidateResult {
  readonly success: true;
  readonly stages: Json;
}

/** The checks of a gate that passed; otherwise the step fails. */
export interface GateResult {
  readonly passed: boolean;
  readonly checks: readonly Json[];
}

/** The result of a review. */
export interface ReviewResult {
  readonly accepted: 'by the review' | 'by a person';
  readonly rounds: number;
  readonly items: readonly ReviewItem[];
  /** Open findings that a person accepted. */
  readonly open: readonly OpenFinding[];
  /** Findings that are left for later. */
  readonly follow_ups: readonly OpenFinding[];
  /** How many findings stopped each round. */
  readonly history: readonly number[];
}

/** The decision of a person. */
export interface HumanResult<Option extends string = string> {
  readonly option: Option;
  readonly input?: string;
  readonly actor: string;
}

/** How a program ended; with `result` if it printed one. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly result?: Json;
}

/** The output of a child workflow: its return value, or the output of its last step if it returns nothing. */
export type ChildOutput<Returned> = Returned extends null ? Json : undefined extends Returned ? Json : RecordedValue<Returned>;

/** The response of a web service. */
export interface WebhookResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}
