// Owns the types of the API for programs that call it, such as the dashboard. With `import type`, no code is loaded.

import type * as z from 'zod';
import type { runRow } from '../control/schema/run.ts';
import type { answers } from './access/contract.ts';
import type { bulkAnswer, cancelPlan, forkPlan } from './contract/act.ts';
import type { deliveryList, noticeList, oneDelivery, scheduleList } from './contract/event.ts';
import type { healthReport, inboxItem, inboxPage, sessionReport, usageReport, workflowDetail, workflowList } from './contract/project.ts';
import type { runReport, runsPage } from './contract/run.ts';
import type { history, runDiff, runGraph, stepDetail, stepLog, timeline } from './contract/run-detail.ts';

/** GET /api/v1/session */
export type SessionReport = z.output<typeof sessionReport>;
/** A run in a list. */
export type RunRow = z.output<typeof runRow>;
/** GET /api/v1/runs */
export type RunsPage = z.output<typeof runsPage>;
/** GET /api/v1/runs/{id}, and what most verbs answer with. */
export type RunReport = z.output<typeof runReport>;
/** GET /api/v1/runs/{id}/graph */
export type RunGraph = z.output<typeof runGraph>;
/** GET /api/v1/runs/{id}/timeline */
export type Timeline = z.output<typeof timeline>;
/** GET /api/v1/runs/{id}/steps/{path} */
export type StepDetail = z.output<typeof stepDetail>;
/** GET /api/v1/runs/{id}/steps/{path}/log */
export type StepLog = z.output<typeof stepLog>;
/** GET /api/v1/runs/{id}/diff */
export type RunDiff = z.output<typeof runDiff>;
/** GET /api/v1/runs/{id}/history */
export type RunHistory = z.output<typeof history>;
/** POST /api/v1/runs/{id}/fork with `dryRun` */
export type ForkPlan = z.output<typeof forkPlan>;
/** POST /api/v1/runs/{id}/cancel with `dryRun` */
export type CancelPlan = z.output<typeof cancelPlan>;
/** POST /api/v1/runs/bulk */
export type BulkAnswer = z.output<typeof bulkAnswer>;
/** One thing that waits for a person. */
export type InboxItem = z.output<typeof inboxItem>;
/** GET /api/v1/inbox */
export type InboxPage = z.output<typeof inboxPage>;
/** GET /api/v1/workflows */
export type WorkflowList = z.output<typeof workflowList>;
/** GET /api/v1/workflows/{name} */
export type WorkflowDetail = z.output<typeof workflowDetail>;
/** GET /api/v1/usage */
export type UsageReport = z.output<typeof usageReport>;
/** GET /api/v1/health */
export type HealthReport = z.output<typeof healthReport>;
/** GET /api/v1/schedules */
export type ScheduleList = z.output<typeof scheduleList>;
/** One schedule, with its next and its last times. */
export type ScheduleReport = ScheduleList['schedules'][number];
/** GET /api/v1/deliveries */
export type DeliveryList = z.output<typeof deliveryList>;
/** GET /api/v1/deliveries/{id}, and POST /api/v1/deliveries/{id}/resend */
export type OneDelivery = z.output<typeof oneDelivery>;
/** GET /api/v1/notices */
export type NoticeList = z.output<typeof noticeList>;
/** GET /api/v1/people, /tokens, /passkeys and /sessions: each list under its name. */
export type AccessLists = AccessList<'people'> & AccessList<'tokens'> & AccessList<'passkeys'> & AccessList<'sessions'>;
type AccessList<K extends 'people' | 'tokens' | 'passkeys' | 'sessions'> = Omit<z.output<(typeof answers)[K]>, 'schemaVersion'>;
/** POST /api/v1/links, and the link of an invitation; its URL is a secret that is shown once. */
export type OneTimeLink = z.output<typeof answers.link>;
/** GET /api/v1/audit */
export type AuditPage = z.output<typeof answers.audit>;
