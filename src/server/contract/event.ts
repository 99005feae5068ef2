// Owns the schemas of automatic activity: schedules, deliveries and notices.

import * as z from 'zod';
import { json, jsonObject, time } from '../../control/schema/value.ts';
import { schemaVersion } from './value.ts';

/** A schedule with its next and its last times. */
const scheduleReport = z.object({
  id: z.string(),
  workflow: z.string(),
  schedule: z.string(),
  timezone: z.string(),
  catchUp: z.enum(['one', 'all', 'none']),
  params: jsonObject,
  paused: z.object({ at: time, by: z.string() }).nullable(),
  next: z.array(time).meta({ description: 'the next times; none while it is paused' }),
  ticks: z
    .array(
      z.object({
        at: time,
        why: z.enum(['schedule', 'by-hand', 'backfill']),
        status: z.enum(['open', 'started', 'missed', 'failed']),
        run: z.string().nullable(),
        message: z.string().optional(),
        actor: z.string().optional(),
      }),
    )
    .meta({ description: 'the last ticks, newest first' }),
});

/** The schedules of the project. */
export const scheduleList = z.object({ schemaVersion, schedules: z.array(scheduleReport) });
/** One schedule. */
export const oneSchedule = z.object({ schemaVersion, schedule: scheduleReport });
/** The runs that were started manually or by a backfill. */
export const startedRuns = z.object({ schemaVersion, runs: z.array(z.string()), schedule: scheduleReport });
/** A past period. */
export const backfillBody = z.strictObject({ from: time, until: time.optional() });

/** One delivery, without its body. */
const deliveryReport = z.object({
  number: z.number(),
  route: z.string(),
  delivery: z.string(),
  event: z.string().nullable(),
  receivedAt: time,
  status: z.enum(['received', 'done', 'ignored', 'limited', 'superseded', 'failed']),
  reason: z.string().nullable(),
  run: z.string().nullable(),
  actedAt: time.nullable(),
});
/** The deliveries, newest first. */
export const deliveryList = z.object({ schemaVersion, deliveries: z.array(deliveryReport), next: z.string().nullable() });
/** One delivery with its headers and body. */
export const oneDelivery = z.object({ schemaVersion, delivery: deliveryReport.extend({ headers: jsonObject, body: json }) });
/** Which deliveries to list. */
export const deliveriesQuery = z.strictObject({
  route: z.string().optional(),
  cursor: z.string().regex(/^\d+$/).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});
/** The response to a delivery. */
export const acceptedDelivery = z.object({ schemaVersion, delivery: z.string(), status: z.enum(['stored', 'duplicate']) });

/** A notice to a person or a program. */
const noticeReport = z.object({
  id: z.string(),
  target: z.string(),
  run: z.string(),
  event: z.string(),
  createdAt: time,
  status: z.enum(['open', 'sending', 'sent', 'failed', 'unknown']),
  tries: z.number(),
  message: z.string().nullable(),
});
/** The notices, newest first. */
export const noticeList = z.object({ schemaVersion, notices: z.array(noticeReport) });
