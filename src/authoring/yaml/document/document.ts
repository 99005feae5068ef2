// Owns what a checked workflow file holds, in one spelling for each thing: short forms are written out, durations are
// milliseconds, and every part knows its path in the file, so that whoever compiles it can point at it. Nothing is
// filled in that the author left out: what a default means is up to the compiler.

import type { Json, JsonObject } from '../../../base/json.ts';
import type { ArgSpec } from '../../../definition/arg.ts';
import type { RecoveryPolicy } from '../../../definition/model.ts';
import type { TriggerModel } from '../../../definition/trigger.ts';
import type { YamlPath } from '../position/position.ts';

/** A whole workflow. */
export interface YamlWorkflow {
  readonly apiVersion: 'pawl.dev/v1' | 'squadron.dev/v1';
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly version?: string | undefined;
  readonly trigger?: YamlTrigger | undefined;
  readonly overrideTriggers: boolean;
  readonly params: Readonly<Record<string, ArgSpec>>;
  /** In the order of the file; texts in the values may be templates. */
  readonly context: readonly YamlEntry[];
  readonly concurrency?: { readonly max: number; readonly key?: string | undefined } | undefined;
  readonly budget?: YamlBudget | undefined;
  readonly permissions: Readonly<Record<string, 'none' | 'read' | 'write'>>;
  readonly protected: readonly string[];
  readonly maxIterations?: number | undefined;
  readonly stages: readonly YamlStage[];
  readonly onComplete: readonly YamlHook[];
  readonly onError: readonly YamlHook[];
}

/** A name and its value. */
export interface YamlEntry {
  readonly name: string;
  readonly value: Json;
  readonly path: YamlPath;
}

/** What starts a workflow. */
export interface YamlTrigger extends TriggerModel {
  readonly path: YamlPath;
}

/** What the agents of a run may use in all. */
export interface YamlBudget {
  readonly tokens?: number | undefined;
  readonly costUsd?: number | undefined;
  readonly turns?: number | undefined;
  readonly timeMs?: number | undefined;
}

/** What every stage has, whatever its type. */
export interface YamlFrame {
  readonly id: string;
  readonly title?: string | undefined;
  /** An expression, with or without braces. */
  readonly condition?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly writes: readonly string[] | undefined;
  readonly recovery?: RecoveryPolicy | undefined;
  readonly onEnter?: YamlNotify | undefined;
  /** By the key they are written under; always empty for a branch. */
  readonly transitions: Readonly<Partial<Record<TransitionKey, YamlTransition>>>;
  readonly path: YamlPath;
}

/** The work of a stage or a branch, told apart by `type`. */
export type YamlWork =
  | YamlAgentWork
  | { readonly type: 'gate'; readonly checks: readonly YamlCheck[] }
  | {
      readonly type: 'delay';
      readonly durationMs: number;
      readonly poll?: { readonly intervalMs: number; readonly condition: string } | undefined;
    }
  | { readonly type: 'action'; readonly call: YamlCall }
  | { readonly type: 'webhook'; readonly request: YamlRequest; readonly status?: number | undefined; readonly body?: Json | undefined }
  | YamlHumanWork
  | { readonly type: 'workflow'; readonly workflow: string; readonly input: JsonObject }
  | { readonly type: 'command'; readonly program: YamlProgram; readonly outputs: readonly YamlOutput[] };

/** A branch of a parallel stage. */
export type YamlBranch = YamlFrame & YamlWork;

/** A parallel stage. */
export interface YamlParallel extends YamlFrame {
  readonly type: 'parallel';
  readonly join: { readonly rule: 'all' | 'any' } | { readonly rule: 'count'; readonly n: number };
  readonly branches: readonly YamlBranch[];
  readonly concurrency?: number | undefined;
}

/** One stage, told apart by `type`. */
export type YamlStage = (YamlFrame & YamlWork) | YamlParallel;

/** The work of an agent. */
export interface YamlAgentWork {
  readonly type: 'agent';
  readonly agent: string;
  readonly action?: string | undefined;
  readonly prompt?: string | undefined;
  readonly context: JsonObject;
  readonly continueSession: boolean;
  readonly supportsQuestions: boolean;
  readonly protected: readonly string[];
  readonly mayChange: readonly string[];
  readonly budget?: YamlBudget | undefined;
  readonly schema?: JsonObject | undefined;
  readonly outputs: readonly YamlOutput[];
}

/** A question to people. */
export interface YamlHumanWork {
  readonly type: 'human';
  readonly prompt: string;
  readonly show: readonly string[];
  /** Empty: approve or reject. */
  readonly options: readonly YamlOption[];
  /** Empty: whoever may decide in the project. */
  readonly from: readonly string[];
  readonly count?: number | undefined;
  /** Patterns of files that it is about. */
  readonly subjects: readonly string[];
  /** Whether a decision takes a signature. */
  readonly signed: boolean;
}

/** An answer that a person can give. */
export interface YamlOption {
  readonly label: string;
  readonly outcome: 'ok' | 'reject';
  readonly to?: YamlTarget | undefined;
  readonly requiresInput: boolean;
  readonly path: YamlPath;
}

/** Something that a stage produces. */
export interface YamlOutput {
  readonly name: string;
  readonly type: 'comment' | 'file' | 'artifact' | 'pr';
  readonly pattern?: string | undefined;
  readonly required: boolean;
  readonly path: YamlPath;
}

/** A program, a shell line or its words; the values of `env` may be templates. */
export interface YamlProgram {
  readonly run?: string | undefined;
  readonly argv?: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** A request; url, headers and the texts of the body may be templates. */
export interface YamlRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json | undefined;
}

/** One check of a gate, told apart by `check`; those that are not built in have all their fields in `config`. */
export type YamlCheck = { readonly path: YamlPath; readonly timeoutMs?: number | undefined } & (
  | YamlCommandCheck
  | { readonly check: 'file_exists'; readonly paths: readonly string[] }
  | { readonly check: 'pr_approval'; readonly from: readonly string[]; readonly count: number }
  | { readonly check: 'ci_status'; readonly workflows: readonly string[]; readonly expect: string }
  | { readonly check: 'webhook'; readonly request: YamlRequest; readonly expect?: string | undefined }
  | YamlCoverage
  | { readonly check: 'any_of'; readonly checks: readonly YamlCheck[] }
  | { readonly check: 'own'; readonly name: string; readonly config: JsonObject }
);

/** A check by a program; `report` is what its tests wrote, and `tests` whether there must be any. */
export interface YamlCommandCheck {
  readonly check: 'command';
  readonly program: YamlProgram;
  readonly expect?: string | undefined;
  readonly report?: string | undefined;
  readonly tests?: 'required' | 'optional' | undefined;
}

/** A check of coverage; `minimum` is in percent. */
export interface YamlCoverage {
  readonly check: 'coverage';
  readonly minimum: number;
  readonly metric: 'line' | 'branch' | 'function';
  readonly report?: string | undefined;
  readonly paths: readonly string[];
}

/** Something done on the forge, told apart by `action`; `label_issue` is `label`. */
export type YamlCall = { readonly path: YamlPath } & (
  | { readonly action: 'merge_pr'; readonly method?: 'merge' | 'squash' | 'rebase' | undefined; readonly deleteBranch: boolean }
  | { readonly action: 'close_issue'; readonly issue?: string | number | undefined }
  | { readonly action: 'create_issue'; readonly title: string; readonly body?: string | undefined; readonly labels: readonly string[] }
  | { readonly action: 'label'; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly action: 'comment'; readonly target: 'issue' | 'pr'; readonly message: string }
  | ({ readonly action: 'notify' } & YamlNotify)
);

/** What is done once when a run has ended. */
export type YamlHook = YamlCall;

/** Somebody who is told something. */
export interface YamlNotify {
  readonly target: string;
  readonly message?: string | undefined;
  readonly path: YamlPath;
}

/** The keys under which a stage says where it leads. */
export const TRANSITION_KEYS = [
  'on_complete',
  'on_success',
  'on_pass',
  'on_fail',
  'on_failure',
  'on_reject',
  'on_any_reject',
  'on_all_reject',
  'on_conflict',
  'on_ci_failure',
  'on_error',
  'on_timeout',
  'skip_to',
] as const;

/** A key under which a stage says where it leads. */
export type TransitionKey = (typeof TRANSITION_KEYS)[number];

/** The name of a stage, or one of `complete fail escalate`, and where it is written. */
export interface YamlTarget {
  readonly stage: string;
  readonly path: YamlPath;
}

/**
 * Where an outcome leads, in one shape. In this order: `retry` tries the stage again; `extend` waits longer; `notify`
 * tells somebody; `spawn` has an agent work; `delayMs` waits; `context` is merged; then it goes to `to`. When the bound
 * of `max`, `retry` or `extend` is used up, it goes to `then` instead. Without `to` there is nothing but the bound.
 */
export interface YamlTransition {
  readonly to?: YamlTarget | undefined;
  readonly then?: YamlTarget | undefined;
  /** How often it is taken in a run. */
  readonly max?: number | undefined;
  readonly context: readonly YamlEntry[];
  readonly delayMs?: number | undefined;
  readonly spawn?: string | undefined;
  readonly notify?: YamlNotify | undefined;
  readonly retry?: { readonly max: number; readonly backoff?: YamlBackoff | undefined } | undefined;
  readonly extend?: { readonly byMs: number; readonly max?: number | undefined } | undefined;
  readonly path: YamlPath;
}

/** How the pause between retries grows. */
export interface YamlBackoff {
  readonly initialMs: number;
  readonly factor?: number | undefined;
  readonly maxMs?: number | undefined;
}
