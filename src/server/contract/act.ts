// Owns the schemas of requests that change runs. Their fields are the options of the same command of the command line.

import * as z from 'zod';
import { forkTable } from '../../control/schema/fork.ts';
import { json, jsonObject, runStatus, time } from '../../control/schema/value.ts';
import { schemaVersion, signature } from './value.ts';

const note = z.string().max(10_000).optional();

/** Starts a run. */
export const startBody = z.strictObject({
  workflow: z.string().min(1).max(200),
  params: jsonObject.default({}),
  tags: z.array(z.string().min(1).max(100)).max(20).optional(),
  id: z.string().optional(),
  priority: z.number().int().min(-1000).max(1000).optional(),
});

/** Decides an approval. */
export const decideBody = z.strictObject({
  digest: z.string().regex(/^[0-9a-f]{12,64}$/, 'must be the digest of what you saw: 12 to 64 hexadecimal digits'),
  option: z.string().min(1).max(1000),
  approval: z.string().optional(),
  input: z.string().max(100_000).optional(),
  signature: signature.optional(),
});

/** Answers the questions of an agent, or one of its assumptions. */
export const answerBody = z.strictObject({
  answers: z.array(z.union([z.string().max(100_000), z.array(z.string().max(10_000))])).optional(),
  step: z.string().optional(),
  assumption: z.string().optional(),
  answer: z.string().max(100_000).optional(),
  agree: z.literal(true).optional(),
  digest: z.string().optional(),
  signature: signature.optional(),
});

/** Sends a signal. */
export const signalBody = z.strictObject({
  name: z.string().min(1).max(200),
  payload: json.optional(),
  id: z.string().max(200).optional(),
});

/** Cancels a run, or shows what that would undo. */
export const cancelBody = z.strictObject({
  reason: z.string().max(10_000).optional(),
  undo: z.literal(false).optional().meta({ description: 'false leaves what its steps did; that needs the right to override' }),
  dryRun: z.boolean().default(false),
});

const doneWork = z.object({ run: z.string(), path: z.string(), step: z.string(), attempt: z.number(), endedAt: time });

/** What cancelling a run would undo, in this order, and what would stay. */
export const cancelPlan = z.object({
  schemaVersion,
  plan: z.object({
    run: z.string(),
    items: z.array(doneWork.extend({ by: z.string() })),
    stays: z.array(doneWork.extend({ kind: z.string() })),
  }),
});

/** What changed since the approvals of a run were requested. */
export const recheckAnswer = z.object({
  schemaVersion,
  changed: z.array(z.object({ approval: z.string(), digest: z.string(), what: z.string() })),
});

/** Continues a run. After a halt it needs one choice, or one for each step that is `unknown`. */
export const resumeBody = z.strictObject({
  retry: z.literal(true).optional(),
  accept: z.literal(true).optional(),
  to: z.string().optional(),
  rerun: z.array(z.string()).optional(),
  done: z.array(z.string()).optional(),
  failed: z.array(z.string()).optional(),
  output: json.optional(),
  extend: z.number().int().min(1).optional(),
  note,
});

/** Retries what failed. */
export const retryBody = z.strictObject({ step: z.string().optional(), extend: z.number().int().min(1).optional(), note });

/** Starts a run from the middle of another. */
export const forkBody = z.strictObject({
  from: z.string().min(1),
  params: jsonObject.optional(),
  outputs: z.record(z.string(), json).optional(),
  dryRun: z.boolean().default(false),
});

/** What a fork would do. */
export const forkPlan = z.object({ schemaVersion, plan: forkTable });

/** Cancels or retries many runs. */
export const bulkBody = z.strictObject({
  action: z.enum(['cancel', 'retry']),
  ids: z.array(z.string()).min(1).max(500),
  reason: z.string().max(10_000).optional(),
});

/** The result for each of them. */
export const bulkAnswer = z.object({
  schemaVersion,
  results: z.array(
    z.object({
      id: z.string(),
      ok: z.boolean(),
      status: runStatus.optional(),
      error: z.object({ code: z.string(), detail: z.string() }).optional(),
    }),
  ),
});
