// Owns the routes of schedules, deliveries and notices, in one table.

import {
  acceptedDelivery,
  backfillBody,
  deliveriesQuery,
  deliveryList,
  noticeList,
  oneDelivery,
  oneSchedule,
  scheduleList,
  startedRuns,
} from '../contract/event.ts';
import { emptyBody } from '../contract/value.ts';
import type { Route } from '../route.ts';

const V1 = '/api/v1';
const schedule = `${V1}/schedules/:id`;

/** The routes by name. */
export const EVENT_ROUTES = {
  schedules: { method: 'GET', path: `${V1}/schedules`, scope: 'view', summary: 'list schedules', answer: scheduleList },
  pause: { method: 'POST', path: `${schedule}/pause`, scope: 'operate', summary: 'pause a schedule', body: emptyBody, answer: oneSchedule },
  resume: {
    method: 'POST',
    path: `${schedule}/resume`,
    scope: 'operate',
    summary: 'resume a schedule',
    body: emptyBody,
    answer: oneSchedule,
  },
  runNow: {
    ...{ method: 'POST', path: `${schedule}/run`, scope: 'operate', summary: 'start a run of a schedule now' },
    ...{ body: emptyBody, answer: startedRuns, status: 201, isRepeatable: true },
  },
  backfill: {
    ...{ method: 'POST', path: `${schedule}/backfill`, scope: 'operate', summary: 'start the runs that are missing for past times' },
    ...{ body: backfillBody, answer: startedRuns, status: 201, isRepeatable: true },
  },
  deliveries: {
    ...{ method: 'GET', path: `${V1}/deliveries`, scope: 'view', summary: 'list deliveries, newest first' },
    ...{ query: deliveriesQuery, answer: deliveryList },
  },
  delivery: { method: 'GET', path: `${V1}/deliveries/:id`, scope: 'view', summary: 'one delivery with its body', answer: oneDelivery },
  resend: {
    ...{ method: 'POST', path: `${V1}/deliveries/:id/resend`, scope: 'operate', summary: 'handle a delivery again' },
    ...{ body: emptyBody, answer: oneDelivery },
  },
  notices: {
    method: 'GET',
    path: `${V1}/notices`,
    scope: 'view',
    summary: 'the last notices and whether they were sent',
    answer: noticeList,
  },
  hook: {
    ...{ method: 'POST', path: '/hooks/:name', scope: 'public', summary: 'receive a signed delivery' },
    ...{ answer: acceptedDelivery, status: 202 },
  },
  // Its handler checks the scope, since the settings can make it public.
  metrics: { method: 'GET', path: '/metrics', scope: 'public', summary: 'figures for Prometheus', content: 'text/plain' },
} as const satisfies Record<string, Route>;
