// Owns the names of the types that the parts of the library are made of: stores, forges, agents, logs and definitions. Few
// programs write them, but signatures name them, so a program that keeps such a value can name its type.

export type {
  AgentAnswerFields,
  AgentEvent,
  AgentFailure,
  AgentPermissions,
  AgentQuestion,
  AgentRefusal,
  AgentReply,
  AgentUsage,
  ToolAction,
  Watchdogs,
} from './agents/driver.ts';
export type { BuiltInCheckName, CheckFieldsBase } from './authoring/spec/check.ts';
export type {
  AgentFields,
  AnyAction,
  ChildWorkflow,
  CommandFields,
  DataOrFunction,
  DelayFields,
  NamedValues,
  OutputFields,
  OutputModelSpec,
  Route,
  SharedFields,
  TextOrFunction,
  TextsOrFunction,
  TimeoutExtension,
  Undo,
  UndoWork,
  WorkflowFields,
} from './authoring/spec/part.ts';
export type { GraphReaction, ReactionConditions, ReactionSpec } from './authoring/spec/reaction.ts';
export type { AgentObject, ContextSpec } from './authoring/spec/worker.ts';
export type { ScheduledParams } from './authoring/spec/workflow.ts';
export type { DecisionStatement } from './authority/statement.ts';
export type { Ref } from './base/digest.ts';
export type {
  CheckCode,
  CheckCodes,
  CheckDeclaration,
  CheckFrame,
  CheckModel,
  CheckOf,
  CheckTraits,
  CustomCheckModel,
  CustomCheckName,
} from './definition/check.ts';
export type {
  AcceptedWork,
  ActionsBuilder,
  ActionsContext,
  BoundStep,
  BuiltActions,
  BuiltValue,
  ConditionCheck,
  ContextSource,
  LoopPosition,
  RouteChoice,
  TaskReturn,
  UndoneWork,
} from './definition/code.ts';
export type { DatabasesSpec, DatabaseUseSpec } from './definition/database.ts';
export type { ForgeOutputType, WriteKind, WriteLimits } from './definition/forge/forge-write.ts';
export type { WorkHead } from './definition/forge/work-head.ts';
export type { Counters, Group } from './definition/group/join.ts';
export type { KindReport } from './definition/kind.ts';
export type {
  ApprovalModel,
  ApprovalOptionModel,
  ArgModel,
  ChildWork,
  Choice,
  Concurrency,
  ConditionModel,
  Definition,
  DefinitionFrame,
  DelayWork,
  EachWork,
  Edge,
  EffectOutputModel,
  ExecutedWork,
  FileOutputModel,
  FlowDefinition,
  ForgeOutputModel,
  ForgeQuestion,
  GraphDefinition,
  HumanWork,
  JoinModel,
  NextTable,
  OutputModel,
  ParallelWork,
  RecoveryPolicy,
  RetryPolicy,
  SignalWork,
  SnapshotModel,
  StepFrame,
  StepKind,
  StepModel,
  StepWork,
  Target,
  ValidateWork,
} from './definition/model.ts';
export type { NetworkSpec } from './definition/network.ts';
export type { OutcomeName } from './definition/outcome.ts';
export type { ConfigParser, ConfigSchema, SchemaVerdict, WrittenFor } from './definition/parser.ts';
export type { DeleteRequest, StatementParameters } from './definition/protected-database.ts';
export type {
  Decision,
  HumanWait,
  Observation,
  OutsideQuestion,
  QuestionState,
  ShownSubjects,
  Vote,
} from './definition/question/asked-question.ts';
export type { Assumption, AssumptionAnswer, AssumptionPlace } from './definition/question/assumption-record.ts';
export type { PersonNote, Setback } from './definition/question/notes.ts';
export type { StepCompleted, StepStarted, WorkflowCompleted, WorkflowStarted } from './definition/result.ts';
export type { LastDecision } from './definition/scope/scope.ts';
export type { Detour, Override, QuestionBefore } from './definition/skipped-steps.ts';
export type { ChildDispatch, ReviewDocuments, StepTerms } from './definition/step-terms.ts';
export type { ReactionModel, ReturnTarget } from './definition/trigger/reaction.ts';
export type { ScheduleSpec } from './definition/trigger/schedule.ts';
export type { StartCommandSpec } from './definition/trigger/start-command.ts';
export type { RequestModel } from './definition/web-request.ts';
export type {
  ChangedFile,
  ChangeSource,
  CheckReport,
  CheckRun,
  CommentReactionRequest,
  CommentRequest,
  CompletedAction,
  DiscussionReply,
  FetchRequest,
  ForgeActor,
  ForgeAnswer,
  ForgeApproval,
  ForgeComment,
  ForgeEvent,
  ForgeFailure,
  ForgeGit,
  ForgeIdentity,
  ForgeNotification,
  ForgeReader,
  IssueFacts,
  IssueRequest,
  LabelRequest,
  LineComment,
  MergeMethod,
  MergeRequest,
  MergeResult,
  Permission,
  PostedComment,
  PullRequestFacts,
  PullRequestRequest,
  PushRequest,
  RepositoryFacts,
  ReviewersRequest,
  ReviewRequest,
  WatchOptions,
} from './forge/forge.ts';
export type { Activation, ActivationIn, ActivationState, Membership, Path, PendingResult, Visit, Wait } from './kernel/activation.ts';
export type { ChangeOf, Changes, EventOf, Events, RunChange, SignedRecord, TakenEdge } from './kernel/event.ts';
export type {
  AttemptEnding,
  AttemptInput,
  ControlAction,
  InputOf,
  Inputs,
  RunInput,
  StepError,
  StepFailure,
  StepShortage,
} from './kernel/input.ts';
export type { RunBeginning } from './kernel/program.ts';
export type { Halt, HaltCause, HaltedStep, RunState } from './kernel/run-state.ts';
export type { ActionStep } from './kinds/action/spec.ts';
export type { AgentStep } from './kinds/agent/spec.ts';
export type { CommandStep } from './kinds/command/spec.ts';
export type { CustomStep } from './kinds/custom/spec.ts';
export type { DelayStep } from './kinds/delay/spec.ts';
export type { EachStep } from './kinds/each/spec.ts';
export type { AnyOfFields } from './kinds/gate/checks/any-of/spec.ts';
export type { BranchUpToDateCheck } from './kinds/gate/checks/branch-up-to-date/declare.ts';
export type { CiStatusCheck } from './kinds/gate/checks/ci-status/declare.ts';
export type { CommandCheckFields, CommandJudgement } from './kinds/gate/checks/command/spec.ts';
export type { CoverageFields } from './kinds/gate/checks/coverage/spec.ts';
export type { FileExistsCheck } from './kinds/gate/checks/file-exists/declare.ts';
export type { HumanApprovedCheck } from './kinds/gate/checks/human-approved/declare.ts';
export type { LabelPresentCheck } from './kinds/gate/checks/label-present/declare.ts';
export type { NoChangesRequestedCheck } from './kinds/gate/checks/no-changes-requested/declare.ts';
export type { PrApprovalCheck } from './kinds/gate/checks/pr-approval/declare.ts';
export type { PrApprovalsMetCheck } from './kinds/gate/checks/pr-approvals-met/declare.ts';
export type { WebhookCheckFields } from './kinds/gate/checks/webhook/spec.ts';
export type { GateFields, GateStep } from './kinds/gate/spec.ts';
export type { GenerateStep } from './kinds/generate/spec.ts';
export type { HumanStep } from './kinds/human/spec.ts';
export type { ParallelStep } from './kinds/parallel/spec.ts';
export type { ReviewStep } from './kinds/review/spec.ts';
export type { SignalStep } from './kinds/signal/spec.ts';
export type { BuiltInChecks, Kinds } from './kinds/spec.ts';
export type { TaskStep } from './kinds/task/spec.ts';
export type { ValidateStep } from './kinds/validate/spec.ts';
export type { WebhookStep } from './kinds/webhook/spec.ts';
export type { WorkflowStep } from './kinds/workflow/spec.ts';
export type { PrintedOutput, ProcessResult } from './process/command.ts';
export type { Redactor, RedactorStream } from './process/redact.ts';
export type { FlowFailure, FlowGroup } from './programs/flow-step.ts';
export type { ApprovalFacts, BranchFacts, CheckFacts, ForgeFacts, ForgeSubject, LabelFacts } from './steps/forge/forge-facts.ts';
export type { DatabaseService, WriteSetting } from './steps/services.ts';
export type { WebRefusal } from './steps/web/destination.ts';
export type { WebAnswer, WebFailure, WebResponse } from './steps/web/request.ts';
export type {
  AgentUse,
  AttemptRow,
  CheckRow,
  ClosedAccount,
  CommitResult,
  Delta,
  EventRow,
  HeadQuery,
  Mail,
  Ownership,
  PrunedRun,
  PruneReport,
  PruneRequest,
  ReadyRun,
  ReceivedMail,
  RecordedAgentUse,
  RefusedClaim,
  RunCreation,
  RunHead,
  RunOrigin,
  RunTreeSummary,
  SlotClaim,
  SlotUse,
  StoredAttempt,
  StoredValue,
  StoreReport,
  SuccessfulClaim,
  UsageBucket,
  UsageQuery,
  UsageSpan,
  UsageTotal,
  UsedAmounts,
  WorkingAgents,
} from './store/store.ts';
