// Owns where the skills of a project are. Nothing of them is read.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HOMES, type Project } from '../project.ts';

/** The folder of a skill. */
export interface SkillFolder {
  readonly name: string;
  readonly folder: string;
  /** Its module; undefined when there is none. */
  readonly file: string | undefined;
}

/** The names that the module of a skill can have. */
export const SKILL_MODULES = ['skill.ts', 'skill.mts', 'skill.js', 'skill.mjs'];

/** The folders of a project's skills, by name. */
export function skillFolders({ root }: Pick<Project, 'root'>): SkillFolder[] {
  return HOMES.flatMap((home) => foldersIn(join(root, home, 'skills'))).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The modules of a project's skills. */
export function skillModules(project: Pick<Project, 'root'>): string[] {
  return skillFolders(project).flatMap(({ file }) => file ?? []);
}

function foldersIn(folder: string): SkillFolder[] {
  return namesIn(folder)
    .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true)
    .map((name) => ({ name, folder: join(folder, name), file: moduleIn(join(folder, name)) }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Most projects have no skills.
    return [];
  }
}

function moduleIn(folder: string): string | undefined {
  return SKILL_MODULES.map((name) => join(folder, name)).find((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
