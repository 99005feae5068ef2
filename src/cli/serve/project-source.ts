// Owns where a server finds the code of runs: it loads the workflow of each run from the file that the run was started from, if
// its content is trusted, and keeps what it has loaded while that content stays the same.
//
// - A process loads a module once. A module that changed after it was loaded is refused until the server is started again.

import { EngineError } from '../../base/error.ts';
import type { CompiledWorkflow } from '../../definition/code.ts';
import type { DefinitionSource, StoredRun } from '../../engine/host.ts';
import { type LoadedWorkflow, loadCurrentWorkflow, loadWorkflow, loadWorkflowOf } from '../load.ts';
import { LoadedModules } from '../loaded-modules.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';

/** The workflows of a project, loaded lazily. */
export class ProjectSource implements DefinitionSource {
  private readonly shell: Shell;
  private readonly project: Project;
  private readonly locked: boolean;
  private readonly known = new Map<string, CompiledWorkflow>();
  private readonly modules = new LoadedModules('start the server again');

  /** `locked`: only what is as it was locked is given to whoever wants to start something. */
  constructor(shell: Shell, project: Project, { locked = false }: { readonly locked?: boolean } = {}) {
    this.shell = shell;
    this.project = project;
    this.locked = locked;
  }

  find(name: string): CompiledWorkflow | undefined {
    return this.known.get(name);
  }

  names(): readonly string[] {
    return [...this.known.keys()];
  }

  add(workflow: CompiledWorkflow): void {
    this.remember(workflow);
  }

  async load(run: StoredRun): Promise<CompiledWorkflow> {
    return this.taken(await loadWorkflowOf(this.shell, this.project, run));
  }

  /** The workflow of a run as it is written now, if that is trusted: for a run that begins with it. */
  async again(run: StoredRun): Promise<void> {
    await this.assertLocked(run.definition.name);
    await this.taken(await loadCurrentWorkflow(this.shell, this.project, run));
  }

  /** A trusted workflow of the project, by its name. */
  async named(name: string): Promise<LoadedWorkflow> {
    if (/[\\/]/.test(name)) throw new EngineError('USAGE', `"${name}" is a path; name a workflow of this project`);
    await this.assertLocked(name);
    const loaded = await loadWorkflow(this.shell, this.project, name);
    await this.taken(loaded);
    return loaded;
  }

  private async assertLocked(name: string): Promise<void> {
    if (this.locked) await (await import('../lock/lock.ts')).assertLocked(this.shell, this.project, name);
  }

  private async taken({ workflow, file }: LoadedWorkflow): Promise<CompiledWorkflow> {
    await this.modules.assertFresh(file);
    this.remember(workflow);
    return workflow;
  }

  private remember(workflow: CompiledWorkflow): void {
    this.known.set(workflow.definition.name, workflow);
    for (const child of workflow.children.values()) if (this.known.get(child.definition.name) !== child) this.remember(child);
  }
}
