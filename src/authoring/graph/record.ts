// Converts the record of steps that `defineWorkflow` takes to the entries that `graph.ts` compiles.

import { omitUndefined } from '../../base/fields.ts';
import { invalidDefinition } from '../../definition/validation/problem.ts';
import type { StepCondition } from '../spec/part.ts';
import { type Fields, isFields, shownType } from '../spec/shape.ts';
import type { OutputSchema } from '../spec/step.ts';
import type { GraphReading } from './reading.ts';
import { readHeaderFields, workflowFields } from './shape.ts';
import type { Entries, GraphEntries } from './spec.ts';

type Fault = (step: string, message: string, hint: string) => void;

/** The workflow with its steps as entries, in the order written. */
export function recordEntries(given: unknown, reading: GraphReading): GraphEntries<unknown> {
  const { problems } = reading;
  const { steps, ...rest } = workflowFields(given);
  const { name = '', type, initialStep, ...header } = readHeaderFields(rest, reading.shapeFault());
  const fault: Fault = (step, message, hint) => problems.add({ code: 'FIELD_INVALID', step, message, hint });
  for (const [field, hint] of Object.entries(omitUndefined({ type: type && HEADER.type, initialStep: initialStep && HEADER.initialStep })))
    problems.add({ code: 'FIELD_UNKNOWN', message: `a workflow has no field "${field}"`, hint });
  if (isFields(steps)) return { ...header, name, steps: entriesOf(steps, fault) };
  const hint = 'write steps by id, as in steps: { draft: { … } }; lists are accepted only by defineWorkflow of pawl/compat';
  const instead = steps === undefined ? '' : `, not ${shownType(steps)}`;
  problems.add({ code: 'NO_STEPS', message: `\`steps\` must be an object with a key per step${instead}`, hint });
  throw invalidDefinition(name, problems.found);
}

function entriesOf(steps: Fields, fault: Fault): Entries<unknown> {
  return Object.entries(steps).map(([id, step]) => {
    if (/^\d+$/.test(id)) fault(id, 'a step id must not be a number: JavaScript moves such keys to the front', 'begin it with a letter');
    return [id, isFields(step) ? stepFields(step, id, fault) : step];
  });
}

/** The fields of a workflow in `pawl/compat`. */
const HEADER = {
  type: 'write the name as `name` and the title as `title`; `type` is for defineWorkflow of pawl/compat',
  initialStep: 'write `entry`; `initialStep` is for defineWorkflow of pawl/compat',
};

const EACH = 'write each: { items: "…", step: { … } }, with `join` and `concurrency` inside it';

/** Fields of `pawl/compat`, which the types reject here, with the alternative in a record. */
const COMPAT_FIELDS: Readonly<Record<string, string>> = {
  humanGate: 'write a separate step with `human`',
  parallelKey: EACH,
  join: 'write it into `parallel` or `each`',
  concurrency: 'write it into `parallel` or `each`',
};

/** The step without the syntax of `pawl/compat`, which is reported. */
function withoutCompatFields(step: Fields, at: string, fault: Fault): Fields {
  const refused = Object.entries(COMPAT_FIELDS).filter(([field]) => step[field] !== undefined);
  for (const [field, hint] of refused) fault(at, `\`${field}\` is accepted only by pawl/compat`, hint);
  if (step.parallel === true) fault(at, '`parallel: true` is accepted only by pawl/compat', EACH);
  for (const group of [step.parallel, step.each]) if (isFields(group)) checkJoin(group.join, at, fault);
  checkNext(step.next, at, fault);
  const { human, parallel, ...rest } = Object.fromEntries(Object.entries(step).filter(([field]) => !Object.hasOwn(COMPAT_FIELDS, field)));
  return { ...rest, ...omitUndefined({ human: withoutContext(human, at, fault), parallel: parallel === true ? undefined : parallel }) };
}

function checkJoin(join: unknown, at: string, fault: Fault): void {
  const count = isFields(join) ? join.n : typeof join === 'string' ? /^(\d+)-of-\d+$/.exec(join)?.[1] : undefined;
  if (count !== undefined) fault(at, `\`join\` must be "all", "any" or a number, not ${JSON.stringify(join)}`, `write join: ${count}`);
}

function checkNext(next: unknown, at: string, fault: Fault): void {
  const targets = isFields(next) ? [next, ...Object.values(next)] : [];
  for (const target of targets)
    if (isFields(target) && typeof target.step === 'string' && Object.keys(target).length === 1)
      fault(at, `\`next\` must name a step by its id, not as { step: "${target.step}" }`, `write "${target.step}"`);
}

function withoutContext(human: unknown, at: string, fault: Fault): unknown {
  const options = isFields(human) && Array.isArray(human.options) ? human.options : [];
  for (const option of options)
    if (isFields(option) && option.nextStep === null)
      fault(at, `\`nextStep\` of the option "${option.label}" must not be null`, 'write "reject" or "complete", which end the run');
  if (!isFields(human) || human.context === undefined) return human;
  fault(at, '`context` of a question is accepted only by pawl/compat', 'write `show`');
  const { context: _, ...rest } = human;
  return rest;
}

function stepFields(spec: Fields, at: string, fault: Fault): Fields {
  const step = withoutCompatFields(spec, at, fault);
  for (const field of ['id', 'name'])
    if (field in step) fault(at, `\`${field}\` is accepted only by pawl/compat`, 'remove it: the id of a step is its key');
  const { id: _, name: __, output, ...rest } = step;
  const { human, parallel, each, validate, postconditions = [] } = rest;
  if (output !== undefined && !isSchema(output))
    fault(at, `\`output\` must be a Standard Schema, not ${shownType(output)}`, 'write one with zod, valibot or arktype');
  return {
    ...rest,
    // A value of another type stays unchanged, and is reported with the other fields of the step.
    ...(isSchema(output) && Array.isArray(postconditions) ? { postconditions: [...postconditions, outputCondition(output)] } : {}),
    ...(isFields(human) ? { human: { ...human, ...optionsOf(human, rest.next) } } : {}),
    ...(isFields(parallel) ? { parallel: { ...parallel, branches: branchesOf(parallel.branches, at, fault) } } : {}),
    ...(isFields(each) && isFields(each.step) ? { each: { ...each, step: stepFields(each.step, at, fault) } } : {}),
    ...(isFields(validate) && isFields(validate.onFailure)
      ? { validate: { ...validate, onFailure: stepFields(validate.onFailure, at, fault) } }
      : {}),
  };
}

function isSchema(value: unknown): value is OutputSchema {
  return typeof (value as Partial<OutputSchema> | null | undefined)?.['~standard']?.validate === 'function';
}

function branchesOf(branches: unknown, at: string, fault: Fault): unknown {
  if (isFields(branches)) return entriesOf(branches, fault);
  if (!Array.isArray(branches)) return branches;
  fault(
    at,
    '`branches` must be an object with a key per branch, not a list',
    'write branches: { lint: { … } }; lists are accepted only by defineWorkflow of pawl/compat',
  );
  return [];
}

const APPROVE_OR_REJECT: readonly Fields[] = [{ label: 'approve' }, { label: 'reject', outcome: 'reject' }];

/** The options with their outcomes: the label if `next` names it, `reject` for one that rejects the run. */
function optionsOf({ options = APPROVE_OR_REJECT }: Fields, next: unknown): { options?: unknown } {
  const keys: readonly unknown[] = isFields(next) ? Object.keys(next) : [];
  if (!Array.isArray(options) || (options === APPROVE_OR_REJECT && !keys.includes('approve'))) return {};
  const outcomeOf = ({ label, nextStep }: Fields) => (keys.includes(label) ? label : nextStep === 'reject' ? 'reject' : undefined);
  return {
    options: options.map((option: unknown) => {
      const outcome = isFields(option) ? (option.outcome ?? outcomeOf(option)) : undefined;
      return isFields(option) && outcome !== undefined ? { ...option, outcome } : option;
    }),
  };
}

/** Turns a schema into a condition of the step's contract: the result must match it. */
function outputCondition(schema: OutputSchema): StepCondition<{ readonly result: unknown }> {
  return {
    name: 'output',
    error: 'the output does not match the schema',
    check: async ({ result }) => (await schema['~standard'].validate(result)).issues === undefined,
  };
}
