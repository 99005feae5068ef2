// Owns converting the list of steps that `pawl/compat` takes to entries by id, and its other names for fields of a
// workflow: with `type`, that is the name and `name` the title; `initialStep` is the entry; `name` of a step is its id.

import { omitUndefined } from '../../base/fields.ts';
import { type Fields, isFields } from '../spec/shape.ts';
import type { GraphReading } from './reading.ts';
import { readHeaderFields, workflowFields } from './shape.ts';
import type { Entries, GraphEntries } from './spec.ts';

/** The same workflow with its steps as entries. */
export function listEntries(given: unknown, reading: GraphReading): GraphEntries<unknown> {
  const { steps, ...fields } = workflowFields(given);
  const { type, name, title, entry, initialStep, ...rest } = readHeaderFields(fields, reading.shapeFault());
  const list: readonly unknown[] = Array.isArray(steps) ? steps : [];
  list.forEach((step, index) => {
    if (isFields(step) && (step.id ?? step.name) === undefined)
      reading.step(`step-${index + 1}`).fault('NAME_INVALID', `step ${index + 1} has no id`, 'give it one');
  });
  return {
    ...rest,
    name: type ?? name ?? '',
    ...omitUndefined({ title: type === undefined ? title : name, entry: entry ?? initialStep }),
    steps: entriesOf(list, 'step'),
  };
}

/** The id of a step in either spelling. */
export function idOf({ id, name }: { readonly id?: unknown; readonly name?: unknown }): string | undefined {
  const given = id ?? name;
  return typeof given === 'string' ? given : undefined;
}

/** Steps of a list as entries; one without an id is numbered. */
export function entriesOf(list: readonly unknown[], unnamed: string): Entries<unknown> {
  return list.map((step, index) => {
    const id = isFields(step) ? idOf(step) : undefined;
    if (!isFields(step) || id === undefined) return [`${unnamed}-${index + 1}`, isFields(step) ? withEntries(step) : step];
    const { id: _, name: __, ...fields } = withEntries(step);
    return [id, fields];
  });
}

/** The step with its branches, and those of the steps inside it, as entries. */
function withEntries(step: Fields): Fields {
  const { parallel, each, validate } = step;
  return {
    ...step,
    ...(isFields(parallel) && Array.isArray(parallel.branches)
      ? { parallel: { ...parallel, branches: entriesOf(parallel.branches, 'branch') } }
      : {}),
    ...(isFields(validate) && isFields(validate.onFailure)
      ? { validate: { ...validate, onFailure: withEntries(validate.onFailure) } }
      : {}),
    ...(isFields(each) && isFields(each.step) ? { each: { ...each, step: withEntries(each.step) } } : {}),
  };
}
