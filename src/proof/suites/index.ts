// The contract suites, for anyone who adds a store, a driver, a kind of step or a gate check, and the generated
// tests of a workflow. They need vitest:
// `import { describeStore } from 'pawl/testing/suites'`.

export type { Notice, NoticeOutcome, Notifier } from '../../notify/notifier.ts';
export { type CheckCase, type CheckHarness, describeCheck } from '../check-suite.ts';
export { type DriverBehaviour, type DriverHarness, type DriverTrait, describeDriver } from '../driver-suite.ts';
export type { ForgeStage, StageClone } from '../forge-suite/stage.ts';
export { describeForge } from '../forge-suite/suite.ts';
export { describeStepKind, type KindCase, type KindHarness } from '../kind-suite.ts';
export { describeNotifier, type NotifierHarness, type ReceiverBehaviour } from '../notifier-suite.ts';
export { describeStore, type OpenedStore, type OpenStore } from '../store-suite/suite.ts';
export { describeWorkflow } from '../workflow-suite.ts';
