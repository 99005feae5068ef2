// Owns where the definitions of a project are.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Discovery } from '../authoring/discover/discover.ts';
import { declaredRegistry, readProjectParts } from './own-parts.ts';
import { HOMES, type Project } from './project.ts';
import { hasSettings } from './settings/settings.ts';

/** The folders of a project that hold workflows. */
export function workflowFolders(project: Project): string[] {
  return HOMES.map((home) => join(project.root, home, 'workflows')).filter(
    (folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

/** The workflows of a project, read and not run: those of its files, and those that its settings stand for. */
export async function discoverProject(project: Project): Promise<Discovery> {
  const { discoverWorkflows, duplicates } = await import('../authoring/discover/discover.ts');
  const parts = await readProjectParts(project);
  const files = await discoverWorkflows(workflowFolders(project), declaredRegistry(parts));
  const found = { ...files, problems: [...files.problems, ...parts.problems] };
  if (!hasSettings(project)) return found;
  const { listGenerated } = await import('./settings/generated.ts');
  const reviews = await listGenerated(project);
  const workflows = [...found.workflows, ...reviews.workflows];
  const problems = found.problems.filter(({ code }) => code !== 'WORKFLOW_DUPLICATE');
  return { workflows, problems: [...problems, ...reviews.problems, ...duplicates(workflows)] };
}
