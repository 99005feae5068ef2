// Owns the shape of a workflow as data: what every way of writing one compiles to and what the kernel reads.
// Nothing here is a function or a live object, so a model can be stored with a run, hashed, drawn and compared.
// The functions that go with it (handlers, conditions, context builders) are in `code.ts`, by step id.

import type { Json, JsonObject } from '../base/json.ts';
import type { Budget } from './budget.ts';
import type { OutcomeName } from './outcome.ts';

/** Where a transition leads: a step id, or one of the ends. */
export type Target = { readonly step: string } | { readonly end: 'complete' | 'fail' | 'escalate' | 'reject' };

/** One transition. `max` bounds how often it is taken in a run; the next time goes to `then`. */
export interface Edge {
  readonly to: Target;
  readonly max?: number;
  readonly then?: Target;
  /** What joins the run's data before the target opens: values whose texts may be templates. */
  readonly context?: JsonObject;
}

/** A transition chosen by an expression. */
export interface Choice {
  readonly condition: string;
  readonly onTrue: Edge;
  readonly onFalse: Edge;
}

/** Outcome → transition. A missing outcome falls to `_default`, then to the rules of the engine. */
export type NextTable = Readonly<Record<OutcomeName, Edge | Choice>>;

/** When an attempt is tried again: at most `max` more times, for these outcomes, after a growing pause. */
export interface RetryPolicy {
  readonly max: number;
  readonly on: readonly ('error' | 'timeout')[];
  readonly backoff?: { readonly initialMs: number; readonly factor: number; readonly maxMs: number };
}

/** What happens to an attempt that a crash left without a recorded end. */
export type RecoveryPolicy = 'rerun' | 'reconcile' | 'ask';

/** A condition of a contract as data; its check is a function in `code.ts` or an expression here. */
export interface ConditionModel {
  readonly name: string;
  readonly error: string;
  readonly expression?: string;
}

/** A choice a person can make at a human gate. */
export interface GateOptionModel {
  readonly label: string;
  /** Where this choice leads; absent: the step settles with `outcome` and its own table decides. */
  readonly to?: Target;
  readonly outcome: OutcomeName;
  readonly requiresInput: boolean;
}

/** A question to a person: what is asked, which values are shown, which answers there are. */
export interface HumanGateModel {
  readonly prompt: string;
  /** Paths into the checkpoint's data, shown with the question and bound into the approval digest. */
  readonly show: readonly string[];
  readonly options: readonly GateOptionModel[];
  /** Groups of people, one of whom decides; without it, anybody who may decide at all. */
  readonly from?: readonly string[];
  /** How many of them it takes to go on; 1 without it. One who goes back or ends it otherwise is enough. */
  readonly count?: number;
  /** What the question is about outside the run: a change of it puts the question anew. */
  readonly subjects?: {
    readonly files?: readonly string[];
    readonly pr?: true;
    /** The tree of the workspace as a whole, where a gate judges it or an action lands it. */
    readonly tree?: true;
  };
  /** A decision counts only with the signature of an enrolled key. */
  readonly signed?: true;
}

/** How a group of branches or items settles. */
export type JoinModel = { readonly rule: 'all' } | { readonly rule: 'any' } | { readonly rule: 'count'; readonly n: number };

/** A parameter of a workflow or an argument of a step. */
export interface ArgModel {
  readonly description: string;
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'json';
  readonly default?: Json;
  readonly min?: number;
  readonly max?: number;
  readonly choices?: readonly Json[];
  readonly required: boolean;
}

/** Something that a step declares to produce; it is looked for before the step counts as done. */
export type OutputModel = FileOutputModel | ForgeOutputModel;

/** Files of the workspace: those that changed, or one that is kept. */
export interface FileOutputModel {
  readonly name: string;
  readonly type: 'file' | 'artifact';
  readonly pattern: string;
  readonly required: boolean;
}

/** Something that the engine makes on the forge from what the worker hands over. */
export interface ForgeOutputModel {
  readonly name: string;
  readonly type: 'comment' | 'pr';
  readonly required: boolean;
}

/** What every step has, whatever does its work. */
export interface StepFrame {
  readonly id: string;
  readonly title: string;
  readonly actions: readonly string[];
  readonly args: Readonly<Record<string, ArgModel>>;
  readonly preconditions: readonly ConditionModel[];
  readonly postconditions: readonly ConditionModel[];
  readonly next: NextTable;
  readonly retry: RetryPolicy;
  /** How often a broken postcondition is tried again with the evidence. */
  readonly contractRetries: number;
  readonly recovery: RecoveryPolicy;
  readonly timeoutMs?: number;
  /** An expression; when false the step is skipped. */
  readonly condition?: string;
  readonly gate?: HumanGateModel;
  /** Keys of semaphores this step holds while it works, beside those the engine derives. */
  readonly slots: readonly string[];
  readonly outputs?: readonly OutputModel[];
  /** Files among the outputs must have changed in this activation; without it, since the step first began in the run. */
  readonly fresh?: 'activation';
  /** Patterns of the files that it changes, for branches that work side by side. */
  readonly writes?: readonly string[];
  /** True for a step that no transition leads to: the engine does it beside the others, and nothing follows from it. */
  readonly side?: true;
  /** What happens instead of a timeout, so many times: the time is extended, and a side step tells somebody. */
  readonly extension?: { readonly ms: number; readonly max: number; readonly tells?: string };
  /** True where texts of its work, or the prompt of its gate, are templates: they are filled in when they are used. */
  readonly templates?: true;
  /** Where an object result stays in `outputs`: none of its fields joins the run's data, or only these. */
  readonly merges?: false | readonly string[];
  /** An agent at this step may relay questions to the person it works for. */
  readonly supportsQuestions?: boolean;
  /** Patterns of files that an agent at this step may not change, beside what the workflow and the project protect. */
  readonly protected?: readonly string[];
  /** Patterns of protected files that an agent at this step may change all the same. */
  readonly mayChange?: readonly string[];
}

/** A question to a person is all that the step does. */
export interface HumanWork {
  readonly kind: 'human';
  readonly gate: HumanGateModel;
}

/** Different steps at once. */
export interface ParallelWork {
  readonly kind: 'parallel';
  readonly members: readonly StepModel[];
  readonly join: JoinModel;
  /** How many members work at once; all of them without it. */
  readonly concurrency?: number;
  /** For steps that a flow yields together: what the flow gets. */
  readonly flow?: 'all' | 'race';
}

/** One step for every item of a list. The body has the id of the step, because an author wrote them as one. */
export interface EachWork {
  readonly kind: 'each';
  /** A path into the checkpoint's data or an expression that gives the list. */
  readonly items: string;
  readonly body: StepModel;
  readonly join: JoinModel;
  readonly concurrency?: number;
}

/** Time that passes, or less of it when a condition is seen to hold; one that is a function is code. */
export interface DelayWork {
  readonly kind: 'delay';
  readonly durationMs: number;
  readonly poll?: { readonly intervalMs: number; readonly condition?: string };
}

/** Another workflow, run as a child. Its id follows from the parent, so starting it again finds it. */
export interface ChildWork {
  readonly kind: 'workflow';
  readonly workflow: string;
  /** What the child is started with; null where a function builds it. */
  readonly input: Json;
}

/** A wait for a named message from outside. */
export interface SignalWork {
  readonly kind: 'signal';
  readonly signal: string;
}

/** The validation stages of a project, and a step that repairs what they find. */
export interface ValidateWork {
  readonly kind: 'validate';
  /** Names of stages, the name of one or of a list of them, or null for all. */
  readonly stages: readonly string[] | string | null;
  /** How often the stages are run again after they failed, the repair before each. */
  readonly repairs: number;
  readonly onFailure?: StepModel;
}

/**
 * The configuration of each kind of step that executes something, by its name. A kind adds its own where it is declared:
 * `declare module '../../definition/model.ts' { interface WorkConfigs { webhook: WebhookConfig } }`, and so may an
 * application that defines a kind (`declare module 'pawl'`).
 */
export interface WorkConfigs {}

/** Work that is executed: what it is done with is its kind's business. */
export type ExecutedWork = { [Kind in keyof WorkConfigs]: { readonly kind: Kind; readonly config: WorkConfigs[Kind] } }[keyof WorkConfigs];

/** What does the work of a step, told apart by `kind`. */
export type StepWork = HumanWork | ParallelWork | EachWork | DelayWork | ChildWork | SignalWork | ValidateWork | ExecutedWork;

/** One step as data. */
export type StepModel = StepFrame & StepWork;

/** The kinds of steps. */
export type StepKind = StepWork['kind'];

/** A step of one kind. */
export type StepOf<Kind extends StepKind> = StepFrame & Extract<StepWork, { readonly kind: Kind }>;

/** The steps inside a step: branches, the body of a fan-out, the repair of a validation. */
export function membersOf(step: StepWork): readonly StepModel[] {
  if (step.kind === 'parallel') return step.members;
  if (step.kind === 'each') return [step.body];
  return step.kind === 'validate' && step.onFailure !== undefined ? [step.onFailure] : [];
}

/** The step with each of the steps inside it changed. */
export function withMembers(step: StepModel, change: (member: StepModel) => StepModel): StepModel {
  if (step.kind === 'parallel') return { ...step, members: step.members.map(change) };
  if (step.kind === 'each') return { ...step, body: change(step.body) };
  return step.kind === 'validate' && step.onFailure !== undefined ? { ...step, onFailure: change(step.onFailure) } : step;
}

/** What of a step's work can hold templates: the configuration, or the input of a child. */
export function templatedPart(step: StepWork): Json {
  if (step.kind === 'workflow') return step.input;
  return 'config' in step ? (step.config as Json) : null;
}

/** A whole workflow as data. */
export interface Definition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The author's own mark of this version; nothing but a label. */
  readonly version?: string;
  readonly form: 'graph' | 'flow';
  readonly params: Readonly<Record<string, ArgModel>>;
  readonly entry: string;
  readonly steps: readonly StepModel[];
  readonly limits: { readonly maxIterations: number };
  /** What the agents of a run may use in all, those of the runs it starts included; then the run waits for more. */
  readonly budget?: Budget;
  /** Patterns of files that no agent of this workflow may change. */
  readonly protected?: readonly string[];
  /** Outputs that are known by their own name: the step that produces each. */
  readonly outputNames?: Readonly<Record<string, string>>;
  /** What its runs may do at the forge, and their agents to files; what is not named is as the project allows it. */
  readonly permissions?: Readonly<Partial<Record<'contents' | 'issues' | 'pull_requests' | 'checks', 'none' | 'read' | 'write'>>>;
  /** The side step with which it is told, once, that a run failed or escalated. */
  readonly onError?: string;
  /** Names that are among the run's data from the beginning, null where nobody gave them: what it is about at the forge. */
  readonly facts?: readonly string[];
  /** What the run's data begins with, evaluated once, in order: values whose texts may be templates. */
  readonly context?: readonly { readonly name: string; readonly value: Json }[];
}
