// Owns which projects take signatures. The setting lies in the project, where an agent could take it out again: a project
// that had it once, when a right was asked for or a run was started, keeps it until its owner removes it from the state folder.

import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError, messageOf } from '../base/error.ts';
import { type Project, stateHome } from './project.ts';
import type { Shell } from './shell.ts';
import { changeStateFile } from './state-file.ts';

/** The file in the state folder. */
const FILE = 'signed-projects.json';

/** Whether a project takes signatures; `says` is what its settings say now. */
export function isSignedProject(shell: Shell, { root }: Project, says: boolean): boolean {
  const file = join(stateHome(shell), FILE);
  const path = realpathSync(root);
  const known = readProjects(file).includes(path);
  if (says && !known)
    changeStateFile({ file, what: 'which projects take signatures' }, () => ({
      text: `${JSON.stringify({ version: 1, projects: [...readProjects(file), path] }, null, 2)}\n`,
      result: undefined,
    }));
  return says || known;
}

/** The projects that had the setting when a right was asked for, or a run was started. */
export function knownSignedProjects(shell: Shell): readonly string[] {
  return readProjects(join(stateHome(shell), FILE));
}

function readProjects(file: string): readonly string[] {
  try {
    const { projects } = JSON.parse(readFileSync(file, 'utf8')) as { readonly projects?: unknown };
    if (Array.isArray(projects)) return projects.map(String);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new EngineError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(error)}; mend or remove it`, { cause: error });
  }
  throw new EngineError('CONFIG_INVALID', `${file} is not a list of projects; mend or remove it`);
}
