// Finds the definitions of a project, and the files that a command names.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Discovery } from '../authoring/discover/discover.ts';
import { type ParsedArgs, usageError } from './command.ts';
import { HOMES, isFolder, type Project } from './project.ts';
import { declaredRegistry, readProjectParts } from './project-parts.ts';
import { hasSettings } from './settings/settings.ts';
import type { Shell } from './shell.ts';

/** The folders of a project that hold workflows. */
export function workflowFolders(project: Project): string[] {
  return HOMES.map((home) => join(project.root, home, 'workflows')).filter(isFolder);
}

/** The workflow files of a project. */
export async function workflowFiles(project: Project): Promise<string[]> {
  const { findFiles } = await import('../authoring/discover/discover.ts');
  return (await Promise.all(workflowFolders(project).map(findFiles))).flatMap(({ paths }) => paths);
}

/** The files given as FILE arguments; throws if one does not exist. */
export function namedFiles(shell: Shell, args: ParsedArgs): string[] {
  const named = args.allWords('FILE').map((word) => resolve(shell.cwd, word));
  const missing = named.find((file) => !existsSync(file));
  if (missing === undefined) return named;
  throw usageError(`file ${missing} does not exist; "pawl list" shows the files of this project`);
}

/** Lists the workflows of a project without running their code: those in files, and those generated from settings. */
export async function discoverProject(project: Project): Promise<Discovery> {
  const { discoverWorkflows, duplicates } = await import('../authoring/discover/discover.ts');
  const parts = await readProjectParts(project);
  const files = await discoverWorkflows(workflowFolders(project), declaredRegistry(parts));
  const problems = [...files.problems, ...parts.problems];
  if (!hasSettings(project)) return { ...files, problems };
  const { listGenerated } = await import('./settings/generated.ts');
  const generated = await listGenerated(project);
  const workflows = [...files.workflows, ...generated.workflows];
  const others = problems.filter(({ code }) => code !== 'WORKFLOW_DUPLICATE');
  return { workflows, problems: [...others, ...generated.problems, ...duplicates(workflows)] };
}
