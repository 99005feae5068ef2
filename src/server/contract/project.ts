// Owns the schemas of the project as a whole: the inbox, the workflows, agent usage, and the health of the server.

import * as z from 'zod';
import { assumptionReport } from '../../control/schema/run.ts';
import { json, jsonObject, time } from '../../control/schema/value.ts';
import { schemaVersion } from './value.ts';

/** What every item of the inbox has. */
const ofItem = {
  run: z.string(),
  workflow: z.string(),
  prompt: z.string().meta({ description: 'the question, or why the run waits' }),
  since: time,
  mine: z.boolean().meta({ description: 'the caller may decide it and has not done so yet' }),
  command: z.string(),
};
const atStep = { path: z.string().meta({ description: 'the path of the step that waits' }), step: z.string() };
const digest = z.string().meta({ description: 'send it with the decision or the answer: it proves what was seen' });

const approvalItem = z.object({
  kind: z.literal('approval'),
  ...ofItem,
  ...atStep,
  options: z.array(z.object({ label: z.string(), next: z.string().nullable(), outcome: z.string(), requiresInput: z.boolean() })),
  shown: json,
  subjects: json,
  digest,
  due: time.nullable(),
  from: z.array(z.string()).nullable().meta({ description: 'the groups or people who may decide; null for everybody' }),
  count: z.number(),
  approvals: z.array(z.object({ option: z.string(), actor: z.string() })),
  decided: z.object({ option: z.string(), actor: z.string() }).nullable(),
  signed: z.boolean().meta({ description: 'a decision must be signed with an enrolled key' }),
  diff: z.string().optional().meta({
    description: 'what the run changed in files; absent if unknown, and for most items of a long inbox: see /runs/{id}/diff',
  }),
  diffTruncated: z.literal(true).optional().meta({ description: 'diff is truncated' }),
  evidence: z.array(z.object({ path: z.string(), step: z.string(), outcome: z.string().nullable(), evidence: json, claim: json })),
});

const agentQuestion = z.object({
  header: z.string().optional(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })),
  multiSelect: z.boolean().optional(),
});

const questionItem = z.object({
  kind: z.literal('question'),
  ...ofItem,
  ...atStep,
  questions: z.array(agentQuestion),
  digest,
  signed: z.boolean().meta({ description: 'the answer must be signed with an enrolled key' }),
});

const stuckItem = z.object({
  kind: z.literal('stuck'),
  ...ofItem,
  path: z.string().nullable().meta({ description: 'the path of the step where the run stopped; null if it stopped between two steps' }),
  step: z.string().nullable(),
});

const checksItem = z.object({ kind: z.literal('checks'), ...ofItem, ...atStep, due: time.nullable() });

/** One thing that waits for a person. */
export const inboxItem = z.discriminatedUnion('kind', [approvalItem, questionItem, stuckItem, checksItem]);

/** What waits for people, oldest first. */
export const inboxPage = z.object({
  schemaVersion,
  items: z.array(inboxItem),
  assumptions: z.array(assumptionReport),
  truncated: z.boolean(),
});

const position = { file: z.string(), line: z.number(), column: z.number() };

/** A finding about a file. */
const finding = z.looseObject({ code: z.string(), message: z.string(), hint: z.string(), ...position });

/** The workflows of a project. */
export const workflowList = z.looseObject({
  schemaVersion,
  workflows: z.array(
    z.looseObject({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      form: z.enum(['graph', 'flow']),
      params: z.array(z.string()).optional(),
      steps: z.array(z.string()).optional(),
      trusted: z.boolean(),
      ...position,
    }),
  ),
  problems: z.array(finding),
});

/** One workflow. */
export const workflowDetail = z.looseObject({
  schemaVersion,
  name: z.string(),
  title: z.string(),
  description: z.string(),
  form: z.enum(['graph', 'flow']),
  file: z.string().nullable(),
  trusted: z.boolean(),
  params: jsonObject.meta({ description: 'a JSON Schema of its parameters' }).nullable(),
  graph: z
    .object({
      nodes: z.array(z.object({ id: z.string(), title: z.string(), kind: z.string(), group: z.string().optional() })),
      edges: z.array(z.object({ from: z.string(), to: z.string(), outcome: z.string() })),
    })
    .nullable(),
  findings: z.array(finding),
});

/** The period of the usage report, and its buckets. */
export const usageQuery = z.object({
  since: time.optional(),
  until: time.optional(),
  bucket: z.enum(['day', 'hour']).default('day'),
  workflow: z.string().optional(),
});

/** What agents used over time. */
export const usageReport = z.object({
  schemaVersion,
  buckets: z.array(
    z.object({
      at: time,
      workflow: z.string(),
      role: z.string().nullable(),
      runs: z.number(),
      attempts: z.number(),
      cost: z.number().nullable(),
      unknownCost: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      durationMs: z.number(),
      refusals: z.number().meta({ description: 'claims of success that the engine did not observe' }),
    }),
  ),
});

/** The health of a server and of its project. */
export const healthReport = z.object({
  schemaVersion,
  ok: z.boolean(),
  checks: z.array(
    z.object({ id: z.string(), status: z.enum(['ok', 'warning', 'problem']), what: z.string(), hint: z.string().optional() }),
  ),
  server: z.object({ version: z.string(), startedAt: time, rssBytes: z.number(), streams: z.number() }),
  owners: z.array(z.object({ owner: z.string(), runs: z.number(), isAlive: z.boolean(), isThis: z.boolean() })),
  queue: z.array(z.object({ key: z.string(), run: z.string(), path: z.string(), held: z.boolean() })),
  accounts: z.array(z.object({ account: z.string(), until: time, why: z.string() })),
});

/** The settings of the project that are safe to show. */
export const settingsReport = z.object({ schemaVersion, settings: jsonObject });

/** Who is logged in, and to which project. */
export const sessionReport = z.object({
  schemaVersion,
  person: z.object({ name: z.string(), groups: z.array(z.string()), manages: z.boolean() }),
  scopes: z.array(z.enum(['view', 'operate', 'decide'])),
  project: z.object({ name: z.string() }),
  /** The other projects that the same process serves, each with a separate login. */
  projects: z.array(z.object({ name: z.string(), url: z.string() })),
  version: z.string(),
});

/** Whether a server answers, or is ready for work. */
export const health = z.object({ schemaVersion, status: z.enum(['ok', 'starting', 'closing']) });
