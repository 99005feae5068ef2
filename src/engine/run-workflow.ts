// Owns which workflow drives a stored run: the one that the source knows or can load, or that the run's parent passed as a
// value.

import type { CompiledWorkflow } from '../definition/code.ts';
import type { EngineCore } from './engine.ts';
import type { StoredRun } from './host.ts';
import { findWorkflow, programOfRun } from './programs.ts';

/** Returns the workflow of a run. A child that a flow passed as a value becomes known when its parent is replayed. */
export async function workflowOf(core: EngineCore, run: StoredRun): Promise<CompiledWorkflow> {
  const { source } = core.parts;
  const { workflow, parent } = run.state;
  if (parent === undefined) return (await source.load?.(run)) ?? findWorkflow(source, workflow);
  if (source.find(workflow) !== undefined) return findWorkflow(source, workflow);
  const above = await core.store.load(parent.run);
  const given = { workflow: await workflowOf(core, above), definition: above.definition, params: await core.paramsOf(above.state) };
  if (source.find(workflow) !== undefined) return findWorkflow(source, workflow);
  const by = above.state.live[parent.path];
  const child = by === undefined ? undefined : (await programOfRun(core, above.state, given)).child(by.step);
  if (child?.definition.name === workflow) source.add?.(child);
  return findWorkflow(source, workflow);
}
