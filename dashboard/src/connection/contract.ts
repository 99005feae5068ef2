// Owns the types of the data that the dashboard reads. They come from the contract of the server, of which only types are
// imported.

import type { InboxItem, RunGraph, RunReport, StepDetail, Timeline } from '../../../src/server/contract.ts';

export type { Json } from '../../../src/base/json.ts';
export type {
  AccessLists,
  AuditPage,
  BulkAnswer,
  CancelPlan,
  DeliveryList,
  ForkPlan,
  HealthReport,
  InboxItem,
  InboxPage,
  NoticeList,
  OneDelivery,
  OneTimeLink,
  RunDiff,
  RunHistory,
  RunReport,
  RunRow,
  RunsPage,
  ScheduleList,
  ScheduleReport,
  SessionReport,
  StepDetail,
  StepLog,
  UsageReport,
  WorkflowDetail,
  WorkflowList,
} from '../../../src/server/contract.ts';

/** One attempt of a step in a report. */
export type StepRow = RunReport['steps'][number];
/** A fan-out or parallel branches, with counts of its members. */
export type GroupRow = RunReport['groups'][number];
/** Something that a run waits for. */
export type Wait = RunReport['waits'][number];
/** A graph, of a run with its state or of a workflow without. */
export type GraphData = Pick<RunGraph, 'nodes' | 'edges'> & Partial<Pick<RunGraph, 'state' | 'taken'>>;
/** A step in a graph. */
export type GraphNode = RunGraph['nodes'][number];
/** The state of a step in the graph of a run. */
export type NodeState = RunGraph['state'][string];
/** One period of a step in the timeline. */
export type Bar = Timeline['bars'][number];
/** One attempt of a step. */
export type Attempt = StepDetail['attempts'][number];
/** A value, cut off if it is very long. */
export type Bounded = Attempt['output'];
/** What an agent assumed instead of asking. */
export type Assumption = RunReport['assumptions'][number];
/** An approval that waits for a decision. */
export type ApprovalItem = Extract<InboxItem, { readonly kind: 'approval' }>;
/** One choice of an approval. */
export type InboxOption = ApprovalItem['options'][number];
/** The questions of an agent that wait for answers. */
export type QuestionItem = Extract<InboxItem, { readonly kind: 'question' }>;
/** One of these questions. */
export type Question = QuestionItem['questions'][number];
