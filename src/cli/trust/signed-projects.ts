// Owns which projects take signatures. The setting lies in the project, where an agent could take it out again, or in the
// user's settings, which a variable can hide: a project that had it once, when a right was asked for or a run was started,
// keeps it until its owner removes it from the state folder. So do all projects once the user's settings had it.

import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError, messageOf } from '../../base/error.ts';
import { type Project, stateHome } from '../project.ts';
import type { Settings } from '../settings/settings.ts';
import type { Shell } from '../shell.ts';
import { changeStateFile } from '../state-file.ts';

/** The file in the state folder. */
const FILE = 'signed-projects.json';
/** Stands for every project of the user. */
const ALL = '*';

/** Remembers that the settings of a project, or those of the user, ask for signatures. */
export function rememberSigned(shell: Shell, { root }: Project, { decisions, signs }: Pick<Settings, 'decisions' | 'signs'>): void {
  const file = join(stateHome(shell), FILE);
  const entry = signs === 'everywhere' ? ALL : realpathSync(root);
  if (decisions === undefined || readProjects(file).includes(entry)) return;
  changeStateFile({ file, what: 'which projects take signatures' }, () => ({
    text: `${JSON.stringify({ version: 1, projects: [...readProjects(file), entry] }, null, 2)}\n`,
    result: undefined,
  }));
}

/** Whether a project is remembered to take signatures. */
export function isKnownSigned(shell: Shell, { root }: Project): boolean {
  const known = readProjects(join(stateHome(shell), FILE));
  return known.includes(ALL) || known.includes(realpathSync(root));
}

/** The projects that had the setting when a right was asked for, or a run was started. */
export function knownSignedProjects(shell: Shell): readonly string[] {
  return readProjects(join(stateHome(shell), FILE)).filter((project) => project !== ALL);
}

function readProjects(file: string): readonly string[] {
  try {
    const { projects } = JSON.parse(readFileSync(file, 'utf8')) as { readonly projects?: unknown };
    if (Array.isArray(projects)) return projects.map(String);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new EngineError('CONFIG_INVALID', `${file} cannot be read: ${messageOf(error)}; mend or remove it`, { cause: error });
  }
  throw new EngineError('CONFIG_INVALID', `${file} is not a list of projects; mend or remove it`);
}
