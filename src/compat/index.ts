// Alternative syntax of the library: `import { defineWorkflow, Workflow, StepDef } from 'pawl/compat'`.

export { QUESTION_FORMAT as SUB_AGENT_QUESTION_FORMAT, QUESTION_RELAY_HANDLER } from '../agents/reply.ts';
export { AgentRole, Dispatch } from '../authoring/graph/dispatch.ts';
export type {
  GraphContext,
  GraphSpec,
  GroupSpec,
  HumanGateSpec,
  JoinSpec,
  MemberSpec,
  NextSpec,
  OptionalFields,
  QuestionOptionSpec,
  QuestionSpec,
  SharedSpec,
  StepName,
  StepSpec,
  StepsOptions,
  TargetSpec,
  WorkSpec,
} from '../authoring/graph/spec.ts';
export type { StepCondition as ConditionSpec } from '../authoring/spec/part.ts';
export { Outcome } from '../definition/outcome.ts';
export { DocumentAvailability, LoopState } from '../definition/states.ts';
export { type CompatStepBuilder, defineWorkflow, StepDef, step, Workflow } from './workflow.ts';
