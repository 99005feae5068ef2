// Finds workflows for an engine: those it was passed, those that they start, and the contexts for them.

import type { CompiledWorkflow } from '../definition/code.ts';
import { checkChildren, indexWorkflows } from '../definition/validation/children.ts';
import type { DefinitionSource } from '../engine/host.ts';
import type { AnyWorkflow, ContextBuilder } from './engine-options.ts';

/** Returns the workflows that an engine was passed, with those that they start, by name. */
export function sourceOf(workflows: readonly AnyWorkflow[] | DefinitionSource): DefinitionSource {
  if ('find' in workflows && !Array.isArray(workflows)) return workflows as DefinitionSource;
  const known = indexWorkflows(
    (workflows as readonly AnyWorkflow[]).map((workflow) => ({ workflow: compiledOf(workflow), origin: 'the list of workflows' })),
  );
  for (const workflow of [...known.values()]) addChildren(known, workflow);
  checkChildren(known);
  return {
    find: (name) => known.get(name),
    names: () => [...known.keys()],
    add: (workflow) => {
      if (!known.has(workflow.definition.name)) known.set(workflow.definition.name, workflow);
    },
  };
}

/** Returns the same workflows with the engine's contexts. Only the functions differ, so existing runs are not affected. */
export function withContexts(source: DefinitionSource, contexts: Readonly<Record<string, ContextBuilder>>): DefinitionSource {
  if (Object.keys(contexts).length === 0) return source;
  const given = new WeakMap<CompiledWorkflow, CompiledWorkflow>();
  const equipped = (workflow: CompiledWorkflow): CompiledWorkflow => {
    const { name } = workflow.definition;
    if (!Object.hasOwn(contexts, name)) return workflow;
    const made = given.get(workflow) ?? Object.freeze({ ...workflow, context: contexts[name] as ContextBuilder });
    given.set(workflow, made);
    return made;
  };
  const { load } = source;
  return {
    ...(load === undefined ? {} : { load: async (run) => equipped(await load.call(source, run)) }),
    find: (name) => {
      const found = source.find(name);
      return found === undefined ? undefined : equipped(found);
    },
    names: () => source.names(),
    add: (workflow) => source.add?.(workflow),
  };
}

function addChildren(known: Map<string, CompiledWorkflow>, workflow: CompiledWorkflow): void {
  for (const [name, child] of workflow.children) {
    if (known.has(name)) continue;
    known.set(name, child);
    addChildren(known, child);
  }
}

/** Returns a workflow in its compiled form. */
export function compiledOf(workflow: AnyWorkflow): CompiledWorkflow {
  return 'compiled' in workflow ? workflow.compiled : workflow;
}
