// Owns the schemas of runs in responses: a page of a list, and the report of one run.

import * as z from 'zod';
import { runRow, runReport as wholeReport } from '../../control/schema/run.ts';
import { runStatus, time } from '../../control/schema/value.ts';
import { schemaVersion } from './value.ts';

/** Which runs to list. `param.NAME=VALUE` selects those that were started with this value. */
export const runsQuery = z.looseObject({
  workflow: z.string().optional(),
  status: z.union([runStatus, z.array(runStatus)]).optional(),
  text: z.string().max(200).optional().meta({ description: 'in the id, the workflow, a tag or a parameter' }),
  tag: z.union([z.string(), z.array(z.string())]).optional(),
  parent: z.string().optional(),
  since: time.optional(),
  until: time.optional(),
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/** A page of runs, newest first. */
export const runsPage = z.object({
  schemaVersion,
  runs: z.array(runRow),
  next: z.string().nullable().meta({
    description:
      'pass it as cursor for the next page; null on the last one. If few runs match the filter, a page can be short or empty and still have a next',
  }),
  rest: time.nullable().meta({ description: 'when the newest run that was not searched for this page was started; null if there is none' }),
});

/** The report of a run. */
export const runReport = wholeReport.extend({ schemaVersion });
