// Owns what the steps of a flow give back, by kind. A result passes the run's record on its way to the flow, so it is
// plain data whatever the step returned.

import type { Json } from '../../base/json.ts';
import type { OpenFinding, ReviewItem } from '../../definition/review.ts';

/** What an agent came back with; an agent that did not succeed fails its step. */
export interface AgentResult {
  readonly success: boolean;
  readonly output: Json;
  readonly [field: string]: Json;
}

/** The stages of a validation that passed; one that did not fails its step. */
export interface ValidateResult {
  readonly success: true;
  readonly stages: Json;
}

/** The checks of a gate that let the work pass; one that did not fails its step. */
export interface GateResult {
  readonly passed: boolean;
  readonly checks: readonly Json[];
}

/** What came of a review. */
export interface ReviewResult {
  readonly accepted: 'by the review' | 'by a person';
  readonly rounds: number;
  readonly items: readonly ReviewItem[];
  /** What a person accepted although it is open. */
  readonly open: readonly OpenFinding[];
  /** What is left for later. */
  readonly follow_ups: readonly OpenFinding[];
  /** How many findings stopped each round. */
  readonly history: readonly number[];
}

/** What a person decided. */
export interface HumanResult<Option extends string = string> {
  readonly option: Option;
  readonly input?: string;
  readonly actor: string;
}

/** How a program ended; `result` is there when it printed one. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly result?: Json;
}

/** What a child workflow ends with: what it returns, or the output of its last step when it returns nothing. */
export type ChildOutput<Returned> = Returned extends null ? Json : undefined extends Returned ? Json : Returned;

/** What a web service answered. */
export interface WebhookResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}
