// Owns getting from a name or a file to a workflow that can be run. Only what is about to run is loaded, and only when
// its content is trusted; looking at definitions never runs any of their code.

import { existsSync, readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnyWorkflow } from '../api/engine.ts';
import { EngineError, messageOf } from '../base/error.ts';
import type { CompiledWorkflow } from '../definition/code.ts';
import type { RunOrigin } from '../store/store.ts';
import { libraryEntries } from './package.ts';
import type { Project } from './project.ts';
import type { Shell } from './shell.ts';

/** A workflow whose module is loaded, and its file. */
export interface LoadedWorkflow {
  readonly workflow: CompiledWorkflow;
  readonly file: string;
}

/** Loads a workflow by its name or its file; one whose content is not trusted is refused, or asked about on a terminal. */
export async function loadWorkflow(shell: Shell, project: Project, reference: string): Promise<LoadedWorkflow> {
  const direct = resolve(shell.cwd, reference);
  const folder = join(project.home ?? '', 'workflows');
  const candidates = existsSync(direct) ? [direct] : existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  for (const file of candidates) {
    const workflow = await importWorkflow(file);
    if (existsSync(direct) || workflow.definition.name === reference) return { workflow, file };
  }
  throw new EngineError('WORKFLOW_UNKNOWN', `there is no workflow "${reference}" in ${project.root}; "pawl list" shows what there is`);
}

/** Loads the workflow of a run that exists: from the file it was started from, else by its name. */
export async function loadWorkflowOf(
  shell: Shell,
  project: Project,
  run: { readonly workflow: string; readonly origin: RunOrigin },
): Promise<LoadedWorkflow> {
  const { file } = run.origin;
  return loadWorkflow(shell, project, file !== undefined && existsSync(file) ? file : run.workflow);
}

async function importWorkflow(file: string): Promise<CompiledWorkflow> {
  provideLibrary();
  let module: { readonly default?: AnyWorkflow; readonly WORKFLOW?: AnyWorkflow };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (cause) {
    throw new EngineError('MODULE_FAILED', `${file} could not be loaded: ${messageOf(cause)}`, { cause });
  }
  const entry = module.default ?? module.WORKFLOW;
  if (entry === undefined) throw new EngineError('MODULE_FAILED', `${file} exports no workflow: export it as default, or as WORKFLOW`);
  return 'compiled' in entry ? entry.compiled : entry;
}

let provided = false;

/** Lets a module import "pawl" wherever it lies: it gets the library this command line is part of, and no second copy. */
function provideLibrary(): void {
  if (provided) return;
  provided = true;
  const entries = libraryEntries();
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = entries[specifier];
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}
