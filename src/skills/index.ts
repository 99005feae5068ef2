// Skills: guidance for agents as data, and its rendering. `import { defineSkill } from 'pawl/skills'`.

export { AgentRole } from '../authoring/graph/dispatch.ts';
export { arg } from '../definition/arg.ts';
export {
  formatConditionalDispatch,
  formatModelSelection,
  formatParallelDispatch,
  formatSubagentDispatch,
  type SubagentDispatch,
} from './blocks/dispatch.ts';
export {
  formatDetectionQuestions,
  formatExpectedOutput,
  formatFactoredVerificationRationale,
  formatForbidden,
  formatIncorrectBehavior,
  formatOpenQuestionGuidance,
  formatOrchestratorConstraint,
  formatResource,
  formatVerificationChecklist,
} from './blocks/lists.ts';
export {
  formatGateActions,
  formatGateResult,
  formatGateStep,
  formatPostQrRouting,
  formatQrBanner,
  formatQrFileOutput,
  formatStateBanner,
} from './blocks/review.ts';
export {
  type Following,
  formatCurrentAction,
  formatInvokeAfter,
  formatNextBlock,
  formatRouting,
  formatStepHeader,
  formatStepOutput,
  formatXmlMandate,
  type StepPosition,
} from './blocks/step.ts';
export type { StepRequest } from './contexts.ts';
export { type ActionPart, type Actions, type Confidence, type Guidance, partsOf, type SkillContext } from './guidance.ts';
export { lintSkill, type SkillFinding, type SkillFindingCode } from './lint.ts';
export {
  BLOCKING_BY_ROUND,
  blockingSeverities,
  type FindingSeverity,
  GateConfig,
  type GateTargets,
  QR_ROUNDS_MAX,
  QRState,
  type QRStatus,
  readQrState,
} from './qr-state.ts';
export { type Renderer, renderStep, type StepFormat, type StepGuidance, stepGuidance } from './render.ts';
export { BranchRouting, LinearRouting, type Routing, TerminalRouting } from './routing.ts';
export { runSkill, type ScriptOptions } from './run-skill.ts';
export { defineSkill, type GateStep, type Skill, type SkillSpec, type SkillStep, type WorkStep } from './skill.ts';
export { formatTextOutput, type TextOutput } from './text.ts';
export { type SkillWorkflow, type SkillWorkflowStep, skillWorkflow } from './workflow.ts';
