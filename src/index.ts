// The library: `import { defineWorkflow, workflow, step, createEngine } from 'pawl'`.

export type { AgentAnswer, AgentDriver, AgentRequest } from './agents/driver.ts';
export { createLiveDriver } from './agents/live.ts';
export { createScriptedDriver } from './agents/scripted.ts';
export { discoverWorkflows } from './api/discover.ts';
export {
  createAcpDriver,
  createAiSdkDriver,
  createClaudeCodeDriver,
  createCodexDriver,
  createCommandDriver,
} from './api/drivers.ts';
export { createEngine, type Engine, type EngineOptions, type RunHandle } from './api/engine.ts';
export { type OpenIdentity, openIdentity } from './api/identity.ts';
export { defineWorkflow, Workflow, workflow } from './api/workflow.ts';
export { all, race } from './authoring/flow-call.ts';
export { StepDef } from './authoring/graph.ts';
export { AgentRole, Dispatch } from './authoring/graph-dispatch.ts';
export type { StepOutput } from './authoring/graph-output.ts';
export type { ConditionSpec, GraphContext, GraphSpec, HumanGateSpec, StepSpec } from './authoring/graph-spec.ts';
export type { KeyList } from './authority/enrolment.ts';
export type { Statement } from './authority/statement.ts';
export { EngineError, isEngineError } from './base/error.ts';
export type { Signature } from './base/signature.ts';
export { type Arg, type ArgSpec, arg } from './definition/arg.ts';
export type { CheckConfigs } from './definition/check.ts';
export type { CompiledWorkflow, StepContext } from './definition/code.ts';
export { toMermaid } from './definition/describe.ts';
export type { WorkConfigs } from './definition/model.ts';
export { Outcome } from './definition/outcome.ts';
export { defineStepKind, type OwnJob, type OwnKind, type OwnKindSpec, type OwnResult, type UsedKind } from './definition/own-kind.ts';
export type { ProgressEvent, StepResult, WorkflowResult } from './definition/result.ts';
export { DocumentAvailability, LoopState } from './definition/states.ts';
export type { Clock } from './engine/clock.ts';
export type { ForkPlan, ForkRequest } from './engine/fork.ts';
export type { OpenGate } from './engine/gates.ts';
export type { DefinitionSource } from './engine/host.ts';
export type { Checkpoint, ResumeContext, RunView, StepView } from './engine/inspect.ts';
export type { Limits } from './engine/limits.ts';
export type { Patience } from './engine/patience.ts';
export type { AnswerRequest, Handout, OpenQuestions, ReportVerdict, WorkReport } from './engine/reports.ts';
export type { DecisionRequest, ResumeChoice } from './engine/requests.ts';
export { StepFailed } from './kernel/flow-step.ts';
export { step } from './kinds/step-builder.ts';
export { type CheckScene, type CheckSpec, type CheckVerdict, defineCheck, type GateCheck, type OwnCheck } from './steps/check.ts';
export { openSqliteStore } from './store/sqlite/open.ts';
export type { Store } from './store/store.ts';
