// Skills: guidance for agents as data, and its rendering. `import { defineSkill } from 'pawl/skills'`.

export { AgentRole } from '../authoring/graph/dispatch.ts';
export { type ActionPart, partsOf } from '../definition/action-part.ts';
export {
  type Plan,
  type PlanChange,
  type PlanDecision,
  type PlanFault,
  type PlanFaultCode,
  type PlanIntent,
  type PlanMilestone,
  type PlanRequirement,
  planFaults,
} from '../definition/contract/plan.ts';
export type { DocumentContract, SectionContract, StepContract } from '../definition/contract/step-contract.ts';
export { arg } from '../definition/param/arg.ts';
export {
  BLOCKING_BY_ROUND,
  blockingSeverities,
  type FindingSeverity,
  type ItemVerdict,
  itemFaults,
  itemsToVerify,
  judgeRound,
  type LateFinding,
  type OpenFinding,
  REVIEW_ROUNDS_MAX,
  type ReviewDecision,
  type ReviewItem,
  type ReviewRound,
  type ReviewState,
  type ReviewStatus,
  roundFaults,
  startReview,
} from '../definition/review/review.ts';
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
  formatCurrentAction,
  formatInvokeAfter,
  formatNextBlock,
  formatRouting,
  formatStepHeader,
  formatStepOutput,
  formatXmlMandate,
  type NextCommand,
  paramFlags,
  type StepPosition,
} from './blocks/step.ts';
export type { StepRequest } from './contexts.ts';
export type { Actions, Confidence, Guidance, SkillContext } from './guidance.ts';
export { lintSkill, type SkillFinding, type SkillFindingCode } from './lint.ts';
export {
  type GateConfig,
  type GateTargets,
  gateConfig,
  type QRState,
  type QRStatus,
  qrState,
  readQrState,
} from './qr-state.ts';
export { type Renderer, renderStep, type StepFormat, type StepGuidance, stepGuidance } from './render.ts';
export {
  type ConventionName,
  type FormatName,
  formatReference,
  getConvention,
  getFormat,
  type ReferenceText,
  referenceText,
  referenceTexts,
} from './resources/conventions.ts';
export { type DriftedCopy, driftedCopies, markedCopy } from './resources/copies.ts';
export { folderResources } from './resources/folder-resources.ts';
export { type MemoryResources, memoryResources, type ResourceProvider } from './resources/provider.ts';
export { branchRouting, linearRouting, type Routing, terminalRouting } from './routing.ts';
export { runSkill, type ScriptOptions } from './run-skill.ts';
export {
  defineSkill,
  type Skill,
  type SkillDispatch,
  type SkillGateStep,
  type SkillSpec,
  type SkillStep,
  type SkillWorkStep,
} from './skill.ts';
export { formatTextOutput, type TextOutput } from './text.ts';
export { type SkillWorkflow, type SkillWorkflowOptions, type SkillWorkflowStep, skillWorkflow } from './workflow.ts';
