// Finds the skills of a project. It does not read their files.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { HOMES, isFolder, namesIn, type Project } from '../project.ts';

/** The folder of a skill. */
export interface SkillFolder {
  readonly name: string;
  readonly folder: string;
  readonly file: string | undefined;
  /** Further modules; there should be none. */
  readonly others: readonly string[];
}

/** The possible names of a skill's module. */
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
    .filter((name) => isFolder(join(folder, name)))
    .map((name) => {
      const [file, ...others] = modulesIn(join(folder, name));
      return { name, folder: join(folder, name), file, others };
    });
}

function modulesIn(folder: string): string[] {
  return SKILL_MODULES.map((name) => join(folder, name)).filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
