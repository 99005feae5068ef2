// Owns converting the record of steps that `defineWorkflow` takes to the entries that `graph.ts` compiles.

import type { ProblemList } from '../../definition/validation/problem.ts';
import type { StepCondition } from '../spec/part.ts';
import type { OutputSchema } from '../spec/step.ts';
import { entriesOf as listed } from './list.ts';
import type { Entries, GateOptionSpec, GraphEntries } from './spec.ts';

type Fields = Readonly<Record<string, unknown>>;
type Fault = (step: string, message: string, hint: string) => void;

/** The same workflow with its steps as entries, in the order written. */
export function recordEntries(spec: Fields, problems: ProblemList): GraphEntries {
  const { steps, ...rest } = spec;
  const fault: Fault = (step, message, hint) => problems.add({ code: 'FIELD_INVALID', step, message, hint });
  if (isFields(steps)) return { ...rest, steps: entriesOf(steps, fault) } as unknown as GraphEntries;
  const hint = 'write them by id, as in steps: { draft: { … } }; lists are for defineWorkflow of pawl/compat';
  problems.add({ code: 'NO_STEPS', message: Array.isArray(steps) ? 'its steps are a list' : 'it has no steps', hint });
  problems.refuse(String(spec.name));
  return rest as unknown as GraphEntries;
}

function entriesOf(steps: Fields, fault: Fault): Entries<Fields> {
  return Object.entries(steps).map(([id, step]) => {
    if (!isFields(step)) fault(id, 'it is not an object', 'write it as { command: "npm test", next: null }');
    else if (/^\d+$/.test(id)) fault(id, 'its id is a number', 'begin it with a letter: JavaScript moves numbers before all other keys');
    return [id, stepFields(isFields(step) ? step : {}, id, fault)];
  });
}

function stepFields(step: Fields, at: string, fault: Fault): Fields {
  for (const field of ['id', 'name']) if (field in step) fault(at, `it has a field "${field}"`, 'remove it: the id of a step is its key');
  const { id: _, name: __, output, ...rest } = step;
  const { human, parallel, each, validate } = rest;
  if (output !== undefined && typeof (output as OutputSchema)?.['~standard']?.validate !== 'function')
    fault(at, 'its output is not a schema', 'give a Standard Schema, as zod, valibot and arktype make them');
  return {
    ...rest,
    ...(output === undefined
      ? {}
      : { postconditions: [...((rest.postconditions ?? []) as readonly StepCondition<never>[]), outputCondition(output as OutputSchema)] }),
    ...(isFields(human) ? { human: { ...human, ...optionsOf(human, rest.next) } } : {}),
    ...(isFields(parallel) ? { parallel: { ...parallel, branches: branchesOf(parallel.branches, fault) } } : {}),
    ...(isFields(each) && isFields(each.step) ? { each: { ...each, step: stepFields(each.step, at, fault) } } : {}),
    ...(isFields(validate) && isFields(validate.onFailure)
      ? { validate: { ...validate, onFailure: stepFields(validate.onFailure, at, fault) } }
      : {}),
  };
}

/** The branches of a group: a record, or a list, which types refuse and JavaScript may have. */
function branchesOf(branches: unknown, fault: Fault): Entries<unknown> {
  if (Array.isArray(branches)) return listed(branches, 'branch');
  return isFields(branches) ? entriesOf(branches, fault) : [];
}

const APPROVE_OR_REJECT: readonly GateOptionSpec[] = [{ label: 'approve' }, { label: 'reject', outcome: 'reject' }];

/** The options with their outcomes: the label if `next` names it, `reject` for one that rejects the run. */
function optionsOf({ options }: Fields, next: unknown): { options?: readonly GateOptionSpec[] } {
  const keys = isFields(next) ? Object.keys(next) : [];
  if (options === undefined && !keys.includes('approve')) return {};
  const outcomeOf = ({ label, nextStep }: GateOptionSpec) => (keys.includes(label) ? label : nextStep === 'reject' ? 'reject' : undefined);
  const answers = (options ?? APPROVE_OR_REJECT) as readonly GateOptionSpec[];
  return {
    options: answers.map((option) => {
      const outcome = option.outcome ?? outcomeOf(option);
      return outcome === undefined ? option : { ...option, outcome };
    }),
  };
}

/** Turns a schema into a condition of the step's contract: the result must match it. */
function outputCondition(schema: OutputSchema): StepCondition<{ readonly result: unknown }> {
  return {
    name: 'output',
    error: 'its output does not fit the schema',
    check: async ({ result }) => (await schema['~standard'].validate(result)).issues === undefined,
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
