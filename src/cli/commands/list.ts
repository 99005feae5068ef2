// `pawl list`: lists the workflows and skills of this project by parsing their files, and the skills that come with Pawl.

import type { DiscoveredWorkflow } from '../../authoring/discover/outline.ts';
import type { CommandRun } from '../command.ts';
import { discoverProject } from '../definitions.ts';
import { findProject, type Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { skillFolders } from '../skills/folders.ts';
import { shippedSkills } from '../skills/shipped.ts';
import { oneLine, table } from '../terminal.ts';

/** Runs the command. A file with a problem does not keep the others from being listed. */
export const run: CommandRun = async (shell, args) => {
  if (args.options('status').length > 0) return (await import('./runs.ts')).run(shell, args);
  const project = findProject(shell, args);
  const { workflows, problems } = await discoverProject(project);
  const sorted = [...workflows].sort((a, b) => (a.name < b.name ? -1 : 1));
  const skills = skillFolders(project).flatMap(({ name, file }) => (file === undefined ? [] : [{ name, file }]));
  const shipped = shippedSkills().flatMap(({ name, partOf }) => (partOf === undefined ? [name] : []));
  shell.result({ workflows: sorted, skills, shippedSkills: shipped, problems }, () => [
    ...linesOf(shell, project, sorted),
    ...skillLines(skills),
  ]);
  for (const { file, line, column, message, hint, code } of problems)
    shell.warn(`${shell.shownFile(file)}:${line}:${column}: ${oneLine(message)}; ${oneLine(hint)} [${code}]`);
  return 0;
};

function linesOf(shell: Shell, project: Project, workflows: readonly DiscoveredWorkflow[]): string[] {
  if (workflows.length === 0) return [`No workflows in ${oneLine(project.root)}. "pawl init" writes a first one.`];
  return table(shell.display, [
    { title: 'NAME', cells: workflows.map(({ name }) => oneLine(name)), style: (cell) => shell.style('bold', cell) },
    { title: 'FORM', cells: workflows.map(({ form }) => form) },
    { title: 'FILE', cells: workflows.map(({ file }) => shell.shownFile(file)), shrinks: 'name' },
    { title: 'TITLE', cells: workflows.map(({ title }) => oneLine(title)), shrinks: 'text' },
  ]);
}

function skillLines(skills: readonly { readonly name: string }[]): string[] {
  const names = skills.length === 0 ? '' : `Skills: ${skills.map(({ name }) => oneLine(name)).join(', ')}. `;
  const listed = skills.length === 0 ? 'the skills' : 'these and those';
  return ['', `${names}"pawl skill list" shows ${listed} that Pawl ships; "pawl run NAME --attended" runs one.`];
}
