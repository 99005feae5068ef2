// Owns the rules between workflows: names are unique, every child exists, and no workflow starts itself, directly or
// through others.

import { EngineError } from '../../base/error.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { CompiledWorkflow } from '../code.ts';
import { membersOf, type StepModel } from '../model.ts';

/** A workflow and where it was found: a file, a package. */
interface FoundWorkflow {
  readonly workflow: CompiledWorkflow;
  readonly origin: string;
}

/** Indexes workflows by name. Two with the same name are an error that names both. */
export function indexWorkflows(found: Iterable<FoundWorkflow>): Map<string, CompiledWorkflow> {
  const index = new Map<string, CompiledWorkflow>();
  const origins = new Map<string, string>();
  for (const { workflow, origin } of found) {
    const { name } = workflow.definition;
    const other = origins.get(name);
    if (other !== undefined) throw duplicateWorkflow(name, [other, origin]);
    index.set(name, workflow);
    origins.set(name, origin);
  }
  return index;
}

/** The error for two workflows with the same name. */
export function duplicateWorkflow(name: string, origins: readonly [string, string]): EngineError {
  const message = `two workflows are called "${name}": one in ${origins[0]}, one in ${origins[1]}; rename one of them`;
  return new EngineError('WORKFLOW_DUPLICATE', message, { details: { name, origins } });
}

/** Returns the names of the workflows that steps of this one start. */
export function childNames({ definition, children }: CompiledWorkflow): string[] {
  const models = definition.steps.flatMap((step) => [step, ...membersOf(step)]);
  const named = models.flatMap((step) => (step.kind === 'workflow' ? [step.workflow] : []));
  return [...new Set([...named, ...children.keys()])];
}

interface Visit {
  readonly name: string;
  readonly workflow: CompiledWorkflow;
  readonly rest: string[];
}

/** Checks that every child exists and that no workflow starts itself, directly or through others. */
export function checkChildren(workflows: ReadonlyMap<string, CompiledWorkflow>): void {
  const done = new Set<CompiledWorkflow>();
  for (const [name, workflow] of workflows) {
    const trail: Visit[] = done.has(workflow) ? [] : [visitOf(name, workflow)];
    for (let visit = trail.at(-1); visit !== undefined; visit = trail.at(-1)) {
      const child = visit.rest.pop();
      if (child === undefined) {
        done.add(visit.workflow);
        trail.pop();
        continue;
      }
      refuseCycle(trail, child);
      const next = visit.workflow.children.get(child) ?? workflows.get(child);
      if (next === undefined) throw unknownChild(visit.workflow, child, workflows);
      if (!done.has(next)) trail.push(visitOf(child, next));
    }
  }
}

function visitOf(name: string, workflow: CompiledWorkflow): Visit {
  return { name, workflow, rest: childNames(workflow).reverse() };
}

function refuseCycle(trail: readonly Visit[], child: string): void {
  const start = trail.findIndex(({ name }) => name === child);
  if (start === -1) return;
  const cycle = [...trail.slice(start).map(({ name }) => name), child];
  const message = `workflows start each other in a cycle: ${cycle.join(' → ')}; a run would never end, so remove one of these steps`;
  throw new EngineError('DEFINITION_CYCLE', message, { details: { cycle } });
}

function unknownChild(parent: CompiledWorkflow, child: string, workflows: ReadonlyMap<string, CompiledWorkflow>): EngineError {
  const starts = (step: StepModel): boolean => step.kind === 'workflow' && step.workflow === child;
  const step = parent.definition.steps.find((model) => [model, ...membersOf(model)].some(starts));
  const where = `step "${step?.id}" of workflow "${parent.definition.name}"`;
  const message = `${where} starts the workflow "${child}", which does not exist${didYouMean(child, workflows.keys())}; define it, or pass it as a value`;
  return new EngineError('WORKFLOW_UNKNOWN', message, { details: { workflow: child, parent: parent.definition.name } });
}
