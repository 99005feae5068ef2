// Compiles a `review` step to a child workflow in which an agent splits the subject into
// items, once; a fresh reviewer verifies each; the engine judges the round; an agent fixes what blocks; and after the last
// round a person decides. Three parts that every review needs are built in: a banner with the round, the bound, and
// reviewers that do not see earlier verdicts.

import type { MethodArguments } from '../../authoring/flow/method.ts';
import type { FlowSpec } from '../../authoring/flow/model.ts';
import type { LiveAgent } from '../../authoring/graph/dispatch.ts';
import { compileGraph } from '../../authoring/graph/graph.ts';
import { LIVE_AGENT } from '../../authoring/graph/shape.ts';
import type { StepSpec } from '../../authoring/graph/spec.ts';
import type { Compilers, KindCompiler, WorkContext } from '../../authoring/graph/work.ts';
import type { ReviewAgent, ReviewFields } from '../../authoring/spec/part.ts';
import {
  anyShape,
  COUNT,
  DURATION,
  eitherShape,
  isFields,
  objectShape,
  plainShape,
  TEXT,
  TEXT_OR_TEXTS,
} from '../../authoring/spec/shape.ts';
import { isEngineError } from '../../base/error.ts';
import { omitUndefined } from '../../base/fields.ts';
import type { JsonObject } from '../../base/json.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { ChildWork } from '../../definition/model.ts';
import { arg } from '../../definition/param/arg.ts';
import { REVIEW_ROUNDS_MAX, SEVERITIES } from '../../definition/review/review.ts';
import { review as declaration, parseReview, type ReviewConfig, SPLIT, VERIFY } from './declare.ts';
import { FIX_TEXT, SPLIT_TEXT, VERIFY_TEXT } from './prompts.ts';
import type { ReviewStep } from './spec.ts';

const FIELDS = ['subject', 'reviewer', 'fixer', 'splitter', 'items', 'rounds', 'concurrency', 'from', 'name'];
/** How often a person may send the work back after the last round, and how often agents may split it again. */
const AGAIN_MAX = 20;
const SPLITS_MAX = 3;

const WORKER = eitherShape(
  TEXT,
  plainShape('an agent', (value): value is LiveAgent => isFields(value) && typeof value.execute === 'function'),
  objectShape<object>(
    { agent: LIVE_AGENT, prompt: TEXT, budget: anyShape(), timeout: DURATION },
    { example: '{ agent: "reviewer", prompt: "…" }', needs: ['agent'], label: 'an agent of a review' },
  ),
);

/** Compiles `review` steps. */
export const review: KindCompiler = {
  ...declaration,
  field: 'review',
  flow: {
    review: {
      most: 1,
      first: objectShape<object>({}, { example: '{ subject: "…", reviewer: "…", fixer: "…" }' }),
      own: FIELDS,
      write: reviewOf,
    },
  },
  shapes: {
    review: objectShape<object>(
      { subject: TEXT, reviewer: WORKER, fixer: WORKER, splitter: WORKER, concurrency: COUNT, from: TEXT_OR_TEXTS, name: TEXT },
      { example: '{ subject: "the change in src/", reviewer: "reviewer", fixer: "developer" }' },
    ),
  },
  read({ review: given }, context) {
    const { step } = context;
    const spec = (given ?? {}) as ReviewFields | ReviewConfig;
    if ('part' in spec) {
      const config = step.parse(spec, '`review`', parseReview);
      return config && { work: { kind: 'review', config } };
    }
    step.knownFields(spec, FIELDS, 'a review');
    for (const field of ['subject', 'reviewer', 'fixer'] as const)
      if (spec[field] === undefined || spec[field] === '')
        step.fault('FIELD_INVALID', `\`review.${field}\` is missing`, `write ${MEANING[field]}`);
    try {
      const child = childOf(spec, context);
      const { name } = child.definition;
      step.graph.children.set(name, child);
      for (const { agent } of [spec.reviewer, spec.fixer, spec.splitter].map(agentOf))
        if (typeof agent === 'object') step.code('agent', agent.execute);
      return { work: { kind: 'workflow', workflow: name, review: partOf(spec, child), input: inputOf(spec) } };
    } catch (error) {
      if (!isEngineError(error)) throw error;
      step.fault('FIELD_INVALID', `\`review\` is invalid: ${error.message}`, 'change its fields');
      return undefined;
    }
  },
};

const MEANING = {
  subject: 'what is reviewed, such as "the change in src/"',
  reviewer: 'the role of the agents that verify',
  fixer: 'the role of the agent that fixes what they find',
};

function reviewOf([spec]: MethodArguments<ReviewStep, 'review'>): FlowSpec {
  const { subject, reviewer, fixer, splitter, items, rounds, concurrency, from, name, ...options } = spec;
  return { fields: { review: { subject, reviewer, fixer, splitter, items, rounds, concurrency, from, name } }, options };
}

/** A flow does not know its name when it builds its steps, so the digest distinguishes two reviews of one name. */
function childOf(spec: ReviewFields, { step: { graph, at }, id }: WorkContext): CompiledWorkflow {
  const named = (name: string) => compileReview(name, { id, ...spec }, graph.compilers);
  if (!graph.isFlow) return named(`${graph.name}.${at.replaceAll('/', '.')}`);
  return named(`review.${id}.${named(`review.${id}`).hash.slice(0, 8)}`);
}

/** The input of the child: texts with templates, which the parent workflow renders. */
function inputOf({ subject, ...agents }: ReviewFields): JsonObject {
  return { subject, ...omitUndefined(Object.fromEntries(AGENTS.map((name) => [name, agentOf(agents[name]).prompt]))) };
}

/** What the parent's definition stores about its review: the names it uses, and its digest, so that changes are detected. */
function partOf({ from, ...agents }: ReviewFields, { hash }: CompiledWorkflow): NonNullable<ChildWork['review']> {
  const roles = AGENTS.map((name) => agentOf(agents[name]).agent).filter((agent) => typeof agent === 'string');
  return { digest: hash, roles: [...new Set(roles)], ...(from === undefined ? {} : { from: typeof from === 'string' ? [from] : from }) };
}

const AGENTS = ['splitter', 'reviewer', 'fixer'] as const;
const text = (description: string) => arg({ type: 'string', description, required: false });
const PARAMS = {
  subject: arg({ type: 'string', description: 'what is reviewed', required: true }),
  splitter: text('more instructions for the agent that splits it into items'),
  reviewer: text('more instructions for the reviewers'),
  fixer: text('more instructions for the agent that fixes it'),
};

interface NamedReview {
  readonly id: string;
}

/** The workflow of a review. */
function compileReview(name: string, spec: ReviewFields & NamedReview, compilers: Compilers): CompiledWorkflow {
  const { rounds = REVIEW_ROUNDS_MAX, items } = spec;
  const part = (which: ReviewConfig['part']) => ({
    review: { part: which, name: spec.name ?? spec.id, rounds, ...omitUndefined({ items: which === 'begin' ? items : undefined }) },
  });
  const steps: StepSpec[] = [
    ...(items === undefined ? [splitStep(spec)] : []),
    {
      id: 'begin',
      title: 'Begin the review',
      ...part('begin'),
      next: items === undefined ? { ok: VERIFY, fail: { to: SPLIT, maxIterations: SPLITS_MAX } } : VERIFY,
    },
    verifyStep(spec),
    { id: 'judge', title: 'Judge the round', ...part('judge'), next: { ok: 'end', again: 'fix', exhausted: 'decide' } },
    {
      id: 'fix',
      title: 'Fix what the review found',
      ...worker(spec.fixer, FIX_TEXT, 'fixer'),
      context: { blocking: '{{ outputs.judge.blocking }}' },
      next: { to: VERIFY, maxIterations: rounds + AGAIN_MAX },
    },
    decideStep(spec),
    { id: 'end', title: 'End the review', ...part('end'), next: null },
  ];
  return compileGraph(
    {
      name,
      title: `Review: ${spec.name ?? spec.id}`,
      params: PARAMS,
      steps,
    },
    compilers,
  );
}

/** The common fields of a review's agents: their texts are templates, and their reports do not join the run's data. */
function worker(given: ReviewAgent, text: string, param: (typeof AGENTS)[number]) {
  const { agent, prompt, budget, timeout } = agentOf(given);
  return {
    agent,
    prompt: prompt === undefined ? text : `${text}\n\n{{ params.${param} }}`,
    templates: true,
    merges: false as const,
    ...omitUndefined({ budget, timeout }),
  };
}

function agentOf(given: ReviewAgent | undefined): Exclude<ReviewAgent, string | LiveAgent> {
  if (typeof given === 'object' && 'agent' in given) return given;
  return { agent: given as string | LiveAgent };
}

const SEVERITY = { type: 'string', enum: [...SEVERITIES] };
const WORDS = { type: 'string', minLength: 1 };
const ITEMS: JsonObject = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['id', 'severity', 'question'], properties: { id: WORDS, severity: SEVERITY, question: WORDS } },
    },
  },
};
const VERDICT: JsonObject = {
  type: 'object',
  required: ['status', 'evidence'],
  properties: {
    status: { type: 'string', enum: ['pass', 'fail'] },
    evidence: WORDS,
    findings: { type: 'array', items: { type: 'object', required: ['severity', 'text'], properties: { severity: SEVERITY, text: WORDS } } },
  },
};

function splitStep({ splitter, reviewer }: ReviewFields): StepSpec {
  return {
    id: SPLIT,
    title: 'Split the subject into items',
    ...worker(splitter ?? agentOf(reviewer).agent, SPLIT_TEXT, 'splitter'),
    schema: ITEMS,
    reviews: false,
    mutatesCheckout: false,
    next: 'begin',
  };
}

function verifyStep({ reviewer, concurrency }: ReviewFields): StepSpec {
  const step = {
    title: 'Verify one item',
    ...worker(reviewer, VERIFY_TEXT, 'reviewer'),
    schema: VERDICT,
    reviews: false,
    independent: true as const,
    writes: [],
    mutatesCheckout: false as const,
  };
  return {
    id: VERIFY,
    title: 'Verify the items, each by a fresh reviewer',
    each: { items: 'outputs.judge.to_verify ?? outputs.begin.to_verify', step, ...omitUndefined({ concurrency }) },
    merges: false,
    next: 'judge',
  };
}

function decideStep({ from }: ReviewFields): StepSpec {
  return {
    id: 'decide',
    title: 'The rounds are used up',
    templates: true,
    human: {
      prompt: '{{ outputs.judge.question }}',
      options: [
        { label: 'accept', nextStep: 'end' },
        { label: 'again', nextStep: 'fix' },
        { label: 'stop', nextStep: 'reject', outcome: 'reject' },
      ],
      ...omitUndefined({ from }),
    },
    next: { ok: 'end' },
  };
}
