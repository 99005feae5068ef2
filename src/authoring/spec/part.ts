// Owns the types that all forms of a workflow share: transitions, questions, contracts, outputs, and the fields of every step
// and workflow. `step.ts` checks a record of steps with them; `../graph/spec.ts` has the list. Id is the type of step ids,
// Time the type of durations.

import type { Json, JsonObject } from '../../base/json.ts';
import type { BreakersSpec } from '../../definition/breakers.ts';
import type { Budget } from '../../definition/budget.ts';
import type { ActionsBuilder, CompiledWorkflow, ContextSource, RouteChoice, StepContext } from '../../definition/code.ts';
import type { StepContract } from '../../definition/contract/step-contract.ts';
import type { DatabasesSpec } from '../../definition/database.ts';
import type {
  Definition,
  EffectOutputModel,
  FileOutputModel,
  ForgeOutputModel,
  RecoveryPolicy,
  SnapshotModel,
} from '../../definition/model.ts';
import type { NetworkSpec } from '../../definition/network.ts';
import type { Arg, ArgValues } from '../../definition/param/arg.ts';
import type { ReviewItem } from '../../definition/review/review.ts';
import type { ReviewDocuments } from '../../definition/step-terms.ts';
import type { ScheduleSpec } from '../../definition/trigger/schedule.ts';
import type { StartCommandSpec } from '../../definition/trigger/start-command.ts';
import type { LiveAgent } from '../graph/dispatch.ts';
import type { ForgeQuestionSpec } from '../graph/forge-question.ts';
import type { ReactionSpec } from './reaction.ts';

/** A unit of time. */
export type TimeUnit = 'ms' | 's' | 'm' | 'h' | 'd' | 'w';
/** A span of time: `90s`, `1h30m`, `1d2h30m`, or a number of milliseconds. */
export type TimeSpan =
  | number
  | `${number}${TimeUnit}`
  | `${number}${TimeUnit}${number}${TimeUnit}`
  | `${number}w${number}d${number}h`
  | `${number}d${number}h${number}m`
  | `${number}h${number}m${number}s`
  | `${number}d${number}h${number}m${number}s`;

/** How a run ends: `null` completes it. */
export type RunEnding = 'complete' | 'fail' | 'escalate' | 'reject' | null;

/** A transition that is taken at most `maxIterations` times in a run, then `onExhausted`. */
export interface BoundedNext<Id = string> {
  readonly to: Id | RunEnding;
  readonly maxIterations?: number;
  readonly onExhausted?: Id | RunEnding;
  /** Values that are added to the run's data before the target starts; their texts may be templates. */
  readonly context?: JsonObject;
}

/** A transition that an expression chooses; the bound applies to targets that lead back. */
export interface ConditionalTarget<Id = string> {
  readonly condition: string;
  readonly onTrue: Id | RunEnding;
  readonly onFalse: Id | RunEnding;
  readonly maxIterations?: number;
  readonly onExhausted?: Id | RunEnding;
}

/** A condition of a contract: an expression, or a function that checks something. */
export interface StepCondition<C> {
  readonly name: string;
  readonly check: string | ((ctx: C) => boolean | Promise<boolean>);
  /** What to show when it does not hold. */
  readonly error: string;
}

/** An answer that a person can give. */
export interface AnswerOption<Id = string> {
  readonly label: string;
  /** Where it leads; without it, the step's `next` decides. */
  readonly nextStep?: Id | Exclude<RunEnding, null>;
  /** How the step settles with this answer. Default: the label if `next` names it, otherwise `ok`. */
  readonly outcome?: string;
  /** The person must write something. */
  readonly requiresInput?: boolean;
}

/** A value that can be used as a string. */
type TextValue = string | number | boolean;
type TextValues = Readonly<Record<string, TextValue>>;
/** A string, or a function that builds it when the step begins; without a context, only a string. */
export type TextOrFunction<C> = [C] extends [never] ? string : string | ((ctx: C) => TextValue | Promise<TextValue>);
/** Strings by name; each of them, or all together, may be built by a function. */
export type TextsOrFunction<C> = [C] extends [never]
  ? Readonly<Record<string, string>>
  : Readonly<Record<string, TextOrFunction<C>>> | ((ctx: C) => TextValues | Promise<TextValues>);
/** Data, or a function that builds it. Any value inside the data may also be a function. */
export type DataOrFunction<C> = [C] extends [never]
  ? Json
  : Json | ((ctx: C) => unknown) | readonly DataOrFunction<C>[] | { readonly [field: string]: DataOrFunction<C> };

/** A question to a person. */
export interface Question<Id = string, C = StepContext> extends ForgeQuestionSpec {
  readonly prompt: TextOrFunction<C>;
  /** Paths into the run's data whose values are shown with the question. */
  readonly show?: readonly string[];
  /** Default: approve or reject. */
  readonly options?: readonly AnswerOption<Id>[];
  /** The group or groups whose members decide. Default: everyone with the right to decide. */
  readonly from?: string | readonly string[];
  /** How many of them must agree. Default: 1. */
  readonly count?: number;
  /** The files or pull request that the question is about; if they change, it is asked again. */
  readonly subjects?: { readonly files?: readonly string[]; readonly pr?: true };
  /** A decision counts only with the signature of an enrolled key. */
  readonly signed?: boolean;
}

/** How often an attempt is retried, for which outcomes, and after which pause. */
export type Retry<Time = TimeSpan> =
  | number
  | {
      readonly max: number;
      readonly on?: readonly ('error' | 'timeout')[];
      readonly backoff?: { readonly initial: Time; readonly factor?: number; readonly max?: Time };
    };

/** How a group settles: when all, one, or so many of its members have succeeded. */
export type Join = 'all' | 'any' | number;

/** A pause; with `poll` it ends early, as soon as the condition holds. */
export interface DelayFields<C, Time = TimeSpan> {
  readonly duration: Time;
  readonly poll?: { readonly interval: Time; readonly condition: string | ((ctx: C) => boolean | Promise<boolean>) };
}

/** A request to a web service; without `expect`, any 2xx response is accepted. */
export interface Webhook<C = never> {
  readonly request: {
    readonly url: TextOrFunction<C>;
    readonly method?: string;
    readonly headers?: TextsOrFunction<C>;
    readonly body?: DataOrFunction<C>;
  };
  readonly expect?: { readonly status?: number; readonly body?: Json };
}

/** A program: a shell line, or a list of words that is started without a shell. */
export type Program = { readonly run: string; readonly argv?: undefined } | { readonly argv: readonly string[]; readonly run?: undefined };

/** The actions of the forge, with their fields. Strings may be templates, or functions that build them. */
export interface ForgeActions<C = never> {
  /** `pr`, here and below: the step whose pull request it is; without it, that of the run. */
  merge_pr: {
    readonly method?: 'merge' | 'squash' | 'rebase';
    readonly delete_branch?: boolean;
    readonly wait?: string;
    readonly pr?: string;
  };
  close_issue: { readonly issue?: number | TextOrFunction<C> };
  create_issue: { readonly title: TextOrFunction<C>; readonly body?: TextOrFunction<C>; readonly labels?: readonly TextOrFunction<C>[] };
  label: {
    readonly add?: readonly TextOrFunction<C>[];
    readonly remove?: readonly TextOrFunction<C>[];
    readonly target?: 'issue' | 'pr';
    readonly pr?: string;
  };
  label_issue: { readonly add: readonly TextOrFunction<C>[]; readonly target?: 'issue' | 'pr' };
  notify: { readonly target: string; readonly message?: TextOrFunction<C> };
  comment: { readonly target?: 'issue' | 'pr'; readonly message: TextOrFunction<C>; readonly pr?: string };
}

/** An action at the forge with its fields. */
export type AnyAction<C> = { [A in keyof ForgeActions]: { readonly action: A } & ForgeActions<C>[A] }[keyof ForgeActions];

/** A workflow that can be a child: its name, or the workflow itself. */
export type ChildWorkflow = string | CompiledWorkflow | { readonly compiled: CompiledWorkflow };

/** Values by name, for an agent or a child. */
export type NamedValues = Readonly<Record<string, unknown>>;

/** The fields of a step that starts a program. */
export interface CommandFields<C> {
  command: string | readonly string[];
  /** Its environment; values may be functions of the context. */
  env: TextsOrFunction<C>;
  cwd: TextOrFunction<C>;
}

/** The fields of a step that an agent does. */
export interface AgentFields<C> {
  agent: string | LiveAgent;
  /** Its task: a string, or a function of the context. */
  prompt: TextOrFunction<C>;
  /** Which of the agent's actions. */
  action: TextOrFunction<C>;
  /** The script that the agent is dispatched with. */
  script: string;
  context: NamedValues | ((ctx: C) => NamedValues | Promise<NamedValues>);
  /** The JSON Schema that its output must match. */
  schema: JsonObject;
  /** The budget of all attempts of the step in a run; when it is used up, the step waits for more. */
  budget: Budget;
  /** It reviews something and must give a verdict; implied by a transition for `reject`. */
  reviews: boolean;
  /** It gets the run's data in addition to its own context. */
  seesContext: boolean;
  /** It continues the latest session of its role in the run. */
  continueSession: boolean;
  /** It may relay questions to the person it works for. */
  supportsQuestions: boolean;
  /** The files in which it saves its progress before it asks, such as `plan.json`: questions without it are rejected. */
  questionState: string;
}

/** An agent of a review: its role, a live object, or either with more instructions and limits. */
export type ReviewAgent =
  | string
  | LiveAgent
  | {
      readonly agent: string | LiveAgent;
      /** Additional instructions. */
      readonly prompt?: string;
      readonly budget?: Budget;
      readonly timeout?: TimeSpan;
    };

/**
 * A quality review that ends. The subject is split into items once; each is verified by a fresh reviewer; the engine
 * judges the round; an agent fixes what stops the work, and it is reviewed again. Fewer severities stop the work in later
 * rounds; after the last one a person decides.
 */
export interface ReviewFields {
  /** What is reviewed, in a sentence. In a workflow file it may be a template. */
  readonly subject: string;
  /** Verifies an item. Each item gets a new one. */
  readonly reviewer: ReviewAgent;
  /** Fixes what stops the work. */
  readonly fixer: ReviewAgent;
  /** The items to verify. Default: an agent splits the subject into items. */
  readonly items?: readonly ReviewItem[];
  /** Splits the subject into items. Default: the reviewer's role does. */
  readonly splitter?: ReviewAgent;
  /** After this many rounds a person decides. Default: 8, the maximum. */
  readonly rounds?: number;
  /** How many items are verified at the same time. Default: all. */
  readonly concurrency?: number;
  /** The group or groups whose members decide after the last round. */
  readonly from?: string | readonly string[];
  /** Its name in messages. Default: the id of the step. */
  readonly name?: string;
}

/**
 * Something that a step produces. It must exist before the step counts as done: files that match and have changed, a
 * comment or pull request that the engine creates from what the worker returns, or something that a function finds, such
 * as a database row: after the work it must find something, and not the same as before.
 */
export type OutputSpec<C = StepContext> =
  | OutputModelSpec<FileOutputModel>
  | OutputModelSpec<ForgeOutputModel>
  | (OutputModelSpec<EffectOutputModel> & { readonly find: (ctx: C) => unknown });
/** An output in the spec. */
export type OutputModelSpec<Model extends { readonly required: boolean }> = Omit<Model, 'required'> & {
  /** Whether the step is only done with it. Default: false. */
  readonly required?: boolean;
};

/** Extends `timeout` when it has passed, at most `max` times (default: once); `onExtend` is a side step that runs each time. */
export interface TimeoutExtension<Id = string, Time = TimeSpan> {
  readonly by: Time;
  readonly max?: number;
  readonly onExtend?: Id;
}

/** The fields of a step whose worker produces something. */
export interface OutputFields<C> {
  /** The products of the step. */
  outputs: readonly OutputSpec<C>[];
  /**
   * Since when files among the outputs must have changed: `activation`, each visit of the step; `run`, the start of the
   * run, so that the work of an earlier step counts. Default: since the step first began in the run.
   */
  fresh: 'activation' | 'run';
}

/** The undo of a step: a function, a program, or an action at the forge. */
export type Undo<C> = ((ctx: C) => unknown) | UndoWork<C>;

/** The undo of a step, with its options. Strings of `env` and of an action may be templates; `result` is the result. */
export type UndoWork<C> = {
  readonly title?: string;
  readonly timeout?: TimeSpan;
  /** What happens when a crash interrupts it: `ask` a person (the default), or `rerun` it if running it twice does no harm. */
  readonly recovery?: 'rerun' | 'ask';
} & (
  | { readonly handler: (ctx: C) => unknown; readonly command?: never; readonly forge?: never }
  | {
      readonly command: CommandFields<C>['command'];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
      readonly handler?: never;
      readonly forge?: never;
    }
  | { readonly forge: AnyAction<never>; readonly handler?: never; readonly command?: never }
);

type ParamsOf<C> = C extends { readonly params: infer Params } ? Params : never;

/** How code chooses the outcome of a step: its further outcomes, and the function that chooses `ok` or one of them. */
export interface Route<Outcome extends string = string, Params = JsonObject, Other extends string = never> {
  readonly outcomes: readonly Outcome[];
  /** `reject` leaves a verdict as it is. */
  readonly choose: RouteChoice<Outcome | Other | 'ok' | 'reject', Params>;
}

/** The fields that every step can have, of any kind. Side are the ids of side steps. */
export interface SharedFields<C, Side = string, Time = TimeSpan> {
  title: string;
  /** Instructions, or a function of the parameters that returns them. A step may have nothing else. */
  actions: readonly string[] | ActionsBuilder<ParamsOf<C>>;
  args: Readonly<Record<string, Arg>>;
  preconditions: readonly StepCondition<C>[];
  postconditions: readonly StepCondition<C>[];
  retry: Retry<Time>;
  timeout: Time;
  extend: TimeoutExtension<Side, Time>;
  /** How often a failed postcondition is retried with the evidence. Default: once. */
  contractRetries: number;
  recovery: RecoveryPolicy;
  /** Returns whether an attempt without a recorded end took effect. */
  reconcile: (ctx: C) => unknown;
  /** An expression; when it is false the step is skipped. */
  condition: string;
  slots: readonly string[];
  /** The fields of an object result that are added to the run's data. Default: all of them. */
  merges: false | readonly string[];
  /** The strings of its work are templates. */
  templates: boolean;
  /** No other step leads to it: the engine runs it in the background (`extend.onExtend`, `onError`), and it leads nowhere. */
  side: true;
  /** Patterns of files that an agent at this step may not change, in addition to those that are always protected. */
  protected: readonly string[];
  /** Patterns of protected files that an agent at this step may change. */
  mayChange: readonly string[];
  /** Patterns of the files that it changes: branches that would write the same files get their own checkouts. */
  writes: readonly string[];
  /** The hosts that its agent or program may connect to: `false` for none. An agent's role must allow them, too. */
  network: NetworkSpec;
  /** `false`: its agent or program must leave the files of the workspace as they are, or the attempt fails. */
  mutatesCheckout: false;
  /** The writes at the forge that its worker requests are shown to a person and done after approval. */
  staged: true;
  /**
   * The protected databases that it works on, by their names in the settings: `[book]`, or `{ book: { access: 'read' } }`.
   * Functions have them as `ctx.db` (if it is one) and `ctx.databases.book`; agents and programs get a copy. What they
   * change is accepted with the step, in one transaction, or dropped.
   */
  databases: DatabasesSpec;
  /** When an attempt fails, times out or breaks its contract, the files of the workspace are restored to their state before it. */
  onFail: 'restore';
  /** Documents that it must write and their required content, files that must change, a command that must pass. */
  contract: StepContract;
  /** The review loop that its result belongs to. */
  reviewOf: ReviewDocuments;
  /** Chooses the outcome when the work is accepted: `ok`, or one of `outcomes`, which are further keys of `next`. */
  route: Route;
  /**
   * Undoes the result when the run fails, is rejected or is cancelled. The latest work is undone first. `ctx.result` is
   * the result, `ctx.undoes` its attempt.
   */
  undo: Undo<C>;
  /**
   * It reviews work, so an agent that did none of it must do this step. It gets neither the results of earlier steps nor
   * what went wrong, so that it reviews with fresh eyes.
   */
  independent: true;
}

/** The fields that every workflow can have in addition to its name and its steps. */
export interface WorkflowFields<P, A, Side = string, Step = string> {
  readonly title?: string;
  readonly description?: string;
  /** Your label for this version. */
  readonly version?: string;
  readonly params?: P;
  /** Builds the application's part of the context, once per attempt. */
  readonly context?: (run: ContextSource<ArgValues<P>>) => A | Promise<A>;
  /** The schedule, or the command in a comment, that starts it while `pawl serve` runs. */
  readonly trigger?: ScheduleSpec | StartCommandSpec;
  readonly limits?: { readonly maxIterations?: number };
  /**
   * What happens to an attempt without a recorded end after a crash, at steps that do not set it themselves. Webhooks and
   * kinds of the application keep their own.
   */
  readonly recovery?: Exclude<RecoveryPolicy, 'reconcile'>;
  /** How many of its steps work at the same time, over all runs of all workflows with the same key. */
  readonly concurrency?: NonNullable<Definition['concurrency']>;
  /** The total budget of the agents of a run and of the runs that it starts; when it is used up, the run waits for more. */
  readonly budget?: Budget;
  /** Limits that stop a run that takes too long: `true` for the defaults, or the values that differ. */
  readonly circuitBreakers?: BreakersSpec;
  /** Patterns of files that its agents may not change, in addition to those that are always protected. */
  readonly protected?: readonly string[];
  /** The protected databases of all steps that do not name their own. */
  readonly databases?: DatabasesSpec;
  /** Snapshots of the workspace around its steps: ignored files that are in them, or `off`. */
  readonly snapshot?: SnapshotModel;
  /** What its runs may do at the forge; it can narrow what the project allows, never widen it. */
  readonly permissions?: NonNullable<Definition['permissions']>;
  /** How many comments, labels and so on the engine writes at the forge for its agents and programs in one run. */
  readonly writes?: NonNullable<Definition['writes']>;
  /** The writes at the forge that its agents and programs request are shown to a person and done after approval. */
  readonly staged?: true;
  /** The initial data of the run, evaluated once, in order; strings may be templates. */
  readonly data?: JsonObject;
  /** Names that are in the run's data from the start, with null if no value is given. */
  readonly facts?: readonly string[];
  /** The side step that runs once when a run has failed or escalated. */
  readonly onError?: Side;
  /** What a run does when something happens at the forge. */
  readonly onEvents?: readonly ReactionSpec<Step>[];
}
