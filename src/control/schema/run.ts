// Owns the schema of the report of a run, which the command line prints with `--json` and the API returns. The types are
// derived from the schemas, so that both always have the same fields. Import only types from here, unless zod is loaded
// anyway: the command line starts without it.

import * as z from 'zod';
import type { DeepReadonly } from '../../base/deep-readonly.ts';
import { SEVERITIES } from '../../definition/review/review.ts';
import { json, origin, runStatus, time, usage } from './value.ts';

/** A run in a list. */
export const runRow = z.object({
  id: z.string(),
  workflow: z.string(),
  status: runStatus,
  currentStep: z.string().nullable(),
  startedAt: time,
  updatedAt: time,
  due: time.nullable(),
  isDriven: z.boolean().meta({ description: 'a live process drives it' }),
  origin,
  parent: z.string().exactOptional(),
  usage: usage.exactOptional(),
  damaged: z.string().exactOptional().meta({ description: 'why the run could not be read' }),
});
/** A run in a list. */
export type RunRow = DeepReadonly<z.output<typeof runRow>>;

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

/** One attempt of a step, ended or live. */
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
  claim: json.exactOptional(),
  evidence: json.exactOptional(),
  staleSince: z.string().exactOptional().meta({
    description: 'the current tree, if this gate checked an earlier one; then its result no longer counts',
  }),
  usage: usage.exactOptional().meta({ description: 'what its agent used' }),
  actor: z.string().exactOptional(),
  group: z.string().exactOptional().meta({ description: 'the path of the group that it is a member of' }),
  key: z.string().exactOptional().meta({ description: 'the key of a member of a group' }),
  rejection: z.string().exactOptional().meta({
    description: 'why a reviewer or a round of a review rejects the work; the outcome of the step is no failure then',
  }),
});
/** One attempt of a step, ended or live. */
export type StepReport = DeepReadonly<z.output<typeof stepReport>>;

const ofWait = {
  id: z.string().meta({ description: 'the path of the step that waits; a halt or a pause of the whole run has its kind' }),
  since: time,
  due: time.nullable(),
  command: z.string().exactOptional().meta({ description: 'the command that ends the wait; absent if only time or another run does' }),
};
const atStep = { path: z.string(), step: z.string() };
const message = z.string().exactOptional();

/** Something that a run waits for. */
const waitReport = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('human'),
    ...ofWait,
    ...atStep,
    digest: z.string().optional(),
    message: message.meta({ description: 'that a decision is recorded, which a process has to carry out' }),
    prompt: z.string().exactOptional(),
    shown: json.exactOptional(),
    options: z.array(z.object({ label: z.string(), requiresInput: z.boolean() })).exactOptional(),
  }),
  z.object({ kind: z.enum(['report', 'answer', 'delay', 'assumptions', 'unknown']), ...ofWait, ...atStep }),
  z.object({
    kind: z.enum(['capacity', 'budget']),
    ...ofWait,
    ...atStep,
    message: message.meta({ description: 'why something is missing' }),
  }),
  z.object({
    kind: z.literal('checks'),
    ...ofWait,
    ...atStep,
    message: message.meta({ description: 'what the checks wait for' }),
  }),
  z.object({ kind: z.literal('signal'), ...ofWait, ...atStep, name: z.string() }),
  z.object({ kind: z.literal('child'), ...ofWait, ...atStep, child: z.string().meta({ description: 'the run that the step started' }) }),
  z.object({
    kind: z.literal('escalation'),
    ...ofWait,
    path: z.string().optional().meta({ description: 'absent if the run stopped between two steps' }),
    step: z.string().optional(),
    message: z.string(),
  }),
  z.object({ kind: z.literal('pause'), ...ofWait }),
]);
/** Something that a run waits for. */
export type WaitReport = DeepReadonly<z.output<typeof waitReport>>;

const planReport = z.object({
  step: z.string(),
  title: z.string(),
  kind: z.string(),
  status: stepStatus.meta({ description: 'pending if it was not reached' }),
  visits: z.number(),
  attempts: z.number(),
});
/** A step of the definition and its status. */
export type PlanReport = DeepReadonly<z.output<typeof planReport>>;

const groupReport = z.object({
  path: z.string(),
  step: z.string(),
  kind: z.string(),
  total: z.number(),
  ok: z.number(),
  failed: z.number(),
  skipped: z.number(),
  open: z.number(),
  rejected: z.number().meta({ description: 'reviewers that reject the work' }),
  failures: z.array(z.string()).meta({ description: 'keys of the members that did not succeed' }),
});
/** The counts of a fan-out or of parallel branches. */
export type GroupReport = DeepReadonly<z.output<typeof groupReport>>;

const signed = z.object({ name: z.string(), fingerprint: z.string(), isProved: z.boolean().exactOptional() });
const decisionReport = z.object({
  step: z.string(),
  path: z.string(),
  option: z.string(),
  input: z.string().nullable(),
  actor: z.string(),
  digest: z.string().nullable(),
  at: time,
  signed: signed.nullable().meta({ description: 'the signer and the key according to the log; "pawl show" verifies it' }),
});
/** A decision by a person. The digest covers everything they were shown. */
export type DecisionReport = DeepReadonly<z.output<typeof decisionReport>>;

const overrideReport = z.object({
  how: z.enum(['accept', 'done', 'goto', 'from', 'fork', 'child']),
  actor: z.string(),
  passed: z.array(z.string()).meta({ description: 'the steps that were passed' }),
  to: z.string().nullable().meta({ description: 'the step where the run continued; null if it followed its definition' }),
  note: z.string().nullable(),
  at: time,
});
/** An override by a person. */
export type OverrideReport = DeepReadonly<z.output<typeof overrideReport>>;

/** What an agent assumed instead of asking. */
export const assumptionReport = z.object({
  run: z.string(),
  id: z.string(),
  severity: z.enum(SEVERITIES),
  state: z.enum(['open', 'confirmed', 'differs']),
  step: z.string(),
  path: z.string(),
  attempt: z.number(),
  question: z.string(),
  assumed: z.string(),
  options: z.array(z.string()),
  digest: z.string(),
  signed: z.boolean(),
  at: time,
  answer: z.object({ actor: z.string(), at: time, text: z.string(), unmet: z.boolean() }).nullable(),
  command: z.string().nullable().meta({
    description: 'the command that answers it, or that forks the run if the answer came after the run had ended',
  }),
});
/** What an agent assumed instead of asking. */
export type AssumptionReport = DeepReadonly<z.output<typeof assumptionReport>>;

const runOverview = z.object({
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
  iterationCounts: z.record(z.string(), z.number()),
  cost: z.number().nullable().meta({
    description: 'the cost of agents, including child runs; null if no agent ran or part of the cost is unknown',
  }),
  usage: usage.nullable().meta({ description: 'what agents used, including child runs; null if no agent ran' }),
  isDriven: z.boolean().meta({ description: 'a live process drives it' }),
  parent: z.object({ run: z.string(), path: z.string() }).nullable(),
  forkOf: z
    .object({ run: z.string(), step: z.string() })
    .nullable()
    .meta({ description: 'the run that this one was forked from, and the step the fork started at' }),
  children: z.array(z.object({ id: z.string(), workflow: z.string(), status: runStatus })),
});
/** The run as a whole. */
export type RunOverview = DeepReadonly<z.output<typeof runOverview>>;

const definitionChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['gone', 'invalid']) }),
  z.object({ kind: z.literal('changed'), steps: z.array(z.string()) }),
]);
/** How the workflow file differs from the definition stored with the run. */
export type DefinitionChange = DeepReadonly<z.output<typeof definitionChange>>;

/** The report of a run. */
export const runReport = z.object({
  run: runOverview,
  plan: z.array(planReport),
  steps: z.array(stepReport),
  groups: z.array(groupReport),
  waits: z.array(waitReport),
  decisions: z.array(decisionReport),
  overrides: z.array(overrideReport).meta({
    description: 'what people overrode: checks, approvals or work that the definition requires and the run skipped',
  }),
  assumptions: z.array(assumptionReport).meta({ description: 'what its workers assumed instead of asking, and how people answered' }),
  definitionChange: definitionChange.exactOptional().meta({
    description: 'how the workflow file differs from the definition stored with an open run; "pawl show" reads it',
  }),
});
/** The report of a run. */
export type RunReport = DeepReadonly<z.output<typeof runReport>>;
