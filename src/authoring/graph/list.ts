// Owns converting the list of steps that `pawl/compat` takes to entries by id, and its other names for fields of a
// workflow: with `type`, that is the name and `name` the title; `initialStep` is the entry; `name` of a step is its id.

import { present } from '../../base/fields.ts';
import type { GraphReading } from './reading.ts';
import type { Entries, GraphEntries, GraphSpec, MemberSpec, StepFields, StepSpec } from './spec.ts';

/** The same workflow with its steps as entries. */
export function listEntries({ type, name, title, entry, initialStep, steps, ...rest }: GraphSpec, reading: GraphReading): GraphEntries {
  const list: readonly StepSpec[] = Array.isArray(steps) ? steps : [];
  list.forEach((step, index) => {
    if (idOf(step) === undefined) reading.step(`step-${index + 1}`).fault('NAME_INVALID', `step ${index + 1} has no id`, 'give it one');
  });
  return {
    ...rest,
    name: String(type ?? name ?? ''),
    ...present({ title: type === undefined ? title : name, entry: entry ?? initialStep }),
    steps: entriesOf(list, 'step'),
  };
}

/** The id of a step in either spelling. */
export function idOf(spec: { readonly id?: unknown; readonly name?: unknown }): string | undefined {
  const id = spec.id ?? spec.name;
  return id === undefined ? undefined : String(id);
}

/** Steps of a list as entries; one without an id is numbered. */
export function entriesOf(list: readonly ListStep[], unnamed: string): Entries<StepFields> {
  return (Array.isArray(list) ? list : []).map((step, index) => {
    const { id: _, name: __, ...fields } = withEntries(step);
    return [idOf(step) ?? `${unnamed}-${index + 1}`, fields];
  });
}

type ListStep = MemberSpec & Pick<StepSpec, 'parallel' | 'each' | 'next'>;

/** The step with its branches, and those of the steps inside it, as entries. */
function withEntries({ parallel, each, validate, ...step }: ListStep): StepFields & Pick<MemberSpec, 'id' | 'name'> {
  const onFailure = typeof validate === 'object' ? validate.onFailure : undefined;
  return {
    ...step,
    ...present({
      parallel: typeof parallel === 'object' ? { ...parallel, branches: entriesOf(parallel.branches, 'branch') } : parallel,
      validate: typeof validate === 'object' && onFailure !== undefined ? { ...validate, onFailure: withEntries(onFailure) } : validate,
    }),
    ...(each === undefined ? {} : { each: { ...each, step: withEntries(each.step) } }),
  };
}
