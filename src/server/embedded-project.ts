// Owns the project of a server that is mounted in a program: the workflows that the program passes, which are trusted.

import type { AnyWorkflow } from '../api/engine-options.ts';
import { compiledOf } from '../api/workflow-source.ts';
import { EngineError } from '../base/error.ts';
import { didYouMean } from '../base/suggest.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { ServedProject } from './services.ts';
import { workflowShape } from './workflow-shape.ts';

/** The project of a program that names its workflows. */
export function embeddedProject(workflows: readonly AnyWorkflow[]): ServedProject {
  const known = new Map(workflows.map(compiledOf).map((workflow) => [workflow.definition.name, workflow]));
  const find = (name: string): CompiledWorkflow => {
    const found = known.get(name);
    if (found !== undefined) return found;
    throw new EngineError('WORKFLOW_UNKNOWN', `this server has no workflow "${name}"${didYouMean(name, [...known.keys()])}`);
  };
  return {
    name: 'pawl',
    workflows: async () => ({
      workflows: [...known.values()].map(({ definition: { name, title, description, form, steps, params } }) => ({
        ...{ name, title, description, form, file: '', line: 1, column: 1, trusted: true },
        params: Object.keys(params),
        steps: steps.map(({ id }) => id),
      })),
      problems: [],
    }),
    workflow: async (name) => ({ ...workflowShape(find(name).definition), file: null, trusted: true, findings: [] }),
    startable: async (name) => ({ workflow: find(name) }),
    scheduled: async () =>
      [...known.values()].flatMap(({ definition: { name: workflow }, schedule }) =>
        schedule === undefined ? [] : [{ workflow, schedule }],
      ),
    triggered: async () =>
      [...known.values()].flatMap(({ definition: { name: workflow }, trigger }) => (trigger === undefined ? [] : [{ workflow, trigger }])),
    commanded: async () =>
      [...known.values()].flatMap(({ definition: { name: workflow }, command }) => (command === undefined ? [] : [{ workflow, command }])),
    checks: async () => [],
    settings: async () => ({}),
  };
}
