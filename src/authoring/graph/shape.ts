// Owns the shapes of a graph's fields: `defineWorkflow` rejects at run time what TypeScript did not. Each kind of step has the
// shapes of its own fields.

import { EngineError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import type { BreakersSpec } from '../../definition/breakers.ts';
import type { StepContext } from '../../definition/code.ts';
import type { DocumentContract, SectionContract, StepContract } from '../../definition/contract/step-contract.ts';
import { isText } from '../../definition/kind.ts';
import type { ArgSpec, ArgSpecs } from '../../definition/param/arg.ts';
import type { BoundedNext, ConditionalTarget, StepCondition, Undo, WorkflowFields } from '../spec/part.ts';
import type { ReactionConditions, ReactionSpec } from '../spec/reaction.ts';
import {
  anyShape,
  COUNT,
  COUNT_OR_NONE,
  DATA,
  DURATION,
  eitherShape,
  FALSE,
  type FieldShapes,
  type Fields,
  FLAG,
  functionShape,
  isFields,
  listShape,
  mapShape,
  NUMBER,
  objectShape,
  plainShape,
  readFields,
  type Shape,
  type ShapeFault,
  TEXT,
  TEXT_OR_TEXTS,
  TEXTS,
  TRUE,
  textShape,
  wordShape,
} from '../spec/shape.ts';
import type { GroupSpec, JoinSpec, NextSpec, QuestionOptionSpec, QuestionSpec, SharedSpec, TargetSpec } from './spec.ts';

/** A step by its id, or an end. */
const TARGET: Shape<TargetSpec> = plainShape('a step id or null', (value) => value === null || typeof value === 'string');

const EDGE = objectShape<BoundedNext>(
  { to: TARGET, maxIterations: COUNT, onExhausted: TARGET, context: DATA },
  { needs: ['to'], label: 'a transition' },
);
const CHOICE = objectShape<ConditionalTarget>(
  { condition: TEXT, onTrue: TARGET, onFalse: TARGET, maxIterations: COUNT, onExhausted: TARGET },
  { needs: ['condition'], label: 'a conditional next' },
);
const STEP_NAME = objectShape<{ readonly step: string }>({ step: TEXT }, { needs: ['step'] });

/** The names of the fields that make an object one transition, and no map of them. */
const ENTRIES = { condition: CHOICE, to: EDGE, step: STEP_NAME };

type Transition = TargetSpec | BoundedNext | ConditionalTarget | { readonly step: string };

/** Whether a `next` is one transition for all successes. */
function isTransition(next: unknown): next is Transition {
  return TARGET.accepts(next) || entryOf(next) !== undefined;
}

function entryOf(value: unknown): Shape<Transition> | undefined {
  const field = (['condition', 'to', 'step'] as const).find((name) => isJsonObject(value) && name in value);
  return field === undefined ? undefined : ENTRIES[field];
}

const TRANSITION: Shape<Transition> = {
  must: 'a step id, null, or such as { to: "fix", maxIterations: 3 }',
  accepts: isTransition,
  parts: (value, path, fault) => (entryOf(value) ?? TARGET).parts(value, path, fault),
};

const TRANSITIONS = mapShape(TRANSITION);

/** What comes after a step. */
export const NEXT: Shape<NextSpec> = {
  must: 'a step id, null or a map',
  accepts: (value) => isTransition(value) || isJsonObject(value),
  parts: (value, path, fault) => (isTransition(value) ? TRANSITION : TRANSITIONS).parts(value, path, fault) as NextSpec,
};

const JOIN_TEXT = plainShape(
  '"all", "any", a number, or such as "2-of-3"',
  (value): value is JoinSpec => typeof value === 'string' || typeof value === 'number',
  'JOIN_INVALID',
);

/** The fields of a group. */
export const GROUP = {
  join: eitherShape(JOIN_TEXT, objectShape<{ readonly n: number }>({ n: COUNT }, { example: '{ n: 2 }', needs: ['n'] })),
  concurrency: COUNT,
} satisfies Partial<FieldShapes<GroupSpec>>;

const OPTION = objectShape<QuestionOptionSpec>(
  { label: TEXT, nextStep: TARGET, ends: wordShape('completed', 'rejected'), outcome: TEXT, requiresInput: FLAG },
  { example: '{ label: "approve" }', needs: ['label'], label: ({ label }) => `the option "${label}"` },
);

/** The fields of a question without its prompt. */
const QUESTION_FIELDS = {
  show: TEXTS,
  options: listShape(OPTION),
  from: TEXT_OR_TEXTS,
  count: COUNT,
  subjects: objectShape<NonNullable<QuestionSpec['subjects']>>(
    { files: TEXTS, pr: TRUE },
    { example: '{ files: ["plan.md"] }', label: '`subjects`' },
  ),
  signed: FLAG,
  waitFor: anyShape<NonNullable<QuestionSpec['waitFor']>>(),
  label: TEXT,
  autoAssign: TEXT_OR_TEXTS,
  reminders: objectShape<NonNullable<QuestionSpec['reminders']>>(
    { interval: DURATION, max: COUNT },
    { label: '`reminders`', example: '{ interval: "24h", max: 3 }', needs: ['interval', 'max'] },
  ),
};
const QUESTION_RULE = { example: '{ prompt: "Ship it?" }', label: 'a question' };

/** A question to a person; a function may build its prompt. */
export const QUESTION: Shape<QuestionSpec> = objectShape<QuestionSpec>(
  { ...QUESTION_FIELDS, prompt: eitherShape(TEXT, functionShape<Exclude<QuestionSpec['prompt'], string>>()) },
  QUESTION_RULE,
);
const PLAIN_QUESTION: Shape<QuestionSpec> = objectShape<QuestionSpec>({ ...QUESTION_FIELDS, prompt: TEXT }, QUESTION_RULE);

const CONDITIONS: Shape<readonly StepCondition<StepContext>[]> = listShape(
  objectShape<StepCondition<StepContext>>(
    { name: TEXT, check: eitherShape(TEXT, functionShape<(ctx: StepContext) => boolean | Promise<boolean>>()), error: TEXT },
    { example: '{ name: "tests", check: "…", error: "…" }', needs: ['name'], label: ({ name }) => `the condition "${name}"` },
  ),
);

const BACKOFF = objectShape<NonNullable<RetrySpec['backoff']>>(
  { initial: DURATION, factor: NUMBER, max: DURATION },
  { example: '{ initial: "1s" }', needs: ['initial'], label: 'a backoff' },
);

type RetrySpec = Exclude<NonNullable<SharedSpec['retry']>, number>;

const ARG: Shape<ArgSpec> = objectShape<ArgSpec>(
  {
    description: TEXT,
    type: wordShape('string', 'number', 'integer', 'boolean', 'json'),
    default: anyShape(),
    min: NUMBER,
    max: NUMBER,
    choices: listShape(anyShape()),
    required: FLAG,
  },
  { example: '{ type: "string", required: true }', label: 'a parameter' },
);

const OUTPUT = objectShape<object>(
  { name: TEXT, type: TEXT, pattern: TEXT, target: TEXT, labels: TEXTS, required: FLAG, find: functionShape() },
  { example: '{ name: "plan", type: "file", pattern: "plan.md" }' },
);

const DOCUMENT = objectShape<DocumentContract>(
  {
    path: TEXT,
    sections: listShape(
      eitherShape(
        TEXT,
        objectShape<SectionContract>(
          { title: TEXT, minWords: COUNT_OR_NONE, minItems: COUNT_OR_NONE },
          { needs: ['title'], label: 'a section' },
        ),
      ),
    ),
    minWords: COUNT_OR_NONE,
    ids: objectShape<NonNullable<DocumentContract['ids']>>(
      { pattern: TEXT, min: COUNT_OR_NONE, max: COUNT_OR_NONE },
      { example: '{ pattern: "F-1", min: 3 }', needs: ['pattern', 'min'], label: '`ids`' },
    ),
    references: listShape(
      objectShape<NonNullable<DocumentContract['references']>[number]>(
        { pattern: TEXT, to: TEXT, all: TRUE },
        { example: '{ pattern: "F-1", to: "plan.md" }', needs: ['pattern', 'to'], label: 'a reference' },
      ),
    ),
    quotes: COUNT_OR_NONE,
    json: anyShape(),
    plan: TRUE,
    frozen: TRUE,
  },
  { example: '{ path: "plan.md" }', needs: ['path'], label: 'a document of a contract' },
);

type OutputList = NonNullable<SharedSpec['outputs']>;

/** The fields that every step can have. */
const SHARED: FieldShapes<SharedSpec> = {
  title: TEXT,
  writes: TEXTS,
  protected: TEXTS,
  mayChange: TEXTS,
  network: anyShape(),
  mutatesCheckout: FALSE,
  staged: TRUE,
  databases: anyShape(),
  onFail: anyShape(),
  actions: eitherShape(TEXTS, functionShape<Exclude<NonNullable<SharedSpec['actions']>, readonly string[]>>()),
  args: mapShape(ARG) as Shape<NonNullable<SharedSpec['args']>>,
  preconditions: CONDITIONS,
  postconditions: CONDITIONS,
  retry: eitherShape(
    COUNT_OR_NONE,
    objectShape<RetrySpec>(
      { max: COUNT_OR_NONE, on: listShape(wordShape('error', 'timeout')), backoff: BACKOFF },
      { example: '{ max: 2 }', needs: ['max'], label: 'a retry' },
    ),
  ),
  timeout: DURATION,
  contractRetries: COUNT_OR_NONE,
  recovery: { ...textShape(), code: 'RECOVERY_INVALID' },
  reconcile: functionShape(),
  condition: TEXT,
  humanGate: PLAIN_QUESTION,
  slots: TEXTS,
  outputs: listShape(OUTPUT) as Shape<OutputList>,
  fresh: anyShape(),
  merges: eitherShape(wordShape(false), TEXTS),
  templates: FLAG,
  extend: objectShape<NonNullable<SharedSpec['extend']>>(
    { by: DURATION, max: COUNT, onExtend: TEXT },
    { example: '{ by: "10m" }', needs: ['by'], label: 'an extension' },
  ),
  side: TRUE,
  contract: objectShape<StepContract>(
    { documents: listShape(DOCUMENT), changes: TEXTS, report: anyShape(), command: TEXT },
    { example: '{ documents: [{ path: "plan.md" }] }', label: 'a contract' },
  ),
  reviewOf: objectShape<NonNullable<SharedSpec['reviewOf']>>(
    { gate: TEXT, items: TEXT, verdicts: TEXT },
    { label: '`reviewOf`', example: '{ gate: "judge" }', needs: ['gate'] },
  ),
  route: objectShape<NonNullable<SharedSpec['route']>>(
    { outcomes: TEXTS, choose: functionShape() },
    { label: '`route`', example: '{ outcomes: ["small"], choose: (done) => … }', needs: ['outcomes', 'choose'] },
  ),
  independent: TRUE,
  undo: eitherShape(functionShape<() => unknown>(), objectShape<object>({}, { example: '{ command: "git revert" }' })) as Shape<
    Undo<StepContext>
  >,
};

/** The fields of a step, apart from those of its kind and its transitions. */
export const STEP = { id: TEXT, ...SHARED, supportsQuestions: FLAG, questionState: TEXT };

const CONDITIONS_OF_REACTION: FieldShapes<ReactionConditions> = {
  label: TEXT,
  labels: TEXTS,
  assigneeIsBot: FLAG,
  milestone: TEXT,
  baseBranch: TEXT_OR_TEXTS,
  reviewState: wordShape('approved', 'changes_requested', 'commented', 'dismissed'),
};

const ACCESS = wordShape('none', 'read', 'write');

type Header = WorkflowFields<ArgSpecs, object>;

/** The fields of every workflow, apart from its name and its steps. */
export const WORKFLOW: FieldShapes<Header> = {
  title: TEXT,
  description: TEXT,
  version: TEXT,
  params: mapShape(ARG) as Shape<ArgSpecs>,
  context: functionShape(),
  trigger: objectShape<NonNullable<Header['trigger']>>({} as never, { example: '{ schedule: "0 6 * * 1-5" }' }),
  limits: objectShape<NonNullable<Header['limits']>>({ maxIterations: COUNT }, { example: '{ maxIterations: 10 }', label: '`limits`' }),
  recovery: { ...textShape(), code: 'RECOVERY_INVALID' },
  concurrency: objectShape<NonNullable<Header['concurrency']>>(
    { key: TEXT, max: COUNT },
    { label: '`concurrency`', example: '{ key: "shared:deploys", max: 1 }', needs: ['key', 'max'] },
  ),
  budget: anyShape(),
  circuitBreakers: eitherShape(wordShape(true), objectShape<Exclude<BreakersSpec, true>>({} as never, { example: '{ iterations: 10 }' })),
  protected: TEXTS,
  databases: anyShape(),
  snapshot: objectShape<NonNullable<Header['snapshot']>>(
    { include: TEXTS, off: TRUE },
    { example: '{ include: ["build/**"] }', label: '`snapshot`' },
  ),
  permissions: objectShape<NonNullable<Header['permissions']>>(
    { contents: ACCESS, issues: ACCESS, pull_requests: ACCESS, checks: ACCESS, discussions: ACCESS },
    { example: '{ contents: "read" }', label: '`permissions`' },
  ),
  writes: anyShape(),
  staged: TRUE,
  data: DATA,
  facts: TEXTS,
  onError: TEXT,
  onEvents: listShape(
    objectShape<ReactionSpec>(
      {
        event: TEXT,
        conditions: objectShape<ReactionConditions>(CONDITIONS_OF_REACTION, { example: '{ label: "urgent" }' }),
        do: textShape(),
        step: TEXT,
        max: COUNT,
        notify: TEXT,
        message: TEXT,
      },
      { example: '{ event: "issues.closed", do: "cancel" }', needs: ['event', 'do'] },
    ),
  ),
};

/** The fields of a workflow other than its steps, including those that only `pawl/compat` has. */
export type HeaderFields = Header & { readonly [Field in 'name' | 'entry' | 'type' | 'initialStep']?: string };

/** The raw fields of a workflow. */
export function workflowFields(spec: unknown): Fields {
  if (isFields(spec)) return spec;
  throw new EngineError('DEFINITION_INVALID', 'a workflow must be an object such as { name: "build", steps: { … } }');
}

const HEADER: FieldShapes<HeaderFields> = { ...WORKFLOW, name: TEXT, entry: TEXT, type: TEXT, initialStep: TEXT };

/** Reads the fields of a workflow other than its steps, without those of a wrong type. */
export function readHeaderFields(spec: object, fault: ShapeFault): HeaderFields {
  return readFields(HEADER, spec, { path: '', fault }) as HeaderFields;
}

/** A step inside a group. */
export const STEP_PART: Shape<object> = objectShape<object>({}, { example: '{ command: "npm test" }' });
/** The branches of a group, as entries. */
export const BRANCHES: Shape<readonly unknown[]> = plainShape('steps by id, such as { lint: { … } }', (value) => Array.isArray(value));
/** A string, or a function that builds it. */
export const TEXT_OR_FUNCTION = eitherShape(TEXT, functionShape<() => unknown>());
/** A worker, by its role or as a live object. */
export const LIVE_AGENT = eitherShape(
  plainShape('the name of a role', isText),
  objectShape<object>({}, { example: '{ execute(context, ctx) { … } }' }),
);
