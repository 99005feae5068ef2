// The library: `import { defineWorkflow, workflow, step, createEngine } from 'pawl'`. Every type that a signature names is
// exported by its name, here or in `parts.ts`.

export { type AcpOptions, createAcpDriver } from './agents/acp/acp.ts';
export { type AiModel, type AiSdkOptions, createAiSdkDriver } from './agents/ai-sdk/ai-sdk.ts';
export { type ClaudeCodeDriverOptions, createClaudeCodeDriver } from './agents/claude-code/claude-code.ts';
export type { ClaudeCodeSettings, SubAgent } from './agents/claude-code/start.ts';
export { type CodexDriverOptions, createCodexDriver } from './agents/codex/codex.ts';
export type { CodexSettings } from './agents/codex/start.ts';
export { type CommandDriverOptions, createCommandDriver } from './agents/command.ts';
export type { AgentAnswer, AgentDriver, AgentRequest } from './agents/driver.ts';
export { createLiveDriver, type LiveWorker } from './agents/live.ts';
export { createScriptedDriver, type Script, type ScriptedMove, type ScriptResult } from './agents/scripted.ts';
export { checkWorkflows, discoverWorkflows } from './api/discover.ts';
export { createEngine, type Engine, type RunOf, type StartArguments, type StartRunOptions } from './api/engine.ts';
export type { AnyWorkflow, ContextBuilder, EngineOptions } from './api/engine-options.ts';
export { type OpenIdentity, openIdentity } from './api/identity.ts';
export type { CancelRequest, RunHandle, RunViewOf } from './api/run.ts';
export { defineWorkflow, type RunArguments, type Workflow, workflow } from './api/workflow.ts';
export { workflowFromYaml, workflowToYaml, type YamlOptions } from './api/yaml.ts';
export type { Discovery, FileProblem } from './authoring/discover/discover.ts';
export type { DiscoveredWorkflow } from './authoring/discover/outline.ts';
export type { FilePosition, SourceProblem } from './authoring/discover/syntax.ts';
export { all, branch, type FlowBatch, type FlowCall, type ResultOf, race } from './authoring/flow/call.ts';
export type { FlowBody, FlowOptions, WorkflowValue, YieldsSteps } from './authoring/flow/flow.ts';
export type { FlowCondition, StepOptions } from './authoring/flow/model.ts';
export type {
  AgentResult,
  ChildOutput,
  CommandResult,
  GateResult,
  HumanResult,
  ReviewResult,
  ValidateResult,
  WebhookResult,
} from './authoring/flow/result.ts';
export type { LiveAgent } from './authoring/graph/dispatch.ts';
export type { ForgeQuestionSpec } from './authoring/graph/forge-question.ts';
export type { StepOutput } from './authoring/graph/output.ts';
export type { ForgeSpec } from './authoring/graph/spec.ts';
export type { CheckFields, CheckSpec, Checks } from './authoring/spec/check.ts';
export type { StepContextOf, UncheckedValue } from './authoring/spec/context.ts';
export type { AnyPath, NamesOf, NamesOfWorkflow, StepPath, WorkflowNames } from './authoring/spec/names.ts';
export type {
  AnswerOption,
  BoundedNext,
  ConditionalTarget,
  ForgeActions,
  Join,
  OutputSpec,
  Program,
  Question,
  Retry,
  ReviewAgent,
  ReviewFields,
  RunEnding,
  StepCondition,
  TimeSpan,
  TimeUnit,
  Webhook,
} from './authoring/spec/part.ts';
export type { RecordedValue } from './authoring/spec/recorded-value.ts';
export type {
  InputOfWorkflow,
  OutputOf,
  OutputOfWorkflow,
  OutputSchema,
  OutputVerdict,
  SideStepId,
  SideStepTarget,
  WorkflowTypes,
} from './authoring/spec/step.ts';
export type { WorkflowSpec } from './authoring/spec/workflow.ts';
export type { WorkflowYaml } from './authoring/yaml/write/write.ts';
export type { EnrolledKey, Entry as EnrolmentEntry, KeyList } from './authority/enrolment.ts';
export type { PublicKey, UnlockedKey } from './authority/keys.ts';
export type { AnswerStatement, Statement } from './authority/statement.ts';
export { type Duration, parseDuration } from './base/duration.ts';
export { EngineError, type ErrorCode, type ErrorOptions, isEngineError, type SourcePosition } from './base/error.ts';
export type { Json, JsonObject } from './base/json.ts';
export type { Signature } from './base/signature.ts';
export type { Comparison, SqlValue, WhereClause } from './base/sql-condition.ts';
export type { Breakers, BreakersSpec } from './definition/breakers.ts';
export type { Budget, UnknownUsage } from './definition/budget.ts';
export type { CheckConfigs, ConfiguredCheck } from './definition/check.ts';
export type { CheckpointView, CompiledWorkflow, StepCode, StepContext } from './definition/code.ts';
export {
  type ConfiguredKind,
  type CustomJob,
  type CustomKind,
  type CustomKindSpec,
  type CustomResult,
  defineStepKind,
} from './definition/custom-kind.ts';
export { type GraphArrow, type GraphDescription, type GraphNode, type NodeState, toMermaid } from './definition/describe.ts';
export type { NumberQuery } from './definition/forge/run-numbers.ts';
export type { WorkConfigs } from './definition/model.ts';
export {
  type Arg,
  type ArgInput,
  type ArgMistakes,
  type ArgSpec,
  type ArgSpecs,
  type ArgValue,
  type ArgValues,
  arg,
  type NoParams,
} from './definition/param/arg.ts';
export type { ProtectedDatabase } from './definition/protected-database.ts';
export type { AssumptionInput, AssumptionText } from './definition/question/assumption.ts';
export type { ProgressEvent, StepResult, WorkflowResult } from './definition/result.ts';
export type { FindingSeverity, OpenFinding, ReviewItem } from './definition/review/review.ts';
export type { RunStatus } from './definition/run-status.ts';
export type { ReactionKind, ReactionRecord } from './definition/trigger/reaction.ts';
export type { CatchUp, ScheduleModel, ScheduleSpec } from './definition/trigger/schedule.ts';
export type { TriggerModel } from './definition/trigger/trigger.ts';
export type { FindingCode } from './definition/validation/finding.ts';
export type { Clock } from './engine/clock.ts';
export type { ForkPlan, ForkRequest } from './engine/fork.ts';
export type { DefinitionSource, StoredRun } from './engine/host.ts';
export type { Checkpoint, ParallelItemResult, ResumeContext, RunFacts, RunView, StepView } from './engine/inspect.ts';
export type { Budgets } from './engine/limits/budgets.ts';
export type { Limits } from './engine/limits/limits.ts';
export type { CommitRecord } from './engine/observer.ts';
export type { OpenApproval } from './engine/request/approvals.ts';
export type { RunAssumption } from './engine/request/assumption-list.ts';
export type { AssumeRequest, AssumptionRequest, AssumptionResult } from './engine/request/assumptions.ts';
export type { WaitGoal } from './engine/request/follow.ts';
export type { OpenQuestions, OpenStep } from './engine/request/open-steps.ts';
export type { OwnerTimeout } from './engine/request/owner-wait.ts';
export type { ReactionRequest } from './engine/request/reactions.ts';
export type { AnswerRequest, ReportVerdict, WorkReport } from './engine/request/reports.ts';
export type { DecisionRequest } from './engine/request/requests.ts';
export type { ResumeChoice, ResumeRequest } from './engine/request/resume.ts';
export type { NewRunOptions, SuppliedOutputs } from './engine/run-start.ts';
export type { Signer } from './engine/signature/signatures.ts';
export type { OpenWait } from './engine/status.ts';
export type { CancelPlan, StepWithoutUndo } from './engine/undo/compensation.ts';
export type { FileQuery, FileReport, StepFiles } from './engine/undo/file-history.ts';
export type { OutsideEffect, UndoPlan, UndoRequest, UndoResult } from './engine/undo/undo.ts';
export type { Forge } from './forge/forge.ts';
export type { Groups } from './forge/people.ts';
export type { RunEvent } from './kernel/event.ts';
export type { EndedAttempt } from './kernel/turn.ts';
export type { AgentSpec } from './kinds/agent/spec.ts';
export type { CommandSpec } from './kinds/command/spec.ts';
export type { DelaySpec } from './kinds/delay/spec.ts';
export type { FlakyPolicy, GateModel } from './kinds/gate/declare.ts';
export type { GateSpec } from './kinds/gate/spec.ts';
export type { GenerateSpec } from './kinds/generate/spec.ts';
export type { AnswerOf, HumanOption, HumanSpec } from './kinds/human/spec.ts';
export type { EachOptions } from './kinds/parallel/spec.ts';
export type { ReviewSpec } from './kinds/review/spec.ts';
export { type StepBuilder, step } from './kinds/step-builder.ts';
export type { Action, TaskSpec } from './kinds/task/spec.ts';
export type { ValidateSpec } from './kinds/validate/spec.ts';
export type { ChildArguments } from './kinds/workflow/spec.ts';
export type * from './parts.ts';
export type { NetworkFence } from './process/network.ts';
export type { CommandStartFailure, CommandStartFailureReason } from './process/not-run.ts';
export type { UnrestoredFile } from './process/restore-files.ts';
export type { FileSummary } from './process/snapshot-changes.ts';
export { type FlowStep, type FlowYield, type StepEvidence, StepFailed } from './programs/flow-step.ts';
export type { CompletedAttempt, UndoItem } from './programs/undo.ts';
export {
  type CheckContext,
  type CheckVerdict,
  type CustomCheck,
  type CustomCheckSpec,
  defineCheck,
  type GateCheck,
} from './steps/check.ts';
export type { Instructions } from './steps/instructions/instructions.ts';
export type { PersonDecision } from './steps/person-decision.ts';
export type { SecretSettings, SecretSource } from './steps/secrets.ts';
export type { ProgramSetting, RoleSetting, StageSetting, WebhookSetting } from './steps/services.ts';
export type { RateLimit } from './steps/web/rate-limit.ts';
export type { Handover } from './steps/worker/handover.ts';
export type { ReplyRules } from './steps/worker/reply-rules.ts';
export { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from './store/sqlite/open.ts';
export type { RunQuery, RunSummary, Store } from './store/store.ts';
