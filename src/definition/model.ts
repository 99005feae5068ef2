// Owns the shape of a workflow as data: what every way of writing one compiles to and what the kernel reads. It
// contains no functions or live objects, so a model can be stored with a run, hashed, drawn and compared. The functions
// that belong to it (handlers, conditions, context builders) are in `code.ts`, by step id.

import type { Json, JsonObject } from '../base/json.ts';
import type { Breakers } from './breakers.ts';
import type { Budget } from './budget.ts';
import type { DatabasesSpec } from './database.ts';
import type { ForgeOutputType, WriteLimits } from './forge/forge-write.ts';
import type { NetworkSpec } from './network.ts';
import type { OutcomeName } from './outcome.ts';
import type { ChildDispatch, StepTerms } from './step-terms.ts';
import type { ReactionModel } from './trigger/reaction.ts';

/** Where a transition leads: a step id, or one of the ends. */
export type Target = { readonly step: string } | { readonly end: 'complete' | 'fail' | 'escalate' | 'reject' };

/** One transition. `max` limits how often it is taken in a run; after that the run goes to `then`. */
export interface Edge {
  readonly to: Target;
  readonly max?: number;
  readonly then?: Target;
  /** Data that is merged into the run's data before the target opens; texts may be templates. */
  readonly context?: JsonObject;
}

/** A transition chosen by an expression. */
export interface Choice {
  readonly condition: string;
  readonly onTrue: Edge;
  readonly onFalse: Edge;
}

/** Outcome → transition. A missing outcome falls back to `_default`, then to the rules of the engine. */
export type NextTable = Readonly<Record<OutcomeName, Edge | Choice>>;

/** When an attempt is retried: at most `max` more times, for these outcomes, after a growing delay. */
export interface RetryPolicy {
  readonly max: number;
  readonly on: readonly ('error' | 'timeout')[];
  readonly backoff?: { readonly initialMs: number; readonly factor: number; readonly maxMs: number };
}

/** What to do with an attempt if a crash left no record of how it ended. */
export type RecoveryPolicy = 'rerun' | 'reconcile' | 'ask';

/** A condition of a contract as data. Its check is a function in `code.ts` or an expression here. */
export interface ConditionModel {
  readonly name: string;
  readonly error: string;
  readonly expression?: string;
}

/** An option of an approval. */
export interface ApprovalOptionModel {
  readonly label: string;
  /** Where this option leads. If absent, the step settles with `outcome` and its own table decides. */
  readonly to?: Target;
  readonly outcome: OutcomeName;
  readonly requiresInput: boolean;
}

/** A question to a person: the prompt, the values shown, and the options. */
export interface ApprovalModel {
  readonly prompt: string;
  /** Paths into the checkpoint's data, shown with the question and part of the approval digest. */
  readonly show: readonly string[];
  readonly options: readonly ApprovalOptionModel[];
  /** The groups whose members may decide. Default: everyone who may decide at all. */
  readonly from?: readonly string[];
  /** How many of them must agree to continue. Default: 1. A single rejection or rework is enough. */
  readonly count?: number;
  /** What the question is about outside the run. If it changes, the question is asked again. */
  readonly subjects?: {
    readonly files?: readonly string[];
    readonly pr?: true;
    /** The whole tree of the workspace, if a gate checks it or an action merges it. */
    readonly tree?: true;
  };
  /** A decision counts only with the signature of an enrolled key. */
  readonly signed?: true;
  /** The question at the forge: the event that decides it, who is asked there, and how they are reminded. */
  readonly forge?: ForgeQuestion;
  /** A function builds the prompt before the question is asked. */
  readonly built?: true;
}

/** The part of a question that is at the forge. */
export interface ForgeQuestion {
  /** The event that decides it: an approving review, a comment, a label, or that a review is dismissed. */
  readonly waitFor?: (typeof WAITED_FOR)[number];
  /** label: the label that decides it. */
  readonly label?: string;
  /** Groups and people who are asked for a review when the question opens. */
  readonly assign?: readonly string[];
  /** How often, and how many times at most, they are reminded. */
  readonly reminders?: { readonly intervalMs: number; readonly max: number };
}

/** The events at the forge that can decide a question. */
export const WAITED_FOR = ['approval', 'comment', 'label', 'dismiss'] as const;

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

/** Something that a step declares to produce. It is checked before the step counts as done. */
export type OutputModel = FileOutputModel | ForgeOutputModel | EffectOutputModel;

/** Files of the workspace that changed, or one that is stored. */
export interface FileOutputModel {
  readonly name: string;
  readonly type: 'file' | 'artifact';
  readonly pattern: string;
  readonly required: boolean;
}

/** Something that the engine creates on the forge from what the worker returns. */
export interface ForgeOutputModel {
  readonly name: string;
  readonly type: ForgeOutputType;
  readonly required: boolean;
  /** comment and label: the target, if the run is about both. Default: the issue. */
  readonly target?: 'issue' | 'pr';
  /** label and issue: the labels that the worker may choose from. */
  readonly labels?: readonly string[];
}

/** Something that a function of the author finds, such as a row of a database. */
export interface EffectOutputModel {
  readonly name: string;
  readonly type: 'effect';
  readonly required: boolean;
}

/** The fields that all steps have in common. */
export interface StepFrame extends StepTerms {
  readonly id: string;
  readonly title: string;
  readonly actions: readonly string[];
  readonly args: Readonly<Record<string, ArgModel>>;
  readonly preconditions: readonly ConditionModel[];
  readonly postconditions: readonly ConditionModel[];
  readonly next: NextTable;
  readonly retry: RetryPolicy;
  /** How often a failed postcondition is retried with the evidence. */
  readonly contractRetries: number;
  readonly recovery: RecoveryPolicy;
  readonly timeoutMs?: number;
  /** An expression. If it is false, the step is skipped. */
  readonly condition?: string;
  readonly question?: ApprovalModel;
  /** Keys of semaphores this step holds while it works, besides those the engine derives. */
  readonly slots: readonly string[];
  readonly outputs?: readonly OutputModel[];
  /** Since when files among the outputs must have changed: this activation, or the start of the run. Default: the step's first activation. */
  readonly fresh?: 'activation' | 'run';
  /** Patterns of the files that it changes, for parallel branches. */
  readonly writes?: readonly string[];
  /** True for a step without incoming transitions: the engine runs it alongside the others, and nothing depends on it. */
  readonly side?: true;
  /** The stage of a workflow file that this step belongs to, as its message, its delay or the agent of a transition; absent for a stage itself. */
  readonly addedFor?: string;
  /** What happens instead of a timeout, this many times: the time is extended, and a side step notifies people. */
  readonly extension?: { readonly ms: number; readonly max: number; readonly onExtend?: string };
  /** True if texts of its work, or the prompt of its question, are templates: they are rendered when used. */
  readonly templates?: true;
  /** Set if an object result stays in `outputs`: none of its fields is merged into the run's data, or only these. */
  readonly merges?: false | readonly string[];
  /** An agent at this step may pass questions to the person it works for. */
  readonly supportsQuestions?: boolean;
  /** The files in which that agent must save its progress before it asks; otherwise its questions are rejected. */
  readonly questionState?: string;
  /** Patterns of files that an agent at this step must not change, besides those the workflow and the project protect. */
  readonly protected?: readonly string[];
  /** Patterns of protected files that an agent at this step may change nevertheless. */
  readonly mayChange?: readonly string[];
  /** The hosts that its agent or program may connect to, where the machine can enforce it. Default: all. */
  readonly network?: NetworkSpec;
  /** Set if a person sees its worker's writes to the forge before they are made. */
  readonly staged?: true;
  /** What undoes its result when the run fails, is rejected or is cancelled: a function, a program or an action. */
  readonly undo?: StepModel;
  /** Set if its agent or program must leave the files of the workspace as they are: a change fails the attempt. */
  readonly mutatesCheckout?: false;
  /** The protected databases that it works on. */
  readonly databases?: DatabasesSpec;
  /** `restore`: when an attempt fails, the files of the workspace are restored to their state before it. */
  readonly onFail?: 'restore';
}

/** The step only asks a person. */
export interface HumanWork {
  readonly kind: 'human';
  readonly question: ApprovalModel;
}

/** Different steps in parallel. */
export interface ParallelWork {
  readonly kind: 'parallel';
  readonly members: readonly StepModel[];
  readonly join: JoinModel;
  /** How many members work at once. Default: all. */
  readonly concurrency?: number;
  /** For steps that a flow yields together: what the flow gets. */
  readonly flow?: 'all' | 'race';
}

/** One step for every item of a list. The body has the id of the step, because the author wrote them as one. */
export interface EachWork {
  readonly kind: 'each';
  /** A path into the checkpoint's data, or an expression that returns the list. */
  readonly items: string;
  readonly body: StepModel;
  readonly join: JoinModel;
  readonly concurrency?: number;
}

/** A delay, which may end early when a condition holds. A condition that is a function is code. */
export interface DelayWork {
  readonly kind: 'delay';
  readonly durationMs: number;
  readonly poll?: { readonly intervalMs: number; readonly condition?: string };
}

/** Runs another workflow as a child. Its id is derived from the parent, so starting it again finds it. */
export interface ChildWork {
  readonly kind: 'workflow';
  readonly workflow: string;
  /** Set if the child is the review that the step was written as: its digest, and the roles and groups that it names. */
  readonly review?: { readonly digest: string; readonly roles: readonly string[]; readonly from?: readonly string[] };
  /** The child's input; null if a function builds it. */
  readonly input: Json;
  /** In an attended run: a sub-agent, dispatched by the agent of the parent run, does its steps. */
  readonly dispatch?: ChildDispatch;
}

/** A wait for a named signal from outside. */
export interface SignalWork {
  readonly kind: 'signal';
  readonly signal: string;
}

/** The validation stages of a project, and a step that fixes what they find. */
export interface ValidateWork {
  readonly kind: 'validate';
  /** Names of stages, the name of a stage or of a list of them, or null for all. */
  readonly stages: readonly string[] | string | null;
  /** How often the stages run again after a failure, with the repair before each. */
  readonly repairs: number;
  readonly onFailure?: StepModel;
}

/**
 * The configuration of each executed step kind, by its name. A kind adds its own in its declaration: `declare module
 * '../../definition/model.ts' { interface WorkConfigs { webhook: WebhookConfig } }`. The kinds of applications add
 * nothing: their steps have the kind `custom`, whose configuration has the name of the kind and what was written for it.
 */
export interface WorkConfigs {}

/** Executed work. Its configuration is up to its kind. */
export type ExecutedWork = { [Kind in keyof WorkConfigs]: { readonly kind: Kind; readonly config: WorkConfigs[Kind] } }[keyof WorkConfigs];

/** What does the work of a step, discriminated by `kind`. */
export type StepWork = HumanWork | ParallelWork | EachWork | DelayWork | ChildWork | SignalWork | ValidateWork | ExecutedWork;

/** One step as data. */
export type StepModel = StepFrame & StepWork;

/** The kinds of steps. */
export type StepKind = StepWork['kind'];

/** The work of one kind. */
export type WorkOf<Kind extends StepKind> = Extract<StepWork, { readonly kind: Kind }>;

/** A step of one kind. */
export type StepOf<Kind extends StepKind> = StepFrame & WorkOf<Kind>;

/** Returns the role whose agent or generator works at a step; undefined if none is named. */
export function roleOf(step: StepModel): string | undefined {
  if (!('config' in step)) return undefined;
  if ('role' in step.config) return step.config.role;
  return 'generator' in step.config ? step.config.generator : undefined;
}

/** Returns the steps inside a step: branches, the body of a fan-out, the repair of a validation. */
export function membersOf(step: StepWork): readonly StepModel[] {
  if (step.kind === 'parallel') return step.members;
  if (step.kind === 'each') return [step.body];
  return step.kind === 'validate' && step.onFailure !== undefined ? [step.onFailure] : [];
}

/** Returns a step and all steps inside it. */
export function stepsWithin(step: StepModel): StepModel[] {
  return [step, ...membersOf(step).flatMap(stepsWithin)];
}

/** Returns the step with each of its inner steps changed. */
export function withMembers(step: StepModel, change: (member: StepModel) => StepModel): StepModel {
  if (step.kind === 'parallel') return { ...step, members: step.members.map(change) };
  if (step.kind === 'each') return { ...step, body: change(step.body) };
  return step.kind === 'validate' && step.onFailure !== undefined ? { ...step, onFailure: change(step.onFailure) } : step;
}

/** A limit on the steps that work at once, over all runs. */
export interface Concurrency {
  /** The semaphore: `workflow:NAME` for one workflow alone, `shared:KEY` for all that name the key. */
  readonly key: string;
  readonly max: number;
}

/** What snapshots of the workspace contain in addition to the files that git does not ignore. */
export interface SnapshotModel {
  /** Patterns of ignored files to include; without git, of all files to include. */
  readonly include?: readonly string[];
  /** Set if steps take none, except those with `onFail: 'restore'`. */
  readonly off?: true;
}

/** A whole workflow as data. */
export type Definition = GraphDefinition | FlowDefinition;

/** A workflow whose steps and transitions are data. */
export interface GraphDefinition extends DefinitionFrame {
  readonly form: 'graph';
  readonly entry: string;
  readonly steps: readonly StepModel[];
}

/** A workflow whose generator function yields its steps: which they are is known only as it runs, so none are listed. */
export interface FlowDefinition extends DefinitionFrame {
  readonly form: 'flow';
  readonly steps: readonly [];
}

/** The step that runs of a graph begin at; a flow decides that itself. */
export function entryOf(definition: Definition): string | undefined {
  return definition.form === 'graph' ? definition.entry : undefined;
}

/** The fields that all workflows have in common. */
export interface DefinitionFrame {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The author's version label; it has no meaning to the engine. */
  readonly version?: string;
  readonly params: Readonly<Record<string, ArgModel>>;
  readonly limits: { readonly maxIterations: number };
  /** How many of its steps work at once, over all runs of all workflows with the same key. */
  readonly concurrency?: Concurrency;
  /** What all agents of a run may use, including child runs. When it is used up, the run waits. */
  readonly budget?: Budget;
  /** Limits that stop a run that goes on for too long. Default: those of the project. */
  readonly breakers?: Breakers;
  /** Patterns of files that no agent of this workflow may change. */
  readonly protected?: readonly string[];
  /** The protected databases of all steps that do not name their own. */
  readonly databases?: DatabasesSpec;
  /** Named outputs: the step that produces each. */
  readonly outputNames?: Readonly<Record<string, string>>;
  /** What its runs may do at the forge, and their agents to files. Unset ones follow the project. */
  readonly permissions?: Readonly<
    Partial<Record<'contents' | 'issues' | 'pull_requests' | 'checks' | 'discussions', 'none' | 'read' | 'write'>>
  >;
  /** How many comments, labels and so on the engine writes at the forge for the workers of one run. */
  readonly writes?: WriteLimits;
  /** Set if a person sees the writes of workers to the forge before they are made. */
  readonly staged?: true;
  /** The side step that reports, once, that a run failed or escalated. */
  readonly onError?: string;
  /** What a run does when something happens at the forge. */
  readonly onEvents?: readonly ReactionModel[];
  /** Names that are in the run's data from the start, null if not supplied: what the run is about at the forge. */
  readonly facts?: readonly string[];
  /** Snapshots of the workspace: which ignored files they include, or that none are taken. */
  readonly snapshot?: SnapshotModel;
  /** The initial data of a run, evaluated once, in order; texts may be templates. */
  readonly context?: readonly { readonly name: string; readonly value: Json }[];
}
