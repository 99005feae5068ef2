// Owns the interface between a host and the work: the request for an attempt, and its result. The result is what the engine
// observed, never just what a worker claimed.

import type { Json, JsonObject } from '../base/json.ts';
import type { BoundStep, CompiledWorkflow, UndoneWork } from '../definition/code.ts';
import type { WorkHead } from '../definition/forge/work-head.ts';
import type { StepModel } from '../definition/model.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { AnsweredAssumption, AssumptionText } from '../definition/question/assumption.ts';
import type { PersonNote, Setback } from '../definition/question/notes.ts';
import type { Subjects } from '../definition/question/subjects.ts';
import type { LastDecision } from '../definition/scope/scope.ts';
import type { Activation } from '../kernel/activation.ts';
import type { AttemptPhase } from '../kernel/effect.ts';
import type { StepError } from '../kernel/input.ts';
import type { SavedState } from './worker/saved-state.ts';

/** The run's record for handlers and conditions, loaded by the host when a step needs it. */
export interface Snapshot {
  /** The merged data, without the params. */
  readonly data: JsonObject;
  /** The latest output of each completed step, by name. */
  readonly results: Readonly<Record<string, Json>>;
  readonly completedSteps: Iterable<string>;
  readonly iterationCounts: Readonly<Record<string, number>>;
  /** The last decision of a person. */
  readonly decision: LastDecision | undefined;
}

/** How the last visit of a step ended at which a person decided. */
export interface RecordedDecision {
  readonly option: string;
  readonly actor: string;
  readonly outcome: OutcomeName;
}

/** Work in a side checkout. */
export interface SideWork {
  /** The tree of the workspace when the checkout was created, if a merge may depend on it. */
  readonly tree?: { readonly id: string; readonly head?: string };
}

/** The runs that a run started, and its ancestors. They all use the same workspace. */
export interface RunTreeAccess {
  /** True when another run started this one. */
  readonly isChild: boolean;
  /** A workflow that a step starts by name; undefined if it does not exist. */
  workflow(name: string): CompiledWorkflow | undefined;
  /** The other runs with their data; of the runs that one step started, the newest comes first. */
  others(): Promise<readonly RelatedRun[]>;
}

/** Another run of the same tree. */
export interface RelatedRun {
  readonly data: JsonObject;
  /** The steps that led to it, starting at the topmost run: the same for all runs that one step started. */
  readonly place: string;
  /** Whether the step that started it has started a newer run; then its verdicts no longer count. */
  readonly isReplaced: boolean;
}

/** A setback of a run or its ancestors that no agent has worked on since. */
export interface PastSetback extends Omit<Setback, 'output'> {
  readonly output: Json;
  /** True for a setback of an ancestor. */
  readonly inParent?: true;
}

/** An assumption that blocks a merge. */
export interface BlockingAssumption {
  readonly run: string;
  readonly id: string;
  readonly step: string;
  /** Whether it was answered, but the work does not follow the answer yet. */
  readonly isAnswered: boolean;
}

/** The past of a run and its ancestors in the instructions of agents, oldest first. */
export interface RunPast {
  readonly setbacks: readonly PastSetback[];
  readonly notes: readonly PersonNote[];
  /** Assumptions that people have answered. */
  readonly answered: readonly AnsweredAssumption[];
}

/** A host's request for one attempt. */
export interface AttemptRequest<Model extends StepModel = StepModel> {
  /**
   * prepare: preconditions only. execute: everything. verify: postconditions of `result`. reconcile: did it take effect?
   * observe: the current subjects of a question to a person.
   */
  readonly want: AttemptPhase;
  readonly bound: BoundStep<Model>;
  readonly activation: Activation;
  readonly runId: string;
  /** When the run began, in milliseconds; together with its id it identifies the run. */
  readonly startedAt: number;
  /** The workspace of this run, if it is not that of the services. */
  readonly workspace?: string;
  /** The run's own branch in that workspace, if it has one. */
  readonly head?: WorkHead;
  /** The priority of the run, which its child runs inherit. */
  readonly priority?: number;
  /** Set for work in a side checkout, where baselines of the workspace do not apply. */
  readonly sideWork?: SideWork;
  readonly workflow: CompiledWorkflow;
  /** Absent in a host without child runs. */
  readonly runTree?: RunTreeAccess;
  readonly params: JsonObject;
  /** verify: the result of the work; for an undo: the result to undo. */
  readonly result: Json;
  /** Set if the work undoes an earlier attempt. */
  readonly undoes?: UndoneWork;
  /** The person's answers so far: each entry is a list of questions with answers. */
  readonly answers?: readonly Json[] | undefined;
  /** The state that the worker saved before the last of these questions. */
  readonly savedState?: SavedState | undefined;
  /** Messages of people to the run that no agent has seen yet, oldest first. */
  readonly notes?: readonly PersonNote[] | undefined;
  /** Answered assumptions of this run, oldest first. */
  readonly answered?: readonly AnsweredAssumption[] | undefined;
  /** Finds the assumptions of the run's tree that block a merge. */
  readonly blockingAssumptions?: () => Promise<readonly BlockingAssumption[]>;
  /** Loads the past for the instructions; absent if there is none. */
  readonly past?: () => Promise<RunPast>;
  /** The number of this visit of the step, or of its group; 1 if visits are not counted. */
  readonly visit?: number;
  /** For a member: the step of its group. */
  readonly group?: StepModel | undefined;
  /** For a member of a fan-out: its item. */
  readonly item: Json | undefined;
  /** Loads the run's record; the same record while nothing settles. */
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
  /** Reads from the log how people decided when a step was visited last; undefined if nobody did. Absent in a host without a log. */
  readonly decisionAt?: (step: string) => Promise<RecordedDecision | undefined>;
  readonly signal: AbortSignal;
}

/** The result of one check of a gate or a validation. `passed: null`: it could not run. */
export interface CheckResult {
  readonly type: string;
  readonly config: Json;
  readonly passed: boolean | null;
  readonly result: Json;
  readonly error?: string;
  readonly at: number;
}

/** The record of an attempt, besides its verdict. */
export interface AttemptRecord {
  /** What the worker claimed, if it is worth recording. */
  readonly claim?: Json;
  /** What the engine observed: conditions with their verdicts, exit codes. */
  readonly evidence?: Json;
  /** Who did it: a role, a program. */
  readonly actor?: string;
  /** Data that is added to the run's data, however the attempt ended. */
  readonly remember?: JsonObject;
  readonly checks: readonly CheckResult[];
}

/** The result of a request. `ready`: preconditions hold, or a reconciliation found that nothing happened. */
export type AttemptResult =
  | ({
      readonly type: 'settled';
      readonly outcome: OutcomeName;
      readonly output: Json;
      /** Assumptions that the worker made instead of asking. */
      readonly assumptions?: readonly AssumptionText[];
    } & AttemptRecord)
  | ({ readonly type: 'errored'; readonly error: StepError; readonly output?: Json } & AttemptRecord)
  | ({
      readonly type: 'ready';
      /** The baseline before the work, for the run's data. */
      readonly found?: JsonObject;
      /** The work is handed to an attended worker, so beginning it changes nothing. */
      readonly handsOut?: true;
      /** The question to a person, if a function builds it. */
      readonly prompt?: string;
    } & AttemptRecord)
  | {
      readonly type: 'observed';
      readonly subjects: Subjects;
      /** Data that is added to the run's data when the question is approved, and after any other answer. */
      readonly approved?: JsonObject;
      readonly refused?: JsonObject;
      /** Fields that an approval adds to the step's result. */
      readonly output?: JsonObject;
    }
  | ({ readonly type: 'handed'; readonly handover: JsonObject } & AttemptRecord)
  | ({ readonly type: 'asked'; readonly questions: Json; readonly saved?: SavedState } & AttemptRecord);

/** Carries out a request for one attempt. It never rejects: a failure is a result. */
export type AttemptRunner = (request: AttemptRequest) => Promise<AttemptResult>;
