// Rewrites the syntax of `pawl/compat` to that of `defineWorkflow` of `pawl`, as entries by id: steps and branches in
// lists, and other names. `type` is the name of a workflow, and `name` its title then; `initialStep` is the entry; `name` of
// a step is its id; `context` of a question is `show`; `parallel: true` with `parallelKey` is `each`.

import { omitUndefined } from '../../base/fields.ts';
import { type Fields, isFields } from '../spec/shape.ts';
import type { GraphReading, StepReading } from './reading.ts';
import { readHeaderFields, workflowFields } from './shape.ts';
import type { Entries, GraphEntries } from './spec.ts';

/** The same workflow with its steps as entries. */
export function listEntries(given: unknown, reading: GraphReading): GraphEntries<unknown> {
  const { steps, ...fields } = workflowFields(given);
  const { type, name, title, entry, initialStep, ...rest } = readHeaderFields(fields, reading.shapeFault());
  const list: readonly unknown[] = Array.isArray(steps) ? steps : [];
  list.forEach((step, index) => {
    if (isFields(step) && (step.id ?? step.name) === undefined)
      reading.step(`step-${index + 1}`).fault('NAME_INVALID', `step ${index + 1} must have an id`, 'add one, as in id: "build"');
  });
  return {
    ...rest,
    name: type ?? name ?? '',
    ...omitUndefined({ title: type === undefined ? title : name, entry: entry ?? initialStep }),
    steps: entriesOf(list, 'step', (id) => reading.step(id)),
  };
}

type ReadingOf = (id: string) => StepReading;

/** Steps of a list as entries; one without an id is numbered. */
function entriesOf(list: readonly unknown[], unnamed: string, readingOf: ReadingOf): Entries<unknown> {
  return list.map((step, index) => {
    const number = `${unnamed}-${index + 1}`;
    if (!isFields(step)) return [number, step];
    const given = step.id ?? step.name;
    const at = typeof given === 'string' ? given : number;
    const { id, ...fields } = rewritten(step, readingOf(at));
    return typeof id === 'string' ? [id, fields] : [at, { ...fields, ...omitUndefined({ id }) }];
  });
}

/** The step in the syntax of `pawl`, with the steps inside it. */
function rewritten(step: Fields, reading: StepReading): Fields {
  const { id, name, parallel, each, validate, human, humanGate, ...rest } = step;
  const inside: ReadingOf = (member) => reading.graph.step(`${reading.at}/${member}`);
  const written = omitUndefined({
    id: id ?? name,
    human: question(human, reading),
    humanGate: question(humanGate, reading),
    parallel: branches(parallel, inside),
    each: part(each, 'step', inside),
    validate: part(validate, 'onFailure', inside),
  });
  return fanOut({ ...rest, ...written }, reading);
}

function branches(parallel: unknown, inside: ReadingOf): unknown {
  if (!isFields(parallel) || !Array.isArray(parallel.branches)) return parallel;
  return { ...parallel, branches: entriesOf(parallel.branches, 'branch', inside) };
}

/** The work of a step with the step inside it rewritten. */
function part(work: unknown, field: string, inside: ReadingOf): unknown {
  const step = isFields(work) ? work[field] : undefined;
  return isFields(work) && isFields(step) ? { ...work, [field]: rewritten(step, inside(field)) } : work;
}

function question(spec: unknown, reading: StepReading): unknown {
  if (!isFields(spec) || spec.context === undefined) return spec;
  const { context, show, ...rest } = spec;
  if (show !== undefined) reading.fault('FIELD_INVALID', '`context` and `show` of a question mean the same', 'remove one of them');
  return { ...rest, show: context };
}

/** A step with `parallel: true` is done once for every item; what follows it belongs to the group. */
function fanOut(step: Fields, reading: StepReading): Fields {
  const { parallel, parallelKey, join, concurrency, ...rest } = step;
  const written = { ...rest, ...omitUndefined({ parallel: parallel === true ? undefined : parallel }) };
  // Without a list there is nothing to run in parallel: the step runs once.
  if (parallelKey === undefined && join === undefined && concurrency === undefined) return written;
  if (parallel !== true || parallelKey === undefined) {
    const hint = 'write `parallel: true` and `parallelKey`, or put them into `parallel` or `each`';
    reading.fault('FIELD_INVALID', '`parallelKey`, `join` and `concurrency` have no effect here', hint);
    return written;
  }
  const { id, next, humanGate, condition, ...body } = rest;
  const group = omitUndefined({ id, title: body.title, next, humanGate, condition });
  return { ...group, each: { items: parallelKey, step: body, ...omitUndefined({ join, concurrency }) } };
}
