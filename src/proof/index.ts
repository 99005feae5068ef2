// What one tests workflows with: `import { BoundedInt, createVirtualClock, proveCrashes } from 'pawl/testing'`.

export { BoundedInt, ChoiceSet, Constant, type Domain, domainOf, extractSchema } from '../definition/domain.ts';
export { type CrashOptions, type CrashReport, formatCrashReport, proveCrashes } from './crash.ts';
export { type CrashCase, runCrashProgram } from './crash-child.ts';
export { type Ledger, openLedger, readLedger } from './crash-ledger.ts';
export { SimulationFailed, type SimulationOptions, type SimulationReport, simulate } from './simulate.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
