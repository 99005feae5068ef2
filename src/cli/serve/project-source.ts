// Owns the code of runs for a server: it loads the workflow of a run from the file that the run was started from, if the file
// is trusted, and keeps it while the file is unchanged.
//
// - A process loads a module once. A module that has changed since is rejected until the server is restarted.

import type { CompiledWorkflow } from '../../definition/code.ts';
import type { DefinitionSource, StoredRun } from '../../engine/host.ts';
import { usageError } from '../command.ts';
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

  /** `locked`: only workflows that are unchanged since they were locked can be started. */
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
    this.known.set(workflow.definition.name, workflow);
    for (const child of workflow.children.values()) if (this.known.get(child.definition.name) !== child) this.add(child);
  }

  async load(run: StoredRun): Promise<CompiledWorkflow> {
    return this.addFresh(await loadWorkflowOf(this.shell, this.project, run));
  }

  /** Loads the current version of a run's workflow, which must be trusted, for a new run. */
  async reload(run: StoredRun): Promise<void> {
    await this.assertLocked(run.definition.name);
    await this.addFresh(await loadCurrentWorkflow(this.shell, this.project, run));
  }

  async loadNamed(name: string): Promise<LoadedWorkflow> {
    if (/[\\/]/.test(name)) throw usageError(`"${name}" is a path; name a workflow of this project`);
    await this.assertLocked(name);
    const loaded = await loadWorkflow(this.shell, this.project, name);
    await this.addFresh(loaded);
    return loaded;
  }

  private async assertLocked(name: string): Promise<void> {
    if (this.locked) await (await import('../lock/lock.ts')).assertLocked(this.shell, this.project, name);
  }

  private async addFresh({ workflow, file }: LoadedWorkflow): Promise<CompiledWorkflow> {
    await this.modules.assertFresh(file);
    this.add(workflow);
    return workflow;
  }
}
