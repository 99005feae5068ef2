// Owns the routes of `/api/v1` about runs, workflows and the server: their paths, scopes and schemas in one table.

import {
  answerBody,
  bulkAnswer,
  bulkBody,
  cancelBody,
  cancelPlan,
  decideBody,
  forkBody,
  forkPlan,
  recheckAnswer,
  resumeBody,
  retryBody,
  signalBody,
  startBody,
} from '../contract/act.ts';
import { healthReport, inboxPage, settingsReport, usageQuery, usageReport, workflowDetail, workflowList } from '../contract/project.ts';
import { runReport, runsPage, runsQuery } from '../contract/run.ts';
import {
  diffQuery,
  history,
  historyQuery,
  logQuery,
  runDiff,
  runGraph,
  stepDetail,
  stepLog,
  streamQuery,
  timeline,
} from '../contract/run-detail.ts';
import { emptyBody } from '../contract/value.ts';
import type { Route } from '../route.ts';

const V1 = '/api/v1';
const RUN = `${V1}/runs/:id`;

const READS = {
  runs: { method: 'GET', path: `${V1}/runs`, scope: 'view', summary: 'list runs, newest first', query: runsQuery, answer: runsPage },
  run: { method: 'GET', path: RUN, scope: 'view', summary: 'show a run, as "pawl show --json"', answer: runReport },
  graph: {
    method: 'GET',
    path: `${RUN}/graph`,
    scope: 'view',
    summary: 'the graph of a run, and the transitions it took',
    answer: runGraph,
  },
  timeline: { method: 'GET', path: `${RUN}/timeline`, scope: 'view', summary: 'what a run did over time', answer: timeline },
  step: { method: 'GET', path: `${RUN}/steps/:path`, scope: 'view', summary: 'one step with its attempts', answer: stepDetail },
  log: {
    ...{ method: 'GET', path: `${RUN}/steps/:path/log`, scope: 'view', summary: 'what a step printed' },
    ...{ query: logQuery, answer: stepLog },
  },
  diff: {
    ...{ method: 'GET', path: `${RUN}/diff`, scope: 'view', summary: 'what a run or a step changed in files, as "pawl diff --json"' },
    ...{ query: diffQuery, answer: runDiff },
  },
  history: {
    ...{ method: 'GET', path: `${RUN}/history`, scope: 'view', summary: 'the log of a run, as it is stored' },
    ...{ query: historyQuery, answer: history },
  },
  events: {
    ...{ method: 'GET', path: `${RUN}/events`, scope: 'view', summary: 'the events of a run, as a stream' },
    ...{ query: streamQuery, content: 'text/event-stream' },
  },
  allEvents: {
    ...{ method: 'GET', path: `${V1}/events`, scope: 'view', summary: 'the events of all runs, as a stream' },
    ...{ query: streamQuery, content: 'text/event-stream' },
  },
  artifact: {
    ...{ method: 'GET', path: `${RUN}/artifacts/:digest`, scope: 'view', summary: 'a stored value of a run, in full' },
    content: 'application/json',
  },
} as const satisfies Record<string, Route>;

const CHANGES = {
  start: {
    ...{ method: 'POST', path: `${V1}/runs`, scope: 'operate', summary: 'start a run of a trusted workflow' },
    ...{ body: startBody, answer: runReport, status: 201, isRepeatable: true },
  },
  bulk: {
    ...{ method: 'POST', path: `${V1}/runs/bulk`, scope: 'operate', summary: 'cancel or retry many runs' },
    ...{ body: bulkBody, answer: bulkAnswer },
  },
  decide: {
    ...{ method: 'POST', path: `${RUN}/decide`, scope: 'decide', summary: 'decide an approval' },
    ...{ body: decideBody, answer: runReport, isRepeatable: true },
  },
  recheck: {
    ...{ method: 'POST', path: `${RUN}/recheck`, scope: 'decide', summary: 'check again what the approvals of a run are about' },
    ...{ body: emptyBody, answer: recheckAnswer },
  },
  answer: {
    ...{ method: 'POST', path: `${RUN}/answer`, scope: 'decide', summary: 'answer the questions of an agent' },
    ...{ body: answerBody, answer: runReport, isRepeatable: true },
  },
  signal: {
    ...{ method: 'POST', path: `${RUN}/signal`, scope: 'operate', summary: 'send a signal' },
    ...{ body: signalBody, answer: runReport, isRepeatable: true },
  },
  cancel: {
    ...{ method: 'POST', path: `${RUN}/cancel`, scope: 'operate', summary: 'cancel a run; dryRun shows what that undoes' },
    ...{ body: cancelBody, answer: runReport.or(cancelPlan) },
  },
  pause: { method: 'POST', path: `${RUN}/pause`, scope: 'operate', summary: 'start no new steps', body: emptyBody, answer: runReport },
  resume: { method: 'POST', path: `${RUN}/resume`, scope: 'operate', summary: 'continue a run', body: resumeBody, answer: runReport },
  retry: { method: 'POST', path: `${RUN}/retry`, scope: 'operate', summary: 'retry what failed', body: retryBody, answer: runReport },
  fork: {
    ...{
      method: 'POST',
      path: `${RUN}/fork`,
      scope: 'operate',
      summary: 'start a run from the middle of another; dryRun shows what it reuses',
    },
    ...{ body: forkBody, answer: runReport.or(forkPlan) },
  },
} as const satisfies Record<string, Route>;

const PROJECT = {
  inbox: { method: 'GET', path: `${V1}/inbox`, scope: 'view', summary: 'what waits for people, oldest first', answer: inboxPage },
  workflows: {
    method: 'GET',
    path: `${V1}/workflows`,
    scope: 'view',
    summary: 'the workflows, as "pawl list --json"',
    answer: workflowList,
  },
  workflow: { method: 'GET', path: `${V1}/workflows/:name`, scope: 'view', summary: 'one workflow', answer: workflowDetail },
  usage: {
    method: 'GET',
    path: `${V1}/usage`,
    scope: 'view',
    summary: 'what agents used over time',
    query: usageQuery,
    answer: usageReport,
  },
  health: {
    method: 'GET',
    path: `${V1}/health`,
    scope: 'view',
    summary: 'what "pawl doctor" finds, and who drives what',
    answer: healthReport,
  },
  openapi: { method: 'GET', path: `${V1}/openapi.json`, scope: 'public', summary: 'this description', content: 'application/json' },
  settings: { method: 'GET', path: `${V1}/settings`, scope: 'view', summary: 'the settings that are safe to show', answer: settingsReport },
} as const satisfies Record<string, Route>;

/** The routes by name. */
export const API_ROUTES = { ...READS, ...CHANGES, ...PROJECT } as const;
