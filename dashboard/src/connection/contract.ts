// Owns the names of the shapes that the dashboard reads. They are those of the server's contract; only their types are
// imported, nothing of the server's code.

import type { Json as AnyJson } from '../../../src/base/json.ts';
import type {
  RunGraph,
  InboxItem as ServerInboxItem,
  RunReport as ServerRunReport,
  StepDetail as ServerStepDetail,
  Timeline,
} from '../../../src/server/contract.ts';

export type {
  BulkAnswer,
  CancelPlan,
  DeliveryReport,
  ForkPlan,
  HealthReport,
  InboxPage,
  NoticeList,
  OneDelivery,
  RunDiff,
  RunHistory,
  RunRow,
  RunsPage,
  ScheduleReport,
  SessionReport,
  StepLog,
  UsageReport,
  WorkflowDetail,
  WorkflowList,
} from '../../../src/server/contract.ts';

/** Any JSON value. */
export type Json = AnyJson;
/** A run with its steps, as `pawl show --json` prints it. */
export type RunReport = ServerRunReport;
/** One attempt of a step in a report. */
export type StepRow = RunReport['steps'][number];
/** A fan-out or parallel branches, with counts of its members. */
export type GroupRow = RunReport['groups'][number];
/** What a run needs before it can continue. */
export type Wait = RunReport['waits'][number];
/** A graph, of a run with its state or of a workflow without. */
export type GraphData = Pick<RunGraph, 'nodes' | 'edges'> & Partial<Pick<RunGraph, 'state' | 'taken'>>;
/** A step in a graph. */
export type GraphNode = RunGraph['nodes'][number];
/** How far a run came with a step. */
export type NodeState = RunGraph['state'][string];
/** One stretch of time of a step. */
export type Bar = Timeline['bars'][number];
/** One step whole. */
export type StepDetail = ServerStepDetail;
/** One try of a step. */
export type Attempt = StepDetail['attempts'][number];
/** A value, cut off where it is very long. */
export type Bounded = Attempt['output'];
/** Something that waits for a person. */
export type InboxItem = ServerInboxItem;
/** What an agent assumed instead of asking. */
export type Assumption = RunReport['assumptions'][number];
/** One choice of an approval. */
export type InboxOption = InboxItem['options'][number];
