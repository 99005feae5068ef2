// What one tests workflows with: `import { BoundedInt, createVirtualClock, proveCrashes } from 'pawl/testing'`.

export { BoundedInt, ChoiceSet, Constant, type Domain, domainOf, extractSchema } from '../definition/domain.ts';
export { type CrashOptions, type CrashReport, formatCrashReport, proveCrashes } from './crash.ts';
export { type CrashCase, runCrashProgram } from './crash-child.ts';
export { type Ledger, openLedger, readLedger } from './crash-ledger.ts';
export { type FalseCompletion, type HostileOptions, type HostileResult, type HostileStep, runHostile } from './hostile.ts';
export { type HostileAgent, type HostileName, type HostileTarget, hostileAgents, hostileScript } from './hostile-agents.ts';
export type { Attack } from './hostile-attack.ts';
export type { HostileStage } from './hostile-stage.ts';
export { SimulationFailed, type SimulationOptions, type SimulationReport, simulate } from './simulate.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
