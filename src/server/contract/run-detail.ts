// Owns the schemas of the details of a run: its graph, its timeline, one step in full, its log and its history.

import * as z from 'zod';
import { attemptDetail } from '../../control/schema/step.ts';
import { json, time } from '../../control/schema/value.ts';
import { schemaVersion } from './value.ts';

/** The graph of a run, with the state of its steps and the transitions it took. */
export const runGraph = z.object({
  schemaVersion,
  nodes: z.array(z.object({ id: z.string(), title: z.string(), kind: z.string(), group: z.string().optional() })),
  edges: z.array(z.object({ from: z.string(), to: z.string(), outcome: z.string() })),
  state: z.record(
    z.string(),
    z.object({
      status: z.string(),
      outcome: z.string().nullable(),
      visits: z.number(),
      members: z.object({ total: z.number(), ok: z.number(), failed: z.number(), running: z.number() }).optional(),
    }),
  ),
  taken: z.array(z.object({ from: z.string(), to: z.string(), outcome: z.string(), times: z.number() })),
});

/** What a run did over time. */
export const timeline = z.object({
  schemaVersion,
  from: time,
  to: time.nullable(),
  bars: z.array(
    z.object({
      path: z.string(),
      step: z.string(),
      attempt: z.number(),
      kind: z.enum(['work', 'wait', 'retry', 'queue']),
      from: time,
      to: time.nullable(),
      outcome: z.string().nullable(),
    }),
  ),
  truncated: z.boolean(),
});

/** One step with everything about it. */
export const stepDetail = z.object({
  schemaVersion,
  path: z.string(),
  step: z.string(),
  title: z.string(),
  kind: z.string(),
  definition: json,
  attempts: z.array(attemptDetail.extend({ hasLog: z.boolean() })),
  nextRetry: time.nullable(),
  links: z.object({ log: z.string(), artifacts: z.array(z.object({ digest: z.string(), bytes: z.number(), of: z.string() })) }),
});

/** Where to continue reading the log of a step. */
export const logQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  attempt: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(5000).default(1000),
});

/** Lines of a step's log. */
export const stepLog = z.object({
  schemaVersion,
  text: z.string(),
  lines: z.array(json),
  next: z.number().meta({ description: 'pass it as after' }),
  ended: z.boolean(),
});

const fileSummary = z.object({
  path: z.string(),
  what: z.enum(['added', 'changed', 'deleted', 'renamed']),
  from: z.string().optional().meta({ description: 'the earlier path of a renamed file' }),
  lines: z.object({ added: z.number(), deleted: z.number() }).optional().meta({ description: 'absent for a binary file' }),
});

/** The step whose changes to show. */
export const diffQuery = z.object({
  step: z.string().optional().meta({ description: 'a step, or the path of one visit, such as build#2; default: the whole run' }),
});

/** What a run, or one of its steps, changed in files. */
export const runDiff = z.object({
  schemaVersion,
  run: z.string(),
  hasSnapshots: z.boolean().meta({ description: 'false: no step of the run wrote files in a git checkout' }),
  step: z.string().optional(),
  files: z.array(fileSummary),
  steps: z.array(
    z.object({
      path: z.string(),
      step: z.string(),
      attempt: z.number(),
      ended: z.string().optional(),
      files: z.array(fileSummary),
      beside: z.array(z.string()).meta({ description: 'steps that worked at the same time, whose changes are among these' }),
      restored: z.literal(true).optional(),
    }),
  ),
  between: z.array(z.string()).meta({ description: 'files that changed while no step worked' }),
  missing: z.array(z.string()).meta({ description: 'what the snapshots do not hold' }),
  diff: z.object({ text: z.string(), bytes: z.number(), truncated: z.boolean() }),
});

/** Which rows of the history. */
export const historyQuery = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
});

/** Rows of the log of a run, as they are stored. */
export const history = z.object({
  schemaVersion,
  rows: z.array(z.object({ seq: z.number(), at: time, events: z.array(json), hash: z.string() })),
  next: z.number().nullable().meta({ description: 'pass it as after; null at the end' }),
});

/** Where a stream continues; the header `Last-Event-ID` has precedence. */
export const streamQuery = z.object({ after: z.coerce.number().int().min(0).optional() });
