// Owns where the definitions of a project are, and how their files are named to people.

import { statSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import type { Discovery } from '../authoring/discover/discover.ts';
import { declaredRegistry, readProjectParts } from './own-parts.ts';
import { HOMES, type Project } from './project.ts';
import { hasSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';
import { oneLine } from './terminal.ts';

/** The folders of a project that hold workflows. */
export function workflowFolders(project: Project): string[] {
  return HOMES.map((home) => join(project.root, home, 'workflows')).filter(
    (folder) => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
  );
}

/** The workflows of a project, read and not run: those of its files, and those that its review policy stands for. */
export async function discoverProject(project: Project): Promise<Discovery> {
  const { discoverWorkflows, duplicates } = await import('../authoring/discover/discover.ts');
  const parts = await readProjectParts(project);
  const files = await discoverWorkflows(workflowFolders(project), declaredRegistry(parts));
  const found = { ...files, problems: [...files.problems, ...parts.problems] };
  if (!hasSettings(project)) return found;
  const { listReviews } = await import('./settings/reviews.ts');
  const reviews = await listReviews(project);
  const workflows = [...found.workflows, ...reviews.workflows];
  const problems = found.problems.filter(({ code }) => code !== 'WORKFLOW_DUPLICATE');
  return { workflows, problems: [...problems, ...reviews.problems, ...duplicates(workflows)] };
}

/** A file as people read it: from where they are, when it is below. */
export function shownFile(shell: Shell, file: string): string {
  const way = relative(shell.cwd, file);
  return oneLine(way === '' || way.startsWith('..') || isAbsolute(way) ? file : way);
}
