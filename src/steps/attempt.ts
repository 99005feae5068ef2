// Owns the interface between a host and the work itself: the request for an attempt, and its result. A host asks for one
// of five things; the result is what the engine observed, never what a worker merely said.

import type { Json, JsonObject } from '../base/json.ts';
import type { AnsweredAssumption, AssumptionText } from '../definition/assumption.ts';
import type { BoundStep, CompiledWorkflow, UndoneWork } from '../definition/code.ts';
import type { StepModel } from '../definition/model.ts';
import type { PersonNote, Setback } from '../definition/notes.ts';
import type { OutcomeName } from '../definition/outcome.ts';
import type { WorkHead } from '../definition/work-head.ts';
import type { Activation } from '../kernel/activation.ts';
import type { StepWork } from '../kernel/effect.ts';
import type { StepError } from '../kernel/input.ts';
import type { SavedState } from './saved-state.ts';

/** The run's record as handlers and conditions see it, loaded by the host when a step needs it. */
export interface Snapshot {
  /** The merged data, without the params. */
  readonly data: JsonObject;
  /** The latest output of each completed step, by name. */
  readonly results: Readonly<Record<string, Json>>;
  readonly completedSteps: Iterable<string>;
  readonly iterationCounts: Readonly<Record<string, number>>;
  readonly gateDecision: { readonly gate: string; readonly option: string; readonly input?: string | undefined } | undefined;
}

/** Work in a checkout of its own. */
export interface SideWork {
  /** The tree of the workspace that it began with, where a landing may be held to it. */
  readonly tree?: { readonly id: string; readonly head?: string };
}

/** The runs that a run started, and those that led to it. They all work in the same place. */
export interface RunFamily {
  /** True when another run started this one. */
  readonly isChild: boolean;
  /** A workflow that a step starts by its name; undefined when there is none. */
  workflow(name: string): CompiledWorkflow | undefined;
  /** What the other runs keep; of the runs that one step started, the newest comes first. */
  others(): Promise<readonly FamilyRun[]>;
}

/** Another run of a family. */
export interface FamilyRun {
  readonly data: JsonObject;
  /** The steps that led to it, from the topmost run on: the same for all runs that one step started. */
  readonly place: string;
  /** True when the step that started it has started another one since: what it judged does not count any more. */
  readonly isReplaced: boolean;
}

/** What went wrong in a run, or in one above it, and no agent has worked on since. */
export interface PastSetback extends Omit<Setback, 'output'> {
  readonly output: Json;
  /** True for a setback of a run that led to this one. */
  readonly inParent?: true;
}

/** An assumption without whose answer nothing lands. */
export interface HoldingAssumption {
  readonly run: string;
  readonly id: string;
  readonly step: string;
  /** It was answered, and the work does not follow the answer yet. */
  readonly isAnswered: boolean;
}

/** What agents are told of a run's past, oldest first: its own and that of the runs that led to it. */
export interface RunPast {
  readonly setbacks: readonly PastSetback[];
  readonly notes: readonly PersonNote[];
  /** What workers assumed and people have answered. */
  readonly answered: readonly AnsweredAssumption[];
}

/** One thing a host wants done for one attempt. */
export interface AttemptRequest<Model extends StepModel = StepModel> {
  /**
   * prepare: preconditions only. execute: all of it. verify: postconditions of `result`. reconcile: did it happen?
   * observe: what the question to a person is about, as it is now.
   */
  readonly want: StepWork;
  readonly bound: BoundStep<Model>;
  readonly activation: Activation;
  readonly runId: string;
  /** When the run began, in milliseconds; with its id it is told from every other run. */
  readonly startedAt: number;
  /** Where this run works, when that is not the workspace of the services. */
  readonly workspace?: string;
  /** The branch that is checked out there, where the run has one of its own, and where its commits go. */
  readonly head?: WorkHead;
  /** The priority of the run, which its child runs inherit. */
  readonly priority?: number;
  /** While it works in a checkout of its own: what was found before, elsewhere, is no measure. */
  readonly apart?: SideWork;
  readonly workflow: CompiledWorkflow;
  /** Absent in a host without child runs. */
  readonly family?: RunFamily;
  readonly params: JsonObject;
  /** verify: the result of the work; of an undo: the result that is taken back. */
  readonly result: Json;
  /** Set if the work takes back what an earlier attempt did. */
  readonly undoes?: UndoneWork;
  /** What the person the worker works for answered so far: a list of questions with their answers each. */
  readonly answers?: readonly Json[] | undefined;
  /** The state that the worker saved before the last of these questions. */
  readonly savedState?: SavedState | undefined;
  /** What people wrote to the run and no agent has worked with yet, oldest first. */
  readonly notes?: readonly PersonNote[] | undefined;
  /** What workers of this run assumed and people have answered, oldest first. */
  readonly answered?: readonly AnsweredAssumption[] | undefined;
  /** Finds the assumptions of the run and its family without whose answers nothing lands. */
  readonly holding?: () => Promise<readonly HoldingAssumption[]>;
  /** Loads what agents are told of the past; absent where there is none. */
  readonly past?: () => Promise<RunPast>;
  /** Which visit of its step in the run this is, or of the step it is a member of; 1 where steps are not counted. */
  readonly visit?: number;
  /** A member: the step whose branches or items work side by side. */
  readonly group?: StepModel | undefined;
  /** A member of a fan-out: its item. */
  readonly item: Json | undefined;
  /** Loads the run's record; the same record while nothing settles. */
  readonly snapshot: () => Snapshot | Promise<Snapshot>;
  readonly signal: AbortSignal;
}

/** One check of a gate or a validation, as it was made. `passed: null`: it could not be made. */
export interface CheckResult {
  readonly type: string;
  readonly config: Json;
  readonly passed: boolean | null;
  readonly result: Json;
  readonly error?: string;
  readonly at: number;
}

/** What is kept beside the verdict of an attempt. */
export interface Observed {
  /** What the worker said, where that is worth keeping beside what was observed. */
  readonly claim?: Json;
  /** What the engine saw: conditions with their verdicts, process ends. */
  readonly evidence?: Json;
  /** Who did it: a role, a program. */
  readonly actor?: string;
  /** What joins the run's data, however the attempt ended. */
  readonly remember?: JsonObject;
  readonly checks: readonly CheckResult[];
}

/** The result of a request. `ready`: preconditions hold, or a reconciliation found that nothing happened. */
export type AttemptResult =
  | ({
      readonly type: 'settled';
      readonly outcome: OutcomeName;
      readonly output: Json;
      /** What the worker assumed instead of asking. */
      readonly assumptions?: readonly AssumptionText[];
    } & Observed)
  | ({ readonly type: 'errored'; readonly error: StepError; readonly output?: Json } & Observed)
  | ({
      readonly type: 'ready';
      /** What was found before the work, for the run's data. */
      readonly found?: JsonObject;
      /** The work is handed to somebody who reports by themselves: beginning it changes nothing. */
      readonly handsOut?: true;
      /** The question to a person, where a function builds it. */
      readonly prompt?: string;
    } & Observed)
  | {
      readonly type: 'observed';
      readonly subjects: JsonObject;
      /** Data that joins the run's when the question is approved, and when it is answered otherwise. */
      readonly approved?: JsonObject;
      readonly refused?: JsonObject;
      /** Fields that an approval adds to the step's result. */
      readonly output?: JsonObject;
    }
  | ({ readonly type: 'handed'; readonly handover: JsonObject } & Observed)
  | ({ readonly type: 'asked'; readonly questions: Json; readonly saved?: SavedState } & Observed);

/** Does what a host asks for one attempt. It never rejects: a failure is a result. */
export type AttemptRunner = (request: AttemptRequest) => Promise<AttemptResult>;
