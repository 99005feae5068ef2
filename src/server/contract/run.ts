// Owns the schemas of runs: the row of a list, and the report of one run, as `pawl runs --json` and `pawl show --json` print
// them.

import * as z from 'zod';
import { json, jsonObject, origin, runStatus, schemaVersion, time, usage } from './value.ts';

/** A run in a list. */
export const runRow = z.object({
  id: z.string(),
  workflow: z.string(),
  status: runStatus,
  currentStep: z.string().nullable(),
  startedAt: time,
  updatedAt: time,
  due: time.nullable(),
  isDriven: z.boolean(),
  origin,
  parent: z.string().optional(),
  usage: usage.optional(),
  damaged: z.string().optional(),
});

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

const stepStatus = z.enum([
  'queued',
  'running',
  'waiting',
  'verifying',
  'completed',
  'failed',
  'skipped',
  'unknown',
  'cancelled',
  'pending',
]);

/** One attempt of a step. */
export const stepReport = z.object({
  path: z.string(),
  step: z.string(),
  title: z.string(),
  kind: z.string(),
  status: stepStatus,
  outcome: z.string().nullable(),
  attempt: z.number(),
  startedAt: time.nullable(),
  durationMs: z.number().nullable(),
  output: json,
  error: z.string().nullable(),
  claim: json.optional(),
  evidence: json.optional(),
  staleSince: z.string().optional(),
  usage: usage.optional(),
  actor: z.string().optional(),
  group: z.string().optional(),
  key: z.string().optional(),
});

/** Something that a run waits for. */
const waitReport = z.looseObject({
  id: z.string(),
  kind: z.string(),
  path: z.string().optional(),
  step: z.string().optional(),
  since: time,
  due: time.nullable(),
  digest: z.string().optional(),
  name: z.string().optional(),
  child: z.string().optional(),
  message: z.string().optional(),
  prompt: z.string().optional(),
  shown: json.optional(),
  options: z.array(z.object({ label: z.string(), requiresInput: z.boolean() })).optional(),
  command: z.string().optional(),
});

const planRow = z.object({
  step: z.string(),
  title: z.string(),
  kind: z.string(),
  status: stepStatus,
  visits: z.number(),
  attempts: z.number(),
});

const groupReport = z.object({
  path: z.string(),
  step: z.string(),
  kind: z.string(),
  total: z.number(),
  ok: z.number(),
  failed: z.number(),
  skipped: z.number(),
  open: z.number(),
  failures: z.array(z.string()),
});

const decisionReport = z.object({
  step: z.string(),
  path: z.string(),
  option: z.string(),
  input: z.string().nullable(),
  actor: z.string(),
  digest: z.string().nullable(),
  at: time,
  signed: z.object({ name: z.string(), fingerprint: z.string(), isProved: z.boolean().optional() }).nullable(),
});

const overrideReport = z.object({
  how: z.string(),
  actor: z.string(),
  passed: z.array(z.string()),
  to: z.string().nullable(),
  note: z.string().nullable(),
  at: time,
});

/** What an agent assumed instead of asking. */
export const assumptionReport = z.looseObject({
  run: z.string(),
  id: z.string(),
  severity: z.string(),
  state: z.string(),
  step: z.string(),
  path: z.string(),
  attempt: z.number(),
  question: z.string(),
  assumed: z.string(),
  digest: z.string(),
  signed: z.boolean(),
  options: z.array(z.string()),
  at: time,
  answer: z.object({ actor: z.string(), at: time, text: z.string(), unmet: z.boolean() }).nullable(),
  command: z.string().nullable(),
});

/** The report of a run. */
export const runReport = z.object({
  schemaVersion,
  run: z.object({
    id: z.string(),
    workflow: z.string(),
    title: z.string(),
    status: runStatus,
    currentStep: z.string().nullable(),
    startedAt: time,
    updatedAt: time,
    durationMs: z.number(),
    params: json,
    output: json,
    error: z.string().nullable(),
    origin,
    iterationCounts: jsonObject,
    cost: z.number().nullable(),
    usage: usage.nullable(),
    isDriven: z.boolean(),
    parent: z.object({ run: z.string(), path: z.string() }).nullable(),
    forkOf: z.object({ run: z.string(), step: z.string() }).nullable(),
    children: z.array(z.object({ id: z.string(), workflow: z.string(), status: runStatus })),
  }),
  plan: z.array(planRow),
  steps: z.array(stepReport),
  groups: z.array(groupReport),
  waits: z.array(waitReport),
  decisions: z.array(decisionReport),
  overrides: z.array(overrideReport),
  assumptions: z.array(assumptionReport),
  definitionChange: z
    .union([
      z.object({ kind: z.literal('gone') }),
      z.object({ kind: z.literal('invalid') }),
      z.object({ kind: z.literal('changed'), steps: z.array(z.string()) }),
    ])
    .optional(),
});
