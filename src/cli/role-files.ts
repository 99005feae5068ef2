// Owns where the files of roles lie. Apart from `roles.ts`, since whoever only asks whether there are any reads none.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HOMES, type Project } from './project.ts';

/** The files that describe the roles of a project, by name. */
export function roleFilesOf({ root }: Pick<Project, 'root'>): string[] {
  return HOMES.flatMap((home) => roleFiles(join(root, home, 'agents')));
}

function roleFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    // Most projects have no such folder.
    return [];
  }
}
