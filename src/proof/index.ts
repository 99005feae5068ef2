// Tools to test workflows: `import { BoundedInt, createVirtualClock, proveCrashes } from 'pawl/testing'`.

export { BoundedInt, ChoiceSet, Constant, type Domain, domainOf, extractSchema } from '../definition/param/domain.ts';
export { type CrashCase, runCrashProgram } from './crash/child.ts';
export { type CrashOptions, type CrashReport, type CrashRow, formatCrashReport, proveCrashes } from './crash/crash.ts';
export { type EffectContext, type Ledger, type LedgerLine, openLedger, readLedger } from './crash/ledger.ts';
export type { CrashCommand, OutsideKill } from './crash/process.ts';
export type { CrashOperation, CrashPoint, OperationCounts } from './crash/store.ts';
export type { ProcessKill, Trial } from './crash/trial.ts';
export { type GeneratedCase, type GenerateOptions, type GenerateSubject, generateInputs } from './generated/inputs.ts';
export type { TestCategory, TestOptions } from './generated/plan.ts';
export { type TestResult, testWorkflow, type WorkflowTestResult } from './generated/results.ts';
export {
  type CompletionClaim,
  type HostileAgent,
  type HostileName,
  type HostileReply,
  type HostileTarget,
  hostileAgents,
  hostileScript,
} from './hostile/agents.ts';
export type { Attack } from './hostile/attack.ts';
export type { FixtureOptions, HostileFixture } from './hostile/fixture.ts';
export {
  type FalseCompletion,
  type HostileOptions,
  type HostileResult,
  type HostileStep,
  type HostileSubject,
  runHostile,
} from './hostile/hostile.ts';
export { attackSkill, type SkillAttack, type SkillAttacks } from './hostile/skill.ts';
export type { TokenAttack, TokenAttackContext } from './hostile/token-attacks.ts';
export type { SimulationCount } from './simulate/observer.ts';
export { SimulationFailed, type SimulationOptions, type SimulationReport, simulate } from './simulate/simulate.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
